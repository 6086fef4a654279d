//go:build unix

package interop

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// A watchedBody counts how often it is opened and what is read of it.
type watchedBody struct {
	text         string
	opened, read atomic.Int64
}

func (b *watchedBody) open() io.ReadCloser {
	b.opened.Add(1)
	return &countedReader{strings.NewReader(b.text), &b.read}
}

type countedReader struct {
	io.Reader
	n *atomic.Int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func (*countedReader) Close() error { return nil }

// TestRefusedBeforeTheBody asks before it sends, and is refused: the body is neither opened nor read, whoever makes the call, and the server gets
// nothing of it.
func TestRefusedBeforeTheBody(t *testing.T) {
	servers := map[string]func(t *testing.T) (url string, leftover func() string){
		"net/http": serverOfNetHTTP,
		"raw":      rawServer,
	}
	for name, start := range servers {
		for _, length := range []int64{3 << 20, -1} {
			t.Run(fmt.Sprintf("%s, length %d", name, length), func(t *testing.T) {
				url, leftover := start(t)
				pool := okhttp.NewConnectionPool(okhttp.PoolConfig{})
				client := newClient(t, okhttp.WithPool(pool))
				calls := map[string]func(body *watchedBody) answer{
					"own API":  func(body *watchedBody) answer { return expectOwn(t, client, url, body, length) },
					"net/http": func(body *watchedBody) answer { return expectHTTP(t, client.RoundTripper(), url, body, length) },
				}
				for who, call := range calls {
					body := &watchedBody{text: strings.Repeat("x", 3<<20)}
					call(body).want(t, 413, "too large")
					if opened, read := body.opened.Load(), body.read.Load(); opened != 0 || read != 0 {
						t.Errorf("%s: the body was opened %d times, and %d bytes of it read", who, opened, read)
					}
					if stats := pool.Stats(); stats.Connections != 0 {
						t.Errorf("%s: pool %+v, want the connection gone: the server may still want the body", who, stats)
					}
				}
				if rest := leftover(); rest != "" {
					t.Errorf("after the head came %s", abridged(rest))
				}
			})
		}
	}
}

// expectOwn asks by the client's own API.
func expectOwn(t *testing.T, client *okhttp.Client, url string, body *watchedBody, length int64) answer {
	t.Helper()
	b, err := okhttp.NewBody(okhttp.BodyConfig{Len: length, Open: func(context.Context) (io.ReadCloser, error) { return body.open(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	req, err := okhttp.NewRequest("PUT", url, okhttp.Header("Expect", "100-continue"), okhttp.WithBody(b))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := resp.Body.Text()
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.Status, resp.Headers().HTTP(), text}
}

// expectHTTP asks by a request of net/http, whose first body is open already: it must not be read, and GetBody not be called.
func expectHTTP(t *testing.T, transport http.RoundTripper, url string, body *watchedBody, length int64) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "PUT", url, &countedReader{strings.NewReader(body.text), &body.read})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = length
	req.GetBody = func() (io.ReadCloser, error) { return body.open(), nil }
	req.Header.Set("Expect", "100-continue")
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// serverOfNetHTTP refuses in a handler that never reads the body.
func serverOfNetHTTP(t *testing.T) (url string, leftover func() string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		io.WriteString(w, "too large")
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		<-served
	})
	return "http://" + l.Addr().String() + "/", func() string { return "" }
}

// rawServer refuses on each connection and then keeps what still comes until the client ends it.
func rawServer(t *testing.T) (url string, leftover func() string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const connections = 2
	rest := make(chan string, connections)
	for range connections {
		go func() {
			conn, err := l.Accept()
			if err != nil {
				rest <- err.Error()
				return
			}
			defer conn.Close()
			in := bufio.NewReader(conn)
			for line := ""; line != "\r\n"; {
				if line, err = in.ReadString('\n'); err != nil {
					rest <- err.Error()
					return
				}
			}
			io.WriteString(conn, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large")
			more, err := io.ReadAll(in)
			if err != nil {
				more = append(more, err.Error()...)
			}
			rest <- string(more)
		}()
	}
	return "http://" + l.Addr().String() + "/", func() string {
		l.Close()
		var all strings.Builder
		for range connections {
			all.WriteString(<-rest)
		}
		return all.String()
	}
}
