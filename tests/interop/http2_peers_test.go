//go:build unix

package interop

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// large is more than any window that a stream begins with.
var large = bytes.Repeat([]byte("0123456789abcdef"), 5<<15)

// startNghttpd serves a folder with nghttpd, which sends uploads back, and returns the origin.
func startNghttpd(t *testing.T, root string, authority *authority) string {
	t.Helper()
	path := program(t, "nghttpd")
	l, addr := listening(t)
	l.Close() // nghttpd opens its sockets itself
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-a", host, "-d", root, "--echo-upload", "--trailer", "x-sum: 1", "-m", "100"}
	origin := "http://" + addr
	if authority == nil {
		args = append(args, "--no-tls", port)
	} else {
		dir := t.TempDir()
		authority.write(t, dir, "server", "127.0.0.1")
		args = append(args, port, filepath.Join(dir, "server.key"), filepath.Join(dir, "server.pem"))
		origin = "https://" + addr
	}
	cmd := exec.Command(path, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nghttpd said:\n%s", out.Bytes())
		}
	})
	for end := time.Now().Add(patience); ; {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			return origin
		}
		if time.Now().After(end) {
			t.Fatalf("nghttpd does not listen: %v", err)
		}
		time.Sleep(10 * time.Millisecond) // for another process to come up
	}
}

// TestNghttpd lets the client fetch from nghttpd, by ALPN and by prior knowledge.
func TestNghttpd(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string][]byte{"a.txt": []byte("hello"), "large": large} {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	authority := newAuthority(t)
	for _, way := range []struct {
		name   string
		origin string
		opts   []okhttp.Option
	}{
		{"TLS", startNghttpd(t, root, authority), []okhttp.Option{okhttp.WithTLSConfig(authority.trust())}},
		{"cleartext", startNghttpd(t, root, nil), []okhttp.Option{okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge)}},
	} {
		t.Run(way.name, func(t *testing.T) {
			eachClient(t, func(t *testing.T, do fetch) {
				do(t, "GET", way.origin+"/a.txt", nil).want(t, 200, "hello")
				do(t, "HEAD", way.origin+"/a.txt", nil).want(t, 200, "")
				do(t, "GET", way.origin+"/missing", nil).want(t, 404, "*")
				do(t, "POST", way.origin+"/", []byte("upload")).want(t, 200, "upload")
				do(t, "PUT", way.origin+"/", []byte{}).want(t, 200, "")
				var all sync.WaitGroup
				for i := range 30 {
					all.Go(func() {
						switch i % 3 {
						case 0:
							do(t, "GET", way.origin+"/large", nil).want(t, 200, string(large))
						case 1:
							do(t, "POST", way.origin+"/", large).want(t, 200, string(large))
						default:
							do(t, "GET", way.origin+"/a.txt", nil).want(t, 200, "hello")
						}
					})
				}
				all.Wait()
			}, way.opts...)
			client := newClient(t, way.opts...)
			resp, err := client.Get(t.Context(), way.origin+"/a.txt")
			if err != nil {
				t.Fatal(err)
			}
			text, err := resp.Body.Text()
			trailers, failed := resp.Trailers()
			if text != "hello" || err != nil || trailers.Get("x-sum") != "1" || failed != nil || resp.Protocol != okhttp.HTTP2 {
				t.Errorf("%s over %s, %v; trailers %v, %v", text, resp.Protocol, err, trailers, failed)
			}
		})
	}
}

// TestNginxHTTP2 lets the client fetch from nginx with HTTP/2.
func TestNginxHTTP2(t *testing.T) {
	n := startNginx(t, `
		location /hello { return 200 "$server_protocol $request_method\n"; }
		location /limited { limit_rate 4m; }
		client_max_body_size 1m;
		location /put { client_max_body_size 1k; return 200 "*"; }`)
	n.serve(t, "large", string(large))
	origin := "https://" + n.second
	eachClient(t, func(t *testing.T, do fetch) {
		first := do(t, "GET", origin+"/hello", nil)
		first.want(t, 200, "HTTP/2.0 GET\n")
		do(t, "POST", origin+"/hello", []byte("x")).want(t, 200, "HTTP/2.0 POST\n")
		do(t, "HEAD", origin+"/large", nil).want(t, 200, "")
		do(t, "GET", origin+"/missing", nil).want(t, 404, "*")
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				got := do(t, "GET", origin+"/large", nil)
				got.want(t, 200, string(large))
				if got.headers.Get("X-Connection") != first.headers.Get("X-Connection") {
					t.Error("another connection was made")
				}
			})
		}
		all.Wait()
	}, okhttp.WithTLSConfig(n.authority.trust()))
}

// TestCurlHTTP2 lets curl fetch from the mock server by prior knowledge. Its version 7.88 fails on the second request over such a connection, before nghttpd
// too, so each command makes one; and it fails when a response comes before the request's end, from net/http's server too.
func TestCurlHTTP2(t *testing.T) {
	run := realCurl(t)
	curl := func(args ...string) output { return run(append([]string{"--http2-prior-knowledge"}, args...)...) }
	server := mockserver.New(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	file := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(file, large, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		script mockserver.Response
		args   []string
		out    string
		line   string
		body   string
	}{
		{mockserver.Reply(200).Text("hello"), []string{"-w", " %{http_version} %{http_code}"}, "hello 2 200", "GET", ""},
		{mockserver.Reply(200).Text("hello"), []string{"-I", "-o", os.DevNull, "-w", "%header{content-length}"}, "5", "HEAD", ""},
		{mockserver.Reply(204), nil, "", "GET", ""},
		{mockserver.Reply(200).Chunked(3).Text("trailed").Trailer("X-Sum", "1"), nil, "trailed", "GET", ""},
		{mockserver.Reply(200).Text(string(large)), nil, string(large), "GET", ""},
		{mockserver.Reply(201).Text("ok"), []string{"-d", "a=b"}, "ok", "POST", "a=b"},
		{mockserver.Reply(200).Text("ok"), []string{"-H", "Expect:", "-T", file}, "ok", "PUT", string(large)},
		{mockserver.Reply(200).Continue().Text("ok"), []string{"-H", "Expect: 100-continue", "-T", file}, "ok", "PUT", string(large)},
	} {
		server.Enqueue(c.script)
		curl(append(c.args, server.URL("/a"))...).want(t, 0, c.out)
		r, err := server.TakeRequest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.RequestLine() != c.line+" /a HTTP/2" || string(r.Body) != c.body || r.Failure != nil {
			t.Errorf("%v with %s, want %s with %s", r, abridged(string(r.Body)), c.line, abridged(c.body))
		}
	}
}

// TestNghttp lets nghttp make many requests at once, over one connection.
func TestNghttp(t *testing.T) {
	path := program(t, "nghttp")
	const piece = 200 << 10
	for _, way := range []struct {
		name string
		opt  mockserver.Option
	}{{"TLS", mockserver.WithLocalhostTLS()}, {"cleartext", mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)}} {
		t.Run(way.name, func(t *testing.T) {
			server := mockserver.New(t, way.opt, mockserver.WithDispatcher(echo{}))
			file := filepath.Join(t.TempDir(), "body")
			if err := os.WriteFile(file, large[:piece], 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) string {
				t.Helper()
				cmd := exec.Command(path, append(args, server.URL("/"))...)
				var out, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &stderr
				if err := cmd.Run(); err != nil {
					t.Errorf("nghttp %q: %v\n%s", args, err, stderr.Bytes())
				}
				return out.String()
			}
			if got := run("-d", file, "--trailer", "x-sum: 1"); got != string(large[:piece]) {
				t.Errorf("got %s", abridged(got))
			}
			if r, err := server.TakeRequest(t.Context()); err != nil || r.Trailers.Get("x-sum") != "1" {
				t.Errorf("%v, trailers %v, %v", r, r.Trailers, err)
			}
			if got := run("-m", "100", "-d", file); len(got) != 100*piece || strings.Trim(got, "0123456789abcdef") != "" {
				t.Errorf("got %d bytes", len(got))
			}
			conns := map[int]bool{}
			for range 100 {
				r, err := server.TakeRequest(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				conns[r.ConnIndex] = true
				if r.BodySize != piece || r.Failure != nil {
					t.Errorf("%v", r)
				}
			}
			if len(conns) != 1 {
				t.Errorf("over %d connections", len(conns))
			}
			if got := run("-nvm", "2"); strings.Count(got, ":status: 200") != 2 {
				t.Errorf("%s", fmt.Sprintf("%.2000s", got))
			}
		})
	}
}
