package okhttp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// Fact 17: a call that was canceled by an interceptor has no response.
func TestInterceptorCancels(t *testing.T) {
	for name, c := range map[string]struct{ before, network bool }{
		"before proceeding": {true, false}, "after proceeding": {false, false},
		"before proceeding, on the network": {true, true}, "after proceeding, on the network": {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := func(ctx context.Context, chain Chain) (*Response, error) {
				if c.before {
					chain.Call().Cancel()
				}
				resp, err := chain.Proceed(ctx, chain.Request())
				if !c.before {
					chain.Call().Cancel()
				}
				return resp, err
			}
			opt := intercept(f)
			if c.network {
				opt = interceptNetwork(f)
			}
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")))
				_, err := w.get("http://server.test/")
				if !errors.Is(err, ErrCanceled) || !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				w.holdsNothing()
				w.mu.Lock()
				defer w.mu.Unlock()
				if n := strings.Count(strings.Join(w.events, " "), "canceled"); n != 1 {
					t.Errorf("events %v", w.events)
				}
			}, opt)
		})
	}
}

// Fact 17: nobody else could close the response.
func TestInterceptorCancelsAndAnswers(t *testing.T) {
	closed := 0
	inWorld(t, func(t *testing.T, w *world) {
		if _, err := w.get("http://server.test/"); !errors.Is(err, ErrCanceled) {
			t.Errorf("error %v", err)
		}
		if closed != 1 {
			t.Errorf("closed %d times", closed)
		}
		w.wantEvents("callStart canceled callFailed")
	}, intercept(func(_ context.Context, c Chain) (*Response, error) {
		c.Call().Cancel()
		return NewResponse(c.Request(), 200, ResponseBodyFrom("", -1, closingSource{func() { closed++ }})), nil
	}))
}

// Fact 19: whoever catches a failure may proceed again, over the addresses of a fresh look-up.
func TestInterceptorRecovers(t *testing.T) {
	again := intercept(func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := c.Proceed(ctx, c.Request())
		if err != nil {
			return c.Proceed(ctx, c.Request())
		}
		return resp, err
	})
	t.Run("from an exchange", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) { p.request() }, answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd responseFailed retryDecision false connectionReleased " +
				"proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		}, again)
	})
	t.Run("from connecting", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.resolve("server.test", "10.0.0.9")
			_, err := w.get("http://server.test/")
			var e *Error
			if !errors.As(err, &e) || e.Phase != PhaseConnect {
				t.Errorf("error %v", err)
			}
			if w.lookups != 2 {
				t.Errorf("%d look-ups, want 2", w.lookups)
			}
		}, again)
	})
	t.Run("but not from the call's end", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(), answer(okText("x")))
			start := time.Now()
			if _, err := w.get("http://server.test/", WithCallTimeout(time.Second)); !errors.Is(err, ErrCallTimeout) {
				t.Errorf("error %v", err)
			}
			if got := time.Since(start); got != time.Second {
				t.Errorf("after %v, want 1 s", got)
			}
		}, again)
	})
}

// An error of an interceptor's own fails the call and is not tried again.
func TestInterceptorFails(t *testing.T) {
	boom := errors.New("boom")
	fail := func(proceed bool) func(context.Context, Chain) (*Response, error) {
		return func(ctx context.Context, c Chain) (*Response, error) {
			if !proceed {
				return nil, boom
			}
			resp, _ := c.Proceed(ctx, c.Request())
			return resp, boom // both, which is not allowed: the error counts
		}
	}
	for _, c := range []struct {
		opt    Option
		events string
	}{
		{intercept(fail(false)), "callStart callFailed"},
		{intercept(fail(true)), newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callFailed"},
		{interceptNetwork(fail(false)), newConnection80 + "retryDecision false connectionReleased callFailed"},
		{interceptNetwork(fail(true)), newConnection80 + exchanged + "responseBodyStart responseBodyEnd 1 retryDecision false connectionReleased callFailed"},
	} {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x")), answer(okText("x")))
			_, err := w.get("http://server.test/")
			var e *Error
			if !errors.Is(err, boom) || !errors.As(err, &e) || e.URL != "http://server.test/..." || e.Method != "GET" {
				t.Errorf("error %v", err)
			}
			w.wantEvents(c.events)
			w.holdsNothing()
		}, c.opt)
	}
}

func TestInterceptorPanics(t *testing.T) {
	for name, c := range map[string]struct{ network, proceed bool }{
		"before proceeding": {}, "after proceeding": {proceed: true},
		"before proceeding, on the network": {network: true}, "after proceeding, on the network": {network: true, proceed: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := func(ctx context.Context, chain Chain) (*Response, error) {
				if c.proceed {
					if _, err := chain.Proceed(ctx, chain.Request()); err != nil {
						return nil, err
					}
				}
				panic("boom")
			}
			opt := intercept(f)
			if c.network {
				opt = interceptNetwork(f)
			}
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")))
				func() {
					defer func() {
						if r := recover(); r != "boom" {
							t.Errorf("recovered %v", r)
						}
					}()
					w.get("http://server.test/")
					t.Error("no panic")
				}()
				w.holdsNothing()
			}, opt)
		})
	}
}
