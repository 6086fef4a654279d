package okhttp

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// cacheFunc makes a cache of a function that is given the listener, whose hooks it tells.
func cacheFunc(f func(ctx context.Context, c Chain, l *EventListener) (*Response, error)) CallOption {
	return WithCache(InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) { return f(ctx, c, c.Events()) }))
}

func made(c Chain, body string, opts ...ResponseOption) *Response {
	buf := new(okio.Buffer)
	buf.WriteString(body)
	return NewResponse(c.Request(), 200, append(opts, ResponseBodyFrom("text/plain", int64(len(body)), buf))...)
}

// The orders of section 14.4. The cache sees the request with the headers of the wire, below the bridge and above the network.
func TestCacheEvents(t *testing.T) {
	miss := func(ctx context.Context, c Chain, l *EventListener) (*Response, error) {
		l.CacheMiss(CacheEvent{Call: c.Call()})
		return onward(ctx, c)
	}
	const rest = "connectStart connectEnd connectionAcquired " + exchanged
	for name, c := range map[string]struct {
		cache    func(ctx context.Context, c Chain, l *EventListener) (*Response, error)
		answer   string
		want     string
		events   string
		requests int
	}{
		"hit": {
			cache: func(_ context.Context, c Chain, l *EventListener) (*Response, error) {
				resp := made(c, "stored")
				l.CacheHit(CacheEvent{c.Call(), resp})
				return resp.With(WithCacheResponse(resp)), nil
			},
			want:   "200 stored",
			events: "callStart cacheHit followUpDecision false callEnd",
		},
		"miss": {
			cache: miss, answer: okText("fresh"), requests: 1,
			want:   "200 fresh",
			events: "callStart cacheMiss proxySelectStart proxySelectEnd dnsStart dnsEnd " + rest + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd",
		},
		"conditional hit": {
			cache: func(ctx context.Context, c Chain, l *EventListener) (*Response, error) {
				stored := made(c, "stored")
				l.CacheConditionalHit(CacheEvent{c.Call(), stored})
				req, err := c.Request().With(Header("If-None-Match", `"1"`))
				if err != nil {
					return nil, err
				}
				network, err := c.Proceed(ctx, req)
				if err != nil {
					return nil, err
				}
				if network.Status != 304 {
					return nil, errors.New("not 304")
				}
				network.Body.Close()
				l.CacheHit(CacheEvent{c.Call(), stored})
				return stored.With(WithNetworkResponse(network), WithCacheResponse(stored)), nil
			},
			answer: "HTTP/1.1 304 Not Modified\r\n\r\n", requests: 1,
			want: "200 stored",
			events: "callStart cacheConditionalHit proxySelectStart proxySelectEnd dnsStart dnsEnd " + rest + "responseBodyStart responseBodyEnd 0 cacheHit followUpDecision false " +
				"connectionReleased callEnd",
		},
		"conditional miss": {
			cache: func(ctx context.Context, c Chain, l *EventListener) (*Response, error) {
				l.CacheConditionalHit(CacheEvent{c.Call(), made(c, "stored")})
				network, err := onward(ctx, c)
				if err != nil {
					return nil, err
				}
				l.CacheMiss(CacheEvent{Call: c.Call()})
				return network, nil
			},
			answer: okText("fresh"), requests: 1,
			want: "200 fresh",
			events: "callStart cacheConditionalHit proxySelectStart proxySelectEnd dnsStart dnsEnd " + rest + "cacheMiss followUpDecision false responseBodyStart responseBodyEnd 5 " +
				"connectionReleased callEnd",
		},
		"stale because the network fails": {
			cache: func(ctx context.Context, c Chain, l *EventListener) (*Response, error) {
				if _, err := onward(ctx, c); err == nil {
					return nil, errors.New("no error")
				}
				resp := made(c, "stale")
				l.CacheHit(CacheEvent{c.Call(), resp})
				return resp, nil
			},
			answer: "nonsense\r\n\r\n", requests: 1,
			want: "200 stale",
			events: "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd responseFailed cacheHit " +
				"connectionReleased followUpDecision false callEnd",
		},
		"the cache fails": {
			cache:  func(context.Context, Chain, *EventListener) (*Response, error) { return nil, errors.New("disk") },
			events: "callStart retryDecision false callFailed",
		},
		"the cache returns nothing": {
			cache:  func(context.Context, Chain, *EventListener) (*Response, error) { return nil, nil },
			events: "callStart retryDecision false callFailed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(c.answer))
				resp, err := w.client.Get(t.Context(), "http://server.test/", cacheFunc(c.cache))
				switch {
				case c.want == "" && err == nil:
					t.Error("no error")
				case c.want != "" && err != nil:
					t.Fatal(err)
				case err == nil:
					if text, err := resp.Body.Text(); "200 "+text != c.want || err != nil {
						t.Errorf("%q, %v", text, err)
					}
				}
				w.wantEvents(c.events)
				if len(server.requests) != c.requests {
					t.Errorf("%d requests, want %d", len(server.requests), c.requests)
				}
				if name == "conditional hit" {
					if server.requests[0].header.Get("If-None-Match") != `"1"` || resp.NetworkResponse().Status != 304 || resp.CacheResponse().Status != 200 {
						t.Errorf("request %v, network %v, cache %v", server.requests[0].header, resp.NetworkResponse(), resp.CacheResponse())
					}
				}
				w.holdsNothing()
			})
		})
	}
}

// What a cache is given: the wire's headers, the option's URL, every follow-up, and a chain without a connection.
func TestCacheSees(t *testing.T) {
	var log []string
	cache := cacheFunc(func(ctx context.Context, c Chain, _ *EventListener) (*Response, error) {
		cacheURL, ok := c.Request().CacheURL()
		_, connected := c.Connection()
		if connected || c.Request().Headers().Get("Host") != "server.test" || c.Request().Headers().Get("Accept-Encoding") != "gzip" {
			t.Errorf("connected %v, headers %v", connected, c.Request().Headers())
		}
		log = append(log, c.Request().URL().EncodedPath(), cacheURL.String())
		if !ok {
			t.Error("no CacheURL")
		}
		return onward(ctx, c)
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(redirectText(307, "/b"), okText("x")))
		other := mustRequest(t, "GET", "http://server.test/key/sha256").URL()
		resp, err := w.client.Do(t.Context(), mustRequest(t, "POST", "http://server.test/a", WithBody(Text("x")), CacheURL(other)), cache)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got, want := strings.Join(log, " "), "/a http://server.test/key/sha256 /b http://server.test/key/sha256"; got != want {
			t.Errorf("saw %s, want %s", got, want)
		}
	})
	if _, ok := mustRequest(t, "GET", "http://h/").CacheURL(); ok {
		t.Error("a CacheURL that nobody set")
	}
}

// The cache stores what came; transparent gzip is above it, and so is the failure of what it stored.
func TestCacheOfGzip(t *testing.T) {
	for name, c := range map[string]struct{ stored, want string }{
		"whole":   {gz("unpacked"), "unpacked"},
		"damaged": {gz("unpacked")[:12] + "!!!!!!!!", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				resp, err := w.client.Get(t.Context(), "http://server.test/", cacheFunc(func(_ context.Context, chain Chain, _ *EventListener) (*Response, error) {
					h, _ := NewHeaders("Content-Encoding", "gzip")
					return made(chain, c.stored, ResponseHeaders(h)), nil
				}))
				if err != nil {
					t.Fatal(err)
				}
				text, err := resp.Body.Text()
				var e *Error
				switch {
				case c.want != "" && (text != c.want || err != nil):
					t.Errorf("%q, %v", text, err)
				case c.want == "" && (!errors.As(err, &e) || e.Phase != PhaseResponseBody || e.Sent):
					t.Errorf("error %v", err)
				}
				if got := resp.Headers().Get("Content-Encoding"); got != "" {
					t.Errorf("coding %q", got)
				}
			})
		})
	}
}

// A request that wants nothing but the cache fails at once where there is none, whatever else it says.
func TestOnlyIfCached(t *testing.T) {
	for value, only := range map[string]bool{"only-if-cached": true, "max-stale=1, ONLY-IF-CACHED": true, "no-cache": false, "x-only-if-cached": false} {
		t.Run(value, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(okText("x")))
				resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Header("Cache-Control", value)))
				if err != nil {
					t.Fatal(err)
				}
				text, err := resp.Body.Text()
				if !only {
					if resp.Status != 200 || text != "x" {
						t.Errorf("%d %q", resp.Status, text)
					}
					return
				}
				if resp.Status != 504 || resp.Message != "Unsatisfiable Request (only-if-cached)" || text != "" || err != nil || resp.Protocol != HTTP11 {
					t.Errorf("%d %s %q, %v", resp.Status, resp.Message, text, err)
				}
				if resp.NetworkResponse() != nil || resp.CacheResponse() != nil || len(server.requests) != 0 {
					t.Errorf("network %v, cache %v, %d requests", resp.NetworkResponse(), resp.CacheResponse(), len(server.requests))
				}
				w.wantEvents("callStart satisfactionFailure followUpDecision false callEnd")
			})
		})
	}
}

// An upgrade is none of the cache's business.
func TestUpgradeSkipsTheCache(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("", echoLines))
		_, resp, _ := w.upgraded(t.Context(), cacheFunc(func(ctx context.Context, c Chain, _ *EventListener) (*Response, error) {
			t.Error("the cache was asked")
			return onward(ctx, c)
		}))
		resp.Body.Close()
	})
}

// A cache may proceed again, after a failure or once it closed what it got.
func TestCacheProceedsTwice(t *testing.T) {
	again := func(closes bool) CallOption {
		return cacheFunc(func(ctx context.Context, c Chain, _ *EventListener) (*Response, error) {
			resp, err := onward(ctx, c)
			if err == nil && closes {
				resp.Body.Close()
			}
			return onward(ctx, c)
		})
	}
	t.Run("after a failure", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer("nonsense\r\n\r\n"))
			w.serve("server.test", "10.0.0.2", answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/", again(true)))
			w.holdsNothing()
		})
	})
	t.Run("after closing", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x"), okText("y")))
			w.want("200 y")(w.get("http://server.test/", again(true)))
			w.holdsNothing()
		})
	})
	t.Run("without closing", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x"), okText("y")))
			_, err := w.get("http://server.test/", again(false))
			var ce *CallError
			if !errors.As(err, &ce) {
				t.Errorf("error %v", err)
			}
			w.holdsNothing()
		})
	})
}

// A network interceptor that answers a failure itself ends the exchange.
func TestNetworkInterceptorAnswersAFailure(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("nonsense\r\n\r\n"), answer(okText("x")))
		w.want("502 ")(w.get("http://server.test/"))
		w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd responseFailed connectionReleased followUpDecision false callEnd")
		w.holdsNothing()
		w.want("200 x")(w.get("http://server.test/"))
	}, interceptNetwork(func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := onward(ctx, c)
		if err != nil {
			return NewResponse(c.Request(), 502), nil
		}
		return resp, nil
	}))
}

// Events is never nil.
func TestChainEvents(t *testing.T) {
	client := New(WithCache(InterceptorFunc(func(_ context.Context, c Chain) (*Response, error) {
		if l := c.Events(); l == nil || l.CacheHit != nil {
			t.Errorf("listener %v", l)
		}
		return made(c, "x"), nil
	})))
	defer client.Close()
	resp, err := client.Get(t.Context(), "http://h/")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(resp.Body); string(text) != "x" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	resp.Body.Close()
}

// A cache may make what it stands for when somebody asks, which is once.
func TestCacheResponseOnDemand(t *testing.T) {
	req, err := NewRequest("GET", "http://site.test/")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	resp := NewResponse(req, 200, WithCacheResponseFunc(func() *Response {
		made++
		return NewResponse(req, 203)
	}))
	if made != 0 {
		t.Error("made though nobody asked")
	}
	cached := resp.CacheResponse()
	if cached == nil || cached.Status != 203 || resp.CacheResponse() != cached || made != 1 {
		t.Errorf("got %v, made %d times", cached, made)
	}
	if _, err := cached.Body.Bytes(); !errors.Is(err, ErrUnreadableBody) {
		t.Errorf("its body: %v", err)
	}
	if got := resp.With(WithCacheResponse(nil)).CacheResponse(); got != nil {
		t.Errorf("got %v", got)
	}
}
