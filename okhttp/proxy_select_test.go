package okhttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// selector is a list that notes what it is asked and told.
type selector struct {
	proxies []Proxy
	err     error
	asked   []string
	told    []string
}

func selectorOf(t *testing.T, proxies ...string) *selector {
	s := new(selector)
	for _, p := range proxies {
		s.proxies = append(s.proxies, mustProxy(t, p))
	}
	return s
}

func (s *selector) Select(u URL) ([]Proxy, error) {
	s.asked = append(s.asked, u.String())
	return s.proxies, s.err
}

func (s *selector) ConnectFailed(u URL, p Proxy, err error) {
	s.told = append(s.told, fmt.Sprint(u, " ", p, ": ", err))
}

// wantTold checks what the selector was told: each line begins with what is wanted and goes on with an error that has the rest of it.
func (s *selector) wantTold(t *testing.T, want ...[2]string) {
	t.Helper()
	if len(s.told) != len(want) {
		t.Errorf("the selector was told %q, want %d", s.told, len(want))
		return
	}
	for i, w := range want {
		if !strings.HasPrefix(s.told[i], w[0]+": ") || !strings.Contains(s.told[i], w[1]) {
			t.Errorf("the selector was told %q, want %q", s.told[i], w)
		}
	}
}

const (
	proxyA = "http://10.0.9.11:80"
	proxyB = "http://10.0.9.12:80"
)

// The list is gone through in its order (section 7.3; facts 31, 42 and 43), and the selector hears once of each proxy that failed.
func TestProxyFallback(t *testing.T) {
	ok := answer(okText("by B"))
	for name, tt := range map[string]struct {
		proxies []string
		a       func(*peer) // what the first proxy does; nil: nobody listens
		url     string
		told    [2]string
		events  string
	}{
		"refused": {[]string{proxyA, proxyB}, nil, "http://server.test/", [2]string{"http://server.test/ " + proxyA, "connection refused"},
			"callStart " + selected + "connectStart connectFailed connectStart connectEnd connectionAcquired " + exchanged},
		"unknown": {[]string{"http://unknown.test", proxyB}, nil, "http://server.test/", [2]string{},
			"callStart " + selected + "dnsStart connectStart connectEnd connectionAcquired " + exchanged},
		"closed at once": {[]string{proxyA, proxyB}, func(p *peer) { p.head() }, "http://server.test/", [2]string{"http://server.test/ " + proxyA, "unexpected end of stream"},
			"callStart " + selected + "connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd responseFailed retryDecision true connectionReleased " +
				"connectStart connectEnd connectionAcquired " + exchanged},
		"no SOCKS": {[]string{"socks5h://10.0.9.11:80", proxyB}, speaks("HTTP/1.1 400 No\r\n\r\n"), "http://server.test/",
			[2]string{"http://server.test/ socks5h://10.0.9.11:80", "unexpected protocol version"}, "callStart " + selected + "connectStart connectFailed connectStart connectEnd connectionAcquired " + exchanged},
		"no TLS": {[]string{"https://10.0.9.11:80", proxyB}, speaks("HTTP/1.1 400 No\r\n\r\n"), "http://server.test/",
			[2]string{"http://server.test/ https://10.0.9.11:80", "first record does not look like a TLS handshake"}, "callStart " + selected + "connectStart connectFailed connectStart connectEnd connectionAcquired " + exchanged},
	} {
		t.Run(name, func(t *testing.T) {
			s := selectorOf(t, tt.proxies...)
			inWorld(t, func(t *testing.T, w *world) {
				if tt.a != nil {
					w.serveAt("10.0.9.11:80", nil, tt.a)
				}
				w.serveAt("10.0.9.12:80", nil, ok)
				w.want("200 by B")(w.get(tt.url))
				if tt.told == [2]string{} {
					s.wantTold(t)
				} else {
					s.wantTold(t, tt.told)
				}
				w.wantEvents(tt.events + "followUpDecision false responseBodyStart responseBodyEnd 4 connectionReleased callEnd")
			}, WithProxySelector(s))
		})
	}
}

// A tunnel that one proxy refuses may be granted by the next. The first did what it has to do.
func TestProxyFallbackOfTunnels(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	for name, tt := range map[string]struct {
		answer string
		told   [][2]string
	}{
		"refused":     {"HTTP/1.1 502 X\r\nContent-Length: 0\r\n\r\n", nil},
		"no password": {proxyRefusal, nil},
		"cut":         {"HTTP/1.1 200 OK\r\n", [][2]string{{"https://server.test/ " + proxyA, "unexpected end of stream"}}},
		"closed":      {"", [][2]string{{"https://server.test/ " + proxyA, "unexpected end of stream"}}},
		"no HTTP":     {"hello\r\n\r\n", [][2]string{{"https://server.test/ " + proxyA, "unexpected status line"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := selectorOf(t, proxyA, proxyB)
			inWorld(t, func(t *testing.T, w *world) {
				w.serveAt("10.0.9.11:80", nil, answerAndClose(tt.answer))
				w.serveAt("10.0.9.12:80", nil, tunneled(serverTLS, answer(okText("by B"))))
				w.want("200 by B")(w.get("https://server.test/"))
				s.wantTold(t, tt.told...)
				w.wantEvents("callStart " + selected + "connectStart connectFailed connectStart secureConnectStart secureConnectEnd connectEnd connectionAcquired " + exchanged +
					"followUpDecision false responseBodyStart responseBodyEnd 4 connectionReleased callEnd")
			}, WithProxySelector(s), WithTLSConfig(clientTLS))
		})
	}
}

// Fact 31: a proxy that does not answer is told of once, when the limit for connecting is up; or the race goes past it.
func TestProxyConnectTimeout(t *testing.T) {
	for _, fast := range []bool{true, false} {
		t.Run(fmt.Sprint(fast), func(t *testing.T) {
			s := selectorOf(t, proxyA, proxyB)
			inWorld(t, func(t *testing.T, w *world) {
				w.serveAt("10.0.9.12:80", nil, answer(okText("by B")))
				took := 3 * time.Second
				if fast {
					took = 250 * time.Millisecond
				}
				hole := blackHole{w.network.DialContext, "10.0.9.11:80"}
				within(t, took, took, func() {
					w.want("200 by B")(w.get("http://server.test/", WithDialer(hole), WithConnectTimeout(3*time.Second), WithFastFallback(fast)))
				})
				if fast {
					s.wantTold(t)
				} else {
					s.wantTold(t, [2]string{"http://server.test/ " + proxyA, "connect timeout after 3s"})
				}
			}, WithProxySelector(s))
		})
	}
}

// blackHole is a dialer that gets no answer from an address.
type blackHole struct {
	dial func(context.Context, string, string) (net.Conn, error)
	addr string
}

func (b blackHole) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if addr == b.addr {
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
	}
	return b.dial(ctx, network, addr)
}

// Fact 43: a proxy that failed is tried after the others, for a minute or until it is the last.
func TestProxyPostponed(t *testing.T) {
	s := selectorOf(t, proxyA, proxyB)
	inWorld(t, func(t *testing.T, w *world) {
		l, err := w.network.Listen("10.0.9.12:80")
		if err != nil {
			t.Fatal(err)
		}
		once := answerAndClose("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nB")
		w.serveOn(l, once, once, once)
		w.want("200 B")(w.get("http://server.test/"))
		w.serveAt("10.0.9.11:80", nil, answerAndClose("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nA"), answer(okText("A again")))
		w.want("200 B")(w.get("http://server.test/"))
		time.Sleep(time.Minute)
		w.want("200 A")(w.get("http://server.test/"))
		s.wantTold(t, [2]string{"http://server.test/ " + proxyA, ""})
	}, WithProxySelector(s))
}

// Without a way the failures are all there, the first in front. Nothing goes directly that should not (section 7.3).
func TestProxiesExhausted(t *testing.T) {
	s := selectorOf(t, proxyA, "http://unknown.test", "http://u:hunter2@10.0.9.12:80")
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("directly")))
		_, err := w.get("http://server.test/")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseConnect || e.Route != "server.test via proxy "+proxyA || e.Sent || len(e.Attempts) != 2 ||
			!errors.Is(err, syscall.ECONNREFUSED) || !isError[*UnknownHostError](e.Attempts[0]) || !errors.Is(e.Attempts[1], syscall.ECONNREFUSED) {
			t.Errorf("error %v, attempts %v", err, e.Attempts)
		}
		wantNoSecret(t, err, "hunter2")
		w.wantEvents("callStart " + selected + "connectStart connectFailed dnsStart connectStart connectFailed retryDecision false callFailed")
		s.wantTold(t, [2]string{"http://server.test/ " + proxyA, "refused"}, [2]string{"http://server.test/ " + proxyB, "refused"})
		w.holdsNothing()
	}, WithProxySelector(s))
}

// What a selector may return, and what it cannot.
func TestProxySelection(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		s := selectorOf(t)
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x"), okText("y")))
			w.want("200 x")(w.get("http://server.test/a?b#c"))
			w.want("200 y")(w.get("http://server.test/"))
			if want := []string{"http://server.test/a?b#c"}; !slices.Equal(s.asked, want) { // and not for a pooled connection
				t.Errorf("asked for %q, want %q", s.asked, want)
			}
		}, WithProxySelector(s))
	})
	t.Run("direct among others", func(t *testing.T) {
		s := selectorOf(t, proxyA, "direct")
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("directly")))
			w.want("200 directly")(w.get("http://server.test/"))
			s.wantTold(t, [2]string{"http://server.test/ " + proxyA, "refused"})
		}, WithProxySelector(s))
	})
	t.Run("an error", func(t *testing.T) {
		s := &selector{err: errors.New("no script")}
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("directly")))
			_, err := w.get("http://server.test/")
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, s.err) || e.Phase != PhaseProxy || e.Sent {
				t.Errorf("error %v", err)
			}
			w.wantEvents("callStart proxySelectStart retryDecision false callFailed")
			w.holdsNothing()
		}, WithProxySelector(s))
	})
	t.Run("a panic", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			defer func() {
				if v := recover(); v != "no script" {
					t.Errorf("recovered %v", v)
				}
				w.holdsNothing()
			}()
			w.get("http://server.test/")
		}, WithProxySelector(ProxySelectorFunc(func(URL) ([]Proxy, error) { panic("no script") })))
	})
	t.Run("a proxy of several addresses", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.resolve("proxy.test", "10.0.9.7", "10.0.9.8", "10.0.9.1")
			w.proxy(answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			w.wantEvents("callStart " + selected + "dnsStart dnsEnd connectStart connectFailed connectStart connectFailed connectStart connectEnd connectionAcquired " + exchanged +
				"followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		}, WithProxySelector(selectorOf(t, "http://proxy.test:3128")))
	})
	t.Run("events", func(t *testing.T) {
		var events []string
		listener := func(*Call) *EventListener {
			return &EventListener{
				ProxySelectStart: func(e ProxySelect) { events = append(events, fmt.Sprint("start ", e.URL, " ", e.Proxies)) },
				ProxySelectEnd:   func(e ProxySelect) { events = append(events, fmt.Sprint("end ", e.URL, " ", e.Proxies)) },
				DNSStart:         func(e DNSEvent) { events = append(events, "dns "+e.Host) },
				ConnectStart:     func(e ConnectEvent) { events = append(events, fmt.Sprint("connect ", e.Route)) },
			}
		}
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answer(okText("x")), answer(okText("y")))
			w.want("200 x")(w.get("http://server.test/"))
			w.want("200 y")(w.get("http://server.test/", WithProxy(mustProxy(t, "http://proxy.test:3128")))) // no selector is asked
			want := []string{"start http://server.test/ []", "end http://server.test/ [http://proxy.test:3128]", "dns proxy.test", "connect server.test:80 via proxy http://proxy.test:3128 at 10.0.9.1:3128",
				"dns proxy.test", "connect server.test:80 via proxy http://proxy.test:3128 at 10.0.9.1:3128"}
			if !slices.Equal(events, want) {
				t.Errorf("events %q\nwant %q", events, want)
			}
		}, WithProxySelector(selectorOf(t, "http://proxy.test:3128")), WithEventListener(listener))
	})
}

// Section 7.1: calls share connections if they have equal proxies, or the same selector and authenticator.
func TestProxySharing(t *testing.T) {
	one, other := "http://proxy.test:3128", "http://proxy.test:3129"
	list, again := ProxyList([]Proxy{mustProxy(t, one)}), ProxyList([]Proxy{mustProxy(t, one)})
	function := WithProxySelector(ProxySelectorFunc(func(URL) ([]Proxy, error) { return []Proxy{mustProxy(t, one)}, nil }))
	auth, auth2 := proxyCredentials("x"), proxyCredentials("x")
	setProxyEnvironment(t, "HTTP_PROXY", one)
	environment, same := EnvironmentProxies(), EnvironmentProxies()
	t.Setenv("HTTP_PROXY", other)
	changed := EnvironmentProxies()
	proxy := func(s string) CallOption { return WithProxy(mustProxy(t, s)) }
	for name, tt := range map[string]struct {
		first, second []CallOption
		shared        bool
	}{
		"equal proxies":                      {[]CallOption{proxy(one)}, []CallOption{proxy("PROXY.test:3128")}, true},
		"another port":                       {[]CallOption{proxy(one)}, []CallOption{proxy(other)}, false},
		"other credentials":                  {[]CallOption{proxy(one)}, []CallOption{proxy("http://u:p@proxy.test:3128")}, false},
		"equal credentials":                  {[]CallOption{proxy("http://u:p@proxy.test:3128")}, []CallOption{proxy("http://%75:p@proxy.test:3128")}, true},
		"another password":                   {[]CallOption{proxy("http://u:p@proxy.test:3128")}, []CallOption{proxy("http://u:q@proxy.test:3128")}, false},
		"a proxy and a selector of it":       {[]CallOption{proxy(one)}, []CallOption{WithProxySelector(list)}, false},
		"a selector replaced by a proxy":     {[]CallOption{proxy(one)}, []CallOption{WithProxySelector(list), proxy(one)}, true},
		"the same selector":                  {[]CallOption{WithProxySelector(list)}, []CallOption{WithProxySelector(list)}, true},
		"a proxy replaced by a selector":     {[]CallOption{WithProxySelector(list)}, []CallOption{proxy(other), WithProxySelector(list)}, true},
		"another selector":                   {[]CallOption{WithProxySelector(list)}, []CallOption{WithProxySelector(again)}, false},
		"the same option of a function":      {[]CallOption{function}, []CallOption{function}, true},
		"equal environments":                 {[]CallOption{WithProxySelector(environment)}, []CallOption{WithProxySelector(same)}, true},
		"another environment":                {[]CallOption{WithProxySelector(environment)}, []CallOption{WithProxySelector(changed)}, false},
		"the same authenticator":             {[]CallOption{proxy(one), auth}, []CallOption{proxy(one), auth}, true},
		"another authenticator":              {[]CallOption{proxy(one), auth}, []CallOption{proxy(one), auth2}, false},
		"an authenticator or none":           {[]CallOption{proxy(one), auth}, []CallOption{proxy(one)}, false},
		"an authenticator of servers beside": {[]CallOption{proxy(one)}, []CallOption{proxy(one), credentials("x")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.proxy(answer(okText("1"), okText("shared")), answer(okText("new")))
				w.serveAt("10.0.9.1:3129", nil, answer(okText("new")))
				w.want("200 1")(w.get("http://server.test/", tt.first...))
				want := "200 new"
				if tt.shared {
					want = "200 shared"
				}
				w.want(want)(w.get("http://server.test/", tt.second...))
			})
		})
	}
}

// Connections are opened in advance through proxies too, without a call that could be asked for anything.
func TestPrewarmThroughProxy(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		w.proxy(func(p *peer) {
			p.say(&heads, proxyRefusal, established)
			p.under(serverTLS, answer(okText("x")))
		})
		client := w.client.With(proxyCredentials(basicXX))
		u, _ := ParseURL("https://server.test/")
		if err := client.Prewarm(u, AddressPolicy{MinConcurrentCalls: 1}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
			t.Errorf("pool %+v", got)
		}
		wantProxyAuthorization(t, heads, "", basicXX)
		resp, err := client.Get(t.Context(), "https://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "x" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}, httpProxy(t), WithTLSConfig(clientTLS))
}
