package okhttp

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stale leaves that many connections in the pool, each of which ends with the next request.
func (w *world) stale(n int) {
	w.t.Helper()
	var held []*Response
	for range n {
		held = append(held, w.executed())
	}
	for _, r := range held {
		r.Body.Close()
	}
	if got := w.client.cfg.pool.Stats(); got.Idle != n {
		w.t.Fatalf("pool %+v, want %d idle", got, n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = nil
}

// dropsSecond answers one request and reads another, which it does not answer.
func dropsSecond(p *peer) {
	p.request()
	p.send(okText("x"))
	p.request()
}

const retried = "connectionAcquired requestHeadersStart requestHeadersEnd responseFailed retryDecision true connectionReleased "

// Facts 21 and 22 and section 6.2.1: stale connections are always replaced, a fresh one only if there is another address.
func TestReconnecting(t *testing.T) {
	request := func(p *peer) { p.request() }
	for name, tt := range map[string]struct {
		stale  int
		a, b   func(*peer) // what follows at the two addresses; nil: the address does not exist
		opts   []CallOption
		method string
		want   string // the body, or the failures
		sent   bool
		dials  string
		events string
	}{
		"stale": {
			stale: 1, a: answer(okText("a")), want: "a", dials: "0s 10.0.0.1",
			events: retried + "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " + exchanged,
		},
		"three stale ones": {
			stale: 3, a: answer(okText("a")), want: "a", dials: "0s 10.0.0.1",
			events: retried + retried + retried + "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " + exchanged,
		},
		"stale, without retries": {
			stale: 1, a: answer(okText("a")), opts: []CallOption{WithRetryOnConnectionFailure(false)},
			want: "unexpected end of stream on http://server.test/...", sent: true,
			events: "connectionAcquired requestHeadersStart requestHeadersEnd responseFailed retryDecision false connectionReleased ",
		},
		"stale, and a POST": {
			stale: 1, a: answer(okText("a")), method: "POST", want: "unexpected end of stream on http://server.test/...", sent: true,
			events: "connectionAcquired requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 1 responseFailed retryDecision false connectionReleased ",
		},
		"stale, and a PUT": {
			stale: 1, a: answer(okText("a")), method: "PUT", want: "a", dials: "0s 10.0.0.1",
			events: "connectionAcquired requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 1 responseFailed retryDecision true connectionReleased " +
				"proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 1 responseHeadersStart responseHeadersEnd ",
		},
		"stale and then refused": {
			stale: 1, want: "unexpected end of stream on http://server.test/..., failed to connect to 10.0.0.1:80", sent: true, dials: "0s 10.0.0.1",
			events: retried + "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectFailed retryDecision false ",
		},
		"stale and then broken": {
			stale: 1, a: request, want: "unexpected end of stream on http://server.test/..., unexpected end of stream on http://server.test/...", sent: true, dials: "0s 10.0.0.1",
			events: retried + "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd responseFailed retryDecision false connectionReleased ",
		},
		"stale, and the first address is broken": {
			stale: 1, a: request, b: answer(okText("b")), want: "b", dials: "0s 10.0.0.1, 0s 10.0.0.2",
			events: retried + "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd " + retried + "connectStart connectEnd connectionAcquired " + exchanged,
		},
		"fresh and broken": {
			a: request, want: "unexpected end of stream on http://server.test/...", sent: true, dials: "0s 10.0.0.1",
			events: "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd responseFailed retryDecision false connectionReleased ",
		},
		"fresh, and the first address is broken": {
			a: request, b: answer(okText("b")), want: "b", dials: "0s 10.0.0.1, 0s 10.0.0.2",
			events: "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd " + retried + "connectStart connectEnd connectionAcquired " + exchanged,
		},
		"both are broken": {
			a: request, b: request, sent: true, dials: "0s 10.0.0.1, 0s 10.0.0.2",
			want: "unexpected end of stream on http://server.test/..., unexpected end of stream on http://server.test/...",
			events: "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd " + retried + "connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd " +
				"responseFailed retryDecision false connectionReleased ",
		},
		"the first is broken, a POST": {
			a: request, b: answer(okText("b")), method: "POST", want: "unexpected end of stream on http://server.test/...", sent: true, dials: "0s 10.0.0.1",
			events: "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 1 " +
				"responseFailed retryDecision false connectionReleased ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.resolve("server.test", v4a)
				scripts := repeat(tt.stale, dropsSecond)
				if tt.a != nil {
					scripts = append(scripts, tt.a)
				}
				w.serve("a.test", v4a, scripts...)
				w.stale(tt.stale)
				if tt.b != nil {
					w.serve("server.test", v4b, tt.b)
				}
				if tt.a == nil {
					d.script(refused(0), v4a)
				}
				d.again()
				method, body := "GET", (*Body)(nil)
				if tt.method != "" {
					method, body = tt.method, Text("x")
				}
				got, err := w.do(method, "http://server.test/", body, tt.opts...)
				ended := "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd"
				var e *Error
				switch {
				case err == nil && got != "200 "+tt.want:
					t.Errorf("got %q, want %q", got, tt.want)
				case err != nil:
					ended = "callFailed"
					if !errors.As(err, &e) || failuresOf(e) != tt.want || e.Sent != tt.sent || SafeToRetry(err) == tt.sent {
						t.Errorf("error %+v, want %s", err, tt.want)
					}
				}
				w.wantEvents("callStart " + tt.events + ended)
				if tt.dials == "" {
					w.wantDials(d)
				} else {
					w.wantDials(d, strings.Split(tt.dials, ", ")...)
				}
			})
		})
	}
}

// Connections that the server closed while they were idle are found out before anything is sent.
func TestClosedWhileIdle(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serve("server.test", v4a, append(repeat(4, answerAndClose(okText("x"))), answer(okText("fresh")))...)
		var held []*Response
		for range 4 {
			held = append(held, w.executed())
		}
		for _, r := range held {
			r.Body.Close()
		}
		time.Sleep(2 * time.Second)
		w.mu.Lock()
		w.events = nil
		w.mu.Unlock()
		w.want("200 fresh")(w.get("http://server.test/"))
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd")
		w.wantOpen(d, 1)
	})
}

// A connection that is not silent between a response and what follows it is given to nobody, not even to the look at the pool that comes next:
// the byte that gave it away was taken by the look before.
func TestNotSilentBetweenFollowUps(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serve("server.test", v4a, func(p *peer) {
			p.request()
			p.send(unauthorized)
			time.Sleep(time.Second)
			p.send("H")
			p.request()
			p.send("TTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged" + okText("first"))
			io.Copy(io.Discard, p.in)
		}, answer(okText("second")))
		slowly := AuthenticatorFunc(func(ctx context.Context, _ *Route, resp *Response) (*Request, error) {
			if err := sleepIn(ctx, 2*time.Second); err != nil {
				return nil, err
			}
			return resp.Request().With(Header("Authorization", "x"))
		})
		w.want("200 second")(w.do("POST", "http://server.test/", Text("x"), WithAuthenticator(slowly)))
		w.wantDials(d, "0s 10.0.0.1", "2s 10.0.0.1")
	})
}

// What follows a response fails before it is sent. The request that the response was to had been: it is not safe to make the call again.
func TestSentBeforeFollowUp(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		opts []CallOption
		run  func(w *world, d *dials)
		is   error
	}{
		"a redirect to where nobody listens": {text: redirectText(302, "http://other.test/"), is: syscall.ECONNREFUSED},
		"a redirect to an unknown host":      {text: redirectText(307, "http://unknown.test/")},
		"a redirect that is canceled":        {text: redirectText(302, "http://dead.test/"), opts: []CallOption{WithCallTimeout(time.Second)}, is: ErrCallTimeout},
		"a retry that is canceled": {
			text: busyText(503, "Retry-After: 5"), opts: []CallOption{WithCallTimeout(time.Second), WithRetryPolicy(RetryPolicy{})}, is: ErrCallTimeout,
		},
		"a 503, and no connection any more": {text: "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", is: syscall.ECONNREFUSED},
	} {
		t.Run(name, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.resolve("other.test", v4b)
				w.resolve("dead.test", v4c)
				d.script(dead, v4c)
				w.serve("server.test", v4a, func(p *peer) {
					p.request()
					d.script(refused(0), v4a) // from now on
					p.send(tt.text)
					p.request()
				})
				method := "POST"
				if name == "a retry that is canceled" {
					method = "PUT"
				}
				_, err := w.do(method, "http://server.test/", Text("x"), tt.opts...)
				var e *Error
				if !errors.As(err, &e) || !e.Sent || SafeToRetry(err) || tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("error %+v", err)
				}
			})
		})
	}
}

// Whatever ends a call once a server has its request, the error says so.
func TestSentByInterceptors(t *testing.T) {
	mine := errors.New("mine")
	for name, tt := range map[string]struct {
		opt  func(w *world) Option
		sent bool
	}{
		"before": {func(*world) Option {
			return intercept(func(context.Context, Chain) (*Response, error) { return nil, mine })
		}, false},
		"after": {func(*world) Option {
			return intercept(func(ctx context.Context, c Chain) (*Response, error) { return dropped(onward(ctx, c)) })
		}, true},
		"after the body": {func(*world) Option {
			return intercept(func(ctx context.Context, c Chain) (*Response, error) {
				resp, err := onward(ctx, c)
				if err == nil {
					resp.Body.Close()
					err = mine
				}
				return nil, err
			})
		}, true},
		"on the network, before": {func(*world) Option {
			return interceptNetwork(func(context.Context, Chain) (*Response, error) { return nil, mine })
		}, false},
		"on the network, after": {func(*world) Option {
			return interceptNetwork(func(ctx context.Context, c Chain) (*Response, error) { return dropped(onward(ctx, c)) })
		}, true},
		"on the network, after the body": {func(*world) Option {
			return interceptNetwork(func(ctx context.Context, c Chain) (*Response, error) {
				resp, err := onward(ctx, c)
				if err == nil {
					resp.Body.Close()
					err = mine
				}
				return nil, err
			})
		}, true},
		"canceled with the response": {func(w *world) Option {
			return intercept(func(ctx context.Context, c Chain) (*Response, error) {
				resp, err := onward(ctx, c)
				c.Call().Cancel()
				return resp, err
			})
		}, true},
		"a second try is refused": {func(w *world) Option {
			return intercept(func(ctx context.Context, c Chain) (*Response, error) {
				resp, err := onward(ctx, c)
				if err == nil {
					resp.Body.Close()
				}
				return c.With(WithDialer(dialerFunc(func(context.Context, string, string) (net.Conn, error) { return nil, mine }))).Proceed(ctx, c.Request())
			})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", v4a, answer(okText("x")))
				client := w.client.With(tt.opt(w))
				defer client.Close()
				_, err := client.Do(t.Context(), mustRequest(t, "POST", "http://server.test/", WithBody(Text("x"))))
				var e *Error
				if !errors.As(err, &e) || e.Sent != tt.sent || SafeToRetry(err) == tt.sent {
					t.Errorf("error %+v, want one with Sent %v", err, tt.sent)
				}
			})
		})
	}
}
