//go:build unix

package interop

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
)

// poem compresses well and is long enough for nginx to do it.
var poem = strings.Repeat("Half a league, half a league, half a league onward,\n", 2000)

// TestNginxResponses goes through the forms that responses have.
func TestNginxResponses(t *testing.T) {
	upstream := mockserver.New(t, mockserver.WithDispatcher(echo{}))
	n := startNginx(t, strings.ReplaceAll(`
		location /gzip/ { alias DIR/root/; gzip on; gzip_types text/plain; gzip_vary on; }
		location /assembled/ { alias DIR/root/; ssi on; }
		location /post { return 200 "$request_method $content_length $content_type $http_transfer_encoding"; }
		location /framing { return 200 "$http_transfer_encoding"; }
		location /old { return 301 /new?x=1; }
		location /see { return 303 /new; }
		location /again { return 307 /post; }
		location /away { return 302 http://localhost.test:9/; }
		location /new { return 200 "$request_method $request_uri"; }
		location /none { return 204; }
		location /upstream/ { proxy_pass http://UPSTREAM/; proxy_http_version 1.1; proxy_request_buffering off; }
		location /store/ { dav_methods PUT DELETE; create_full_put_path on; }
	`, "UPSTREAM", upstream.Addr().String()))
	n.serve(t, "poem.txt", poem)
	n.serve(t, "empty.txt", "")
	n.serve(t, "page.html", `<!--# set var="x" value="assembled" --><p><!--# echo var="x" --></p>`)

	eachClient(t, func(t *testing.T, do fetch) {
		t.Run("file", func(t *testing.T) {
			a := do(t, "GET", n.url("/poem.txt"), nil)
			a.want(t, 200, poem)
			a.wantHeader(t, "Content-Length", strconv.Itoa(len(poem)))
			do(t, "GET", n.url("/empty.txt"), nil).want(t, 200, "")
		})
		t.Run("gzip", func(t *testing.T) {
			a := do(t, "GET", n.url("/gzip/poem.txt"), nil)
			a.want(t, 200, poem)
			a.wantHeader(t, "Vary", "Accept-Encoding") // nginx has seen the offer
			a.wantHeader(t, "Content-Encoding", "")
			raw := do(t, "GET", n.url("/gzip/poem.txt"), nil, "Accept-Encoding", "gzip")
			raw.wantHeader(t, "Content-Encoding", "gzip")
			if !strings.HasPrefix(raw.body, "\x1f\x8b") || len(raw.body) > len(poem)/10 {
				t.Errorf("%s, want it compressed", abridged(raw.body))
			}
		})
		t.Run("chunked", func(t *testing.T) {
			a := do(t, "GET", n.url("/assembled/page.html"), nil)
			a.want(t, 200, "<p>assembled</p>")
			a.wantHeader(t, "Content-Length", "")
		})
		t.Run("HEAD", func(t *testing.T) {
			a := do(t, "HEAD", n.url("/poem.txt"), nil)
			a.want(t, 200, "")
			a.wantHeader(t, "Content-Length", strconv.Itoa(len(poem)))
			do(t, "HEAD", n.url("/gzip/poem.txt"), nil, "Accept-Encoding", "gzip").want(t, 200, "")
			do(t, "HEAD", n.url("/assembled/page.html"), nil).want(t, 200, "")
			do(t, "HEAD", n.url("/missing"), nil).want(t, 404, "")
		})
		t.Run("no content", func(t *testing.T) { do(t, "GET", n.url("/none"), nil).want(t, 204, "") })
		t.Run("conditional", func(t *testing.T) {
			a := do(t, "GET", n.url("/poem.txt"), nil)
			do(t, "GET", n.url("/poem.txt"), nil, "If-Modified-Since", a.headers.Get("Last-Modified")).want(t, 304, "")
			do(t, "GET", n.url("/poem.txt"), nil, "If-None-Match", a.headers.Get("Etag")).want(t, 304, "")
			do(t, "GET", n.url("/poem.txt"), nil, "If-None-Match", `"other"`).want(t, 200, poem)
			do(t, "GET", n.url("/poem.txt"), nil, "If-Match", `"other"`).want(t, 412, "*")
		})
		t.Run("range", func(t *testing.T) {
			a := do(t, "GET", n.url("/poem.txt"), nil, "Range", "bytes=7-12")
			a.want(t, 206, "league")
			a.wantHeader(t, "Content-Range", "bytes 7-12/"+strconv.Itoa(len(poem)))
			do(t, "GET", n.url("/poem.txt"), nil, "Range", "bytes=-8").want(t, 206, "onward,\n")
			two := do(t, "GET", n.url("/poem.txt"), nil, "Range", "bytes=0-3,7-12")
			two.want(t, 206, "*")
			if kind := two.headers.Get("Content-Type"); !strings.HasPrefix(kind, "multipart/byteranges") || !strings.Contains(two.body, "\r\nleague\r\n") {
				t.Errorf("%s %s", kind, abridged(two.body))
			}
			do(t, "GET", n.url("/poem.txt"), nil, "Range", "bytes=9999999-").want(t, 416, "*")
		})
		t.Run("not found", func(t *testing.T) {
			a := do(t, "GET", n.url("/missing"), nil)
			a.want(t, 404, "*")
			if !strings.Contains(a.body, "404 Not Found") {
				t.Errorf("%s, want nginx's page", abridged(a.body))
			}
		})
		t.Run("redirects", func(t *testing.T) {
			do(t, "GET", n.url("/old"), nil).want(t, 200, "GET /new?x=1")
			do(t, "POST", n.url("/see"), []byte("abc")).want(t, 200, "GET /new")
			do(t, "POST", n.url("/again"), []byte("abc"), "Content-Type", "text/csv").want(t, 200, "POST 3 text/csv ")
			do(t, "GET", n.url("/upstream"), nil).want(t, 200, "") // nginx adds the slash by a redirect of its own
		})
		t.Run("POST", func(t *testing.T) {
			do(t, "POST", n.url("/post"), []byte("abc"), "Content-Type", "text/csv").want(t, 200, "POST 3 text/csv ")
			do(t, "POST", n.url("/post"), []byte{}).want(t, 200, "POST 0  ")
			do(t, "POST", n.url("/poem.txt"), []byte(poem)).want(t, 405, "*")
			do(t, "POST", n.url("/upstream/"), []byte(poem)).want(t, 200, poem)
		})
		t.Run("PUT and DELETE", func(t *testing.T) {
			do(t, "PUT", n.url("/store/a/b.txt"), []byte(poem)).want(t, 201, "*")
			do(t, "GET", n.url("/store/a/b.txt"), nil).want(t, 200, poem)
			do(t, "PUT", n.url("/store/a/b.txt"), []byte{}).want(t, 204, "")
			do(t, "GET", n.url("/store/a/b.txt"), nil).want(t, 200, "")
			do(t, "DELETE", n.url("/store/a/b.txt"), nil).want(t, 204, "")
			do(t, "GET", n.url("/store/a/b.txt"), nil).want(t, 404, "*")
		})
		t.Run("too large for nginx", func(t *testing.T) {
			do(t, "GET", n.url("/"+strings.Repeat("x", 10_000)), nil).want(t, 414, "*")
			do(t, "GET", n.url("/new"), nil, "X-Large", strings.Repeat("x", 40_000)).want(t, 400, "*")
		})
	})

	t.Run("okcurl", func(t *testing.T) {
		curl(n.url("/poem.txt")).want(t, 0, poem)
		curl("--compressed", n.url("/gzip/poem.txt")).want(t, 0, poem)
		curl(n.url("/assembled/page.html")).want(t, 0, "<p>assembled</p>")
		curl("-L", "-w", "%{num_redirects}", n.url("/old")).want(t, 0, "GET /new?x=11")
		curl("-w", "%{redirect_url}", "-o", "/dev/null", n.url("/away")).want(t, 0, "http://localhost.test:9/")
		curl("-f", n.url("/missing")).want(t, 22, "")
		curl("-H", "Range: bytes=7-12", n.url("/poem.txt")).want(t, 0, "league")
		curl("-d", "a=b", n.url("/post")).want(t, 0, "POST 3 application/x-www-form-urlencoded ")
		curl("-H", "Transfer-Encoding: chunked", "-d", "a=b", n.url("/framing")).want(t, 0, "chunked")
		curl("-d", "a=b", n.url("/framing")).want(t, 0, "")
		curl("-H", "Transfer-Encoding: chunked", "--data-raw", poem, n.url("/upstream/")).want(t, 0, poem)
		curl("-X", "PUT", "--data-raw", "kept", n.url("/store/c.txt")).want(t, 0, "")
		curl(n.url("/store/c.txt")).want(t, 0, "kept")
		head := curl("-I", n.url("/poem.txt"))
		if head.code != 0 || !strings.HasPrefix(head.out, "HTTP/1.1 200 OK\r\nServer: nginx") || !strings.HasSuffix(head.out, "\r\n\r\n") {
			t.Errorf("%+v", head)
		}
		// What nginx does not take for a request it answers with 400 and the end of the connection.
		for _, host := range []string{"a b", "a/b", "..", "a\x7f"} {
			got := curl("-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: "+host, n.url("/new"))
			if got.out != "400" && got.code != 2 { // or okcurl refuses it
				t.Errorf("Host %q: %+v", host, got)
			}
		}
	})
}

// TestNginxPaths sends paths through nginx's own parser, which must find what the client's URL says. Dots are resolved there, if not before.
func TestNginxPaths(t *testing.T) {
	n := startNginx(t, `location / { return 200 "$request_uri|$uri|$args|$http_host"; }`)
	t.Run("dots", func(t *testing.T) {
		const path, decoded = "/a/./b/../c", "/a/c"
		ownAPI(newClient(t))(t, http.MethodGet, n.url(path), nil).want(t, 200, decoded+"|"+decoded+"||"+n.addr)
		netHTTP(newClient(t).HTTPClient())(t, http.MethodGet, n.url(path), nil).want(t, 200, path+"|"+decoded+"||"+n.addr)
	})
	eachClient(t, func(t *testing.T, do fetch) {
		for _, c := range []struct{ path, uri, decoded, args string }{
			{"", "/", "/", ""},
			{"/%61%2Fb", "/%61%2Fb", "/a/b", ""},
			{"/ž", "/%C5%BE", "/ž", ""},
			{"/a?b=c&d", "/a?b=c&d", "/a", "b=c&d"},
			{"/a?", "/a?", "/a", ""},
			{"/a?q=[x|y]", "/a?q=[x|y]", "/a", "q=[x|y]"},
			{"/a b", "/a%20b", "/a b", ""},
		} {
			do(t, http.MethodGet, n.url(c.path), nil).want(t, 200, c.uri+"|"+c.decoded+"|"+c.args+"|"+n.addr)
		}
	})
}
