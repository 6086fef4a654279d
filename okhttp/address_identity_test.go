package okhttp

import (
	"context"
	"crypto/tls"
	"iter"
	"math"
	"net"
	"net/netip"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// The user's kinds of values: comparable ones, uncomparable ones, and those that only a look at what they hold tells apart.
type (
	valueDialer struct {
		*okio.Network
		k int
	}
	sliceDialer  []*okio.Network
	mapSelector  map[string]Proxy
	anySelector  struct{ v any }
	nanVerifier  struct{ f float64 }
	arrayDNS     [1]any
	sliceAuth    []string
	yesVerifier  struct{ name string }
	funcVerifier func(string, *tls.ConnectionState) error
)

func (d sliceDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return d[0].DialContext(ctx, network, addr)
}
func (mapSelector) Select(URL) ([]Proxy, error)               { return nil, nil }
func (mapSelector) ConnectFailed(URL, Proxy, error)           {}
func (anySelector) Select(URL) ([]Proxy, error)               { return nil, nil }
func (anySelector) ConnectFailed(URL, Proxy, error)           {}
func (nanVerifier) Verify(string, *tls.ConnectionState) error { return nil }
func (yesVerifier) Verify(string, *tls.ConnectionState) error { return nil }
func (f funcVerifier) Verify(h string, s *tls.ConnectionState) error {
	return f(h, s)
}
func (a arrayDNS) Lookup(context.Context, string) iter.Seq2[DNSAnswer, error] {
	return func(yield func(DNSAnswer, error) bool) {
		yield(DNSAnswer{Addrs: []netip.Addr{netip.MustParseAddr(v4a)}}, nil)
	}
}
func (sliceAuth) Authenticate(context.Context, *Route, *Response) (*Request, error) { return nil, nil }

// Section 7.1, decision 7 and fact 54: two calls share a connection if the same was given for all that leads to it. Each case gives an option twice:
// the same one, and one made anew. Comparing never panics.
func TestAddressIdentity(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	for name, tt := range map[string]struct {
		make  func(*world) CallOption
		anew  bool // one made anew is the same
		plain bool // it matters for http too
	}{
		"comparable DNS": {func(*world) CallOption { return WithDNS(valueDNS(v4a)) }, true, true},
		"uncomparable DNS": {func(*world) CallOption {
			return WithDNS(uncomparableDNS{addrs: []netip.Addr{netip.MustParseAddr(v4a)}})
		}, false, true},
		"DNS of an array":       {func(*world) CallOption { return WithDNS(arrayDNS{1}) }, true, true},
		"DNS of a bad array":    {func(*world) CallOption { return WithDNS(arrayDNS{[]int{1}}) }, false, true},
		"DNS of a nested array": {func(*world) CallOption { return WithDNS(arrayDNS{arrayDNS{func() {}}}) }, false, true},
		"DNSFunc": {func(*world) CallOption {
			return WithDNS(DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr(v4a)}, nil
			}))
		}, false, true},
		"dialer":                {func(w *world) CallOption { return WithDialer(&w.network) }, true, true},
		"dialer of a struct":    {func(w *world) CallOption { return WithDialer(valueDialer{&w.network, 1}) }, true, true},
		"uncomparable dialer":   {func(w *world) CallOption { return WithDialer(sliceDialer{&w.network}) }, false, true},
		"dialer of a function":  {func(w *world) CallOption { return WithDialer(dialerFunc(w.network.DialContext)) }, false, true},
		"selector":              {func(*world) CallOption { return WithProxySelector(anySelector{1}) }, true, true},
		"uncomparable selector": {func(*world) CallOption { return WithProxySelector(mapSelector{}) }, false, true},
		"selector that holds":   {func(*world) CallOption { return WithProxySelector(anySelector{[]int{}}) }, false, true},
		"selector of a func": {func(*world) CallOption {
			return WithProxySelector(ProxySelectorFunc(func(URL) ([]Proxy, error) { return nil, nil }))
		}, false, true},
		"proxy":                 {func(*world) CallOption { return WithProxy(Direct) }, true, true},
		"uncomparable answerer": {func(*world) CallOption { return WithProxyAuthenticator(sliceAuth{}) }, false, true},
		"TLS configuration":     {func(*world) CallOption { return WithTLSConfig(clientTLS.Clone()) }, false, false},
		"verifier":              {func(*world) CallOption { return WithHostnameVerifier(yesVerifier{"a"}) }, true, false},
		"verifier of a pointer": {func(*world) CallOption { return WithHostnameVerifier(&yesVerifier{"a"}) }, false, false},
		"verifier of a func": {func(*world) CallOption {
			return WithHostnameVerifier(funcVerifier(func(string, *tls.ConnectionState) error { return nil }))
		}, false, false},
		"verifier not itself": {func(*world) CallOption { return WithHostnameVerifier(nanVerifier{math.NaN()}) }, false, false},
		"specs":               {func(*world) CallOption { return WithConnectionSpecs(ModernTLS, Cleartext) }, true, false},
		"pins": {func(*world) CallOption {
			p, err := NewCertificatePinner("other.test", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
			if err != nil {
				t.Fatal(err)
			}
			return WithCertificatePinner(p)
		}, true, false},
	} {
		for _, scheme := range []string{"http", "https"} {
			t.Run(name+", "+scheme, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.resolve("server.test", v4a)
					shared := answer(okText("shared"), okText("shared"), okText("shared"))
					w.serveAt(v4a+":80", nil, shared, answer(okText("other"), okText("shared")))
					w.serveAt(v4a+":443", serverTLS, shared, answer(okText("other"), okText("shared")))
					url := scheme + "://server.test/"
					opt := tt.make(w)
					w.want("200 shared")(w.get(url, opt))
					w.want("200 shared")(w.get(url, opt))
					want := "200 other"
					if tt.anew || scheme == "http" && !tt.plain {
						want = "200 shared"
					}
					w.want(want)(w.get(url, tt.make(w)))
				}, WithTLSConfig(clientTLS))
			})
		}
	}
}

// Clients that are derived share with the one they come from, as long as nothing of it changes; so do options that change nothing.
func TestAddressOfDerivedClients(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	verifier := &yesVerifier{"a"}
	for name, tt := range map[string]struct {
		opts   []Option
		shared bool
	}{
		"none":                 {nil, true},
		"others":               {[]Option{WithReadTimeout(1e9), WithInterceptor(), WithFastFallback(false), WithCookieJar(nil), WithEventListener(nil)}, true},
		"the same verifier":    {[]Option{WithHostnameVerifier(verifier)}, true},
		"an equal verifier":    {[]Option{WithHostnameVerifier(&yesVerifier{"a"})}, false},
		"none again":           {[]Option{WithHostnameVerifier(nil)}, false},
		"another and back":     {[]Option{WithHostnameVerifier(nil), WithHostnameVerifier(verifier)}, true},
		"the same config":      {[]Option{WithTLSConfig(clientTLS)}, true},
		"a proxy of its own":   {[]Option{WithProxy(Direct)}, false},
		"another pool":         {[]Option{WithPool(NewConnectionPool(PoolConfig{}))}, false},
		"a pool of that's nil": {[]Option{WithPool(nil)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveTLS("server.test", v4a, serverTLS, answer(okText("1"), okText("shared")), answer(okText("other")))
				w.want("200 1")(w.get("https://server.test/"))
				base := w.client
				w.client = base.With(tt.opts...)
				want := "200 other"
				if tt.shared {
					want = "200 shared"
				}
				w.want(want)(w.get("https://server.test/"))
				w.client.cfg.pool.Close()
				w.client.Close()
				w.client = base
			}, WithTLSConfig(clientTLS), WithHostnameVerifier(verifier))
		})
	}
}

// Host, port and scheme are part of it; the path, user and case are not.
func TestAddressOfURL(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		base := addressOf(mustURL(t, "http://server.test/"), w.client.cfg)
		for url, same := range map[string]bool{
			"http://SERVER.test/a?b#c": true, "http://server.test:80": true, "http://user:pass@server.test/": true, "http://server.test:81/": false,
			"https://server.test/": false, "https://server.test:80/": false, "http://server.test./": false, "http://www.server.test/": false,
		} {
			if got := addressOf(mustURL(t, url), w.client.cfg) == base; got != same {
				t.Errorf("%s has the same address: %v", url, got)
			}
		}
	})
}
