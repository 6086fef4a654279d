package cli

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestExitCodes makes every failure happen, apart from time limits. A message that ends in * is given by its beginning.
func TestExitCodes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused := l.Addr().String()
	l.Close()
	missing := filepath.Join(t.TempDir(), "missing")
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ok := func(t *testing.T) string { return serve(t, echo) }
	scripted := func(response string, end func(*net.TCPConn)) func(*testing.T) string {
		return func(t *testing.T) string { return script(t, response, end) }
	}
	at := func(url string) func(*testing.T) string { return func(*testing.T) string { return url } }
	for _, c := range []struct {
		name   string
		server func(*testing.T) string
		args   string // options; the URL comes last
		code   int
		err    string
	}{
		{"scheme", at("ftp://h/"), "", 1, "scheme ftp is not supported, expected http, https, ws or wss"},
		{"GET with data", ok, "-X GET -d x", 2, `method "GET" must not have a request body`},
		{"URL", at("http://h:x/"), "", 3, `invalid URL port: "x" in http://h:x/`},
		{"host", at("http://host..invalid/"), "", 6, "could not resolve host: host..invalid"},
		{"connect", at("http://" + unused), "", 7, "failed to connect to " + unused + ": connection refused"},
		{"not HTTP", scripted("SSH-2.0-x\r\n\r\n", hang), "", 8, `the server's response is not HTTP: *`},
		{"short body", scripted("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", closing), "", 18, "the server closed the connection before the end of the body"},
		{"short chunks", scripted("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", closing), "", 18, "the server closed the connection before the end of the body"},
		{"short gzip", scripted("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f\x8b\x08", closing), "--compressed", 18, "the server closed the connection before the end of the body"},
		{"status", scripted("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc", closing), "-f", 22, "the server answered 404 Not Found"},
		{"status without phrase", scripted("HTTP/1.1 500 \r\nContent-Length: 3\r\n\r\nabc", closing), "-f", 22, "the server answered 500"},
		{"output", ok, "-o " + filepath.Join(missing, "x"), 23, "cannot write " + filepath.Join(missing, "x") + ": no such file or directory"},
		{"remote name", ok, "-O", 23, "the URL has no file name for --remote-name"},
		{"data file", ok, "-d @" + missing, 26, "cannot read " + missing + ": no such file or directory"},
		{"binary data file", ok, "--data-binary @" + missing, 26, "cannot read " + missing + ": no such file or directory"},
		{"format file", ok, "-w @" + missing, 26, "cannot read " + missing + ": no such file or directory"},
		{"redirects", scripted("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", closing), "-L", 47, "too many redirects: more than 20"},
		{"max redirects", scripted("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", closing), "-L --max-redirs 0", 47, "too many redirects: more than 0"},
		{"redirect elsewhere", scripted("HTTP/1.1 302 Found\r\nLocation: ftp://h/\r\nContent-Length: 0\r\n\r\n", closing), "-L", 1, "cannot follow the redirect: *"},
		{"redirect nowhere", scripted("HTTP/1.1 302 Found\r\nLocation: http://h:x/\r\nContent-Length: 0\r\n\r\n", closing), "-L", 3, `cannot follow the redirect: invalid URL port: "x" in http://h:x/`},
		{"empty reply", scripted("", closing), "", 52, "the server closed the connection before its response had come"},
		{"half a head", scripted("HTTP/1.1 200 OK\r\nA: b", closing), "", 52, "the server closed the connection before its response had come"},
		{"reset", scripted("", reset), "", 56, "failed to receive the response: connection reset by peer"},
		{"bad chunk", scripted("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", closing), "", 56, "failed to receive the response: *"},
		{"bad gzip", scripted("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n"+strings.Repeat("x", 20), closing), "--compressed", 61, "cannot unpack the response: gzip: *"},
		{"bad br", scripted("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\n\xff\xff\xff\xff", closing), "--compressed", 61, "cannot unpack the response: br: *"},
		{"cut br", scripted("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\n\x0b\x02\x80Xy", closing), "--compressed", 61, "cannot unpack the response: br: unexpected EOF"},
		{"short br", scripted("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 9\r\n\r\n\x0b\x02\x80Xy", closing), "--compressed", 18, "the server closed the connection before the end of the body"},
		{"CA file", ok, "--cacert " + missing, 77, "cannot read the certificates of --cacert: " + missing + ": no such file or directory"},
		{"empty CA file", ok, "--cacert " + empty, 77, "no certificate in PEM form in " + empty},
		{"large head", scripted("HTTP/1.1 200 OK\r\nA: "+strings.Repeat("b", 300<<10)+"\r\n\r\n", closing), "", 100, "response head is larger than the limit of 262144 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := c.server(t)
			got := okcurl(t, append(strings.Fields(c.args), url)...)
			text, found := strings.CutPrefix(got.err, "okcurl: ("+strconv.Itoa(c.code)+") ")
			want := c.err + "\n"
			prefix, open := strings.CutSuffix(c.err, "*")
			same := text == want || open && strings.HasPrefix(text, prefix) && strings.Count(text, "\n") == 1
			if got.code != c.code || !found || !same {
				t.Errorf("exit %d, %q\nwant %d, %q", got.code, got.err, c.code, c.err)
			}
			for _, flag := range []string{"-s", "-sS"} {
				again := okcurl(t, append(strings.Fields(c.args), flag, url)...)
				quiet := flag == "-s" && c.code != 26 && c.code != 77 // those are found before there is a URL to be silent about
				if again.code != c.code || (again.err == "") != quiet {
					t.Errorf("%s: exit %d, %q", flag, again.code, again.err)
				}
			}
		})
	}
}

// TestSendFailures lets the server reset while a body is sent that no socket buffer can hold.
func TestSendFailures(t *testing.T) {
	url := script(t, "", reset)
	file := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(file, make([]byte, 32<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	got := okcurl(t, "--data-binary", "@"+file, url)
	if got.code != 55 || !strings.HasPrefix(got.err, "okcurl: (55) failed to send the request: ") {
		t.Errorf("%+v", got)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestWriteFailures(t *testing.T) {
	url := serve(t, echo)
	for _, c := range []struct {
		err  error
		want string
	}{
		{syscall.EPIPE, ""},
		{io.ErrClosedPipe, ""},
		{syscall.ENOSPC, "okcurl: (23) cannot write the output: no space left on device\n"},
	} {
		for _, args := range [][]string{{url}, {"-I", url}, {"-i", url}, {"-o", os.DevNull, "-w", "x", url}, {"--help"}, {"--version"}} {
			var err bytes.Buffer
			code := Main(args, strings.NewReader(""), failingWriter{c.err}, &err)
			if code != 23 || err.String() != c.want {
				t.Errorf("%v, %q: exit %d, %q", c.err, args, code, err.String())
			}
		}
	}
}

// TestBrokenPipe reads a part of an endless response, through a real pipe.
func TestBrokenPipe(t *testing.T) {
	gone := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.ReadFull(r, make([]byte, 1000))
		r.Close()
	}()
	var errs bytes.Buffer
	// The second URL is not fetched: nobody reads any more.
	if code := Main([]string{url, url}, strings.NewReader(""), w, &errs); code != 23 || errs.Len() != 0 {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	w.Close()
	<-gone
}

func TestInputFailure(t *testing.T) {
	var err bytes.Buffer
	in := io.MultiReader(strings.NewReader("x"), failingReader{})
	if code := Main([]string{"-d", "@-", "http://127.0.0.1:1/"}, in, io.Discard, &err); code != 26 || err.String() != "okcurl: (26) cannot read standard input: broken\n" {
		t.Errorf("exit %d, %q", code, err.String())
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestChangedFile shortens a file between its look-up and its sending.
func TestChangedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		os.Truncate(file, 50)
	})
	got := okcurl(t, "--data-binary", "@"+file, url, url)
	if got.code != 26 || !strings.HasPrefix(got.err, "okcurl: (26) cannot send the data: ") {
		t.Errorf("%+v", got)
	}
}

func TestSeveralFailures(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/404" {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, r.URL.Path)
	})
	okcurl(t, "-f", "ftp://x/", url+"/a", url+"/404?key=secret", url+"/b").want(t, 22, "/a/b",
		"okcurl: (1) scheme ftp is not supported, expected http, https, ws or wss\nokcurl: (22) the server answered 404 Not Found ("+url+"/404)\n")
}

func TestInterrupt(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, response, out string }{
		{"before the head", "", ""},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			unsupported := make(chan error, 1)
			url := script(t, c.response, func(conn *net.TCPConn) {
				if err := self.Signal(os.Interrupt); err != nil {
					unsupported <- err
					return
				}
				hang(conn)
			})
			got := okcurl(t, "-w", "never", url, url)
			select {
			case err := <-unsupported:
				t.Skip("cannot interrupt a process here: ", err)
			default:
			}
			// What of the body arrived before the signal is up to the scheduler.
			if got.code != 130 || got.err != "" || !strings.HasPrefix(c.out, got.out) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestTLS has the failures of TLS, and what -k and --cacert do about them.
func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pemOf(s.Certificate()), 0o600); err != nil {
		t.Fatal(err)
	}
	byName := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	plain := strings.Replace(serve(t, echo), "http://", "https://", 1)
	old := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	old.Config.ErrorLog = quiet
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	t.Cleanup(old.Close)
	for _, c := range []struct {
		args []string
		code int
		out  string
		err  string
	}{
		{[]string{s.URL}, 60, "", "okcurl: (60) certificate of 127.0.0.1 not verified: certificate signed by unknown authority\n"},
		{[]string{"-k", s.URL}, 0, "GET /\n", ""},
		{[]string{"--cacert", ca, s.URL}, 0, "GET /\n", ""},
		{[]string{"--cacert", ca, byName}, 60, "", "okcurl: (60) certificate of localhost not verified: certificate is valid for example.com, *.example.com, not localhost\n"},
		{[]string{"--cacert", ca, "-k", byName}, 0, "GET /\n", ""},
		{[]string{"-k", plain}, 35, "", "okcurl: (35) tls connect error: first record does not look like a TLS handshake (is it a server without tls?)\n"},
		{[]string{"-k", old.URL}, 35, "", "okcurl: (35) tls connect error: remote error: tls: protocol version not supported\n"},
	} {
		got := okcurl(t, c.args...)
		if got.code != c.code || got.out != c.out || got.err != c.err {
			t.Errorf("%q: %+v\nwant %d, %q, %q", c.args, got, c.code, c.out, c.err)
		}
	}
}
