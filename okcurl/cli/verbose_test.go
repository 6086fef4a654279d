package cli

import (
	goflag "flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "write the golden files")

// golden compares what -v printed with a file, after volatile parts were replaced.
func golden(t *testing.T, name, got string, volatile ...string) {
	t.Helper()
	got = strings.NewReplacer(append(volatile, "\r\n", "\n")...).Replace(got)
	got = regexp.MustCompile(`(?m)^< Date: .*$`).ReplaceAllString(got, "< Date: DATE")
	got = regexp.MustCompile(`User-Agent: okcurl/\S+`).ReplaceAllString(got, "User-Agent: okcurl/VERSION")
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

// TestVerbose fetches with a redirect on the same connection, data, secrets both ways, an interim response, and a second URL over the
// same connection.
func TestVerbose(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/from":
			http.Redirect(w, r, "/to?q", http.StatusTemporaryRedirect)
		default:
			w.Header().Set("Link", "</style.css>")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Del("Link")
			w.Header().Set("Set-Cookie", "id=secret")
			w.Header().Set("X-Bell", "a\tb")
			echo(w, r)
		}
	})
	bare := strings.TrimPrefix(url, "http://")
	got := okcurl(t, "-vL", "-d", "data", "-H", "Cookie: secret", "http://secret:secret@"+bare+"/from", url+"/again")
	if got.code != 0 || got.out != "POST /to?q\ndataPOST /again\ndata" {
		t.Errorf("%+v", got)
	}
	if strings.Contains(got.err, "secret") || strings.Contains(got.err, "c2Vjcm") {
		t.Errorf("a secret in %s", got.err)
	}
	golden(t, "verbose.txt", got.err, bare, "127.0.0.1:PORT")
}

func TestVerboseTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(echo))
	t.Cleanup(s.Close)
	got := okcurl(t, "-vk", s.URL)
	if got.code != 0 || got.out != "GET /\n" {
		t.Errorf("%+v", got)
	}
	suite := regexp.MustCompile(`TLS_[A-Z0-9_]+`).FindString(got.err) // the better one depends on the processor
	golden(t, "verbose_tls.txt", got.err, strings.TrimPrefix(s.URL, "https://"), "127.0.0.1:PORT",
		s.Certificate().NotAfter.Format(http.TimeFormat), "DATE", suite, "SUITE")
}

func TestVerboseFailures(t *testing.T) {
	dead := script(t, "", closing)
	got := okcurl(t, "-v", dead, "http://host..invalid/")
	if got.code != 6 {
		t.Errorf("%+v", got)
	}
	golden(t, "verbose_failures.txt", got.err, strings.TrimPrefix(dead, "http://"), "127.0.0.1:PORT")
}

// TestVerboseRetry has a server that closes a kept connection when the next request comes, which is then sent over a new one.
func TestVerboseRetry(t *testing.T) {
	connections := 0
	url := script(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", func(c *net.TCPConn) {
		if connections++; connections == 1 {
			readHead(c)
		}
	})
	got := okcurl(t, "-v", url, url)
	if got.code != 0 {
		t.Errorf("%+v", got)
	}
	golden(t, "verbose_retry.txt", got.err, strings.TrimPrefix(url, "http://"), "127.0.0.1:PORT")
}

func TestVerboseIsPrintable(t *testing.T) {
	got := okcurl(t, "-v", script(t, "HTTP/1.1 200 \x1b[2J\r\nX: \x1b[31m\xe4\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", closing))
	if strings.Contains(got.err, "\x1b") {
		t.Errorf("an escape in %q", got.err)
	}
}
