package okhttp

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"slices"
	"time"
)

// Option configures a [Client], in [New] and [Client.With]. Every [CallOption] is also an Option. Passing nil is allowed and does
// nothing.
type Option interface{ applyClient(*config) }

// CallOption configures a client, or one call ([Client.Do], [Client.NewCall]), or the rest of a call ([Chain.With]). Options later in
// a list win.
type CallOption interface {
	Option
	applyCall(*config)
	// chain reports the option's name, and whether an interceptor may use it.
	chain() (name string, legal bool)
}

type clientOption func(*config)

func (o clientOption) applyClient(c *config) { o(c) }

// callOption is legal everywhere, unless a call has already acted on it when its interceptors run.
type callOption struct {
	name  string
	early bool // acted on before the interceptors run
	apply func(*config)
}

func (o callOption) applyClient(c *config)   { o.apply(c) }
func (o callOption) applyCall(c *config)     { o.apply(c) }
func (o callOption) chain() (string, bool)   { return o.name, !o.early }
func positive(d time.Duration) time.Duration { return max(d, 0) }

// WithCallTimeout bounds the whole call: resolving, connecting, sending, waiting, redirects and retries, and reading the response's
// body. 0, the default, and negative durations mean no limit. When it is up, the call fails with [ErrCallTimeout].
func WithCallTimeout(d time.Duration) CallOption {
	return callOption{"WithCallTimeout", true, func(c *config) { c.callTimeout = positive(d) }}
}

// WithConnectTimeout bounds connecting to one address, without TLS, so a host with several addresses may take longer. The default is 10 seconds; 0
// and less mean no limit. An attempt that takes longer fails, and others go on; if none is left, the call fails in [PhaseConnect].
func WithConnectTimeout(d time.Duration) CallOption {
	return callOption{"WithConnectTimeout", false, func(c *config) { c.connectTimeout = positive(d) }}
}

// WithReadTimeout bounds each wait for bytes of the server, and a TLS handshake as a whole. The default is 10 seconds; 0 and less mean no
// limit. When it is up, the call fails with an [*Error] that is [os.ErrDeadlineExceeded]; only a handshake goes on to another
// address first. See [Response.SetReadTimeout] for the body alone.
func WithReadTimeout(d time.Duration) CallOption {
	return callOption{"WithReadTimeout", false, func(c *config) { c.readTimeout = positive(d) }}
}

// WithWriteTimeout bounds each write to the server, of 64 KiB at the most. The default is 10 seconds; 0 and less mean no limit. When it is up,
// the call fails as with [WithReadTimeout].
func WithWriteTimeout(d time.Duration) CallOption {
	return callOption{"WithWriteTimeout", false, func(c *config) { c.writeTimeout = positive(d) }}
}

// WithFollowRedirects follows responses 300, 301, 302, 303, 307 and 308 that have a Location, 20 at the most (RFC 9110 section 15.4); one more
// fails the call with a [*ProtocolError]. 307 and 308 keep the method and the body; after the others it is a GET without one, unless it was a
// GET, HEAD or PROPFIND, or a QUERY whose status was not 303. A body that can be sent once only is not sent again: then the
// redirect is the response. The default is true.
func WithFollowRedirects(on bool) CallOption {
	return callOption{"WithFollowRedirects", true, func(c *config) { c.followRedirects = on }}
}

// WithFollowTLSRedirects also follows redirects from https to http and back. The default is true; without [WithFollowRedirects] it has
// no effect.
func WithFollowTLSRedirects(on bool) CallOption {
	return callOption{"WithFollowTLSRedirects", true, func(c *config) { c.followTLSRedirects = on }}
}

// WithSensitiveHeaders names further headers that are removed when a redirect leads to another origin, as Authorization, Cookie and
// Proxy-Authorization always are; they do not come back if a later one leads back. Case does not count. Names add up over options.
func WithSensitiveHeaders(names ...string) CallOption {
	return callOption{"WithSensitiveHeaders", true, func(c *config) { c.sensitive = append(slices.Clip(c.sensitive), names...) }}
}

// WithRetryOnConnectionFailure tries again, over another connection or address, when a connection fails and the request may be sent
// again: if nothing of it was sent yet, if its method is idempotent (RFC 9110 section 9.2.2), or if it has an Idempotency-Key or was
// made with [Idempotent]. Time limits that are up and broken rules of HTTP are final. It also repeats a request once after 408 (Request Timeout). The default is true. It does not
// affect trying a host's addresses one after another.
func WithRetryOnConnectionFailure(on bool) CallOption {
	return callOption{"WithRetryOnConnectionFailure", false, func(c *config) { c.retry = on }}
}

// WithMaxResponseHeaders bounds the lines of all heads and trailers of one exchange, in bytes without line ends. The default is 256
// KiB; 0 and less restore it. More fails the call with a [*TooLargeError].
func WithMaxResponseHeaders(bytes int64) CallOption {
	return callOption{"WithMaxResponseHeaders", false, func(c *config) {
		if c.maxHead = bytes; bytes <= 0 {
			c.maxHead = 256 << 10
		}
	}}
}

// WithMaxDecodedBody bounds what transparent gzip may decode to, in bytes; reading a longer body fails with a [*TooLargeError] once that much has
// been read. 0, the default, and less mean no limit. It does not bound bodies that were not compressed, or that package okcompress decodes, which
// has a limit of its own.
func WithMaxDecodedBody(bytes int64) CallOption {
	return callOption{"WithMaxDecodedBody", false, func(c *config) { c.maxDecoded = max(bytes, 0) }}
}

// WithDNS replaces the resolver. nil restores that of the system. Calls share connections only if they have the same one: see [DNS]. A name
// without an address fails the call with an [*UnknownHostError], in [PhaseDNS].
func WithDNS(dns DNS) CallOption {
	id := identityOf(dns) // nil for the default, as without the option
	if dns == nil {
		dns = systemDNS
	}
	return callOption{"WithDNS", false, func(c *config) {
		c.dns, c.dnsID = dns, id
		c.rerouted()
	}}
}

// WithDialer replaces what opens transport connections. nil restores the default, a zero [net.Dialer]. An error of the dialer fails that attempt,
// and other addresses are tried; if none is left, the call fails in [PhaseConnect]. Calls share connections only if they have the same dialer: the
// same value if it is comparable, otherwise the same option.
func WithDialer(d Dialer) CallOption {
	id := identityOf(d) // nil for the default, as without the option
	if d == nil {
		d = defaultDialer
	}
	return callOption{"WithDialer", false, func(c *config) {
		c.dialer, c.dialerID = d, id
		c.rerouted()
	}}
}

// WithTLSConfig replaces the configuration of TLS. ServerName is set for each connection where it is empty, and NextProtos
// always. The pointer is its identity: calls share connections only if they have the same one, and it must not be modified afterwards. nil
// restores the default.
//
// TLS with a proxy goes by it too, without what is about servers: ServerName, VerifyConnection, VerifyPeerCertificate and keys for an encrypted
// Client Hello. InsecureSkipVerify counts for the proxy unless one of those two functions stands in its place. Verifiers of host names, pins and
// connection specs are about servers as well.
func WithTLSConfig(t *tls.Config) CallOption {
	return callOption{"WithTLSConfig", false, func(c *config) {
		if c.tls != t {
			c.tls = t
			c.resecured()
		}
	}}
}

// WithProxy sends through one proxy, or through none with [Direct]. No selector is asked then, nor the environment. A proxy that does not do what
// is asked of it fails the call with a [*ProxyError].
func WithProxy(p Proxy) CallOption {
	return callOption{"WithProxy", false, func(c *config) {
		c.ownProxy, c.proxy = true, p
		c.rerouted()
	}}
}

// WithProxySelector chooses proxies by URL, in place of a proxy set before. nil restores the default, [EnvironmentProxies].
func WithProxySelector(s ProxySelector) CallOption {
	if s == nil {
		s = EnvironmentProxies()
	}
	id := identityOf(s)
	return callOption{"WithProxySelector", false, func(c *config) {
		c.ownProxy, c.proxy, c.selector, c.selectorID = false, Direct, s, id
		c.rerouted()
	}}
}

// WithProxyAuthenticator answers challenges of HTTP proxies: 407 responses, those to CONNECT included. Before the first CONNECT over a connection it is
// asked with [PreemptiveChallenge]. nil, the default, has the credentials of the proxy's URL alone.
func WithProxyAuthenticator(a Authenticator) CallOption {
	id := identityOf(a)
	return callOption{"WithProxyAuthenticator", false, func(c *config) {
		c.proxyAuth, c.proxyAuthID = a, id
		c.rerouted()
	}}
}

// WithHostnameVerifier replaces the check that a certificate is one for the host. nil restores the built-in one (RFC 9525): the DNS names and IP
// addresses of the certificate's subjectAltName alone, wildcards for exactly one label. A certificate that is for another host fails the call with a
// [*HostnameError], before anything of the request is sent.
func WithHostnameVerifier(v HostnameVerifier) CallOption {
	id := identityOf(v)
	return callOption{"WithHostnameVerifier", false, func(c *config) {
		c.verifier, c.verifierID = v, id
		c.resecured()
	}}
}

// WithCertificatePinner demands certain keys in the certificates of some hosts. nil, the default, demands none. A server without one fails the
// call with a [*PinMismatchError], before anything of the request is sent.
func WithCertificatePinner(p *CertificatePinner) CallOption {
	return callOption{"WithCertificatePinner", false, func(c *config) {
		c.pinner = p
		c.resecured()
	}}
}

// WithConnectionSpecs replaces the ways in which connections are secured, to be tried in that order. The default is [ModernTLS] and [Cleartext];
// an empty list restores it. Without Cleartext, http URLs fail with a [*CleartextError]; without one that fits the TLS configuration, https URLs
// fail with an [*UnusableSpecsError].
func WithConnectionSpecs(specs ...ConnectionSpec) CallOption {
	list := slices.Clone(specs)
	if len(list) == 0 {
		list = defaultSpecs
	}
	return callOption{"WithConnectionSpecs", false, func(c *config) {
		c.specs = list
		c.resecured()
	}}
}

// WithCleartext decides which hosts may be reached in cleartext, if the connection specs allow that at all; others fail with a [*CleartextError].
// It runs on the goroutine of the call, for each connection that is made. nil, the default, allows all.
func WithCleartext(allowed func(host string) bool) CallOption {
	return callOption{"WithCleartext", false, func(c *config) { c.cleartextTo = allowed }}
}

// WithFastFallback connects to a further address of a host each 250 ms until one answers, IPv6 and IPv4 in turn (RFC 8305). The default is
// true. Otherwise addresses are tried one after another, in the order of the resolver, each for as long as the connect timeout allows.
func WithFastFallback(on bool) CallOption {
	return callOption{"WithFastFallback", false, func(c *config) { c.fastFallback = on }}
}

// WithPool replaces the connection pool, so that several clients share one. The default is a pool of the client's own, with the limits of a zero
// [PoolConfig], which [Client.Close] closes; a pool given here is closed by whoever made it. nil has no effect.
func WithPool(p *ConnectionPool) CallOption {
	return callOption{"WithPool", false, func(c *config) {
		if p != nil {
			c.pool = p
		}
	}}
}

// WithInterceptor appends application interceptors: each runs once a call, around everything else, the first outermost. They run on the
// goroutine of the call. nil ones are left out.
func WithInterceptor(list ...Interceptor) Option {
	return clientOption(func(c *config) { c.interceptors = withInterceptors(c.interceptors, list) })
}

// WithNetworkInterceptor appends network interceptors: each runs once for every exchange with a server, retries and redirects
// included, and sees requests and responses as they are on the wire. They run on the goroutine of the call, none for a response of the cache
// alone. nil ones are left out.
func WithNetworkInterceptor(list ...Interceptor) Option {
	return clientOption(func(c *config) { c.networkInterceptors = withInterceptors(c.networkInterceptors, list) })
}

func withInterceptors(old, list []Interceptor) []Interceptor {
	all := slices.Clip(old)
	for _, i := range list {
		if f, isFunc := i.(InterceptorFunc); i == nil || isFunc && f == nil {
			continue
		}
		all = append(all, i)
	}
	return all
}

// WithEventListener sets what makes the listener of each call, in the place of one set before; [TeeEvents] combines several. nil, the default,
// means none.
func WithEventListener(f EventListenerFactory) Option {
	return clientOption(func(c *config) { c.events = f })
}

// WithDispatcher replaces the dispatcher, whose default has the limits of a zero [DispatcherConfig]. nil does nothing.
func WithDispatcher(d *Dispatcher) Option {
	return clientOption(func(c *config) {
		if d != nil {
			c.dispatcher = d
		}
	})
}

// WithContinueWait bounds how long a request with "Expect: 100-continue" waits for the server's consent before its body is sent anyway (RFC 9110
// section 10.1.1). 0, the default, and less mean that the body is not sent without consent: a server that says nothing fails the call after the
// read timeout. So does a time that is not shorter than the read timeout. Under [Client.RoundTripper] and [Client.FullStack] 0 means one second,
// as for http.DefaultTransport.
func WithContinueWait(d time.Duration) CallOption {
	return callOption{"WithContinueWait", false, func(c *config) { c.continueWait = positive(d) }}
}

// WithAuthenticator answers challenges of servers (RFC 9110 section 11.6.1), which are responses with the status 401. Its answers and redirects
// together are 20 at most; one more fails the call with a [*ProtocolError]. nil, the default, returns 401 responses as they are.
func WithAuthenticator(a Authenticator) CallOption {
	return callOption{"WithAuthenticator", false, func(c *config) { c.authenticator = a }}
}

// WithCookieJar sends the jar's cookies, if it has any for the URL, in place of a Cookie header of the request, and keeps those of responses,
// redirects included. A [CookieLineJar] gets the lines of responses as they came. The jar must be safe for concurrent use. nil, the default, does
// neither.
func WithCookieJar(jar http.CookieJar) CallOption {
	return callOption{"WithCookieJar", false, func(c *config) { c.jar = jar }}
}

// WithCache puts a cache between the call and the network (RFC 9111), such as those of module okhttp-cache. Closing it is up to whoever made it.
// nil, the default, has none.
func WithCache(cache Cache) CallOption {
	return callOption{"WithCache", false, func(c *config) { c.cache = cache }}
}

// WithRetryPolicy repeats requests that the server refused for the moment, with 429 or 503: see [RetryPolicy]. It replaces a policy set before;
// the default is none. To turn a client's policy off for one call, use MaxAttempts 1.
func WithRetryPolicy(p RetryPolicy) CallOption {
	policy := p.withDefaults()
	return callOption{"WithRetryPolicy", false, func(c *config) { c.retryPolicy = policy }}
}

// WithLogger sets where the client reports what it cannot return to anyone: responses that were dropped without being closed, which it
// notices when the next call starts. nil, the default, means [slog.Default].
func WithLogger(l *slog.Logger) Option {
	return clientOption(func(c *config) { c.logger = l })
}

// WithLeakStacks adds to the report of a leaked response where its call was executed. It costs some microseconds a call; the default is
// false.
func WithLeakStacks(on bool) CallOption {
	return callOption{"WithLeakStacks", true, func(c *config) { c.leakStacks = on }}
}
