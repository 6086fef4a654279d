package okhttp

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"time"
	"unique"
)

// config is what options set. A config in use is never modified: deriving one copies it.
type config struct {
	callTimeout    time.Duration
	connectTimeout time.Duration
	readTimeout    time.Duration
	writeTimeout   time.Duration

	followRedirects    bool
	followTLSRedirects bool
	retry              bool
	sensitive          []string // headers that do not cross origins
	maxHead            int64
	maxDecoded         int64

	dns          DNS
	dnsID        any
	dialer       Dialer
	dialerID     any
	ownProxy     bool // proxy is set, and no selector is asked
	proxy        Proxy
	selector     ProxySelector
	selectorID   any
	proxyAuth    Authenticator
	proxyAuthID  any
	tls          *tls.Config
	verifier     HostnameVerifier // nil: the built-in one
	verifierID   any
	pinner       *CertificatePinner
	specs        []ConnectionSpec
	cleartextTo  func(host string) bool // nil: all
	fastFallback bool
	protocols    Protocols
	http2        HTTP2Config
	pingInterval time.Duration
	pool         *ConnectionPool

	// Made of the above by complete.
	plain, secure unique.Handle[settings]
	upgrading     unique.Handle[settings] // secure, over HTTP/1.1 alone
	tlsSetup      *tlsSetup
	failures      *routeDatabase

	dispatcher    *Dispatcher
	continueWait  time.Duration
	authenticator Authenticator
	jar           http.CookieJar
	cache         Cache
	logger        *slog.Logger
	leakStacks    bool
	retryPolicy   *RetryPolicy

	interceptors        []Interceptor
	networkInterceptors []Interceptor
	events              EventListenerFactory
}

// Dialer opens transport connections. The network is "tcp" and the address an IP address and a port, that of the proxy if there is one; for a
// Unix domain socket they are "unix" and its path. Implementations are safe for concurrent use and end when the context does.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

var defaultDialer Dialer = &net.Dialer{}

func defaultConfig() *config {
	environment := EnvironmentProxies()
	return &config{
		connectTimeout:     10 * time.Second,
		readTimeout:        10 * time.Second,
		writeTimeout:       10 * time.Second,
		followRedirects:    true,
		followTLSRedirects: true,
		retry:              true,
		maxHead:            256 << 10,
		dns:                systemDNS,
		dialer:             defaultDialer,
		selector:           environment,
		selectorID:         environment,
		specs:              defaultSpecs,
		fastFallback:       true,
		failures:           new(routeDatabase),
	}
}

var defaultSpecs = []ConnectionSpec{ModernTLS, Cleartext}

// complete makes what calls need of the configuration, as far as options changed it.
func (c *config) complete() {
	if c.tlsSetup == nil {
		c.tlsSetup = newTLSSetup(c)
	}
	if c.plain != (unique.Handle[settings]{}) {
		return
	}
	s := settings{dns: c.dnsID, dialer: c.dialerID, selector: c.selectorID, proxyAuth: c.proxyAuthID}
	if c.ownProxy {
		s.selector, s.proxy = nil, c.proxy
	}
	s.protocols = c.protocols
	c.plain = unique.Make(s)
	s.tls, s.verifier, s.pinner, s.specs = c.tls, c.verifierID, c.pinner.key(), specsKey(c.specs)
	c.secure = unique.Make(s)
	if s.protocols == HTTP2OrHTTP1 {
		s.protocols = HTTP1Only
	}
	c.upgrading = unique.Make(s)
}

// rerouted notes that an option changed what decides about sharing connections.
func (c *config) rerouted() { c.plain = unique.Handle[settings]{} }

// resecured notes the same of TLS, whose sessions are resumed under the same conditions alone.
func (c *config) resecured() {
	c.rerouted()
	c.tlsSetup = nil
}

func (c *config) clone() *config {
	copied := *c
	return &copied
}

// withCallOptions returns the config changed by options, or itself when there are none.
func (c *config) withCallOptions(opts []CallOption) *config {
	if len(opts) == 0 {
		return c
	}
	changed := c.clone()
	for _, o := range opts {
		if o != nil {
			o.applyCall(changed)
		}
	}
	changed.complete()
	return changed
}

// identityOf returns a value to compare v by: v itself where that cannot panic, otherwise something only equal to itself.
func identityOf(v any) any {
	if v == nil || reflect.ValueOf(v).Comparable() && equal(v, v) { // a NaN is not equal to itself
		return v
	}
	return new(byte)
}

func equal(a, b any) bool { return a == b }
