package okhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"testing"
	"time"
)

// expecting is a PUT that waits for 100 (Continue), and the number of times its body was opened.
func expecting(t *testing.T, opts ...RequestOption) (*Request, *int) {
	opened := new(int)
	body := mustBody(t, BodyConfig{Len: 5, Open: func(context.Context) (io.ReadCloser, error) {
		*opened++
		return io.NopCloser(strings.NewReader("hello")), nil
	}})
	return mustRequest(t, "PUT", "http://server.test/", append([]RequestOption{Header("Expect", "100-Continue"), WithBody(body)}, opts...)...), opened
}

const continued = "HTTP/1.1 100 Continue\r\n\r\n"

// body reads the content of a request whose head was read.
func (p *peer) body(n int) string {
	b := make([]byte, n)
	if _, err := io.ReadFull(p.in, b); err != nil {
		return ""
	}
	return string(b)
}

// Section 2.10, with the order of events of 14.4.
func TestExpectContinue(t *testing.T) {
	const sent = newConnection80 + "requestHeadersStart requestHeadersEnd "
	const body = "requestBodyStart requestBodyEnd 5 "
	const rest = "responseHeadersEnd followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd"
	var got string
	for name, c := range map[string]struct {
		script func(*peer)
		opts   []CallOption
		want   string // of the response
		events string
		opened int
		body   string // that the server got
		pooled int    // connections
		after  time.Duration
	}{
		"100, then the body": {
			script: func(p *peer) {
				p.head()
				p.send(continued)
				got = p.body(5)
				p.send(okText("x"))
			},
			want:   "200 x",
			events: sent + "responseHeadersStart informational 100 " + body + rest,
			opened: 1, body: "hello", pooled: 1,
		},
		"other 1xx before it": {
			script: func(p *peer) {
				p.head()
				p.send("HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + continued)
				got = p.body(5)
				p.send(okText("x"))
			},
			want:   "200 x",
			events: sent + "responseHeadersStart informational 103 informational 102 informational 100 " + body + rest,
			opened: 1, body: "hello", pooled: 1,
		},
		"fact 27: a final status": {
			script: func(p *peer) { p.head(); p.send(okText("x")) },
			want:   "200 x",
			events: sent + "responseHeadersStart " + rest,
		},
		"417": {
			script: func(p *peer) { p.head(); p.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 1\r\n\r\nx") },
			want:   "417 x",
			events: sent + "responseHeadersStart " + rest,
		},
		"a final status after other 1xx": {
			script: func(p *peer) { p.head(); p.send("HTTP/1.1 103 Hints\r\n\r\n" + okText("x")) },
			want:   "200 x",
			events: sent + "responseHeadersStart informational 103 " + rest,
		},
		"fact 26: silence": {
			script: func(p *peer) { p.head() },
			events: sent + "responseFailed retryDecision false connectionReleased callFailed",
			after:  10 * time.Second,
		},
		"fact 28: 100, and then silence": {
			script: func(p *peer) {
				p.head()
				p.send(continued)
				got = p.body(5)
			},
			events: sent + "responseHeadersStart informational 100 " + body + "responseFailed retryDecision false connectionReleased callFailed",
			opened: 1, body: "hello", after: 10 * time.Second,
		},
		"silence, and a wait as long as the read timeout": {
			script: func(p *peer) { p.head() },
			opts:   []CallOption{WithContinueWait(10 * time.Second)},
			events: sent + "responseFailed retryDecision false connectionReleased callFailed",
			after:  10 * time.Second,
		},
		"silence, and a wait": {
			script: func(p *peer) {
				p.head()
				got = p.body(5)
				p.send(okText("x"))
			},
			opts:   []CallOption{WithContinueWait(time.Second)},
			want:   "200 x",
			events: sent + body + "responseHeadersStart " + rest,
			opened: 1, body: "hello", pooled: 1, after: time.Second,
		},
		"a wait, and a 100 that comes late": {
			script: func(p *peer) {
				p.head()
				got = p.body(5)
				p.send(continued + okText("x"))
			},
			opts:   []CallOption{WithContinueWait(time.Second)},
			want:   "200 x",
			events: sent + body + "responseHeadersStart informational 100 " + rest,
			opened: 1, body: "hello", pooled: 1, after: time.Second,
		},
		"a wait, and a 100 in time": {
			script: func(p *peer) {
				p.head()
				time.Sleep(time.Second / 2)
				p.send(continued)
				got = p.body(5)
				p.send(okText("x"))
			},
			opts:   []CallOption{WithContinueWait(time.Second)},
			want:   "200 x",
			events: sent + "responseHeadersStart informational 100 " + body + rest,
			opened: 1, body: "hello", pooled: 1, after: time.Second / 2,
		},
		"a wait, and a final status in time": {
			script: func(p *peer) { p.head(); p.send(okText("x")) },
			opts:   []CallOption{WithContinueWait(time.Second)},
			want:   "200 x",
			events: sent + "responseHeadersStart " + rest,
		},
		"a wait, and half a head in time": {
			script: func(p *peer) {
				p.head()
				p.send("HTTP/1.1 1")
				time.Sleep(2 * time.Second)
				p.send("00 Continue\r\n\r\n")
				got = p.body(5)
				p.send(okText("x"))
			},
			opts:   []CallOption{WithContinueWait(time.Second)},
			want:   "200 x",
			events: sent + "responseHeadersStart informational 100 " + body + rest,
			opened: 1, body: "hello", pooled: 1, after: 2 * time.Second,
		},
		"a wait, and the connection ends": {
			script: func(p *peer) { p.head(); p.Close() },
			opts:   []CallOption{WithContinueWait(time.Second)},
			events: sent + "responseFailed retryDecision false connectionReleased callFailed",
		},
		"a wait longer than the call may take": {
			script: func(p *peer) { p.head() },
			opts:   []CallOption{WithContinueWait(2 * time.Second), WithCallTimeout(time.Second)},
			events: sent + "responseFailed retryDecision false connectionReleased callFailed",
			after:  time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got = ""
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", func(p *peer) {
					c.script(p)
					io.Copy(io.Discard, p.in)
				})
				req, opened := expecting(t)
				began := time.Now()
				resp, err := w.client.Do(t.Context(), req, c.opts...)
				if after := time.Since(began); after != c.after {
					t.Errorf("after %v, want %v", after, c.after)
				}
				switch {
				case c.want == "" && err == nil:
					t.Error("no error")
				case c.want != "" && err != nil:
					t.Error(err)
				case err == nil:
					text, err := resp.Body.Text()
					if text := fmt.Sprint(resp.Status, " ", text); text != c.want || err != nil {
						t.Errorf("%q, %v, want %q", text, err, c.want)
					}
				case c.after == 10*time.Second:
					if e := (*Error)(nil); !errors.As(err, &e) || !errors.Is(err, os.ErrDeadlineExceeded) || e.Phase != PhaseResponseHeaders || !e.Sent {
						t.Errorf("error %v", err)
					}
				case c.after == time.Second:
					if !errors.Is(err, ErrCallTimeout) {
						t.Errorf("error %v", err)
					}
				}
				w.wantEvents(c.events)
				if *opened != c.opened || got != c.body {
					t.Errorf("opened %d times, the server got %q; want %d and %q", *opened, got, c.opened, c.body)
				}
				if got := w.client.cfg.pool.Stats(); got.Connections != c.pooled || got.Idle != c.pooled {
					t.Errorf("pool %+v, want %d", got, c.pooled)
				}
			})
		})
	}
}

// Under net/http a silent server gets the body after a second, as http.DefaultTransport has it, or after what was set.
func TestContinueWaitOfRoundTripper(t *testing.T) {
	transports := map[string]func(*Client) http.RoundTripper{"RoundTripper": (*Client).RoundTripper, "FullStack": (*Client).FullStack}
	for name, transport := range transports {
		for wait, want := range map[time.Duration]time.Duration{0: time.Second, 3 * time.Second: 3 * time.Second} {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", func(p *peer) {
					p.head()
					p.send(okText(p.body(1)))
					io.Copy(io.Discard, p.in)
				})
				asked := 0
				ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Wait100Continue: func() { asked++ }})
				req, err := http.NewRequestWithContext(ctx, "PUT", "http://server.test/", strings.NewReader("x"))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Expect", "100-continue")
				began := time.Now()
				resp, err := transport(w.client).RoundTrip(req)
				if err != nil {
					t.Fatal(name, err)
				}
				defer resp.Body.Close()
				if text, err := io.ReadAll(resp.Body); string(text) != "x" || err != nil || time.Since(began) != want {
					t.Errorf("%s: %q, %v after %v, want it after %v", name, text, err, time.Since(began), want)
				}
				if asked != 1 {
					t.Errorf("%s: the trace heard of %d waits", name, asked)
				}
			}, WithContinueWait(wait))
		}
	}
}

// The wait leaves TLS and the rest of the exchange whole.
func TestContinueWaitOverTLS(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", serverTLS, func(p *peer) {
			p.head()
			p.send(strings.ReplaceAll(okText(p.body(5)), "OK", "fine"))
			io.Copy(io.Discard, p.in)
		})
		req, _ := expecting(t, WithURL(mustRequest(t, "GET", "https://server.test/").URL()))
		resp, err := w.client.Do(t.Context(), req, WithContinueWait(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "hello" || err != nil || resp.Message != "fine" {
			t.Errorf("%q, %v", text, err)
		}
	}, WithTLSConfig(clientTLS))
}

// Without a body there is nothing to wait for.
func TestExpectWithoutBody(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Header("Expect", "100-continue")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
			t.Errorf("pool %+v", got)
		}
	})
}

// A refusal may be followed up, over another connection: the first never got its body.
func TestExpectRefusedAndFollowedUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var got string
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			p.head()
			p.send(statusResponse(401, "WWW-Authenticate: Basic realm=x"))
			if rest, _ := io.ReadAll(p.in); len(rest) > 0 {
				t.Errorf("the first connection got %q", rest)
			}
		}, func(p *peer) {
			p.head()
			p.send(continued)
			got = p.body(5)
			p.send(okText("x"))
			io.Copy(io.Discard, p.in)
		})
		req, opened := expecting(t)
		resp, err := w.client.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "x" || err != nil || got != "hello" || *opened != 1 {
			t.Errorf("%q, %v, the server got %q, opened %d times", text, err, got, *opened)
		}
	}, WithAuthenticator(AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
		return resp.Request().With(Header("Authorization", "Basic x"))
	})))
}
