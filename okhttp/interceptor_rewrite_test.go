package okhttp

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/okio"
)

func TestNetworkInterceptorSeesTheWire(t *testing.T) {
	var names []string
	var response Headers
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "+fmt.Sprint(len(gz("hello")))+"\r\n\r\n"+gz("hello")))
		w.want("200 hello")(w.do("PUT", "http://server.test/", Text("x")))
		if want := []string{"Host", "Content-Type", "Content-Length", "Connection", "Accept-Encoding", "User-Agent"}; !slices.Equal(names, want) {
			t.Errorf("request headers %q, want %q", names, want)
		}
		if response.Get("Content-Encoding") != "gzip" || response.Get("Content-Length") == "" {
			t.Errorf("response headers %v", response)
		}
	}, interceptNetwork(func(ctx context.Context, c Chain) (*Response, error) {
		for name := range c.Request().Headers().All() {
			names = append(names, name)
		}
		if conn, ok := c.Connection(); !ok || conn.Route().String() != "server.test at 10.0.0.1:80" || conn.Protocol() != HTTP11 || conn.Handshake() != nil {
			t.Errorf("connection %+v", conn)
		}
		resp, err := onward(ctx, c)
		if err == nil {
			response = resp.Headers()
		}
		return resp, err
	}))
}

// The request that a network interceptor makes is what the server gets, and its framing is true whatever the interceptor did.
func TestNetworkInterceptorChangesTheRequest(t *testing.T) {
	chunked := Streamed("", func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "streamed")
		return err
	})
	without := func(name string) RequestOption {
		return requestOption(func(r *Request) error {
			r.headers = r.headers.Without(name)
			return nil
		})
	}
	for name, c := range map[string]struct {
		opts []RequestOption
		want string // method, target, Content-Length, Transfer-Encoding, X, body
	}{
		"nothing":                    {nil, "PUT /a 7 [] [] content"},
		"a header":                   {[]RequestOption{Header("X", "y")}, "PUT /a 7 [] [y] content"},
		"the method":                 {[]RequestOption{WithMethod("POST")}, "POST /a 7 [] [] content"},
		"a longer body":              {[]RequestOption{WithBody(Text("longer content"))}, "PUT /a 14 [] [] longer content"},
		"a body of unknown length":   {[]RequestOption{WithBody(chunked)}, "PUT /a -1 [chunked] [] streamed"},
		"no body":                    {[]RequestOption{WithMethod("DELETE"), WithBody(nil)}, "DELETE /a 0 [] [] "},
		"a false length":             {[]RequestOption{Header("Content-Length", "3")}, "PUT /a 7 [] [] content"},
		"no length":                  {[]RequestOption{without("Content-Length")}, "PUT /a 7 [] [] content"},
		"two lengths":                {[]RequestOption{AddHeader("Content-Length", "7")}, "PUT /a 7 [] [] content"},
		"a coding beside the length": {[]RequestOption{Header("Transfer-Encoding", "chunked")}, "PUT /a 7 [] [] content"},
		"a promise of a body": {[]RequestOption{WithMethod("GET"), WithBody(nil), Header("Transfer-Encoding", "chunked")},
			"GET /a 0 [] [] "},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var got string
				w.serve("server.test", "10.0.0.1", func(p *peer) {
					r, body := p.request()
					if r == nil {
						return
					}
					got = fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.ContentLength, " ", r.TransferEncoding, " ", r.Header["X"], " ", body)
					p.send(okText("x"))
					if rest, _ := io.ReadAll(p.in); len(rest) > 0 {
						t.Errorf("the server got %q after the request", rest)
					}
				})
				resp, err := w.client.Do(t.Context(), mustRequest(t, "PUT", "http://server.test/a", WithBody(Text("content"))))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				w.client.Close() // so that the peer sees the end
				synctest.Wait()
				if got != c.want {
					t.Errorf("server got %q, want %q", got, c.want)
				}
				if n := resp.NetworkResponse(); n.Request().Method() != strings.Fields(c.want)[0] || resp.Request().Method() != "PUT" {
					t.Errorf("requests %s and %s", n.Request().Method(), resp.Request().Method())
				}
			}, interceptNetwork(func(ctx context.Context, chain Chain) (*Response, error) {
				r, err := chain.Request().With(c.opts...)
				if err != nil {
					return nil, err
				}
				return chain.Proceed(ctx, r)
			}))
		})
	}
}

func TestApplicationInterceptorChangesTheRequest(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("other.test", "10.0.0.2", server.answer(okText("x")))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "POST", "http://server.test/a", WithBody(Text("x"))))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := server.requests[0]; got.method != "GET" || got.target != "/b" || got.body != "" {
			t.Errorf("server got %+v", got)
		}
		if resp.Request().URL().String() != "http://other.test/b" || resp.Headers().Get("X-Added") != "yes" || resp.Message != "Fine" {
			t.Errorf("response %v %v %q", resp.Request().URL(), resp.Headers(), resp.Message)
		}
	}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
		u, err := ParseURL("http://other.test/b")
		if err != nil {
			return nil, err
		}
		r, err := c.Request().With(WithURL(u), WithMethod("GET"), WithBody(nil))
		if err != nil {
			return nil, err
		}
		resp, err := c.Proceed(ctx, r)
		if err != nil {
			return nil, err
		}
		h, err := resp.Headers().With("X-Added", "yes")
		if err != nil {
			return nil, err
		}
		return resp.With(ResponseHeaders(h), ResponseStatus(resp.Status, "Fine")), nil
	}))
}

// A body that an interceptor puts around the original closes it, and with it the exchange.
func TestInterceptorWrapsTheBody(t *testing.T) {
	for name, opt := range map[string]func(func(context.Context, Chain) (*Response, error)) Option{"application": intercept, "network": interceptNetwork} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("hello"), okText("again")))
				w.want("200 he")(w.get("http://server.test/"))
				w.want("200 ag")(w.get("http://server.test/"))
				w.holdsNothing()
			}, opt(func(ctx context.Context, c Chain) (*Response, error) {
				resp, err := onward(ctx, c)
				if err != nil {
					return nil, err
				}
				return resp.With(ResponseBodyFrom("", -1, &cutSource{Source: resp.Body, left: 2})), nil
			}))
		})
	}
}

// cutSource ends early.
type cutSource struct {
	okio.Source
	left int64
}

func (c *cutSource) ReadBuffer(dst *okio.Buffer, n int64) (int64, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.Source.ReadBuffer(dst, min(n, c.left))
	c.left -= n
	return n, err
}
