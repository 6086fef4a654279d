package cli

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const okHead = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"

func TestHeads(t *testing.T) {
	found := "HTTP/1.1 404 \r\nX: \xe4\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
	early := "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	for _, c := range []struct {
		response string
		args     string
		code     int
		want     string
	}{
		{okHead + "abc", "", 0, "abc"},
		{okHead + "abc", "-i", 0, okHead + "abc"},
		{okHead, "-I", 0, okHead},
		{okHead + "abc", "-I -X GET", 0, okHead},
		{found + "abc", "", 0, "abc"},
		{found + "abc", "-i", 0, found + "abc"},
		{found + "abc", "-f", 22, ""},
		{found + "abc", "-fi", 22, found},
		{early + okHead + "abc", "", 0, "abc"},
		{early + okHead + "abc", "-i", 0, early + okHead + "abc"},
		{"HTTP/1.0 200 OK\r\n\r\nabc", "-i", 0, "HTTP/1.0 200 OK\r\n\r\nabc"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "", 18, "abc"},
	} {
		got := okcurl(t, append(strings.Fields(c.args), script(t, c.response, closing))...)
		if got.code != c.code || got.out != c.want {
			t.Errorf("%q %s: %+v, want %d, %q", c.response, c.args, got, c.code, c.want)
		}
	}
}

func TestRedirects(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %q", r.Method, r.URL, r.Header.Get("Authorization"))
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "now")
		switch path := r.URL.Path; {
		case path == "/other":
			http.Redirect(w, r, other+"/x", http.StatusFound)
		case strings.HasPrefix(path, "/n"):
			n, _ := strconv.Atoi(path[2:])
			w.Header().Set("Location", "/n"+strconv.Itoa(n-1))
			if n == 0 {
				w.Header().Del("Location")
			}
			w.WriteHeader(map[bool]int{true: 200, false: 302}[n == 0])
			fmt.Fprintf(w, "%d", n)
		default:
			code, _ := strconv.Atoi(path[1:])
			w.Header().Set("Location", "/n0")
			w.WriteHeader(code)
		}
	})
	okcurl(t, url+"/n1").want(t, 0, "1", "")
	okcurl(t, "-L", url+"/n2").want(t, 0, "0", "")
	okcurl(t, "-L", url+"/n20").want(t, 0, "0", "")
	okcurl(t, "-L", url+"/n21").want(t, 47, "", "okcurl: (47) too many redirects: more than 20\n")
	okcurl(t, "-L", "--max-redirs", "2", url+"/n2").want(t, 0, "0", "")
	okcurl(t, "-L", "--max-redirs", "1", url+"/n2").want(t, 47, "", "okcurl: (47) too many redirects: more than 1\n")
	okcurl(t, "--max-redirs", "0", url+"/n2").want(t, 0, "2", "") // not followed at all
	okcurl(t, "-Lw", " %{num_redirects} %{num_connects} %{method} %{url_effective}", "-d", "x", url+"/302").want(t, 0, "0 1 1 GET "+url+"/n0", "")
	okcurl(t, "-Lw", " %{num_redirects} %{method}", "-d", "x", url+"/307").want(t, 0, "0 1 POST", "")
	okcurl(t, "-w", " %{redirect_url}", url+"/n1").want(t, 0, "1 "+url+"/n0", "")
	okcurl(t, "-L", "-u", "a:b", url+"/other").want(t, 0, `GET /x ""`, "")

	got := okcurl(t, "-iL", url+"/n1")
	fields := regexp.MustCompile(`(?s)^(HTTP/1\.1 302 Found\r\n.*?\r\n)\r\n(HTTP/1\.1 200 OK\r\n.*?\r\n)\r\n0$`).FindStringSubmatch(got.out)
	if fields == nil || !strings.Contains(fields[1], "\r\nLocation: /n0\r\n") || strings.Contains(fields[2], "Location") {
		t.Errorf("-iL: %q, want the heads of both responses and the body of the last", got.out)
	}
}

func TestCompressed(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("X-Asked", fmt.Sprint(r.Header["Accept-Encoding"]))
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Repeat("text", 1000))
		z.Close()
	})
	plain := okcurl(t, url)
	if !strings.HasPrefix(plain.out, "\x1f\x8b") {
		t.Errorf("without --compressed: %q", plain.out)
	}
	got := okcurl(t, "--compressed", "-w", "%{size_download}", url)
	got.want(t, 0, strings.Repeat("text", 1000)+strconv.Itoa(len(plain.out)), "")
	withHead := okcurl(t, "-i", "--compressed", url)
	for _, line := range []string{"Content-Encoding: gzip", "X-Asked: [br, zstd, gzip, deflate]", "Content-Length: " + strconv.Itoa(len(plain.out))} {
		if !strings.Contains(withHead.out, "\r\n"+line+"\r\n") {
			t.Errorf("no %s in %q", line, withHead.out)
		}
	}
	if head := okcurl(t, "-I", url); !strings.Contains(head.out, "\r\nX-Asked: []\r\n") {
		t.Errorf("without --compressed: %q", head.out)
	}
	own := okcurl(t, "--compressed", "-H", "Accept-Encoding: gzip, br", url)
	own.want(t, 0, strings.Repeat("text", 1000), "")
}

// TestCodings lets a server answer in each coding that is asked for, and in one that is not.
func TestCodings(t *testing.T) {
	bodies := map[string]string{
		"br":       "\x0b\x02\x80Xyzzy\x03",
		"zstd":     "\x28\xb5\x2f\xfd\x00\x68\x29\x00\x00Xyzzy",
		"deflate":  "\x78\x9c\x8b\xa8\xac\xaa\xaa\x04\x00\x06\x7c\x02\x3f",
		"compress": "Xyzzy",
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", r.URL.Path[1:])
		io.WriteString(w, bodies[r.URL.Path[1:]])
	})
	for coding, body := range bodies {
		okcurl(t, "--compressed", url+"/"+coding).want(t, 0, "Xyzzy", "")
		okcurl(t, url+"/"+coding).want(t, 0, body, "")
	}
}

func TestOutputs(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/404" {
			w.WriteHeader(http.StatusNotFound)
		}
		if r.URL.Path != "/empty" {
			io.WriteString(w, r.URL.Path)
		}
	})
	short := script(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", closing)
	const absent = "\x00"
	for _, c := range []struct {
		args  []string
		code  int
		out   string
		files map[string]string
	}{
		{[]string{"-o", "a", url + "/x"}, 0, "", map[string]string{"a": "/x"}},
		{[]string{"-o", "a", "-o", "b", url + "/x", url + "/y", url + "/z"}, 0, "/z", map[string]string{"a": "/x", "b": "/y"}},
		{[]string{url + "/x", "-o", "-", "-o", "b", url + "/y"}, 0, "/x", map[string]string{"b": "/y"}},
		{[]string{"-O", url + "/d/name.txt?q#f"}, 0, "", map[string]string{"name.txt": "/d/name.txt"}},
		{[]string{"-OO", url + "/d/n1", url + "/n%202"}, 0, "", map[string]string{"n1": "/d/n1", "n%202": "/n 2"}},
		{[]string{"-O", url + "/d/"}, 23, "", nil},
		{[]string{"-O", url + "/d/%2e%2e"}, 23, "", nil},
		{[]string{"-o", "a", url + "/empty"}, 0, "", map[string]string{"a": ""}},
		{[]string{"-f", "-o", "a", url + "/404"}, 22, "", map[string]string{"a": absent}},
		{[]string{"-f", "-i", "-o", "a", url + "/404"}, 22, "", map[string]string{"a": "HTTP/1.1 404 Not Found"}},
		{[]string{"-I", "-o", "a", url + "/x"}, 0, "", map[string]string{"a": "HTTP/1.1 200 OK"}},
		{[]string{"-o", "a", short}, 18, "", map[string]string{"a": "abc"}},
		{[]string{"-o", "a", "http://host..invalid/"}, 6, "", map[string]string{"a": absent}},
		{[]string{"-o", "a", "-w", "%{filename_effective}", url + "/x"}, 0, "a", nil},
	} {
		t.Chdir(t.TempDir())
		got := okcurl(t, c.args...)
		if got.code != c.code || got.out != c.out {
			t.Errorf("%q: %+v, want %d, %q", c.args, got, c.code, c.out)
		}
		for name, want := range c.files {
			text, err := os.ReadFile(name)
			if want == absent {
				if !os.IsNotExist(err) {
					t.Errorf("%q: file %s exists: %v", c.args, name, err)
				}
				continue
			}
			first, _, _ := strings.Cut(string(text), "\r\n")
			if err != nil || first != want {
				t.Errorf("%q: file %s %q, %v; want %q", c.args, name, text, err, want)
			}
		}
	}
}

func TestStreams(t *testing.T) {
	next := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for _, part := range []string{"one", "two"} {
			io.WriteString(w, part)
			w.(http.Flusher).Flush()
			<-next
		}
	})
	r, w := io.Pipe()
	code := make(chan int)
	go func() { code <- Main([]string{url}, strings.NewReader(""), w, io.Discard) }()
	part := make([]byte, 3)
	for _, want := range []string{"one", "two"} { // each must come before the server goes on
		if _, err := io.ReadFull(r, part); err != nil || string(part) != want {
			t.Fatalf("%q, %v; want %q", part, err, want)
		}
		next <- struct{}{}
	}
	if got := <-code; got != 0 {
		t.Errorf("exit %d", got)
	}
}

func TestWriteOut(t *testing.T) {
	url := serve(t, echo)
	bare := strings.TrimPrefix(url, "http://")
	host, port, _ := strings.Cut(bare, ":")
	file := filepath.Join(t.TempDir(), "format")
	if err := os.WriteFile(file, []byte("%{http_code}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ format, want, err string }{
		{"%{http_code} %{response_code} %{http_version} %{scheme} %{method}", "200 200 1.1 http POST", ""},
		{"%{size_upload} %{size_download} %{num_connects} %{num_redirects}", "4 11 1 0", ""},
		{"%{remote_ip}:%{remote_port} %{local_ip}", host + ":" + port + " 127.0.0.1", ""},
		{"%{content_type}", "text/plain; charset=utf-8", ""},
		{"%{url_effective}", url + "/", ""},
		{"%{exitcode}[%{errormsg}][%{filename_effective}][%{redirect_url}]", "0[][][]", ""},
		{`a\tb\r\n%%\x%x%{`, "a\tb\r\n%\\x%x%{", ""},
		{`%`, "%", ""},
		{`\`, `\`, ""},
		{"%{num_headers} %{num_retries} %{urlnum} %{url} [%{referer}]", "3 0 0 " + url + "/ []", ""},
		{"a%{onerror}b", "a", ""},
		{"[%{nope}]", "[]", "okcurl: unknown --write-out variable: nope\n"},
		{"@" + file, "200\n", ""},
		{"@-", "200", ""},
	} {
		got := okcurlWith(t, "%{http_code}", "-w", c.format, "-d", "data", "http://u:p@"+bare)
		got.want(t, 0, "POST /\ndata"+c.want, c.err)
	}

	got := okcurl(t, "-sw", "%{time_namelookup} %{time_connect} %{time_appconnect} %{time_pretransfer} %{time_starttransfer} %{time_total}", "-o", os.DevNull, url)
	var lookup, connect, app, pre, start, total float64
	if _, err := fmt.Sscan(got.out, &lookup, &connect, &app, &pre, &start, &total); err != nil {
		t.Fatal(err)
	}
	if lookup != 0 || app != 0 || !(0 < connect && connect <= pre && pre <= start && start <= total) {
		t.Errorf("times %q: no look-up and no TLS, the others in their order", got.out)
	}

	// Sizes of heads are those on the wire of HTTP/1.1.
	head := capture(t, func(url string) {
		got = okcurl(t, "-w", "%{size_request} %{size_header}", "-e", "http://a.test/", url)
	})
	sent := len(strings.ReplaceAll(head, "HOST", bare)) // HOST has a port of as many digits
	got.want(t, 0, fmt.Sprintf("%d %d", sent, len("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")), "")

	// Everything can be had as JSON.
	var all map[string]any
	got = okcurl(t, "-sw", "%{json}", "-o", os.DevNull, "-e", "http://a.test/", url+"/x?<&>", "http://host..invalid/")
	lines := json.NewDecoder(strings.NewReader(got.out))
	if err := lines.Decode(&all); err != nil || len(all) != len(writeOutVariables) || all["http_code"] != 200.0 || all["http_version"] != "1.1" || all["urlnum"] != 0.0 ||
		all["url"] != url+"/x?%3C&%3E" || all["referer"] != "http://a.test/" || all["errormsg"] != nil || all["exitcode"] != 0.0 || !(all["time_total"].(float64) > 0) {
		t.Errorf("%v, %v", err, got.out)
	}
	if err := lines.Decode(&all); err != nil || all["http_code"] != 0.0 || all["remote_port"] != 0.0 || all["remote_ip"] != nil || all["urlnum"] != 1.0 || all["exitcode"] != 6.0 ||
		all["errormsg"] != "could not resolve host: host..invalid" {
		t.Errorf("%v, %v", err, got.out)
	}
	okcurl(t, "-w", "%{header_json}", script(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: 1\r\nB: \"<2>\"\r\na: 3\r\n\r\n", closing)).
		want(t, 0, `{"content-length":["0"],"a":["1","3"],"b":["\"<2>\""]}`, "")
	okcurl(t, "-w", `A\\nB\x\n\\`, script(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", closing)).want(t, 0, `A\\nB\x`+"\n"+`\\`, "")

	okcurl(t, "-sw", "%{http_code} %{exitcode} %{errormsg} %{num_connects}%{onerror}!", "http://host..invalid/").want(t, 6, "000 6 could not resolve host: host..invalid 0!", "")
	okcurl(t, "-sw", "%{http_code} %{size_download}", script(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", closing)).want(t, 18, "abc200 3", "")
}

func TestRemoteTime(t *testing.T) {
	const at = "Sun, 06 Nov 1994 08:49:37 GMT"
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dated" {
			w.Header().Set("Last-Modified", at)
		}
		io.WriteString(w, "tea")
	})
	began := time.Now().Add(-time.Minute) // file systems have clocks of their own
	for _, test := range []struct {
		path, flag string
		dated      bool
	}{
		{"/dated", "--remote-time", true},
		{"/dated", "-R", true},
		{"/dated", "--no-remote-time", false},
		{"/undated", "-R", false},
	} {
		name := filepath.Join(t.TempDir(), "file")
		okcurl(t, test.flag, "-o", name, url+test.path).want(t, 0, "", "")
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.ModTime(); test.dated && got.UTC().Format(http.TimeFormat) != at || !test.dated && got.Before(began) {
			t.Errorf("%s %s: the time of the file is %v", test.flag, test.path, got)
		}
	}
	okcurl(t, "-R", url+"/dated").want(t, 0, "tea", "")
}
