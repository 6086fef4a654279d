package okhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// tripper makes a middleware of what it does around the next one.
func tripper(f func(r *http.Request, next http.RoundTripper) (*http.Response, error)) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripperFunc(func(r *http.Request) (*http.Response, error) { return f(r, next) })
	}
}

type tripperFunc func(*http.Request) (*http.Response, error)

func (f tripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func identity(next http.RoundTripper) http.RoundTripper { return next }

// asBoth runs a test with a middleware in either place.
func asBoth(t *testing.T, middleware func(http.RoundTripper) http.RoundTripper, test func(t *testing.T, w *world)) {
	t.Helper()
	for name, with := range map[string]func(...Interceptor) Option{"application": WithInterceptor, "network": WithNetworkInterceptor} {
		t.Run(name, func(t *testing.T) { inWorld(t, test, with(FromMiddleware(middleware))) })
	}
}

// What is sent is the same to the byte with and without a middleware that does nothing, and what comes back is the same too.
func TestMiddlewareThatDoesNothing(t *testing.T) {
	const chunked = "HTTP/1.1 200 Fine\r\nX-b: 1\r\nx-A: 2\r\nTransfer-Encoding: chunked\r\nX-B: 3\r\n\r\n2\r\nhi\r\n0\r\nX-Trailer: t\r\n\r\n"
	requests := func(t *testing.T) map[string]*Request {
		u := "http://server.test/a?b"
		return map[string]*Request{
			"GET":            mustRequest(t, "GET", u, Header("x-z", "1"), Header("X-A", "2"), AddHeader("x-z", "3")),
			"own Host":       mustRequest(t, "GET", u, Header("Host", "other.test"), Header("X", "v")),
			"POST":           mustRequest(t, "POST", u, WithBody(Text("body"))),
			"empty POST":     mustRequest(t, "POST", u, WithBody(Bytes("", nil))),
			"streamed":       mustRequest(t, "PUT", u, WithBody(Streamed("text/x", func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, "body"); return err }))),
			"one-shot":       mustRequest(t, "POST", u, WithBody(OneShot("", 4, strings.NewReader("body")))),
			"custom method":  mustRequest(t, "purge", u, Header("User-Agent", "me")),
			"tag and option": mustRequest(t, "POST", u, Tag(tagA("tag")), Idempotent(), WithBody(Text("x"))),
		}
	}
	for name := range requests(t) {
		t.Run(name, func(t *testing.T) {
			var sent []string
			for _, opt := range []Option{nil, WithInterceptor(FromMiddleware(identity)), WithNetworkInterceptor(FromMiddleware(identity))} {
				inWorld(t, func(t *testing.T, w *world) {
					w.serve("server.test", "10.0.0.1", func(p *peer) {
						var raw bytes.Buffer
						p.in.Reset(io.TeeReader(p.Conn, &raw))
						p.request()
						sent = append(sent, raw.String())
						time.Sleep(time.Second)
						p.send(chunked)
						io.Copy(io.Discard, p.in)
					})
					req := requests(t)[name]
					began := time.Now()
					resp, err := w.client.Do(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					if text, err := resp.Body.Text(); text != "hi" || err != nil {
						t.Errorf("%q, %v", text, err)
					}
					trailers, err := resp.Trailers()
					if trailers.Get("X-Trailer") != "t" || err != nil {
						t.Errorf("trailers %v, %v", trailers, err)
					}
					if got, want := resp.Headers().String(), "X-b: 1\nx-A: 2\nTransfer-Encoding: chunked\nX-B: 3\n"; got != want {
						t.Errorf("headers %q, want %q", got, want)
					}
					if resp.Status != 200 || resp.Message != "Fine" || !resp.SentAt().Equal(began) || resp.ReceivedAt().Sub(began) != time.Second {
						t.Errorf("%d %s, sent %v, received %v", resp.Status, resp.Message, resp.SentAt(), resp.ReceivedAt())
					}
					if tag, _ := RequestTag[tagA](resp.Request()); name == "tag and option" && (tag != "tag" || !resp.Request().idempotent) {
						t.Errorf("request %+v", resp.Request())
					}
					if _, ok := resp.Connection(); !ok || resp.NetworkResponse() == nil {
						t.Error("no connection or network response")
					}
					w.holdsNothing()
				}, opt)
			}
			if len(sent) != 3 || sent[0] != sent[1] || sent[0] != sent[2] {
				t.Errorf("sent\n%q\nas application interceptor\n%q\nas network interceptor\n%q", sent[0], sent[1], sent[2])
			}
		})
	}
}

func TestMiddlewareKeepsTheHandshake(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err == nil && resp.TLS == nil {
			t.Error("the middleware sees no TLS")
		}
		return resp, err
	}), func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", serverTLS, answer(okText("x")))
		resp, err := w.client.Get(t.Context(), "https://server.test/", WithTLSConfig(clientTLS))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Handshake() == nil {
			t.Error("no handshake")
		}
	})
}

// Headers changed on the way there and back, with those that were not in their place.
func TestMiddlewareChangesHeaders(t *testing.T) {
	asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("X-Set", "new")
		r.Header.Add("X-Kept", "more")
		r.Header.Del("X-Gone")
		resp, err := next.RoundTrip(r)
		if err == nil {
			resp.Header.Set("X-Back", "new")
			resp.Header.Del("X-Dropped")
			resp.StatusCode = 203
		}
		return resp, err
	}), func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer("HTTP/1.1 200 OK\r\nB: 1\r\nX-Dropped: 1\r\nX-Back: old\r\nA: 2\r\nContent-Length: 0\r\n\r\n"))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Header("X-Set", "old"), Header("X-Kept", "1"), Header("X-Gone", "1")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		h := server.requests[0].header
		if h.Get("X-Set") != "new" || !slices.Equal(h["X-Kept"], []string{"1", "more"}) || h["X-Gone"] != nil || h.Get("Accept-Encoding") != "gzip" {
			t.Errorf("sent %v", h)
		}
		if got, want := resp.Headers().String(), "B: 1\nA: 2\nContent-Length: 0\nX-Back: new\n"; got != want {
			t.Errorf("headers %q, want %q", got, want)
		}
		if resp.Status != 203 || resp.Message != "" {
			t.Errorf("%d %q", resp.Status, resp.Message)
		}
	})
}

// What no header may have is refused, not sent.
func TestMiddlewareInjectsNothing(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"value":  func(r *http.Request) { r.Header["X"] = []string{"a\r\nY: b"} },
		"name":   func(r *http.Request) { r.Header["X: a\r\nY"] = []string{"b"} },
		"host":   func(r *http.Request) { r.Host = "a\r\nY: b" },
		"method": func(r *http.Request) { r.Method = "GET /x HTTP/1.1\r\n\r\nGET" },
		"no URL": func(r *http.Request) { r.URL = nil },
		"scheme": func(r *http.Request) { r.URL.Scheme = "ftp" },
	} {
		t.Run(name, func(t *testing.T) {
			asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				change(r)
				return next.RoundTrip(r)
			}), func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(okText("x")))
				if _, err := w.get("http://server.test/"); err == nil || len(server.requests) != 0 {
					t.Errorf("error %v, %d requests", err, len(server.requests))
				}
				w.holdsNothing()
			})
		})
	}
}

func TestMiddlewareChangesTheRequest(t *testing.T) {
	asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.Path, r.Host, r.Close, r.Method = "/changed", "virtual.test", true, "PUT"
		r.Body, r.ContentLength, r.GetBody = io.NopCloser(strings.NewReader("other")), 5, nil
		return next.RoundTrip(r)
	}), func(t *testing.T, w *world) {
		var host string
		var server recorder
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			r, body := p.request()
			host = r.Host
			server.requests = append(server.requests, seen{r.Method, r.RequestURI, body, r.Header})
			p.send(okText("x"))
			io.Copy(io.Discard, p.in)
		})
		w.want("200 x")(w.do("POST", "http://server.test/", Text("body")))
		r := server.requests[0]
		if r.method != "PUT" || r.target != "/changed" || r.body != "other" || host != "virtual.test" || r.header.Get("Connection") != "close" {
			t.Errorf("sent %+v to %s", r, host)
		}
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v after Close", got)
		}
	})
}

// closeNote tells when it was closed.
type closeNote struct {
	io.Reader
	inner  io.Closer
	closed *int
}

func (c *closeNote) Close() error { *c.closed++; return c.inner.Close() }

// Bodies that a middleware replaces, with lengths that are right, unknown or left as they were.
func TestMiddlewareReplacesTheBody(t *testing.T) {
	for name, length := range map[string]func(int64) int64{
		"right": func(n int64) int64 { return 2 * n }, "unknown": func(int64) int64 { return -1 }, "stale": func(n int64) int64 { return n },
		"zero, which a response made by hand has": func(int64) int64 { return 0 },
	} {
		t.Run(name, func(t *testing.T) {
			closed := 0
			asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				resp, err := next.RoundTrip(r)
				if err != nil {
					return nil, err
				}
				was := resp.Body
				text, err := io.ReadAll(was)
				if err != nil {
					return nil, err
				}
				resp.ContentLength = length(resp.ContentLength)
				resp.Body = &closeNote{strings.NewReader(string(text) + string(text)), was, &closed}
				return resp, nil
			}), func(t *testing.T, w *world) {
				closed = 0
				w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 3\r\n\r\nabc"))
				resp := w.executed()
				if resp.Body.ContentType() != "text/x" {
					t.Errorf("type %q", resp.Body.ContentType())
				}
				if text, err := resp.Body.Text(); text != "abcabc" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				if closed != 1 {
					t.Errorf("closed %d times", closed)
				}
				w.holdsNothing()
			})
		})
	}
}

// A wrapper around a body that was not read streams, and closing it closes the original.
func TestMiddlewareWrapsTheBody(t *testing.T) {
	closed := 0
	asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err == nil {
			copied := *resp // as a middleware that does not touch the original does
			copied.Body = &closeNote{resp.Body, resp.Body, &closed}
			resp = &copied
		}
		return resp, err
	}), func(t *testing.T, w *world) {
		closed = 0
		w.serve("server.test", "10.0.0.1", answer(okText("hello"), okText("x")))
		resp := w.executed()
		if b := make([]byte, 2); true {
			if _, err := io.ReadFull(resp.Body, b); string(b) != "he" || err != nil {
				t.Errorf("%q, %v", b, err)
			}
		}
		resp.Body.Close()
		if closed != 1 {
			t.Errorf("closed %d times", closed)
		}
		w.holdsNothing()
		if got := w.client.cfg.pool.Stats(); got.Idle != 1 {
			t.Errorf("pool %+v", got)
		}
	})
}

// A middleware may answer by itself as an application interceptor, with as little as a status.
func TestMiddlewareShortCircuits(t *testing.T) {
	full := func() *http.Response {
		return &http.Response{Status: "418 I'm a teapot", StatusCode: 418, Header: http.Header{"X": {"v"}}, Body: io.NopCloser(strings.NewReader("tea"))}
	}
	for name, c := range map[string]struct {
		resp *http.Response
		want string
	}{
		"full":       {full(), "418 I'm a teapot X: v\n tea"},
		"only head":  {&http.Response{StatusCode: 204}, "204   "},
		"no body":    {&http.Response{StatusCode: 200, Status: "200 OK", Body: http.NoBody}, "200 OK  "},
		"odd status": {&http.Response{StatusCode: 200, Status: "OK"}, "200   "},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				resp, err := w.client.Get(t.Context(), "http://server.test/")
				if err != nil {
					t.Fatal(err)
				}
				text, err := resp.Body.Text()
				if got := fmt.Sprint(resp.Status, " ", resp.Message, " ", resp.Headers(), " ", text); got != c.want || err != nil {
					t.Errorf("%q, %v, want %q", got, err, c.want)
				}
				w.wantEvents("callStart callEnd")
			}, WithInterceptor(FromMiddleware(tripper(func(*http.Request, http.RoundTripper) (*http.Response, error) { return c.resp, nil }))))
		})
	}
	t.Run("not on the network", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x")))
			_, err := w.get("http://server.test/")
			var ie *InterceptorError
			if !errors.As(err, &ie) {
				t.Errorf("error %v", err)
			}
			w.holdsNothing()
		}, WithNetworkInterceptor(FromMiddleware(tripper(func(*http.Request, http.RoundTripper) (*http.Response, error) { return full(), nil }))))
	})
	t.Run("neither response nor error", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			_, err := w.get("http://server.test/")
			var ie *InterceptorError
			if !errors.As(err, &ie) || !strings.Contains(err.Error(), "neither a response nor an error") {
				t.Errorf("error %v", err)
			}
		}, WithInterceptor(FromMiddleware(tripper(func(*http.Request, http.RoundTripper) (*http.Response, error) { return nil, nil }))))
	})
}

func TestMiddlewareFails(t *testing.T) {
	why := errors.New("not today")
	for name, f := range map[string]func(*http.Request, http.RoundTripper) (*http.Response, error){
		"before": func(*http.Request, http.RoundTripper) (*http.Response, error) { return nil, why },
		"after": func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			next.RoundTrip(r)
			return nil, why
		},
		"with a context of its own": func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			_, err := next.RoundTrip(r.WithContext(context.Background()))
			var ce *CallError
			if !errors.As(err, &ce) {
				t.Errorf("error %v", err)
			}
			return nil, why
		},
	} {
		t.Run(name, func(t *testing.T) {
			asBoth(t, tripper(f), func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")))
				if _, err := w.get("http://server.test/"); !errors.Is(err, why) {
					t.Errorf("error %v", err)
				}
				w.holdsNothing()
			})
		})
	}
	t.Run("the call's failure passes", func(t *testing.T) {
		asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if resp != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("middleware got %v, %v", resp, err)
			}
			return resp, err
		}), func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) { p.request() })
			_, err := w.get("http://server.test/")
			var e *Error
			if !errors.As(err, &e) || e.Phase != PhaseResponseHeaders || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v", err)
			}
		})
	})
}

// A middleware may read the body beforehand, whole or in part, and send it all the same. What it opened it need not close: the end of the
// chain does.
func TestMiddlewareReadsTheRequestBody(t *testing.T) {
	var writers atomic.Int32
	written := func(ctx context.Context, w io.Writer) error {
		writers.Add(1)
		defer writers.Add(-1)
		for range 3 {
			if _, err := io.WriteString(w, "abc"); err != nil {
				return err
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		body *Body
		read int64
	}{
		"not at all":      {Streamed("", written), 0},
		"in part":         {Streamed("", written), 4},
		"whole":           {Streamed("", written), 100},
		"a reader's part": {Bytes("", []byte("abcabcabc")), 4},
	} {
		t.Run(name, func(t *testing.T) {
			asBoth(t, tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				got, err := io.ReadAll(io.LimitReader(r.Body, c.read))
				if want := "abcabcabc"[:min(c.read, 9)]; string(got) != want || err != nil {
					t.Errorf("middleware read %q, %v, want %q", got, err, want)
				}
				if again, err := r.GetBody(); err != nil {
					t.Error(err)
				} else {
					if got, err := io.ReadAll(again); string(got) != "abcabcabc" || err != nil {
						t.Errorf("again %q, %v", got, err)
					}
					again.Close()
					if _, err := again.Read(make([]byte, 1)); err == nil {
						t.Error("a closed body can be read")
					}
				}
				return next.RoundTrip(r)
			}), func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(okText("x")))
				w.want("200 x")(w.do("POST", "http://server.test/", c.body))
				if got := server.requests[0].body; got != "abcabcabc" {
					t.Errorf("sent %q", got)
				}
			})
		})
	}
	if n := writers.Load(); n != 0 {
		t.Errorf("%d writers left", n)
	}
}

// One that fails while a middleware reads it fails there; a body that is only replaced is never opened.
func TestMiddlewareRequestBodyFails(t *testing.T) {
	why := errors.New("boom")
	fails := func() *Body {
		return Streamed("", func(context.Context, io.Writer) error { return why })
	}
	opens := mustBody(t, BodyConfig{Len: 1, Open: func(context.Context) (io.ReadCloser, error) { return nil, nil }})
	for name, body := range map[string]*Body{"writer": fails(), "no reader": opens} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				if _, err := w.do("POST", "http://server.test/", body); err == nil || body != opens && !errors.Is(err, why) {
					t.Errorf("error %v", err)
				}
			}, WithInterceptor(FromMiddleware(tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				if _, err := io.ReadAll(r.Body); err != nil {
					return nil, err
				}
				return next.RoundTrip(r)
			}))))
		})
	}
}

// One that repeats what failed works as an application interceptor, and breaks the rules on the network.
func TestMiddlewareRetries(t *testing.T) {
	retry := tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		for n := 0; n < 3 && err == nil && resp.StatusCode == 500; n++ {
			resp.Body.Close()
			if r.GetBody != nil {
				r = r.Clone(r.Context())
				if r.Body, err = r.GetBody(); err != nil {
					return nil, err
				}
			}
			resp, err = next.RoundTrip(r)
		}
		return resp, err
	})
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(statusResponse(500), statusResponse(500), okText("x")))
		w.want("200 x")(w.do("POST", "http://server.test/", Text("body")))
		for _, r := range server.requests {
			if r.body != "body" {
				t.Errorf("sent %q", r.body)
			}
		}
		w.holdsNothing()
	}, WithInterceptor(FromMiddleware(retry)))
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(statusResponse(500), okText("x")))
		_, err := w.get("http://server.test/")
		var ie *InterceptorError
		if !errors.As(err, &ie) || !strings.Contains(err.Error(), "middlewareInterceptor") {
			t.Errorf("error %v", err)
		}
		w.holdsNothing()
	}, WithNetworkInterceptor(FromMiddleware(retry)))
}

// An upgraded connection passes, as net/http has it and as we do.
func TestMiddlewareOfAnUpgrade(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("", echoLines))
		_, resp, s := w.upgraded(t.Context())
		tell(t, s, "x")
		hear(t, s, "x")
		if text, err := io.ReadAll(resp.Body); len(text) > 0 || err != nil {
			t.Errorf("body %q, %v", text, err)
		}
		resp.Body.Close()
		w.holdsNothing()
	}, WithInterceptor(FromMiddleware(tripper(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err == nil {
			if _, ok := resp.Body.(io.ReadWriteCloser); !ok {
				t.Errorf("body %T", resp.Body)
			}
		}
		return resp, err
	}))))
}

// The middleware is applied once, however many calls go through it, and its context reaches the rest of the call.
func TestMiddlewareContext(t *testing.T) {
	applied := 0
	inner := intercept(func(ctx context.Context, c Chain) (*Response, error) {
		if ctx.Value(tagA("")) != "span" {
			t.Error("the middleware's context is lost")
		}
		buf := new(okio.Buffer)
		return NewResponse(c.Request(), 200, ResponseBodyFrom("", 0, buf)), nil
	})
	inWorld(t, func(t *testing.T, w *world) {
		for range 3 {
			w.want("200 ")(w.get("http://server.test/"))
		}
		if applied != 1 {
			t.Errorf("applied %d times", applied)
		}
	}, WithInterceptor(FromMiddleware(func(next http.RoundTripper) http.RoundTripper {
		applied++
		return tripperFunc(func(r *http.Request) (*http.Response, error) {
			return next.RoundTrip(r.WithContext(context.WithValue(r.Context(), tagA(""), "span")))
		})
	})), inner)
}
