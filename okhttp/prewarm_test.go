package okhttp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func (w *world) prewarm(url string, p AddressPolicy) {
	w.t.Helper()
	if err := w.client.Prewarm(mustURL(w.t, url), p); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

const warm = `
	0s connectStart (server.test at 10.0.0.1:80)
	0s connectEnd #1 (server.test at 10.0.0.1:80)
`

// The facts of section 8.8 for connections that carry one call each, by what the pool's listener is told.
func TestPrewarm(t *testing.T) {
	never := func(p *peer) { io.Copy(io.Discard, p.in) }
	const url = "http://server.test/"
	for name, tt := range map[string]struct {
		pool    PoolConfig
		scripts []func(*peer)
		run     func(w *world, d *dials)
		want    string
		stats   PoolStats
	}{
		"one, and then two": {
			scripts: repeat(2, never),
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				time.Sleep(time.Second)
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1}) // which changes nothing
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 2})
			},
			want: warm + `
				1s connectStart (server.test at 10.0.0.1:80)
				1s connectEnd #2 (server.test at 10.0.0.1:80)`,
			stats: PoolStats{Connections: 2, Idle: 2},
		},
		"lowered": {
			pool: PoolConfig{MaxIdle: -1}, scripts: repeat(2, never),
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 2})
				time.Sleep(time.Second)
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
			},
			want: warm + `
				0s connectStart (server.test at 10.0.0.1:80)
				0s connectEnd #2 (server.test at 10.0.0.1:80)
				1s closed #1 (too many idle connections)`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"lowered within the idle limit": {
			scripts: repeat(2, never),
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 2})
				w.prewarm(url, AddressPolicy{})
			},
			want: warm + `
				0s connectStart (server.test at 10.0.0.1:80)
				0s connectEnd #2 (server.test at 10.0.0.1:80)`,
			stats: PoolStats{Connections: 2, Idle: 2},
		},
		"used by a call": {
			scripts: repeat(2, answer(okText("x"))),
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				w.get(url)
				w.wantEvents("callStart connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
			},
			want: warm + `
				0s acquired #1 call 1
				0s released #1 call 1
				0s idle #1`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"used up by a call": {
			scripts: []func(*peer){answer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"), never},
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				w.get(url)
			},
			want: warm + `
				0s acquired #1 call 1
				0s noNewExchanges #1 call 1 (its last exchange leaves it unfit for another)
				0s released #1 call 1
				0s closed #1 (not fit for another exchange)
				0s connectStart (server.test at 10.0.0.1:80)
				0s connectEnd #2 (server.test at 10.0.0.1:80)`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"replaced after its keep-alive": {
			scripts: repeat(2, never),
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				time.Sleep(5 * time.Minute)
			},
			want: warm + `
				5m0s closed #1 (idle for the whole keep-alive)
				5m0s connectStart (server.test at 10.0.0.1:80)
				5m0s connectEnd #2 (server.test at 10.0.0.1:80)`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"replaced at its maximum age": {
			pool: PoolConfig{MaxAge: time.Minute}, scripts: repeat(2, never),
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				time.Sleep(time.Minute)
			},
			want: warm + `
				1m0s closed #1 (above the maximum age)
				1m0s connectStart (server.test at 10.0.0.1:80)
				1m0s connectEnd #2 (server.test at 10.0.0.1:80)`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"replaced when all are evicted": {
			scripts: repeat(2, never),
			run: func(w *world, _ *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				w.client.cfg.pool.EvictAll()
			},
			want: warm + `
				0s closed #1 (evicted)
				0s connectStart (server.test at 10.0.0.1:80)
				0s connectEnd #2 (server.test at 10.0.0.1:80)`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"a server that fails": {
			run: func(w *world, d *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1, Jitter: time.Nanosecond})
				time.Sleep(59 * time.Second)
				d.script(far(time.Second), v4a)
				w.serve("live.test", v4a, never)
				time.Sleep(3 * time.Second)
			},
			want: `
				0s connectStart (server.test at 10.0.0.1:80)
				0s connectFailed (server.test at 10.0.0.1:80: failed to connect to 10.0.0.1:80: dial tcp 10.0.0.1:80: connect: connection refused)
				1m0s connectStart (server.test at 10.0.0.1:80)
				1m1s connectEnd #1 (server.test at 10.0.0.1:80)`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"a name that does not resolve": {
			run: func(w *world, d *dials) {
				w.prewarm("http://other.test/", AddressPolicy{MinConcurrentCalls: 1, Backoff: time.Second, Jitter: time.Nanosecond})
				time.Sleep(2*time.Second + time.Second/2)
				w.mu.Lock()
				defer w.mu.Unlock()
				if w.lookups != 3 {
					w.t.Errorf("%d look-ups, want 3", w.lookups)
				}
			},
		},
		"fast fallback": {
			scripts: []func(*peer){never},
			run: func(w *world, d *dials) {
				d.script(dead, v4a)
				w.serve("server.test", v4b, never)
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				time.Sleep(time.Second)
			},
			want: `
				0s connectStart (server.test at 10.0.0.1:80)
				250ms connectStart (server.test at 10.0.0.2:80)
				250ms connectFailed (server.test at 10.0.0.1:80: connecting was given up: it is not needed any more)
				250ms connectEnd #1 (server.test at 10.0.0.2:80)`,
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"those of policies do not count": {
			pool: PoolConfig{MaxIdle: 1}, scripts: repeat(2, never),
			run: func(w *world, d *dials) {
				w.serve("other.test", v4b, answer(okText("x")), answer(okText("y")))
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 2})
				one, err := w.client.Get(w.t.Context(), "http://other.test/")
				if err != nil {
					w.t.Fatal(err)
				}
				w.get("http://other.test/")
				time.Sleep(time.Second)
				one.Body.Close()
			},
			want: warm + `
				0s connectStart (server.test at 10.0.0.1:80)
				0s connectEnd #2 (server.test at 10.0.0.1:80)
				0s connectStart call 1 (other.test at 10.0.0.2:80)
				0s connectEnd #3 call 1 (other.test at 10.0.0.2:80)
				0s acquired #3 call 1
				0s connectStart call 2 (other.test at 10.0.0.2:80)
				0s connectEnd #4 call 2 (other.test at 10.0.0.2:80)
				0s acquired #4 call 2
				0s released #4 call 2
				0s idle #4
				1s released #3 call 1
				1s closed #4 (too many idle connections)
				1s idle #3`,
			stats: PoolStats{Connections: 3, Idle: 3},
		},
		"one that is in use counts": {
			scripts: []func(*peer){answer(okText("x"))},
			run: func(w *world, d *dials) {
				r := w.executed()
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				r.Body.Close()
			},
			want:  opened + "0s released #1 call 1\n 0s idle #1",
			stats: PoolStats{Connections: 1, Idle: 1},
		},
		"the pool is closed": {
			scripts: repeat(2, never),
			run: func(w *world, d *dials) {
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				d.script(dead, v4a)
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 2})
				time.Sleep(time.Second)
				w.client.cfg.pool.Close()
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 3})
				time.Sleep(time.Hour)
			},
			want: warm + `
				0s connectStart (server.test at 10.0.0.1:80)
				1s connectFailed (server.test at 10.0.0.1:80: failed to connect to 10.0.0.1:80: context canceled)
				1s closed #1 (the pool was closed)`,
		},
		"the policy is taken back while one opens": {
			scripts: repeat(2, never),
			run: func(w *world, d *dials) {
				d.script(dead, v4a)
				w.prewarm(url, AddressPolicy{MinConcurrentCalls: 1})
				time.Sleep(time.Second)
				w.prewarm(url, AddressPolicy{})
				time.Sleep(time.Hour)
			},
			want: `
				0s connectStart (server.test at 10.0.0.1:80)
				1s connectFailed (server.test at 10.0.0.1:80: failed to connect to 10.0.0.1:80: context canceled)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			logged(t, tt.pool, func(t *testing.T, w *world, d *dials, l *poolLog) {
				if tt.scripts == nil {
					w.resolve("server.test", v4a)
				} else {
					w.serve("server.test", v4a, tt.scripts...)
				}
				tt.run(w, d)
				synctest.Wait()
				l.want(t, tt.want)
				if got := w.client.cfg.pool.Stats(); got != tt.stats {
					t.Errorf("pool %+v, want %+v", got, tt.stats)
				}
			})
		})
	}
}

// The server closes the warm connections. The next call finds that out, and the pool replaces them.
func TestPrewarmedAreClosed(t *testing.T) {
	logged(t, PoolConfig{}, func(t *testing.T, w *world, d *dials, l *poolLog) {
		w.serve("server.test", v4a, append(repeat(2, func(*peer) {}), repeat(3, answer(okText("x"), okText("x")))...)...)
		w.prewarm("http://server.test/", AddressPolicy{MinConcurrentCalls: 2})
		time.Sleep(time.Minute)
		w.want("200 x")(w.get("http://server.test/"))
		synctest.Wait()
		if got := w.client.cfg.pool.Stats(); got.Connections < 2 || got.Connections != got.Idle {
			t.Errorf("pool %+v, want 2 or 3 idle", got)
		}
		w.want("200 x")(w.get("http://server.test/"))
	})
}

// A warm connection over TLS is ready to be used, and is one of the client's configuration alone.
func TestPrewarmTLS(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	logged(t, PoolConfig{}, func(t *testing.T, w *world, d *dials, l *poolLog) {
		w.serveTLS("server.test", v4a, serverTLS, answer(okText("warm")), answer(okText("cold")))
		w.prewarm("https://server.test/", AddressPolicy{MinConcurrentCalls: 1})
		w.want("200 warm")(w.get("https://server.test/"))
		w.want("200 cold")(w.get("https://server.test/", WithTLSConfig(clientTLS.Clone())))
		l.want(t, `
			0s connectStart (server.test at 10.0.0.1:443)
			0s connectEnd #1 (server.test at 10.0.0.1:443)
			0s acquired #1 call 1
			0s released #1 call 1
			0s idle #1
			0s connectStart call 2 (server.test at 10.0.0.1:443)
			0s connectEnd #2 call 2 (server.test at 10.0.0.1:443)
			0s acquired #2 call 2
			0s released #2 call 2
			0s idle #2`)
	}, WithTLSConfig(clientTLS))
	logged(t, PoolConfig{}, func(t *testing.T, w *world, d *dials, l *poolLog) {
		w.serveTLS("other.test", v4a, serverTLS, repeat(3, func(p *peer) { p.in.ReadByte() })...)
		w.prewarm("https://other.test/", AddressPolicy{MinConcurrentCalls: 1})
		time.Sleep(time.Second)
		synctest.Wait()
		if lines := l.all(); len(lines) != 2 || !strings.HasPrefix(lines[1], "0s connectFailed (other.test at 10.0.0.1:443: ") {
			t.Errorf("the listener was told %q", lines)
		}
	}, WithTLSConfig(clientTLS))
}

// What the user's code does there ends no program: the opening failed.
func TestPrewarmPanics(t *testing.T) {
	dialer := func(boom func()) Option {
		return WithDialer(dialerFunc(func(context.Context, string, string) (net.Conn, error) { boom(); return nil, errors.New("no") }))
	}
	for name, tt := range map[string]struct {
		opt    func(boom func()) Option
		addrs  []string
		logged bool // otherwise it is a failure that the pool's listener is told
	}{
		"dialer":           {dialer, []string{v4a}, true},
		"dialer in a race": {dialer, []string{v4a, v4b}, false},
		"DNSFunc": {func(boom func()) Option {
			return WithDNS(DNSFunc(func(context.Context, string) ([]netip.Addr, error) { boom(); return nil, errors.New("no") }))
		}, nil, true},
		"selector": {func(boom func()) Option {
			return WithProxySelector(ProxySelectorFunc(func(URL) ([]Proxy, error) { boom(); return nil, errors.New("no") }))
		}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			var times atomic.Int32
			boom := func() {
				if times.Add(1) == 1 {
					panic("boom")
				}
			}
			l := new(poolLog)
			inWorld(t, func(t *testing.T, w *world) {
				var lines logLines
				pool := NewConnectionPool(PoolConfig{Listener: l.listener()})
				pool.logger = slog.New(slog.NewTextHandler(&lines, nil))
				defer pool.Close()
				w.client = w.client.With(WithPool(pool), tt.opt(boom))
				w.resolve("server.test", tt.addrs...)
				w.prewarm("http://server.test/", AddressPolicy{MinConcurrentCalls: 1})
				if got := strings.Contains(lines.String(), "panic=boom"); got != tt.logged {
					t.Errorf("logged %q", lines.String())
				}
				if lines := l.all(); strings.Contains(strings.Join(lines, " "), "boom") == tt.logged {
					t.Errorf("the listener was told %q", lines)
				}
				time.Sleep(time.Hour)
				pool.Close()
				if n := times.Load(); n < 50 {
					t.Errorf("tried %d times in an hour", n)
				}
			})
		})
	}
}

func TestPrewarmRefused(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		u := mustURL(t, "http://server.test/")
		var ce *CleartextError
		if err := w.client.With(WithConnectionSpecs(ModernTLS)).Prewarm(u, AddressPolicy{MinConcurrentCalls: 1}); !errors.As(err, &ce) {
			t.Errorf("error %v", err)
		}
		if err := w.client.With(WithCleartext(func(string) bool { return false })).Prewarm(u, AddressPolicy{MinConcurrentCalls: 1}); !errors.As(err, &ce) {
			t.Errorf("error %v", err)
		}
		w.client.Close()
		if err := w.client.Prewarm(u, AddressPolicy{MinConcurrentCalls: 1}); !errors.Is(err, ErrClientClosed) {
			t.Errorf("error %v", err)
		}
	})
}

// A policy belongs to the pool: a client that shares the pool is closed without waiting for it, and the pool's Close waits.
func TestPrewarmOutlivesClient(t *testing.T) {
	for name, dns := range map[string]DNS{"dialer": nil, "resolver": deafDNS(5 * time.Second)} {
		t.Run(name, func(t *testing.T) {
			opts := []Option{}
			if dns != nil {
				opts = append(opts, WithDNS(dns))
			}
			logged(t, PoolConfig{}, func(t *testing.T, w *world, d *dials, l *poolLog) {
				w.serve("server.test", v4a, answer(okText("x")))
				d.script(stubborn(5*time.Second), v4a)
				w.resolve("server.test", v4b)
				d.script(dead, v4b)
				start := time.Now()
				w.prewarm("http://server.test/", AddressPolicy{MinConcurrentCalls: 1})
				time.Sleep(time.Second)
				w.client.Close()
				w.wantSince(start, time.Second)
				w.client.cfg.pool.Close()
				w.wantSince(start, 5*time.Second)
			}, opts...)
		})
	}
}
