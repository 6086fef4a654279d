package okhttp

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"time"
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

	dns      DNS
	dnsID    any
	dialer   Dialer
	dialerID any
	tls      *tls.Config
	pool     *ConnectionPool

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

// Dialer opens transport connections. The address is an IP address and a port. Implementations are safe for concurrent use and end
// when the context does.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

var defaultDialer Dialer = &net.Dialer{}

func defaultConfig() *config {
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
	}
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
