package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	okws "github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// get1 makes a call and returns what came of its body.
func get1(t *testing.T, c *okhttp.Client, url string) (text string, err error) {
	t.Helper()
	resp, err := c.Get(t.Context(), url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	p, err := io.ReadAll(resp.Body)
	return string(p), err
}

// isTimeout reports whether a limit of time was reached.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// TestClientOfScripts has what a client makes of scripts that are wrong or slow, and where its next request comes in.
func TestClientOfScripts(t *testing.T) {
	ok := mockserver.Reply(200)
	two := []okhttp.Protocols{okhttp.HTTP1Only, okhttp.HTTP2PriorKnowledge}
	for _, tt := range []struct {
		name     string
		versions []okhttp.Protocols
		script   mockserver.Response
		text     string // what is read of the body
		fails    func(error) bool
		nextOn   int // the connection
	}{
		{"a size line that is none", two[:1], ok.Raw([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nG\r\n" + strings.Repeat("x", 16))), "", func(err error) bool {
			return errors.As(err, new(*okhttp.ProtocolError))
		}, 1},
		{"a body that is too short", two[:1], ok.Text("ABC").Header("Content-Length", "4"), "ABC", isTimeout, 1},
		{"half of two", two[:1], ok.Text("ab").On(mockserver.ResponseBody, mockserver.CloseSocket{}), "a", func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }, 1},
		{"two informational", two, ok.Informational(103, "Link", "</a>").Continue().Text("final"), "final", nil, 0},
		{"stall", two[:1], ok.On(mockserver.ResponseStart, mockserver.Stall{}), "", isTimeout, 1},
		{"a goodbye", two, ok.Text("last").On(mockserver.ResponseEnd, mockserver.ShutdownConnection{}), "last", nil, 1},
	} {
		for _, version := range tt.versions {
			t.Run(fmt.Sprint(tt.name, " over ", map[okhttp.Protocols]string{two[0]: "HTTP/1.1", two[1]: "HTTP/2"}[version]), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := memory(t, mockserver.WithProtocols(version))
					s.Enqueue(tt.script, ok.Text("next"))
					client := s.Client(okhttp.WithReadTimeout(time.Second))
					defer client.Close()
					if text, err := get1(t, client, s.URL("/")); text != tt.text || (err != nil) != (tt.fails != nil) || err != nil && !tt.fails(err) {
						t.Errorf("got %q, %v, want %q", text, err, tt.text)
					}
					synctest.Wait()
					if text, err := get1(t, client, s.URL("/next")); text != "next" || err != nil {
						t.Errorf("the next call: %q, %v", text, err)
					}
					first, next := take(t, s), take(t, s)
					if first.Target != "/" || next.Target != "/next" || next.ConnIndex != tt.nextOn || next.Index != 1-tt.nextOn {
						t.Errorf("recorded %v, then %v", first, next)
					}
				})
			})
		}
	}
}

// TestEndings ends a connection after a response in each way there is: the next call of a client that tries again succeeds.
func TestEndings(t *testing.T) {
	for name, ending := range map[string]mockserver.Effect{
		"the connection":      mockserver.ShutdownConnection{},
		"the half that comes": mockserver.CloseSocket{NoClose: true, In: true},
		"the half that goes":  mockserver.CloseSocket{NoClose: true, Out: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(mockserver.Reply(200).Text("1").On(mockserver.ResponseEnd, ending), mockserver.Reply(200).Text("2"), mockserver.Reply(200).Text("2"))
				client := s.Client(okhttp.WithReadTimeout(time.Second))
				defer client.Close()
				for _, want := range []string{"1", "2"} {
					if text, err := get1(t, client, s.URL("/")); text != want || err != nil {
						t.Fatalf("got %q, %v, want %q", text, err, want)
					}
					synctest.Wait()
				}
				list := s.Requests()
				fresh := slices.ContainsFunc(list[1:], func(r *mockserver.Request) bool { return r.Index == 0 && r.ConnIndex > 0 })
				if len(list) > 3 || !fresh {
					t.Errorf("recorded %v", list)
				}
			})
		})
	}
}

// TestUploadIsCutAtHalf: nothing of the other half is taken, but for what is on its way.
func TestUploadIsCutAtHalf(t *testing.T) {
	const size, slack = 256 << 20, 1 << 20
	s := memory(t, mockserver.WithBodyLimit(0)) // where little is on its way
	s.Enqueue(mockserver.Reply(200).On(mockserver.RequestBody, mockserver.CloseSocket{}))
	content := &junk{left: size}
	body, err := okhttp.NewBody(okhttp.BodyConfig{Len: size, Open: func(context.Context) (io.ReadCloser, error) { return content, nil }})
	if err != nil {
		t.Fatal(err)
	}
	client := s.Client(okhttp.WithRetryOnConnectionFailure(false), okhttp.WithReadTimeout(0), okhttp.WithWriteTimeout(0))
	req, err := okhttp.NewRequest("POST", s.URL("/"), okhttp.WithBody(body))
	if err != nil {
		t.Fatal(err)
	}
	var failed *okhttp.Error
	if _, err := client.Do(t.Context(), req); !errors.As(err, &failed) {
		t.Errorf("ended with %v", err)
	}
	if n := size - content.left; n < size/2-slack || n > size/2+slack {
		t.Errorf("failed after %d bytes, want %d, more or less", n, size/2)
	}
	if r := take(t, s); r.BodySize != size/2 || r.Failure == nil {
		t.Errorf("recorded %v", r)
	}
}

// junk is as much content as it has left, whatever it is.
type junk struct{ left int }

func (j *junk) Read(p []byte) (int, error) {
	n := min(len(p), j.left)
	if j.left -= n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (*junk) Close() error { return nil }

// TestRefusedStreamIsSentAgain and has used up a response.
func TestRefusedStreamIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Reply(200).Text("not this").On(mockserver.RequestStart, mockserver.CloseStream{Code: http2.RefusedStream}), mockserver.Reply(200).Text("this"))
		client := s.Client()
		defer client.Close()
		if text, err := get1(t, client, s.URL("/")); text != "this" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
		if a, b := take(t, s), take(t, s); a.Failure == nil || b.Failure != nil || s.RequestCount() != 2 {
			t.Errorf("recorded %v and %v", a, b)
		}
	})
}

// TestStallOfAConnectionIsOneOfItsStreams, all of them.
func TestStallOfAConnectionIsOneOfItsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.Stall{}), mockserver.Reply(200))
		c := dial2(t, s)
		for i := range 3 {
			st := c.open("GET", "/", "")
			st.SetLimits(time.Second, time.Second, time.Time{})
			if _, _, _, err := reply(st); !isTimeout(err) {
				t.Errorf("stream %d ended with %v", i, err)
			}
		}
		if r := take(t, s); r.RequestLine() != "GET / HTTP/1.1" || s.RequestCount() != 1 || s.Queue().Len() != 1 {
			t.Errorf("recorded %v, %d in all, %d responses are left", r, s.RequestCount(), s.Queue().Len())
		}
	})
}

// TestClientInTunnel: CONNECT says nothing of what the application sends in the tunnel.
func TestClientInTunnel(t *testing.T) {
	s := mockserver.New(t, mockserver.WithLocalhostTLS("android.com"), mockserver.WithProtocols(okhttp.HTTP1Only))
	s.Enqueue(mockserver.Reply(200).InTunnel(), mockserver.Reply(200).Text("within"))
	proxy, err := okhttp.ParseProxy(s.ProxyURL())
	if err != nil {
		t.Fatal(err)
	}
	client := okhttp.New(okhttp.WithProxy(proxy), okhttp.WithTLSConfig(s.ClientTLSConfig()))
	defer client.Close()
	req, err := okhttp.NewRequest("GET", "https://android.com/foo", okhttp.AddHeader("Private", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "within" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	connect, inner := take(t, s), take(t, s)
	if connect.RequestLine() != "CONNECT android.com:443 HTTP/1.1" || connect.Authority != "android.com:443" || connect.Headers.Get("Private") != "" {
		t.Errorf("the tunnel was asked for with %v, %v", connect, connect.Headers)
	}
	if inner.RequestLine() != "GET /foo HTTP/1.1" || inner.Headers.Get("Private") != "secret" || inner.TLS == nil || inner.ConnIndex != 0 {
		t.Errorf("in the tunnel came %v, %v", inner, inner.Headers)
	}
}

// TestWebSocketOpens on both sides.
func TestWebSocketOpens(t *testing.T) {
	s := mockserver.New(t)
	opened, done := make(chan string, 1), make(chan string)
	s.Enqueue(mockserver.WebSocket(nil, func(ctx context.Context, c *okws.Conn) {
		defer close(done)
		opened <- "yes"
		_, p, err := c.Read(ctx)
		if err == nil {
			err = c.WriteText(ctx, "<"+string(p)+">")
		}
		if err != nil {
			t.Error(err)
		}
	}))
	c, err := okws.Dial(t.Context(), s.Client(), s.URL("/chat"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	<-opened
	if err := c.WriteText(t.Context(), "hello"); err != nil {
		t.Fatal(err)
	}
	if _, p, err := c.Read(t.Context()); string(p) != "<hello>" || err != nil {
		t.Errorf("got %q, %v", p, err)
	}
	<-done // a server that is closed has its handlers fail
	if r := take(t, s); r.Upgrade != "websocket" || r.Target != "/chat" {
		t.Errorf("recorded %v", r)
	}
}
