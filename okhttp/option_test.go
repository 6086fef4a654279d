package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	c := New(nil, nil)
	defer c.Close()
	cfg := c.cfg
	if cfg.callTimeout != 0 || cfg.connectTimeout != 10*time.Second || cfg.readTimeout != 10*time.Second || cfg.writeTimeout != 10*time.Second {
		t.Errorf("time limits %v %v %v %v", cfg.callTimeout, cfg.connectTimeout, cfg.readTimeout, cfg.writeTimeout)
	}
	if !cfg.followRedirects || !cfg.followTLSRedirects || !cfg.retry || cfg.maxHead != 256<<10 || cfg.maxDecoded != 0 || cfg.tls != nil || cfg.pool == nil {
		t.Errorf("config %+v", cfg)
	}
}

// Negative durations mean none, nil restores the default, and the last of several counts.
func TestOptionValues(t *testing.T) {
	with := func(opts ...Option) *config {
		c := New(opts...)
		t.Cleanup(func() { c.Close() })
		return c.cfg
	}
	durations := map[string]struct {
		option func(time.Duration) CallOption
		get    func(*config) time.Duration
	}{
		"WithCallTimeout":    {WithCallTimeout, func(c *config) time.Duration { return c.callTimeout }},
		"WithConnectTimeout": {WithConnectTimeout, func(c *config) time.Duration { return c.connectTimeout }},
		"WithReadTimeout":    {WithReadTimeout, func(c *config) time.Duration { return c.readTimeout }},
		"WithWriteTimeout":   {WithWriteTimeout, func(c *config) time.Duration { return c.writeTimeout }},
	}
	for name, d := range durations {
		for given, want := range map[time.Duration]time.Duration{0: 0, -1: 0, -time.Hour: 0, 1: 1, time.Hour: time.Hour} {
			if got := d.get(with(d.option(time.Minute), d.option(given))); got != want {
				t.Errorf("%s(%v) is %v, want %v", name, given, got, want)
			}
		}
	}
	for given, want := range map[int64]int64{0: 256 << 10, -1: 256 << 10, 1: 1, 1 << 40: 1 << 40} {
		if got := with(WithMaxResponseHeaders(7), WithMaxResponseHeaders(given)).maxHead; got != want {
			t.Errorf("WithMaxResponseHeaders(%d) is %d, want %d", given, got, want)
		}
	}
	for given, want := range map[int64]int64{0: 0, -1: 0, 1: 1} {
		if got := with(WithMaxDecodedBody(7), WithMaxDecodedBody(given)).maxDecoded; got != want {
			t.Errorf("WithMaxDecodedBody(%d) is %d, want %d", given, got, want)
		}
	}
	def := with()
	if c := with(WithDNS(valueDNS("10.0.0.1")), WithDNS(nil)); c.dns != def.dns {
		t.Error("WithDNS(nil) does not restore the default")
	}
	if c := with(WithDialer(dialStall{}), WithDialer(nil)); c.dialer != def.dialer {
		t.Error("WithDialer(nil) does not restore the default")
	}
	if c := with(WithTLSConfig(&tls.Config{}), WithTLSConfig(nil)); c.tls != nil {
		t.Error("WithTLSConfig(nil) does not restore the default")
	}
	pool := NewConnectionPool(PoolConfig{})
	if c := with(WithPool(pool), WithPool(nil)); c.pool != pool {
		t.Error("WithPool(nil) does something")
	}
	if c := with(WithSensitiveHeaders("A"), WithSensitiveHeaders(), WithSensitiveHeaders("B", "C")); !slices.Equal(c.sensitive, []string{"A", "B", "C"}) {
		t.Errorf("sensitive headers %q", c.sensitive)
	}
}

// What a derived client adds to a list, its brothers and its parent do not see.
func TestListOptionsOfDerivedClients(t *testing.T) {
	base := New(WithSensitiveHeaders("A", "B", "C"))
	defer base.Close()
	one, two := base.With(WithSensitiveHeaders("one")), base.With(WithSensitiveHeaders("two"))
	if !slices.Equal(one.cfg.sensitive, []string{"A", "B", "C", "one"}) || !slices.Equal(two.cfg.sensitive, []string{"A", "B", "C", "two"}) || len(base.cfg.sensitive) != 3 {
		t.Errorf("lists %q, %q, %q", base.cfg.sensitive, one.cfg.sensitive, two.cfg.sensitive)
	}
}

// brokenConn cannot be written to.
type brokenConn struct{ net.Conn }

func (brokenConn) Write([]byte) (int, error) { return 0, errors.New("broken") }

type dialerFunc func(ctx context.Context, network, address string) (net.Conn, error)

func (f dialerFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}

// A request that cannot be sent may have an answer all the same; if it has none, what broke the sending is the failure.
func TestRequestCannotBeSent(t *testing.T) {
	for name, c := range map[string]struct {
		script func(*peer)
		events string
		want   string
	}{
		"an answer":           {func(p *peer) { p.send(okText("x")) }, "responseHeadersStart responseHeadersEnd followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd", "200 x"},
		"no answer":           {func(*peer) {}, "responseFailed retryDecision false connectionReleased callFailed", ""},
		"an answer cut short": {func(p *peer) { p.send("HTTP/1.1 2") }, "responseFailed retryDecision false connectionReleased callFailed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", c.script)
				dialer := dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := w.network.DialContext(ctx, network, address)
					return brokenConn{conn}, err
				})
				got, err := w.get("http://server.test/", WithDialer(dialer))
				if c.want != "" {
					w.want(c.want)(got, err)
				} else if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Err.Error(), "broken") || len(e.Attempts) != 1 || !errors.Is(e.Attempts[0], io.ErrUnexpectedEOF) {
					t.Errorf("error %+v", err)
				}
				w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestFailed " + c.events)
				if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
					t.Errorf("pool %+v", got)
				}
			})
		})
	}
}
