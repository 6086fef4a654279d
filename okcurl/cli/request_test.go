package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// TestRequestHead compares whole heads as they are on the wire.
func TestRequestHead(t *testing.T) {
	agent := "User-Agent: okcurl/" + okhttp.Version + "\n"
	const accept, keep, form = "Accept: */*\n", "Connection: Keep-Alive\n", "Content-Type: application/x-www-form-urlencoded\n"
	for _, c := range []struct {
		args []string // URL stands for the server
		want string   // without the Host line, which comes first
	}{
		{[]string{"URL"}, "GET / HTTP/1.1\n" + agent + accept + keep},
		{[]string{"URL/a?b=c#d"}, "GET /a?b=c HTTP/1.1\n" + agent + accept + keep},
		{[]string{"URL", "--compressed"}, "GET / HTTP/1.1\n" + agent + accept + "Accept-Encoding: br, zstd, gzip, deflate\n" + keep},
		{[]string{"URL", "-H", "Accept-Encoding: br"}, "GET / HTTP/1.1\n" + agent + accept + "Accept-Encoding: br\n" + keep},
		{[]string{"URL", "--compressed", "-H", "Accept-Encoding: gzip;q=0.5"}, "GET / HTTP/1.1\n" + agent + accept + keep + "Accept-Encoding: gzip;q=0.5\n"},
		{[]string{"URL", "-I"}, "HEAD / HTTP/1.1\n" + agent + accept + keep},
		{[]string{"URL", "-X", "DELETE"}, "DELETE / HTTP/1.1\n" + agent + accept + keep},
		{[]string{"URL", "-X", "POST"}, "POST / HTTP/1.1\n" + agent + accept + "Content-Length: 0\n" + keep},
		{[]string{"URL", "-d", ""}, "POST / HTTP/1.1\n" + agent + accept + form + "Content-Length: 0\n" + keep},
		{[]string{"URL", "-A", "me/1"}, "GET / HTTP/1.1\nUser-Agent: me/1\n" + accept + keep},
		{[]string{"URL", "-A", ""}, "GET / HTTP/1.1\n" + accept + keep},
		{[]string{"URL", "-H", "user-agent:"}, "GET / HTTP/1.1\n" + accept + keep},
		{[]string{"URL", "-H", "User-Agent: x", "-A", "y"}, "GET / HTTP/1.1\n" + accept + "User-Agent: x\n" + keep},
		{[]string{"URL", "-H", "Accept:", "-H", "Connection:"}, "GET / HTTP/1.1\n" + agent},
		{[]string{"URL", "-H", "Accept:", "-H", "Accept: a/b"}, "GET / HTTP/1.1\n" + agent + "Accept: a/b\n" + keep},
		{[]string{"URL", "-H", "X-Empty;", "-H", "X: 1", "-H", "X: 2"}, "GET / HTTP/1.1\n" + agent + accept + "X-Empty: \nX: 1\nX: 2\n" + keep},
		{[]string{"URL", "-H", "X: ä"}, "GET / HTTP/1.1\n" + agent + accept + "X: ä\n" + keep},
		{[]string{"URL", "-e", "http://r/"}, "GET / HTTP/1.1\n" + agent + accept + "Referer: http://r/\n" + keep},
		{[]string{"URL", "-u", "Aladdin:open sesame"}, "GET / HTTP/1.1\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\n" + agent + accept + keep},
		{[]string{"USERINFO"}, "GET / HTTP/1.1\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\n" + agent + accept + keep},
		{[]string{"USERINFO", "-u", "a:b"}, "GET / HTTP/1.1\nAuthorization: Basic YTpi\n" + agent + accept + keep},
		{[]string{"USERINFO", "-H", "Authorization: Bearer x"}, "GET / HTTP/1.1\n" + agent + accept + "Authorization: Bearer x\n" + keep},
		{[]string{"URL", "-H", "Content-Length: 99", "-H", "Transfer-Encoding: chunked"}, "GET / HTTP/1.1\n" + agent + accept + keep},
		{[]string{"URL", "-d", "", "-H", "Content-Type:"}, "POST / HTTP/1.1\n" + agent + accept + "Content-Length: 0\n" + keep},
		{[]string{"URL", "-d", "", "-H", "content-type: a/b"}, "POST / HTTP/1.1\n" + agent + accept + "Content-Type: a/b\nContent-Length: 0\n" + keep},
		{[]string{"URL", "-d", "", "-H", "Content-Length: 99", "-H", "Content-Length:"}, "POST / HTTP/1.1\n" + agent + accept + form + "Content-Length: 0\n" + keep},
		{[]string{"URL", "--json", "", "-H", "accept: a/b"}, "POST / HTTP/1.1\n" + agent + "accept: a/b\nContent-Type: application/json\nContent-Length: 0\n" + keep},
		{[]string{"URL", "--json", ""}, "POST / HTTP/1.1\n" + agent + "Accept: application/json\nContent-Type: application/json\nContent-Length: 0\n" + keep},
	} {
		got := capture(t, func(url string) {
			args := strings.Split(strings.NewReplacer(
				"URL", url, "USERINFO", strings.Replace(url, "http://", "http://Aladdin:open%20sesame@", 1),
			).Replace(strings.Join(c.args, "\x00")), "\x00")
			if r := okcurl(t, args...); r.code != 0 || r.err != "" {
				t.Errorf("%q: %+v", c.args, r)
			}
		})
		start, fields, _ := strings.Cut(c.want, "\n")
		want := start + "\nHost: HOST\n" + fields + "\n"
		if got = strings.ReplaceAll(got, "\r\n", "\n"); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", c.args, got, want)
		}
	}
}

func TestHostHeader(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"Host: other", "GET / HTTP/1.1\r\nHost: other\r\nAccept"},
		{"Host:", "GET / HTTP/1.1\r\nAccept"},
	} {
		got := capture(t, func(url string) { okcurl(t, "-A", "", "-H", c.line, url) })
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", c.line, got)
		}
	}
}

func TestData(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "data")
	content := "a=1\r\nb\x00\xff=2\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var length, contentType string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		length, contentType = r.Header.Get("Content-Length"), r.Header.Get("Content-Type")
		if len(r.TransferEncoding) > 0 {
			length = r.TransferEncoding[0]
		}
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	})
	const form, json = "application/x-www-form-urlencoded", "application/json"
	for _, c := range []struct {
		args               []string
		in                 string
		want, length, kind string
	}{
		{[]string{"-d", "a=b"}, "", "a=b", "3", form},
		{[]string{"-d", "a=b", "--data", "c", "--data-raw", "@d"}, "", "a=b&c&@d", "8", form},
		{[]string{"-d", "@" + file}, "", "a=1b\xff=2", "7", form},
		{[]string{"-d", "@-"}, "x\ny\n", "xy", "2", form},
		{[]string{"--data-binary", "@" + file}, "", content, "11", form},
		{[]string{"--data-binary", "@" + file, "-d", "x"}, "", content + "&x", "13", form},
		{[]string{"--data-binary", "@-"}, "x\ny\n", "x\ny\n", "4", form},
		{[]string{"--json", `{"a":`, "--json", "1}"}, "", `{"a":1}`, "7", json},
		{[]string{"--json", "@-"}, "{}\n", "{}\n", "3", json},
		{[]string{"-X", "PUT", "-d", "x"}, "", "x", "1", form},
		{[]string{"-d", "x", "-H", "Transfer-Encoding: chunked"}, "", "x", "chunked", form},
		{[]string{"--data-binary", "@" + file, "-H", "Transfer-Encoding: chunked"}, "", content, "chunked", form},
	} {
		got := okcurlWith(t, c.in, append(c.args, url)...)
		if got.code != 0 || got.out != c.want || length != c.length || contentType != c.kind {
			t.Errorf("%q: %+v, length %s, type %s; want %q, %s, %s", c.args, got, length, contentType, c.want, c.length, c.kind)
		}
	}
}

// TestDataTwice sends a body to two URLs and after a redirect that keeps the method.
func TestDataTwice(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/307" {
			http.Redirect(w, r, "/x", http.StatusTemporaryRedirect)
			return
		}
		echo(w, r)
	})
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"content", "@" + file, "@-"} {
		okcurlWith(t, "content", "-L", "--data-binary", data, url+"/307", url+"/y").want(t, 0, "POST /x\ncontentPOST /y\ncontent", "")
	}
}

func TestTarget(t *testing.T) {
	for _, c := range []struct {
		text, want, user string
		code             int
	}{
		{"example.com", "http://example.com/", "", 0},
		{"example.com:8080/a?u=http://x", "http://example.com:8080/a?u=http://x", "", 0},
		{"localhost:8080", "http://localhost:8080/", "", 0},
		{"HTTPS://Example.com:443", "https://example.com/", "", 0},
		{"[::1]:80/x", "http://[::1]/x", "", 0},
		{"http://u:p%40@h/", "http://h/", "u:p@", 0},
		{"u:p@h", "http://h/", "u:p", 0},
		{"u@h", "http://h/", "u:", 0},
		{"ftp://h/", "", "", 1},
		{"ws://h/", "", "", 1},
		{"file:///etc/passwd", "", "", 1},
		{"", "", "", 3},
		{" ", "", "", 3},
		{"http://", "", "", 3},
		{"http://h:99999/", "", "", 3},
		{"mailto:x", "", "", 3},
		{"http://u:secret@h:x/", "", "", 3},
		{"http://[::1/", "", "", 3},
	} {
		u, user, err := newOptions().target(c.text)
		if c.code != 0 {
			if err == nil {
				t.Errorf("%q: %s, want exit %d", c.text, u, c.code)
				continue
			}
			if f := classify(t.Context(), err); f.code != c.code || strings.Contains(f.text, "secret") {
				t.Errorf("%q: %+v, want exit %d", c.text, f, c.code)
			}
			continue
		}
		got := ""
		if user != nil {
			got = user.name + ":" + user.password
		}
		if err != nil || u.String() != c.want || got != c.user {
			t.Errorf("%q: %s, %q, %v; want %s, %q", c.text, u, got, err, c.want, c.user)
		}
	}
}
