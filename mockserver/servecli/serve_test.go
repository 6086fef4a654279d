package servecli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain makes the test binary the command, for tests that send it signals.
func TestMain(m *testing.M) {
	if os.Getenv("SERVECLI_TEST_COMMAND") == "1" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// write makes files in a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// output is what a running command wrote.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// started runs the command until the test ends, and returns the URL it prints and its error output.
func started(t *testing.T, args ...string) (url string, errOut *output) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	errOut = new(output)
	done := make(chan int, 1)
	go func() {
		code := run(ctx, append([]string{"serve"}, args...), w, errOut)
		w.Close()
		done <- code
	}()
	lines := bufio.NewReader(r)
	line, err := lines.ReadString('\n')
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != 0 {
			t.Errorf("ended with %d: %s", code, errOut)
		}
		if rest, _ := io.ReadAll(lines); len(rest) > 0 {
			t.Errorf("more output: %q", rest)
		}
	})
	url, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "listening on ")
	if err != nil || !ok {
		cancel()
		t.Fatalf("first line %q, %v; %s", line, err, errOut)
	}
	return strings.TrimSuffix(url, "/"), errOut
}

// exchange sends a request as it is and returns all that comes back. The request has to end the connection.
func exchange(t *testing.T, url, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "·", "\r\n")); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("%q: %v after %q", request, err, text)
	}
	return strings.ReplaceAll(string(text), "\r\n", "·")
}

const end = " HTTP/1.1·Host: a·Connection: close··"

func TestFolder(t *testing.T) {
	outside := write(t, map[string]string{"secret.txt": "secret"})
	dir := write(t, map[string]string{
		"index.html": "<p>root", "a.txt": "hello", "sub/index.html": "<p>sub", "empty/x/y.json": "{}", "b c%.bin": "?", "UP.TXT": "up",
		"noext": "n",
	})
	for name, target := range map[string]string{"link": filepath.Join(outside, "secret.txt"), "out": outside, "in": "a.txt"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	url, _ := started(t, dir)
	ok := func(kind, body string) string {
		return "HTTP/1.1 200 OK·Content-Length: " + string(rune('0'+len(body))) + "·Content-Type: " + kind + "··" + body
	}
	const text, html = "text/plain; charset=utf-8", "text/html; charset=utf-8"
	const missing = "HTTP/1.1 404 Not Found·Content-Length: 10·Content-Type: text/plain; charset=utf-8··not found\n"
	moved := func(to string) string { return "HTTP/1.1 301 Moved Permanently·…·Location: " + to + "·" }
	for _, tt := range []struct{ request, want string }{
		{"GET /", ok(html, "<p>root")},
		{"GET /index.html", ok(html, "<p>root")},
		{"GET /a.txt", ok(text, "hello")},
		{"GET /a.txt?x=/../y", ok(text, "hello")},
		{"GET http://other/a.txt", ok(text, "hello")},
		{"GET http://other", ok(html, "<p>root")},
		{"GET /%61.txt", ok(text, "hello")},
		{"GET /UP.TXT", ok(text, "up")},
		{"GET /noext", ok("application/octet-stream", "n")},
		{"GET /b%20c%25.bin", ok("application/octet-stream", "?")},
		{"GET /empty/x/y.json", ok("application/json", "{}")},
		{"GET /in", ok("application/octet-stream", "hello")},
		{"GET /sub/", ok(html, "<p>sub")},
		{"GET /sub/../a.txt", ok(text, "hello")},
		{"HEAD /a.txt", "HTTP/1.1 200 OK·Content-Length: 5·Content-Type: " + text + "··"},
		{"GET /sub?q=1", moved("/sub/?q=1")},
		{"GET //sub", moved("/sub/")},
		{"GET /empty/", missing},
		{"GET /none", missing},
		{"GET /a.txt/", missing},
		{"GET /a.txt/x", missing},
		{"GET /link", missing},
		{"GET /out/secret.txt", missing},
		{"GET /../" + filepath.Base(outside) + "/secret.txt", missing},
		{"GET /%2e%2e/%2e%2e/etc/passwd", missing},
		{"GET /..%2f..%2fetc/passwd", missing},
		{"GET /..%5c..%5cetc", "HTTP/1.1 400 Bad Request·"},
		{"GET /%zz", "HTTP/1.1 400 Bad Request·"},
		{"GET /%00", "HTTP/1.1 400 Bad Request·"},
		{"OPTIONS *", "HTTP/1.1 405 Method Not Allowed·…·Allow: GET, HEAD·"},
		{"DELETE /a.txt", "HTTP/1.1 405 Method Not Allowed·…·Allow: GET, HEAD·"},
	} {
		got := exchange(t, url, tt.request+end)
		head, rest, _ := strings.Cut(tt.want, "…")
		if !strings.HasPrefix(got, head) || !strings.Contains(got[len(head)-1:], rest) {
			t.Errorf("%s: got %q, want %q", tt.request, got, tt.want)
		}
	}
	// What changes on disk is seen.
	if err := os.WriteFile(filepath.Join(dir, "new.txt"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := exchange(t, url, "GET /new.txt"+end); !strings.HasSuffix(got, "··new") {
		t.Errorf("a new file: %q", got)
	}
	if got := exchange(t, url, "PUT /a.txt HTTP/1.1·Expect: 100-continue·Content-Length: 1·Connection: close··x"); !strings.HasPrefix(got, "HTTP/1.1 100 Informational··HTTP/1.1 405 ") {
		t.Errorf("a request that waits: %q", got)
	}
}

func TestTLSAndCertificateFile(t *testing.T) {
	dir := write(t, map[string]string{"index.html": "hi"})
	file := filepath.Join(t.TempDir(), "cert.pem")
	url, _ := started(t, dir, "--tls", "--cert-out", file) // flags may follow the path
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !strings.HasPrefix(url, "https://127.0.0.1:") || !pool.AppendCertsFromPEM(text) {
		t.Fatalf("URL %s, certificate %q", url, text)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != "hi" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestVerboseLogsRequests(t *testing.T) {
	dir := write(t, map[string]string{"a": "hi"})
	url, quiet := started(t, dir)
	exchange(t, url, "GET /a"+end)
	for n, args := range [][]string{1: {"--verbose", "--seed", "7", dir}, 2: {"--verbose", dir}} {
		if n == 0 {
			continue
		}
		url, loud := started(t, args...)
		exchange(t, url, "GET /a?access_token=s3cret"+end)
		if got := loud.String(); !strings.Contains(got, `method=GET target="/a?access_token=redacted" status=200`) || strings.Count(got, "\n") != n || strings.Contains(got, " seed=") != (n == 2) {
			t.Errorf("%q: %q", args, got)
		}
	}
	if got := quiet.String(); got != "" {
		t.Errorf("not verbose: %q", got)
	}
}

func TestArguments(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, tt := range []struct {
		args     string
		code     int
		out, err string // in the output
	}{
		{"", 2, "", "expected a command"},
		{"dance", 2, "", `unknown command "dance"`},
		{"serve", 2, "", "expected one folder, script or stub file but got 0"},
		{"serve a b", 2, "", "got 2"},
		{"serve --bad " + dir, 2, "", "-bad"},
		{"serve --addr", 2, "", "addr"},
		{"serve --addr 80 " + dir, 2, "", `--addr "80": expected HOST:PORT`},
		{"serve --cert-out x " + dir, 2, "", "--cert-out needs --tls"},
		{"serve /nowhere/at/all", 1, "", "/nowhere/at/all"},
		{"serve /dev/null", 1, "", "expected a folder, a script or a pipe with one, but it is none of them (Dc"},
		{"serve --addr " + busy.Addr().String() + " " + dir, 1, "", "address already in use"},
		{"serve --tls --cert-out " + dir + " " + dir, 1, "", "writing the certificate"},
		{"serve --record-to x " + dir, 2, "", "--record-to needs --record"},
		{"serve --record-mode once " + dir, 2, "", "--record-mode needs --record"},
		{"serve --record http://a --record-mode replay", 2, "", `--record-mode "replay": expected once, always or passthrough`},
		{"serve --record http://a --record-mode passthrough --record-to x", 2, "", "records nothing, but got --record-to"},
		{"serve --record http://a " + dir, 2, "", "expected PATH or --record"},
		{"serve --admin 127.0.0.1:0 " + dir, 2, "", "--admin and --admin-token-file need each other"},
		{"serve --admin nowhere --admin-token-file x " + dir, 2, "", `--admin "nowhere": expected HOST:PORT`},
		{"serve --admin 192.0.2.1:0 --admin-token-file " + dir + "/t " + dir, 1, "", "expected a loopback address"},
		{"serve --admin 0.0.0.0:0 --admin-token-file " + dir + "/t " + dir, 1, "", "expected a loopback address"},
		{"serve --record ftp://a", 1, "", "record: origin"},
		{"serve --record http://127.0.0.1:1 --record-to " + file, 1, "", "--record-to: mkdir " + file},
		{"serve --record http://127.0.0.1:1 --record-to " + file + "/below", 1, "", "--record-to: mkdir " + file},
		{"serve --stubs /nowhere/at/all", 1, "", "/nowhere/at/all"},
		{"serve --seed x " + dir, 2, "", "seed"},
		{"import", 2, "", "import: expected files or folders"},
		{"import /nowhere/at/all", 1, "", "/nowhere/at/all"},
		{"import --help", 0, "usage:", ""},
		{"journal", 2, "", "journal: expected the URL"},
		{"journal http://127.0.0.1:1", 2, "", "expected --token-file"},
		{"journal --token-file x --unmatched --json http://127.0.0.1:1", 2, "", "--unmatched shows all"},
		{"journal --token-file /nowhere/at/all http://127.0.0.1:1", 1, "", "/nowhere/at/all"},
		{"journal -h", 0, "usage:", ""},
		{"serve --help", 0, "usage:", ""},
		{"help", 0, "usage:", ""},
		{"--help", 0, "usage:", ""},
		{"version", 0, "mockserver ", ""},
	} {
		var out, errOut bytes.Buffer
		code := run(t.Context(), strings.Fields(tt.args), &out, &errOut)
		if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errOut.String(), tt.err) ||
			(tt.out == "") != (out.Len() == 0) || (tt.err == "") != (errOut.Len() == 0) {
			t.Errorf("%s: %d, %q, %q", tt.args, code, out.String(), errOut.String())
		}
		if tt.code == 2 && !strings.Contains(errOut.String(), "usage:") {
			t.Errorf("%s: no usage in %q", tt.args, errOut.String())
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAddressThatCannotBeWritten(t *testing.T) {
	var errOut bytes.Buffer
	if code := run(t.Context(), []string{"serve", t.TempDir()}, brokenPipe{}, &errOut); code != 1 || !strings.Contains(errOut.String(), "broken pipe") {
		t.Errorf("%d, %q", code, errOut.String())
	}
}

func TestSignalsEndTheCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd := exec.CommandContext(t.Context(), self, "serve", t.TempDir())
		cmd.Env = append(os.Environ(), "SERVECLI_TEST_COMMAND=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if !strings.HasPrefix(line, "listening on http://127.0.0.1:") {
			t.Errorf("first line %q, %v", line, err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("after %v: %v", sig, err)
		}
	}
}

// TestSignalLetsRequestsFinish signals when the first half of a body is there and the other half is not.
func TestSignalLetsRequestsFinish(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		grace, body string // "" for a body that breaks off
	}{{"1m", "ab"}, {"0", ""}, {"1ms", ""}} {
		script := filepath.Join(t.TempDir(), "site.mock")
		pause := "30s"
		if tt.body != "" {
			pause = "300ms"
		}
		if err := os.WriteFile(script, []byte("GET /\n  throttle 1 "+pause+"\n  body \"ab\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), self, "serve", "--grace", tt.grace, script)
		cmd.Env = append(os.Environ(), "SERVECLI_TEST_COMMAND=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if err != nil || !ok {
			t.Fatalf("first line %q, %v", line, err)
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 1)
		if _, err := io.ReadFull(resp.Body, first); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := string(first) + string(rest); tt.body != "" && (got != tt.body || err != nil) || tt.body == "" && err == nil {
			t.Errorf("--grace %s: %q, %v", tt.grace, got, err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("--grace %s: %v", tt.grace, err)
		}
	}
}
