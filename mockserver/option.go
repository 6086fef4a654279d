package mockserver

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// An Option configures a server, in [New] and [Start]. Later options win. nil does nothing.
type Option interface{ apply(*config) }

type option func(*config)

func (o option) apply(c *config) { o(c) }

type config struct {
	addr      string
	network   *okio.Network
	host      string
	secure    bool
	tls       *tls.Config // nil for the generated certificate
	protocols okhttp.Protocols
	names     []string
	noALPN    bool

	clientAuth  tls.ClientAuthType
	clientRoots *x509.CertPool

	dispatcher Dispatcher
	proxy      *login
	socks      *SOCKS5
	http2      http2.Config
	bodyLimit  int64
	journal    int
	takeLimit  time.Duration
	strict     bool
	allUsed    bool
	seed       uint64
	badCert    CertificateFault
	logger     *slog.Logger
}

const (
	defaultBodyLimit = 8 << 20
	defaultTakeLimit = 10 * time.Second
)

func newConfig(opts []Option) *config {
	c := &config{http2: http2.Config{ExtendedConnect: true}, bodyLimit: defaultBodyLimit, journal: -1, takeLimit: defaultTakeLimit, logger: slog.New(slog.DiscardHandler)}
	for _, o := range opts {
		if o != nil {
			o.apply(c)
		}
	}
	return c
}

// WithAddr sets the address to listen on, "host:port". The default is "127.0.0.1:0", a free port of the loopback interface; on an
// [okio.Network] it is ":0", which hears every host.
func WithAddr(addr string) Option { return option(func(c *config) { c.addr = addr }) }

// WithNetwork makes the server listen on a network in memory instead of TCP. nil restores TCP.
func WithNetwork(n *okio.Network) Option { return option(func(c *config) { c.network = n }) }

// WithHost sets the host name of [Server.URL], which the generated certificate is good for too. The default is the address that the
// server listens on, or "localhost" on a network in memory. Nothing makes the name resolve: use [Server.DialContext].
func WithHost(name string) Option { return option(func(c *config) { c.host = name }) }

// WithLocalhostTLS serves TLS with a certificate made for localhost, 127.0.0.1, ::1, the name of [WithHost] and the names and IP addresses
// given here. [Server.ClientTLSConfig] trusts it.
func WithLocalhostTLS(names ...string) Option {
	return option(func(c *config) { c.secure, c.tls, c.names = true, nil, append(c.names, names...) })
}

// WithProtocols sets what the server speaks. The default is [okhttp.HTTP2OrHTTP1]: under TLS what is negotiated by ALPN, in cleartext HTTP/1.1.
// [okhttp.HTTP1Only] never speaks HTTP/2. [okhttp.HTTP2PriorKnowledge] speaks in cleartext what the client begins with, HTTP/2 (RFC 9113 section
// 3.3) or HTTP/1.1; a first line that is of neither is taken for HTTP/2. Under TLS it is the same as the default.
func WithProtocols(p okhttp.Protocols) Option { return option(func(c *config) { c.protocols = p }) }

// WithHTTP2 configures connections over HTTP/2: windows, limits, what is told of their frames. The default is the zero value with ExtendedConnect. Values
// out of range become the nearest that is not.
func WithHTTP2(c http2.Config) Option { return option(func(o *config) { o.http2 = c }) }

// WithTLS serves TLS with a configuration of the caller's. It is copied, and offers by ALPN what [WithProtocols] says if it has no NextProtos. nil is
// the same as [WithLocalhostTLS].
func WithTLS(t *tls.Config) Option { return option(func(c *config) { c.secure, c.tls = true, t }) }

// WithClientAuth has TLS ask clients for a certificate: [tls.VerifyClientCertIfGiven] does without one but refuses one that is not trusted,
// [tls.RequireAndVerifyClientCert] insists. Trusted is what roots signed or, if roots is nil, what [ClientCertificate] returned.
// [Request.TLS] has what came.
func WithClientAuth(mode tls.ClientAuthType, roots *x509.CertPool) Option {
	return option(func(c *config) { c.clientAuth, c.clientRoots = mode, roots })
}

// WithBadCertificate has the server present a generated certificate that clients should refuse. [BadCertificate] does so on one connection.
func WithBadCertificate(f CertificateFault) Option {
	return option(func(c *config) { c.secure, c.tls, c.badCert = true, nil, f })
}

// WithoutALPN has TLS negotiate no protocol: connections over it speak HTTP/1.1.
func WithoutALPN() Option { return option(func(c *config) { c.noALPN = true }) }

// WithDispatcher answers requests from the start with d in place of the queue. See [Server.SetDispatcher].
func WithDispatcher(d Dispatcher) Option { return option(func(c *config) { c.dispatcher = d }) }

// WithBodyLimit sets how many bytes of a request body are kept in [Request.Body]. What comes beyond is counted and dropped. The
// default is 8 MiB; negative means no limit.
func WithBodyLimit(bytes int64) Option { return option(func(c *config) { c.bodyLimit = bytes }) }

// WithJournalLimit sets how many requests are kept for [Server.TakeRequest], [Server.Requests] and [Server.Verify]; the oldest are dropped. The
// default, any negative number, keeps all until they are taken, and the last 10,000 taken ones, with bodies of 64 MiB together. A server that runs
// for long should keep few, or none: 0.
func WithJournalLimit(requests int) Option { return option(func(c *config) { c.journal = requests }) }

// WithSeed sets what follows from chance: choices and waits of effects, garbage, templates of package stub, and what a dispatcher takes from [Request.Rand]. The default is 0, so
// that they are the same each time. With requests at the same time, which of them gets which choice is not. A test that fails logs the seed, if anything was chosen by it.
func WithSeed(seed uint64) Option { return option(func(c *config) { c.seed = seed }) }

// WithTakeTimeout bounds [Server.TakeRequest] and [Server.AwaitRequests] where their context has no deadline, so that a request that never comes fails a test instead of
// hanging it. The default is 10 seconds; 0 and less mean no limit.
func WithTakeTimeout(d time.Duration) Option { return option(func(c *config) { c.takeLimit = d }) }

// WithLogger makes the server log each exchange (info), what goes wrong with connections (warn) and the faults of scripts and
// dispatchers (error). nil, the default, logs nothing.
func WithLogger(l *slog.Logger) Option {
	return option(func(c *config) {
		if c.logger = l; l == nil {
			c.logger = slog.New(slog.DiscardHandler)
		}
	})
}
