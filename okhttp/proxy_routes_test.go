package okhttp

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// spySelector selects proxies and notes what it is told about them.
type spySelector struct {
	proxies []Proxy
	err     error

	mu     sync.Mutex
	failed []string
}

func spiedProxies(t *testing.T, urls ...string) *spySelector {
	t.Helper()
	s := new(spySelector)
	for _, u := range urls {
		p, err := ParseProxy(u)
		if err != nil {
			t.Fatal(err)
		}
		s.proxies = append(s.proxies, p)
	}
	return s
}

func (s *spySelector) Select(URL) ([]Proxy, error) { return s.proxies, s.err }

func (s *spySelector) ConnectFailed(_ URL, p Proxy, err error) {
	text, _, _ := strings.Cut(err.Error(), ": ")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = append(s.failed, p.String()+": "+text)
}

func (s *spySelector) want(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Join(s.failed, "; ") != strings.Join(want, "; ") {
		t.Errorf("the selector was told of %q, want %q", s.failed, want)
	}
	s.failed = nil
}

// Fact 42: the name of one proxy does not resolve, so the next one is used. The look-ups have their events, the failed one no end.
func TestProxyDoesNotResolve(t *testing.T) {
	s := spiedProxies(t, "http://b.test:8080", "http://a.test:8080")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("a.test", "10.1.0.1")
		w.serveAt("10.1.0.1:8080", nil, answer(okText("a")))
		w.want("200 a")(w.get("http://server.test/"))
		w.wantDials(d, "0s 10.1.0.1:8080")
		w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsStart dnsEnd connectStart connectEnd connectionAcquired " + exchanged +
			"followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		s.want(t)
	}, WithProxySelector(s))
}

// Fact 31: a proxy that does not answer in time is told to the selector once, and the next one is tried. Nothing else is told to it.
func TestProxyDoesNotAnswer(t *testing.T) {
	s := spiedProxies(t, "http://b.test:8080", "http://a.test:8080")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("a.test", "10.1.0.1")
		w.resolve("b.test", "10.1.0.2")
		w.serveAt("10.1.0.1:8080", nil, answer(okText("a"), okText("a")))
		d.script(dead, "10.1.0.2")
		w.want("200 a")(w.get("http://server.test/", WithFastFallback(false)))
		w.wantDials(d, "0s 10.1.0.2:8080", "10s 10.1.0.1:8080")
		s.want(t, "http://b.test:8080: connect timeout after 10s")
		w.client.cfg.pool.EvictAll()
		time.Sleep(time.Minute)
		w.serveAt("10.1.0.1:8081", nil)
		d.again()
		_, err := w.get("http://server.test/", WithCallTimeout(100*time.Millisecond))
		if !errors.Is(err, ErrCallTimeout) {
			t.Errorf("error %v", err)
		}
		s.want(t)
	}, WithProxySelector(s))
	// In a race the one that has lost did not fail.
	s = spiedProxies(t, "http://10.1.0.2:8080", "http://10.1.0.1:8080")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serveAt("10.1.0.1:8080", nil, answer(okText("a")))
		d.script(dead, "10.1.0.2")
		w.want("200 a")(w.get("http://server.test/"))
		w.wantDials(d, "0s 10.1.0.2:8080", "250ms 10.1.0.1:8080")
		s.want(t)
	}, WithProxySelector(s))
}

// Fact 43: an address that failed is tried after all others, also those of later proxies, and Direct among them.
func TestFailedProxyIsPostponed(t *testing.T) {
	s := spiedProxies(t, "http://10.1.0.1:8080", "http://b.test:8080", "direct://")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("b.test", "10.1.0.2", "10.1.0.3")
		w.resolve("server.test", v4a)
		get := func(want string, dials ...string) {
			t.Helper()
			d.again()
			w.want("200 " + want)(w.get("http://server.test/"))
			w.wantDials(d, dials...)
			w.client.cfg.pool.EvictAll()
		}
		w.serve("direct.test", v4a, answer(okText("direct")))
		get("direct", "0s 10.1.0.1:8080", "0s 10.1.0.2:8080", "0s 10.1.0.3:8080", "0s 10.0.0.1")
		s.want(t, "http://10.1.0.1:8080: failed to connect to 10.1.0.1:8080", "http://b.test:8080: failed to connect to 10.1.0.2:8080",
			"http://b.test:8080: failed to connect to 10.1.0.3:8080")
		w.serveAt("10.1.0.2:8080", nil, answer(okText("b")), answer(okText("b")))
		d.script(refused(0), v4a)
		get("b", "0s 10.0.0.1", "0s 10.1.0.1:8080", "0s 10.1.0.2:8080") // Direct was the only one left
		get("b", "0s 10.1.0.2:8080")                                    // and this one is the only one now
	}, WithProxySelector(s))
}

// The first exchange over a proxy fails: that is told to the selector too, and the request goes over the next proxy.
func TestProxyFailsFirstExchange(t *testing.T) {
	s := spiedProxies(t, "http://10.1.0.1:8080", "http://10.1.0.2:8080")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serveAt("10.1.0.1:8080", nil, func(p *peer) { p.request() })
		w.serveAt("10.1.0.2:8080", nil, answer(okText("b"), okText("b")))
		w.want("200 b")(w.get("http://server.test/"))
		s.want(t, "http://10.1.0.1:8080: unexpected end of stream on http://server.test/...")
		w.client.cfg.pool.EvictAll()
		w.wantDials(d, "0s 10.1.0.1:8080", "0s 10.1.0.2:8080")
	}, WithProxySelector(s))
	// A later one says nothing about the proxy.
	s = spiedProxies(t, "http://10.1.0.1:8080", "http://10.1.0.2:8080")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serveAt("10.1.0.1:8080", nil, answerAndClose(okText("a")), answer(okText("again")))
		w.want("200 a")(w.get("http://server.test/"))
		time.Sleep(time.Minute)
		w.want("200 again")(w.get("http://server.test/"))
		s.want(t)
	}, WithProxySelector(s))
}

// What a selector may answer.
func TestSelector(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		selector *spySelector
		want     error
		phase    Phase
		events   string
	}{
		"nothing": {new(spySelector), nil, "", "callStart proxySelectStart proxySelectEnd direct dnsStart dnsEnd connectStart connectEnd connectionAcquired"},
		"failure": {&spySelector{err: broken}, broken, PhaseProxy, "callStart proxySelectStart callFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.serve("server.test", v4a, answer(okText("x")))
				var events []string
				call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
				say := func(s string) { events = append(events, s) }
				call.AddEventListener(&EventListener{
					CallStart: func(CallStart) { say("callStart") }, ProxySelectStart: func(ProxySelect) { say("proxySelectStart") },
					ProxySelectEnd: func(e ProxySelect) { say("proxySelectEnd " + e.Proxies[0].String()) }, DNSStart: func(DNSEvent) { say("dnsStart") },
					DNSEnd: func(DNSEvent) { say("dnsEnd") }, ConnectStart: func(ConnectEvent) { say("connectStart") }, ConnectEnd: func(ConnectEvent) { say("connectEnd") },
					ConnectionAcquired: func(ConnectionEvent) { say("connectionAcquired") }, CallFailed: func(Failure) { say("callFailed") },
				})
				resp, err := call.Execute(t.Context())
				if err == nil {
					resp.Body.Close()
				}
				var e *Error
				if tt.want != nil && (!errors.As(err, &e) || !errors.Is(err, tt.want) || e.Phase != tt.phase || e.Sent) || tt.want == nil && err != nil {
					t.Errorf("error %v", err)
				}
				if got := strings.Join(events, " "); got != tt.events {
					t.Errorf("events %s\nwant   %s", got, tt.events)
				}
			}, WithProxySelector(tt.selector))
		})
	}
}

// A dead proxy that has two addresses, of both families, costs as much as a dead server.
func TestProxyHasTwoFamilies(t *testing.T) {
	s := spiedProxies(t, "http://a.test:8080")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("a.test", "10.1.0.1", "fd00::1")
		w.serveAt("10.1.0.1:8080", nil, answer(okText("a")))
		d.script(dead, "fd00::1")
		w.want("200 a")(w.get("http://server.test/"))
		w.wantDials(d, "0s [fd00::1]:8080", "250ms 10.1.0.1:8080")
	}, WithProxySelector(s))
}

// The call ends while the second proxy's name is being resolved and the first one's address is being connected to.
func TestEndBetweenProxies(t *testing.T) {
	s := spiedProxies(t, "http://10.1.0.1:8080", "http://b.test:8080")
	stall := DNSFunc(func(ctx context.Context, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, &net.DNSError{Err: "operation was canceled", Name: "b.test"}
	})
	inDials(t, func(t *testing.T, w *world, d *dials) {
		d.script(dead, "10.1.0.1")
		_, err := w.get("http://server.test/", WithCallTimeout(time.Second))
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrCallTimeout) || e.Phase != PhaseDNS {
			t.Errorf("error %v", err)
		}
		w.wantSince(d.start, time.Second)
		w.wantDials(d, "0s 10.1.0.1:8080")
		w.wantEvents("callStart proxySelectStart proxySelectEnd connectStart dnsStart connectFailed retryDecision false callFailed")
	}, WithProxySelector(s), WithDNS(stall))
}
