package okhttp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const unauthorized = "HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 2\r\n\r\nno"

// credentials answers every challenge with the same Authorization.
func credentials(value string) CallOption {
	return WithAuthenticator(AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
		return resp.Request().With(Header("Authorization", value))
	}))
}

func TestAuthenticate(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(unauthorized, okText("x")))
		var route string
		asked := 0
		auth := AuthenticatorFunc(func(ctx context.Context, r *Route, resp *Response) (*Request, error) {
			asked++
			route = r.String()
			if resp.Prior() != nil || len(resp.Challenges()) != 1 || resp.Challenges()[0].Scheme != "Basic" {
				t.Errorf("asked with %v after %v", resp.Challenges(), resp.Prior())
			}
			if ctx.Value(tagA("")) != "of the call" {
				t.Error("the context is not that of the call")
			}
			return resp.Request().With(Header("Authorization", "Basic eHg="))
		})
		ctx := context.WithValue(t.Context(), tagA(""), "of the call")
		resp, err := w.client.Do(ctx, mustRequest(t, "POST", "http://server.test/a?b", WithBody(Text("body")), Header("X-Own", "v")), WithAuthenticator(auth))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "x" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if asked != 1 || route != "server.test at 10.0.0.1:80" {
			t.Errorf("asked %d times, for %s", asked, route)
		}
		if resp.Prior() == nil || resp.Prior().Status != 401 || resp.Request().Headers().Get("Authorization") != "Basic eHg=" {
			t.Errorf("prior %v, request %v", resp.Prior(), resp.Request().Headers())
		}
		if len(server.requests) != 2 {
			t.Fatalf("%d requests", len(server.requests))
		}
		first, second := server.requests[0], server.requests[1]
		if first.header.Get("Authorization") != "" || second.header.Get("Authorization") != "Basic eHg=" || second.body != "body" || second.target != "/a?b" || second.header.Get("X-Own") != "v" {
			t.Errorf("requests %+v, %+v", first, second)
		}
		w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 4 responseHeadersStart responseHeadersEnd " +
			"responseBodyStart responseBodyEnd 2 followUpDecision true " +
			"requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 4 responseHeadersStart responseHeadersEnd followUpDecision false " +
			"responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
	})
}

// What the authenticator does not answer is returned.
func TestAuthenticateGivesUp(t *testing.T) {
	nothing := AuthenticatorFunc(func(context.Context, *Route, *Response) (*Request, error) { return nil, nil })
	once := AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
		if resp.Request().Headers().Get("Authorization") != "" {
			return nil, nil // they were refused
		}
		return resp.Request().With(Header("Authorization", "x"))
	})
	for name, c := range map[string]struct {
		auth     Authenticator
		method   string
		body     *Body
		requests int
	}{
		"none":                            {nil, "GET", nil, 1},
		"it returns nil":                  {nothing, "GET", nil, 1},
		"it sees its credentials refused": {once, "GET", nil, 2},
		"the body can be sent once":       {once, "POST", OneShot("", 1, strings.NewReader("x")), 1},
		"the body can be sent again":      {once, "POST", Text("x"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(unauthorized, unauthorized, unauthorized))
				w.want("401 no")(w.do(c.method, "http://server.test/", c.body, WithAuthenticator(c.auth)))
				if len(server.requests) != c.requests {
					t.Errorf("%d requests, want %d", len(server.requests), c.requests)
				}
				w.mu.Lock()
				events := strings.Join(w.events, " ")
				w.mu.Unlock()
				if got := strings.Count(events, "followUpDecision true"); got != c.requests-1 || !strings.Contains(events, "followUpDecision false") {
					t.Errorf("events %s", events)
				}
				w.holdsNothing()
			})
		})
	}
}

// Facts 4 and 14: 20 challenges are answered, with the same credentials too, and the 21st ends the call.
func TestAuthenticateLimit(t *testing.T) {
	for challenges, ok := range map[int]bool{20: true, 21: false} {
		t.Run(fmt.Sprint(challenges), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(append(slices.Repeat([]string{unauthorized}, challenges), okText("x"))...))
				var chain []int
				auth := AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
					n := 0
					for prior := resp.Prior(); prior != nil; prior = prior.Prior() {
						n++
					}
					chain = append(chain, n)
					return resp.Request().With(Header("Authorization", "same"))
				})
				got, err := w.get("http://server.test/", WithAuthenticator(auth))
				var pe *ProtocolError
				switch {
				case ok && (err != nil || got != "200 x"):
					t.Errorf("%q, %v", got, err)
				case !ok && (!errors.As(err, &pe) || !strings.Contains(err.Error(), "too many follow-up requests: 21")):
					t.Errorf("error %v", err)
				}
				if len(server.requests) != 21 {
					t.Errorf("%d requests, want 21", len(server.requests))
				}
				for i, n := range chain {
					if n != i {
						t.Errorf("challenge %d came with %d prior responses", i, n)
					}
				}
				w.holdsNothing()
			})
		})
	}
}

// Fact 13: the authenticator's failure is the call's, and the connection is none the worse.
func TestAuthenticatorFails(t *testing.T) {
	why := errors.New("no password")
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(unauthorized, okText("x")))
		_, err := w.get("http://server.test/", WithAuthenticator(AuthenticatorFunc(func(context.Context, *Route, *Response) (*Request, error) { return nil, why })))
		var e *Error
		if !errors.Is(err, why) || !errors.As(err, &e) || e.Phase != PhaseFollowUp {
			t.Errorf("error %v", err)
		}
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
			t.Errorf("pool %+v", got)
		}
		w.wantEvents(newConnection80 + exchanged + "responseBodyStart responseBodyEnd 2 connectionReleased callFailed")
		w.want("200 x")(w.get("http://server.test/"))
	})
}

// An authenticator that waits is freed with the call.
func TestAuthenticatorIsCanceled(t *testing.T) {
	waits := AuthenticatorFunc(func(ctx context.Context, _ *Route, _ *Response) (*Request, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(unauthorized))
		if _, err := w.get("http://server.test/", WithAuthenticator(waits), WithCallTimeout(time.Second)); !errors.Is(err, ErrCallTimeout) {
			t.Errorf("error %v", err)
		}
		w.holdsNothing()
	})
}

// A 407 is a proxy's, and none is in between.
func TestProxyAuthenticationOfAnOrigin(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(statusResponse(407, "Proxy-Authenticate: Basic realm=x")))
		_, err := w.get("http://server.test/", credentials("x"))
		var pe *ProtocolError
		if !errors.As(err, &pe) || !strings.Contains(err.Error(), "407") {
			t.Errorf("error %v", err)
		}
		w.holdsNothing()
	})
}

// A response of the cache came over no route.
func TestAuthenticateWithoutRoute(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		cache := InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
			if c.Request().Headers().Get("Authorization") == "" {
				return NewResponse(c.Request(), 401), nil
			}
			return onward(ctx, c)
		})
		auth := AuthenticatorFunc(func(_ context.Context, r *Route, resp *Response) (*Request, error) {
			if r != nil {
				t.Errorf("route %v", r)
			}
			return resp.Request().With(Header("Authorization", "x"))
		})
		w.want("200 x")(w.get("http://server.test/", WithCache(cache), WithAuthenticator(auth)))
	})
}
