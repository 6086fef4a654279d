package okhttp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
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
