package okhttp

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// logged runs a test of a world whose pool has a listener that writes down what it is told.
func logged(t *testing.T, c PoolConfig, test func(t *testing.T, w *world, d *dials, l *poolLog), opts ...Option) {
	t.Helper()
	l := new(poolLog)
	c.Listener = l.listener()
	d := &dials{scripts: map[string]dialScript{}}
	inWorld(t, func(t *testing.T, w *world) {
		pool := NewConnectionPool(c) // inside of the bubble
		defer pool.Close()
		w.client = w.client.With(WithPool(pool))
		defer w.client.Close()
		d.network, d.start, l.start = &w.network, time.Now(), time.Now()
		test(t, w, d, l)
		w.holdsNothing()
		w.client.Close()
		pool.Close()
		w.wantOpen(d, 0)
	}, append([]Option{WithDialer(d)}, opts...)...)
}

const opened = `
	0s connectStart call 1 (server.test at 10.0.0.1:80)
	0s connectEnd #1 call 1 (server.test at 10.0.0.1:80)
	0s acquired #1 call 1
`

// What the listener of a pool is told, in golden text: the time, the event, the connection, the call, and in parentheses the route with its failure,
// or the reason.
func TestConnectionListener(t *testing.T) {
	get := func(w *world) { w.get("http://server.test/") }
	for name, tt := range map[string]struct {
		pool    PoolConfig
		scripts []func(*peer)
		run     func(w *world, d *dials)
		want    string
	}{
		"a new call, and the end of its keep-alive": {
			scripts: []func(*peer){answer(okText("x"))},
			run:     func(w *world, _ *dials) { get(w); time.Sleep(time.Hour) },
			want: opened + `
				0s released #1 call 1
				0s idle #1
				5m0s closed #1 (idle for the whole keep-alive)`,
		},
		"reuse": {
			scripts: []func(*peer){answer(okText("x"), okText("y"))},
			run:     func(w *world, _ *dials) { get(w); time.Sleep(time.Second); get(w) },
			want: opened + `
				0s released #1 call 1
				0s idle #1
				1s acquired #1 call 2
				1s released #1 call 2
				1s idle #1`,
		},
		"a redirect on the same connection": {
			scripts: []func(*peer){answer(redirectText(302, "/b"), okText("y"))},
			run:     func(w *world, _ *dials) { get(w) },
			want: opened + `
				0s released #1 call 1
				0s idle #1`,
		},
		"closed by the server": {
			scripts: []func(*peer){answerAndClose(okText("x")), answer(okText("y"))},
			run:     func(w *world, _ *dials) { get(w); time.Sleep(time.Minute); get(w) },
			want: opened + `
				0s released #1 call 1
				0s idle #1
				1m0s noNewExchanges #1 (the server closed it, or sent what nobody asked for)
				1m0s closed #1 (not fit for another exchange)
				1m0s connectStart call 2 (server.test at 10.0.0.1:80)
				1m0s connectEnd #2 call 2 (server.test at 10.0.0.1:80)
				1m0s acquired #2 call 2
				1m0s released #2 call 2
				1m0s idle #2`,
		},
		"stale": {
			scripts: []func(*peer){dropsSecond, answer(okText("y"))},
			run:     func(w *world, _ *dials) { get(w); get(w) },
			want: opened + `
				0s released #1 call 1
				0s idle #1
				0s acquired #1 call 2
				0s noNewExchanges #1 call 2 (its last exchange leaves it unfit for another)
				0s released #1 call 2
				0s closed #1 (not fit for another exchange)
				0s connectStart call 2 (server.test at 10.0.0.1:80)
				0s connectEnd #2 call 2 (server.test at 10.0.0.1:80)
				0s acquired #2 call 2
				0s released #2 call 2
				0s idle #2`,
		},
		"Connection: close": {
			scripts: []func(*peer){answer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")},
			run:     func(w *world, _ *dials) { get(w) },
			want: opened + `
				0s noNewExchanges #1 call 1 (its last exchange leaves it unfit for another)
				0s released #1 call 1
				0s closed #1 (not fit for another exchange)`,
		},
		"too many idle": {
			pool:    PoolConfig{MaxIdle: 1},
			scripts: []func(*peer){answer(okText("x")), answer(okText("y"))},
			run: func(w *world, _ *dials) {
				one, two := w.executed(), w.executed()
				time.Sleep(time.Second)
				one.Body.Close()
				time.Sleep(time.Second)
				two.Body.Close()
			},
			want: opened + `
				0s connectStart call 2 (server.test at 10.0.0.1:80)
				0s connectEnd #2 call 2 (server.test at 10.0.0.1:80)
				0s acquired #2 call 2
				1s released #1 call 1
				1s idle #1
				2s released #2 call 2
				2s closed #1 (too many idle connections)
				2s idle #2`,
		},
		"none idle": {
			pool:    PoolConfig{MaxIdle: -1},
			scripts: []func(*peer){answer(redirectText(302, "/b"), okText("x"))},
			run:     func(w *world, _ *dials) { get(w) },
			want: opened + `
				0s released #1 call 1
				0s closed #1 (too many idle connections)`,
		},
		"maximum age": {
			pool:    PoolConfig{MaxAge: time.Minute},
			scripts: []func(*peer){answer(okText("x"), okText("y")), answer(okText("z"))},
			run: func(w *world, _ *dials) {
				get(w)
				time.Sleep(59 * time.Second)
				get(w)
				time.Sleep(2 * time.Second)
				get(w)
			},
			want: opened + `
				0s released #1 call 1
				0s idle #1
				59.001s acquired #1 call 2
				59.001s released #1 call 2
				59.001s idle #1
				1m0s closed #1 (above the maximum age)
				1m1.001s connectStart call 3 (server.test at 10.0.0.1:80)
				1m1.001s connectEnd #2 call 3 (server.test at 10.0.0.1:80)
				1m1.001s acquired #2 call 3
				1m1.001s released #2 call 3
				1m1.001s idle #2`,
		},
		"maximum age in use": {
			pool:    PoolConfig{MaxAge: time.Minute},
			scripts: []func(*peer){answer(okText("x"))},
			run: func(w *world, _ *dials) {
				r := w.executed()
				time.Sleep(time.Minute)
				r.Body.Close()
			},
			want: opened + `
				1m0s released #1 call 1
				1m0s closed #1 (above the maximum age)`,
		},
		"evicted": {
			scripts: []func(*peer){answer(okText("x"))},
			run:     func(w *world, _ *dials) { get(w); w.client.cfg.pool.EvictAll() },
			want: opened + `
				0s released #1 call 1
				0s idle #1
				0s closed #1 (evicted)`,
		},
		"the pool is closed": {
			scripts: []func(*peer){answer(okText("x")), answer(okText("y"))},
			run: func(w *world, _ *dials) {
				r := w.executed()
				get(w)
				w.client.cfg.pool.Close()
				time.Sleep(time.Second)
				r.Body.Close()
			},
			want: opened + `
				0s connectStart call 2 (server.test at 10.0.0.1:80)
				0s connectEnd #2 call 2 (server.test at 10.0.0.1:80)
				0s acquired #2 call 2
				0s released #2 call 2
				0s idle #2
				0s closed #2 (the pool was closed)
				1s released #1 call 1
				1s closed #1 (the pool was closed)`,
		},
		"canceled": {
			scripts: []func(*peer){answer()},
			run: func(w *world, _ *dials) {
				call, done := w.enqueue(w.t.Context(), w.client, "http://server.test/")
				time.Sleep(time.Second)
				call.Cancel()
				<-done
				synctest.Wait()
			},
			want: opened + `
				1s noNewExchanges #1 call 1 (its call was canceled)
				1s released #1 call 1
				1s closed #1 (not fit for another exchange)`,
		},
		"canceled while connecting": {
			scripts: []func(*peer){answer()},
			run: func(w *world, d *dials) {
				d.script(dead, v4a)
				call, done := w.enqueue(w.t.Context(), w.client, "http://server.test/")
				time.Sleep(time.Second)
				call.Cancel()
				<-done
				synctest.Wait()
			},
			want: `
				0s connectStart call 1 (server.test at 10.0.0.1:80)
				1s connectFailed call 1 (server.test at 10.0.0.1:80: failed to connect to 10.0.0.1:80: context canceled)`,
		},
		"canceled right after": {
			scripts: []func(*peer){answer()},
			run: func(w *world, d *dials) {
				call := w.client.NewCall(mustRequest(w.t, "GET", "http://server.test/"))
				call.AddEventListener(&EventListener{ConnectEnd: func(ConnectEvent) { call.Cancel() }})
				call.Execute(w.t.Context())
			},
			want: `
				0s connectStart call 1 (server.test at 10.0.0.1:80)
				0s connectEnd #1 call 1 (server.test at 10.0.0.1:80)
				0s closed #1 (its call ended before it was used)`,
		},
		"refused": {
			run: func(w *world, _ *dials) {
				w.resolve("server.test", v4b)
				w.get("http://server.test/")
			},
			want: `
				0s connectStart call 1 (server.test at 10.0.0.1:80)
				0s connectFailed call 1 (server.test at 10.0.0.1:80: failed to connect to 10.0.0.1:80: dial tcp 10.0.0.1:80: connect: connection refused)
				0s connectStart call 1 (server.test at 10.0.0.2:80)
				0s connectFailed call 1 (server.test at 10.0.0.2:80: failed to connect to 10.0.0.2:80: dial tcp 10.0.0.2:80: connect: connection refused)`,
		},
		"race": {
			scripts: []func(*peer){answer()},
			run: func(w *world, d *dials) {
				d.script(dead, v4a)
				w.serve("server.test", v4b, answer(okText("b")))
				w.get("http://server.test/")
			},
			want: `
				0s connectStart call 1 (server.test at 10.0.0.1:80)
				250ms connectStart call 1 (server.test at 10.0.0.2:80)
				250ms connectFailed call 1 (server.test at 10.0.0.1:80: connecting was given up: it is not needed any more)
				250ms connectEnd #1 call 1 (server.test at 10.0.0.2:80)
				250ms acquired #1 call 1
				250ms released #1 call 1
				250ms idle #1`,
		},
		"a connection comes back during a race": {
			scripts: []func(*peer){answer(okText("x"), okText("y"))},
			run: func(w *world, d *dials) {
				r := w.executed()
				d.script(dead, v4a)
				time.AfterFunc(100*time.Millisecond, func() { r.Body.Close() })
				w.resolve("server.test", v4b)
				get(w)
			},
			want: opened + `
				0s connectStart call 2 (server.test at 10.0.0.1:80)
				100ms released #1 call 1
				100ms idle #1
				250ms acquired #1 call 2
				250ms connectFailed call 2 (server.test at 10.0.0.1:80: connecting was given up: it is not needed any more)
				250ms released #1 call 2
				250ms idle #1`,
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
			})
		})
	}
}

// A listener that panics takes nothing with it: the panic arrives where the call is, or is logged where there is none.
func TestConnectionListenerPanics(t *testing.T) {
	hooks := map[string]func(*ConnectionListener){
		"ConnectStart":   func(l *ConnectionListener) { l.ConnectStart = func(ConnectionAttempt) { panic("listener") } },
		"ConnectEnd":     func(l *ConnectionListener) { l.ConnectEnd = func(ConnectionAttempt) { panic("listener") } },
		"Acquired":       func(l *ConnectionListener) { l.Acquired = func(PoolEvent) { panic("listener") } },
		"NoNewExchanges": func(l *ConnectionListener) { l.NoNewExchanges = func(PoolEvent) { panic("listener") } },
		"Released":       func(l *ConnectionListener) { l.Released = func(PoolEvent) { panic("listener") } },
		"Closed":         func(l *ConnectionListener) { l.Closed = func(PoolEvent) { panic("listener") } },
	}
	for name, set := range hooks {
		t.Run(name, func(t *testing.T) {
			d := &dials{scripts: map[string]dialScript{}}
			inWorld(t, func(t *testing.T, w *world) {
				d.network = &w.network
				l := new(ConnectionListener)
				set(l)
				pool := NewConnectionPool(PoolConfig{Listener: l})
				w.client = w.client.With(WithPool(pool))
				w.serve("server.test", v4a, answer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"))
				func() {
					defer func() {
						if v := recover(); v != "listener" {
							t.Errorf("recovered %v", v)
						}
					}()
					resp, err := w.client.Get(t.Context(), "http://server.test/")
					if err != nil {
						t.Fatal(err)
					}
					io.Copy(io.Discard, resp.Body)
				}()
				if got := pool.Stats(); got != (PoolStats{}) {
					t.Errorf("pool %+v", got)
				}
				w.wantOpen(d, 0)
				w.client.Close()
				pool.Close()
			}, WithDialer(d))
		})
	}
}

// Nobody's goroutine: connections go on being closed after a hook has panicked there.
func TestConnectionListenerPanicsInTimer(t *testing.T) {
	d := &dials{scripts: map[string]dialScript{}}
	inWorld(t, func(t *testing.T, w *world) {
		d.network = &w.network
		var lines logLines
		pool := NewConnectionPool(PoolConfig{KeepAlive: time.Minute, Listener: &ConnectionListener{Closed: func(PoolEvent) { panic("listener") }}})
		pool.logger = slog.New(slog.NewTextHandler(&lines, nil))
		w.client = w.client.With(WithPool(pool))
		w.serve("server.test", v4a, answer(okText("x")), answer(okText("y")), answer(okText("z")))
		one, two := w.executed(), w.executed()
		one.Body.Close()
		two.Body.Close()
		time.Sleep(time.Minute)
		w.wantOpen(d, 0)
		w.want("200 z")(w.get("http://server.test/"))
		time.Sleep(time.Minute)
		w.wantOpen(d, 0)
		for _, want := range []string{"level=ERROR", "panic in the background", "panic=listener", "connection_listener_test.go"} {
			if text := lines.String(); strings.Count(text, want) < 2 {
				t.Errorf("logged %s\nwithout %q for each time", text, want)
			}
		}
		w.client.Close()
		pool.Close()
	}, WithDialer(d))
}

// Section 8.9: the counters of the windows of a connection over HTTP/2 and of its streams. A panic of the listener harms nobody.
func TestWindowsOfAConnection(t *testing.T) {
	var mu sync.Mutex
	var windows []WindowEvent
	pool := PoolConfig{Listener: &ConnectionListener{ReceiveWindow: func(e WindowEvent) {
		mu.Lock()
		defer mu.Unlock()
		windows = append(windows, e)
		panic("boom")
	}}}
	inWorld(t, func(t *testing.T, w *world) {
		p := NewConnectionPool(pool)
		defer p.Close()
		p.logger = slog.New(slog.DiscardHandler)
		w.client = w.client.With(WithPool(p))
		w.serve2("server.test", "10.0.0.1", nil, streams(func(s *stream2) { s.answer(200, strings.Repeat("x", 1000)) }))
		for range 2 {
			if _, err := w.get("http://server.test/"); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		last := map[uint32]WindowEvent{}
		for _, e := range windows {
			if e.Connection.Route().Host() != "server.test" {
				t.Errorf("a window of %v", e.Connection.Route())
			}
			last[e.Stream] = e
		}
		for stream, want := range map[uint32]http2.Window{
			0: {Size: 16 << 20, Received: 2000}, 3: {Stream: 3, Size: 1 << 20, Received: 1000}, 5: {Stream: 5, Size: 1 << 20, Received: 1000},
		} {
			got := last[stream].Window
			got.Unread = 0
			if got != want || got.Room() != want.Size-want.Received {
				t.Errorf("stream %d: %+v, want %+v", stream, got, want)
			}
		}
		w.holdsNothing()
	}, WithProtocols(HTTP2PriorKnowledge))
}
