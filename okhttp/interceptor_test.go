package okhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// intercept makes an option of a function that gets the context, as most of these tests need it.
func intercept(f func(context.Context, Chain) (*Response, error)) Option {
	return WithInterceptor(InterceptorFunc(f))
}

func interceptNetwork(f func(context.Context, Chain) (*Response, error)) Option {
	return WithNetworkInterceptor(InterceptorFunc(f))
}

func onward(ctx context.Context, c Chain) (*Response, error) { return c.Proceed(ctx, c.Request()) }

// namedInterceptor has a type that errors can name.
type namedInterceptor struct {
	f func(context.Context, Chain) (*Response, error)
}

func (n *namedInterceptor) Intercept(ctx context.Context, c Chain) (*Response, error) {
	return n.f(ctx, c)
}

// holdsNothing checks that no call kept a connection, stays registered or has not ended.
func (w *world) holdsNothing() {
	w.t.Helper()
	if got := w.client.cfg.pool.Stats(); got.Connections != got.Idle {
		w.t.Errorf("pool %+v, want none in use", got)
	}
	if got := w.client.active.Load(); got != 0 {
		w.t.Errorf("%d calls left", got)
	}
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	if w.client.waiting != nil {
		w.t.Error("a call is still registered")
	}
}

func TestInterceptorOrder(t *testing.T) {
	var log []string
	note := func(name string) Interceptor {
		return InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
			_, connected := c.Connection()
			log = append(log, fmt.Sprint(name, " in ", c.Request().URL().EncodedPath(), " ", connected))
			resp, err := c.Proceed(ctx, c.Request())
			log = append(log, fmt.Sprint(name, " out ", resp.Status))
			return resp, err
		})
	}
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(redirectText(302, "/b"), okText("x")))
		w.want("200 x")(w.get("http://server.test/a"))
		want := []string{
			"a1 in /a false", "a2 in /a false",
			"n1 in /a true", "n2 in /a true", "n2 out 302", "n1 out 302",
			"n1 in /b true", "n2 in /b true", "n2 out 200", "n1 out 200",
			"a2 out 200", "a1 out 200",
		}
		if !slices.Equal(log, want) {
			t.Errorf("order\n  %q\nwant\n  %q", log, want)
		}
	}, WithInterceptor(note("a1"), nil), WithInterceptor(note("a2"), InterceptorFunc(nil)), WithNetworkInterceptor(note("n1"), nil, note("n2")))
}

// The interceptors of a derived client come after those it inherits, which stay as they were.
func TestInterceptorsOfDerivedClients(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x"), okText("x"), okText("x")))
		var log []string
		note := func(name string) Option {
			return intercept(func(ctx context.Context, c Chain) (*Response, error) {
				log = append(log, name)
				return onward(ctx, c)
			})
		}
		base := w.client.With(note("base"))
		one, two := base.With(note("one")), base.With(note("two"))
		for _, c := range []*Client{one, two, base} {
			resp, err := c.Get(t.Context(), "http://server.test/")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		if want := []string{"base", "one", "base", "two", "base"}; !slices.Equal(log, want) {
			t.Errorf("ran %q, want %q", log, want)
		}
	})
}

func TestInterceptorShortCircuits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.want("418 tea")(w.get("http://server.test/"))
		w.wantEvents("callStart callEnd")
		if w.lookups != 0 {
			t.Errorf("%d look-ups", w.lookups)
		}
	}, intercept(func(_ context.Context, c Chain) (*Response, error) {
		var b okio.Buffer
		b.WriteString("tea")
		return NewResponse(c.Request(), 418, ResponseBodyFrom("", 3, &b)), nil
	}))
}

// A second exchange of a call takes the connection of the first without letting go of it.
func TestInterceptorProceedsTwice(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("first"), okText("second")))
		w.want("200 second")(w.get("http://server.test/"))
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 " +
			exchanged + "followUpDecision false responseBodyStart responseBodyEnd 6 connectionReleased callEnd")
	}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := c.Proceed(ctx, c.Request())
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		return c.Proceed(ctx, c.Request())
	}))
}

func TestInterceptorProceedsTwiceWithoutClosing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("first"), okText("second")))
		_, err := w.get("http://server.test/")
		var ce *CallError
		if !errors.As(err, &ce) || !strings.Contains(err.Error(), "close it") {
			t.Errorf("error %v, want a CallError that says to close", err)
		}
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false connectionReleased callFailed")
		w.holdsNothing()
	}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
		if _, err := c.Proceed(ctx, c.Request()); err != nil {
			return nil, err
		}
		return c.Proceed(ctx, c.Request())
	}))
}

// A body that was read inside an interceptor ends before the decision only if the interceptor is a network one; see 14.4.
func TestBodyReadInNetworkInterceptor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("hello")))
		w.want("200 HELLO")(w.get("http://server.test/"))
		w.wantEvents(newConnection80 + exchanged + "responseBodyStart responseBodyEnd 5 followUpDecision false connectionReleased callEnd")
	}, interceptNetwork(func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := c.Proceed(ctx, c.Request())
		if err != nil {
			return nil, err
		}
		text, err := resp.Body.Text()
		if err != nil {
			return nil, err
		}
		var b okio.Buffer
		b.WriteString(strings.ToUpper(text))
		return resp.With(ResponseBodyFrom("", int64(len(text)), &b)), nil
	}))
}

// Fact 19, and section 4.2.
func TestNetworkInterceptorRules(t *testing.T) {
	change := func(url string) func(context.Context, Chain) (*Response, error) {
		return func(ctx context.Context, c Chain) (*Response, error) {
			u, err := ParseURL(url)
			if err != nil {
				return nil, err
			}
			r, err := c.Request().With(WithURL(u))
			if err != nil {
				return nil, err
			}
			return c.Proceed(ctx, r)
		}
	}
	with := func(opts ...CallOption) func(context.Context, Chain) (*Response, error) {
		return func(ctx context.Context, c Chain) (*Response, error) {
			return c.With(opts...).Proceed(ctx, c.Request())
		}
	}
	dns := DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return nil, nil })
	for name, c := range map[string]struct {
		f      func(context.Context, Chain) (*Response, error)
		detail string
	}{
		"does not proceed": {func(_ context.Context, c Chain) (*Response, error) { return NewResponse(c.Request(), 200), nil }, "must call Proceed exactly once but called it 0 times"},
		"does not proceed and answers without a body": {func(_ context.Context, c Chain) (*Response, error) { return &Response{Status: 200}, nil },
			"must call Proceed exactly once but called it 0 times"},
		"proceeds twice": {func(ctx context.Context, c Chain) (*Response, error) {
			resp, err := c.Proceed(ctx, c.Request())
			if err != nil {
				return nil, err
			}
			resp.Body.Close()
			return c.Proceed(ctx, c.Request())
		}, "must call Proceed exactly once but called it again"},
		"proceeds twice and hides it": {func(ctx context.Context, c Chain) (*Response, error) {
			resp, err := c.Proceed(ctx, c.Request())
			if err != nil {
				return nil, err
			}
			c.Proceed(ctx, c.Request())
			return resp, nil
		}, "must call Proceed exactly once but called it 2 times"},
		"changes the host":      {change("http://other.test/"), "must keep the host and port of the request"},
		"changes the port":      {change("http://server.test:81/"), "must keep the host and port of the request"},
		"changes both":          {change("https://server.test/"), "must keep the host and port of the request"},
		"proceeds with nil":     {func(ctx context.Context, c Chain) (*Response, error) { return c.Proceed(ctx, nil) }, "proceeded with a nil request"},
		"returns nothing":       {func(ctx context.Context, c Chain) (*Response, error) { return dropped(c.Proceed(ctx, c.Request())) }, "returned neither a response nor an error"},
		"changes a time limit":  {with(WithReadTimeout(time.Second)), "used WithReadTimeout, which cannot be changed in a network interceptor"},
		"changes the call's":    {with(WithCallTimeout(time.Second)), "used WithCallTimeout, which cannot be changed during a call"},
		"changes the DNS":       {with(nil, WithDNS(dns)), "used WithDNS, which cannot be changed in a network interceptor"},
		"changes the dialer":    {with(WithDialer(nil)), "used WithDialer, which cannot be changed in a network interceptor"},
		"changes the pool":      {with(WithPool(nil)), "used WithPool, which cannot be changed in a network interceptor"},
		"changes TLS":           {with(WithTLSConfig(nil)), "used WithTLSConfig, which cannot be changed in a network interceptor"},
		"switches retries off":  {with(WithRetryOnConnectionFailure(false)), "used WithRetryOnConnectionFailure, which cannot be changed in a network interceptor"},
		"first fault is named":  {with(WithConnectTimeout(1), WithWriteTimeout(1)), "used WithConnectTimeout, which cannot be changed in a network interceptor"},
		"a limit of the bridge": {with(WithMaxDecodedBody(1)), "used WithMaxDecodedBody, which cannot be changed in a network interceptor"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")), answer(okText("x")))
				_, err := w.get("http://server.test/")
				var ie *InterceptorError
				if !errors.As(err, &ie) || ie.Interceptor != "*okhttp.namedInterceptor" || ie.Detail != c.detail {
					t.Errorf("error %v, want %q", err, c.detail)
				}
				var e *Error
				if !errors.As(err, &e) {
					t.Errorf("error %v is not an *Error", err)
				}
				w.holdsNothing()
				w.mu.Lock()
				defer w.mu.Unlock()
				if last := w.events[len(w.events)-1]; last != "callFailed" || slices.Contains(w.events, "retryDecision true") {
					t.Errorf("events %v", w.events)
				}
			}, WithNetworkInterceptor(&namedInterceptor{c.f}))
		})
	}
}

// dropped closes a response and returns nothing in its place.
func dropped(resp *Response, err error) (*Response, error) {
	if resp != nil {
		resp.Body.Close()
	}
	return nil, err
}

func TestApplicationInterceptorRules(t *testing.T) {
	with := func(o CallOption) func(context.Context, Chain) (*Response, error) {
		return func(ctx context.Context, c Chain) (*Response, error) { return c.With(o).Proceed(ctx, c.Request()) }
	}
	for name, c := range map[string]struct {
		f      func(context.Context, Chain) (*Response, error)
		detail string
	}{
		"returns nothing":         {func(context.Context, Chain) (*Response, error) { return nil, nil }, "returned neither a response nor an error"},
		"without a body":          {func(context.Context, Chain) (*Response, error) { return &Response{Status: 200}, nil }, "returned a response without a body"},
		"proceeds with nil":       {func(ctx context.Context, c Chain) (*Response, error) { return c.Proceed(ctx, nil) }, "proceeded with a nil request"},
		"call timeout":            {with(WithCallTimeout(time.Second)), "used WithCallTimeout, which cannot be changed during a call"},
		"following redirects":     {with(WithFollowRedirects(false)), "used WithFollowRedirects, which cannot be changed during a call"},
		"following TLS redirects": {with(WithFollowTLSRedirects(false)), "used WithFollowTLSRedirects, which cannot be changed during a call"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				_, err := w.get("http://server.test/")
				var ie *InterceptorError
				if !errors.As(err, &ie) || ie.Interceptor != "*okhttp.namedInterceptor" || ie.Detail != c.detail {
					t.Errorf("error %v, want %q", err, c.detail)
				}
				w.wantEvents("callStart callFailed")
				w.holdsNothing()
			}, WithInterceptor(&namedInterceptor{c.f}))
		})
	}
	t.Run("a function is named", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			_, err := w.get("http://server.test/")
			var ie *InterceptorError
			if !errors.As(err, &ie) || !strings.HasSuffix(ie.Interceptor, "okhttp.returnsNothing") {
				t.Errorf("error %v", err)
			}
		}, intercept(returnsNothing))
	})
}

func returnsNothing(context.Context, Chain) (*Response, error) { return nil, nil }

// What an interceptor changes holds for the rest of its call and for no other.
func TestChainWith(t *testing.T) {
	t.Run("read timeout", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(), answer())
			for _, c := range []struct {
				url  string
				want time.Duration
			}{{"http://server.test/hasty", time.Second}, {"http://server.test/", 10 * time.Second}} {
				start := time.Now()
				_, err := w.get(c.url)
				var e *Error
				if !errors.As(err, &e) || !e.Timeout() {
					t.Errorf("error %v", err)
				}
				if got := time.Since(start); got != c.want {
					t.Errorf("%s after %v, want %v", c.url, got, c.want)
				}
			}
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			if c.Request().URL().EncodedPath() == "/hasty" {
				c = c.With(WithReadTimeout(time.Second))
			}
			return c.Proceed(ctx, c.Request())
		}))
	})
	t.Run("on a connection of the pool", func(t *testing.T) { // fact 30
		for name, get := range map[string]func(*world) (*Response, error){
			"option": func(w *world) (*Response, error) {
				return w.client.Get(w.t.Context(), "http://server.test/", WithReadTimeout(time.Second))
			},
			"derived client": func(w *world) (*Response, error) {
				return w.client.With(WithReadTimeout(time.Second)).Get(w.t.Context(), "http://server.test/")
			},
		} {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")))
				w.want("200 x")(w.get("http://server.test/"))
				start := time.Now()
				if _, err := get(w); err == nil {
					t.Errorf("%s: no error", name)
				}
				if got := time.Since(start); got != time.Second || w.lookups != 1 {
					t.Errorf("%s: after %v, want 1 s; %d look-ups", name, got, w.lookups)
				}
			})
		}
	})
	t.Run("DNS", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("other.test", "10.0.0.2", answer(okText("other")))
			w.want("200 other")(w.get("http://server.test/"))
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			return c.With(WithDNS(DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("10.0.0.2")}, nil
			}))).Proceed(ctx, c.Request())
		}))
	})
	t.Run("pool", func(t *testing.T) {
		pool := NewConnectionPool(PoolConfig{})
		defer pool.EvictAll()
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x"), okText("y")))
			w.want("200 x")(w.get("http://server.test/"))
			w.want("200 y")(w.get("http://server.test/"))
			if got := pool.Stats(); got.Idle != 1 {
				t.Errorf("given pool %+v", got)
			}
			if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
				t.Errorf("client's pool %+v", got)
			}
			pool.EvictAll()
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			return c.With(WithPool(pool)).Proceed(ctx, c.Request())
		}))
	})
	t.Run("below the interceptor only", func(t *testing.T) {
		var outer, inner time.Duration
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			if outer != 10*time.Second || inner != 3*time.Second {
				t.Errorf("read timeouts %v and %v", outer, inner)
			}
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			resp, err := c.With(nil, WithReadTimeout(3*time.Second)).Proceed(ctx, c.Request())
			outer = c.cfg.readTimeout
			return resp, err
		}), intercept(func(ctx context.Context, c Chain) (*Response, error) {
			inner = c.cfg.readTimeout
			return onward(ctx, c)
		}))
	})
}

// Options count per client, per call and per chain, the later ones more.
func TestOptionScopes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(), answer(), answer())
		derived := w.client.With(WithReadTimeout(3 * time.Second))
		for _, c := range []struct {
			client *Client
			opts   []CallOption
			want   time.Duration
		}{
			{w.client, nil, 4 * time.Second},
			{derived, nil, 3 * time.Second},
			{derived, []CallOption{WithReadTimeout(time.Second), nil, WithReadTimeout(2 * time.Second)}, 2 * time.Second},
		} {
			start := time.Now()
			if _, err := c.client.Get(t.Context(), "http://server.test/", c.opts...); err == nil {
				t.Error("no error")
			}
			if got := time.Since(start); got != c.want {
				t.Errorf("after %v, want %v", got, c.want)
			}
		}
	}, nil, WithReadTimeout(4*time.Second))
}

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
