package okhttp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Through net/http the socket is the body, an io.ReadWriteCloser. Another goroutine may close it, which frees a Read.
func TestUpgradedRoundTrip(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("welcome", echoLines), switchAnd("", echoLines))
		round := func() (*http.Response, io.ReadWriteCloser) {
			r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://server.test/", nil)
			r.Header.Set("Connection", "upgrade")
			r.Header.Set("Upgrade", "echo")
			resp, err := w.client.RoundTripper().RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			rwc, ok := resp.Body.(io.ReadWriteCloser)
			if !ok || resp.StatusCode != 101 {
				t.Fatalf("status %d, body %T", resp.StatusCode, resp.Body)
			}
			return resp, rwc
		}
		_, rwc := round()
		lines := bufio.NewReader(rwc)
		if n, err := io.WriteString(rwc, " back\n"); n != 6 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
		if line, err := lines.ReadString('\n'); line != "welcome back\n" || err != nil {
			t.Errorf("read %q, %v", line, err)
		}
		if err := rwc.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			t.Error(err)
		}
		if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
			t.Errorf("then %q, %v", rest, err)
		}
		if err := rwc.Close(); err != nil {
			t.Error(err)
		}
		w.wantEvents(upgradeAccepted + "requestBodyStart responseBodyStart requestBodyEnd 6 responseBodyEnd 13 connectionReleased callEnd")

		_, rwc = round()
		read := make(chan error)
		go func() {
			_, err := rwc.Read(make([]byte, 1))
			read <- err
		}()
		synctest.Wait()
		rwc.Close()
		if err := <-read; !errors.Is(err, okio.ErrClosed) {
			t.Errorf("read %v", err)
		}
		if _, err := rwc.Write([]byte("x")); !errors.Is(err, okio.ErrClosed) {
			t.Errorf("write %v", err)
		}
		w.wantEvents(upgradeAccepted + "responseBodyStart responseBodyEnd 0 connectionReleased callEnd")
		w.holdsNothing()
	})
}

// The proxy of net/http carries an upgraded connection over our transport, both ways and to its end.
func TestUpgradeThroughReverseProxy(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(rw, switching+"welcome\n")
		rw.Flush()
		io.Copy(conn, rw)
	}))
	defer backend.Close()
	target, _ := url.Parse(backend.URL)
	client := closing(t)
	proxy := &httputil.ReverseProxy{Transport: client.RoundTripper(), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	front := httptest.NewServer(proxy)
	defer front.Close()
	conn, err := net.Dial("tcp", front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != 101 {
		t.Fatalf("%v %v", resp, err)
	}
	big := strings.Repeat("x", 1<<20) + "\n"
	go func() {
		io.WriteString(conn, big)
		conn.(*net.TCPConn).CloseWrite()
	}()
	for _, want := range []string{"welcome\n", big} {
		if line, err := in.ReadString('\n'); line != want || err != nil {
			t.Errorf("read %d bytes, %v, want %d", len(line), err, len(want))
		}
	}
	if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil {
		t.Errorf("then %q, %v", rest, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := client.Shutdown(ctx); err != nil {
		t.Errorf("the upgraded call has not ended: %v", err)
	}
}

// FullStack follows redirects itself; RoundTripper leaves them to the http.Client.
func TestFullStack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(redirectText(302, "/b"), redirectText(302, "/b"), okText("x")))
		for _, c := range []struct {
			rt   http.RoundTripper
			want int
		}{{w.client.RoundTripper(), 302}, {w.client.FullStack(), 200}} {
			r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://server.test/a", nil)
			resp, err := c.rt.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != c.want {
				t.Errorf("status %d, want %d", resp.StatusCode, c.want)
			}
		}
	})
}

// A body that was not sent, because the server refused it or an interceptor answered, is closed all the same.
func TestRoundTripClosesTheBodyThatIsNotSent(t *testing.T) {
	for name, c := range map[string]struct {
		opt    Option
		header http.Header
	}{
		"refused":     {nil, http.Header{"Expect": {"100-continue"}}},
		"not reached": {intercept(func(_ context.Context, c Chain) (*Response, error) { return NewResponse(c.Request(), 200), nil }), http.Header{}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", func(p *peer) { p.head(); p.send(okText("")) })
				body := &closeCounter{Reader: strings.NewReader("x")}
				r, _ := http.NewRequestWithContext(t.Context(), "POST", "http://server.test/", body)
				r.Header = c.header
				resp, err := w.client.RoundTripper().RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if body.closed != 1 {
					t.Errorf("closed %d times", body.closed)
				}
			}, c.opt)
		})
	}
}
