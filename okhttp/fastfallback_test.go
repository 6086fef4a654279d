package okhttp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/race"
)

const (
	v4a, v4b, v4c = "10.0.0.1", "10.0.0.2", "10.0.0.3"
	v6a, v6b      = "fd00::1", "fd00::2"
)

// Fact 34: an address that never answers costs a quarter of a second, whatever its family. Fact 39: IPv6 begins, and the families take turns.
func TestDeadAddresses(t *testing.T) {
	for name, tt := range map[string]struct {
		resolved string
		dead     string
		live     string
		dials    string
		took     time.Duration
	}{
		"none":                {v4a, "", v4a, "0s 10.0.0.1", 0},
		"one of two":          {v4a + " " + v4b, v4a, v4b, "0s 10.0.0.1, 250ms 10.0.0.2", 250 * time.Millisecond},
		"the second of two":   {v4a + " " + v4b, v4b, v4a, "0s 10.0.0.1", 0},
		"two of three":        {v4a + " " + v4b + " " + v4c, v4a + " " + v4b, v4c, "0s 10.0.0.1, 250ms 10.0.0.2, 500ms 10.0.0.3", 500 * time.Millisecond},
		"IPv6":                {v4a + " " + v6a, v6a, v4a, "0s [fd00::1], 250ms 10.0.0.1", 250 * time.Millisecond},
		"IPv4":                {v4a + " " + v6a, v4a, v6a, "0s [fd00::1]", 0},
		"IPv6, both":          {v6a + " " + v6b + " " + v4a, v6a + " " + v6b, v4a, "0s [fd00::1], 250ms 10.0.0.1", 250 * time.Millisecond},
		"three of both":       {v4a + " " + v4b + " " + v6a + " " + v6b, v6a + " " + v4a + " " + v6b, v4b, "0s [fd00::1], 250ms 10.0.0.1, 500ms [fd00::2], 750ms 10.0.0.2", 750 * time.Millisecond},
		"three of both again": {v4a + " " + v4b + " " + v4c + " " + v6a, v6a + " " + v4a + " " + v4b, v4c, "0s [fd00::1], 250ms 10.0.0.1, 500ms 10.0.0.2, 750ms 10.0.0.3", 750 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.resolve("server.test", strings.Fields(tt.resolved)...)
				w.serve("live.test", tt.live, answer(okText("live")))
				d.script(dead, strings.Fields(tt.dead)...)
				w.want("200 live")(w.get("http://server.test/"))
				w.wantDials(d, strings.Split(tt.dials, ", ")...)
				w.wantSince(d.start, tt.took)
				w.wantOpen(d, 1)
			})
		})
	}
}

// All attempts fail: the first failure is the call's, the others are its attempts in the order in which they came. Fact 38.
func TestAllAddressesFail(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b, v6a, v6b)
		d.script(dead, v6a)
		d.script(refused(700*time.Millisecond), v4a)
		d.script(refused(100*time.Millisecond), v6b)
		d.script(refused(0), v4b)
		_, err := w.get("http://server.test/")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseConnect || e.Route != "server.test at [fd00::2]:80" || e.Sent || !errors.Is(e, syscall.ECONNREFUSED) || !SafeToRetry(err) {
			t.Fatalf("error %+v", err)
		}
		// At 600, 750, 950 ms, and when the first address was waited for long enough.
		want := "failed to connect to [fd00::2]:80, failed to connect to 10.0.0.2:80, failed to connect to 10.0.0.1:80, connect timeout after 10s"
		if got := failuresOf(e); got != want {
			t.Errorf("failures %s\nwant     %s", got, want)
		}
		w.wantDials(d, "0s [fd00::1]", "250ms 10.0.0.1", "500ms [fd00::2]", "750ms 10.0.0.2")
		w.wantSince(d.start, 10*time.Second)
		w.wantEvents(`callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectStart connectStart connectFailed connectStart connectFailed connectFailed
			connectFailed retryDecision false callFailed`)
	})
}

// failuresOf lists a call's failures, the first one first, without their causes.
func failuresOf(e *Error) string {
	var list []string
	for _, err := range append([]error{e.Err}, e.Attempts...) {
		text, _, _ := strings.Cut(err.Error(), ": ")
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// Fact 35: with nothing else connecting the next address is tried at once, otherwise 250 ms after the latest start.
func TestSpacing(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b, v4c, "10.0.0.4", "10.0.0.5")
		w.serve("live.test", "10.0.0.5", answer(okText("live")))
		d.script(refused(510*time.Millisecond), v4a)
		d.script(refused(270*time.Millisecond), v4b) // at 520 ms
		d.script(refused(30*time.Millisecond), v4c)  // at 530 ms
		d.script(dead, "10.0.0.4")
		w.want("200 live")(w.get("http://server.test/"))
		w.wantDials(d, "0s 10.0.0.1", "250ms 10.0.0.2", "500ms 10.0.0.3", "530ms 10.0.0.4", "780ms 10.0.0.5")
	})
}

// Fact 40: an address that cannot be reached is noticed at once.
func TestUnreachableFamily(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v6a)
		w.serve("live.test", v4a, answer(okText("live")))
		w.want("200 live")(w.get("http://server.test/"))
		w.wantDials(d, "0s [fd00::1]", "0s 10.0.0.1")
		w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectFailed connectStart connectEnd connectionAcquired " + exchanged +
			"followUpDecision false responseBodyStart responseBodyEnd 4 connectionReleased callEnd")
	})
}

// Those that lose get their ConnectFailed, and what they connect to later is closed.
func TestLosers(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b, v4c)
		w.serve("a.test", v4a, answer(okText("a")))
		w.serve("b.test", v4b, answer(okText("b")))
		w.serve("c.test", v4c, answer(okText("c")))
		d.script(stubborn(time.Second), v4a)
		d.script(far(time.Second), v4b)
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
		var failed []string
		call.AddEventListener(&EventListener{ConnectFailed: func(e ConnectEvent) {
			failed = append(failed, e.Route.Addr().String())
			if !errors.Is(e.Err, race.ErrLost) || e.Protocol != "" || e.Call != call {
				t.Errorf("event %+v", e)
			}
		}})
		resp, err := call.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "c" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if got := strings.Join(failed, " "); got != "10.0.0.1:80 10.0.0.2:80" {
			t.Errorf("failed %s", got)
		}
		w.wantEvents(`callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectStart connectStart connectFailed connectFailed connectEnd connectionAcquired ` + exchanged +
			`followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd`)
		w.wantSince(d.start, 500*time.Millisecond)
		w.wantOpen(d, 1)
		time.Sleep(time.Second) // the first address connects in the end
		w.wantOpen(d, 1)
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
			t.Errorf("pool %+v", got)
		}
		if n := len(w.client.cfg.failures.failed); n > 0 {
			t.Errorf("having lost counts as a failure of %d routes", n)
		}
	})
}

// Close waits for what a dialer does although its context has ended.
func TestCloseWaitsForDialer(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b)
		w.serve("a.test", v4a)
		d.script(stubborn(5*time.Second), v4a)
		d.script(dead, v4b)
		_, done := w.enqueue(t.Context(), w.client, "http://server.test/")
		time.Sleep(time.Second)
		w.client.Close()
		w.wantSince(d.start, 5*time.Second)
		if o := <-done; !errors.Is(o.err, ErrCanceled) || o.at != time.Second {
			t.Errorf("outcome %+v", o)
		}
	})
}

// The end of the call ends all attempts.
func TestEndDuringRace(t *testing.T) {
	for how, end := range map[string]struct {
		opts []CallOption
		end  func(*Call, context.CancelFunc)
		want error
	}{
		"Cancel":       {nil, func(c *Call, _ context.CancelFunc) { c.Cancel() }, ErrCanceled},
		"context":      {nil, func(_ *Call, cancel context.CancelFunc) { cancel() }, context.Canceled},
		"Close":        {nil, func(c *Call, _ context.CancelFunc) { c.client.Close() }, ErrCanceled},
		"call timeout": {[]CallOption{WithCallTimeout(600 * time.Millisecond)}, nil, ErrCallTimeout},
	} {
		t.Run(how, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.resolve("server.test", v4a, v4b, v4c)
				d.script(dead, v4a, v4b)
				d.script(refused(0), v4c)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"), end.opts...)
				if end.end != nil {
					time.AfterFunc(600*time.Millisecond, func() { end.end(call, cancel) })
				}
				_, err := call.Execute(ctx)
				w.wantSince(d.start, 600*time.Millisecond)
				var e *Error
				if !errors.As(err, &e) || !errors.Is(err, end.want) || e.Phase != PhaseConnect || e.Route != "server.test at 10.0.0.3:80" {
					t.Errorf("error %+v", err)
				}
				if len(e.Attempts) != 1 || !errors.Is(e.Attempts[0], syscall.ECONNREFUSED) {
					t.Errorf("attempts %v, want the one that failed by itself", e.Attempts)
				}
				if n, want := w.takeCanceled(), map[string]int{"Cancel": 1, "Close": 1}[how]; n != want {
					t.Errorf("%d canceled events, want %d", n, want)
				}
				w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectStart connectStart connectFailed connectFailed connectFailed retryDecision false callFailed")
				if n := len(w.client.cfg.failures.failed); n != 1 {
					t.Errorf("%d routes count as failed, want that of the one that failed by itself", n)
				}
			})
		})
	}
}

// Fact 37: TLS fails with the winner, so those that lost to it are tried again.
func TestLosersAreTriedAgain(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b)
		w.serveAt(v4a+":443", serverTLS, answer(okText("a")))
		w.serveAt(v4b+":443", nil, func(p *peer) { io.ReadFull(p.in, make([]byte, 1)) }) // and closes
		d.script(far(400*time.Millisecond), v4a)
		w.want("200 a")(w.get("https://server.test/"))
		w.wantDials(d, "0s 10.0.0.1:443", "250ms 10.0.0.2:443", "250ms 10.0.0.1:443")
		w.wantSince(d.start, 650*time.Millisecond)
		w.wantEvents(`callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectStart connectFailed secureConnectStart connectFailed
			connectStart secureConnectStart secureConnectEnd connectEnd connectionAcquired ` + exchanged +
			`followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd`)
	}, WithTLSConfig(clientTLS))
}

// Fact 31: a server too slow to shake hands is the same at its next address. One that closes is not.
func TestNextAddressAfterTLS(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	strange, _ := tlsFor("other.test")
	silent := func(p *peer) { io.Copy(io.Discard, p.in) }
	for name, tt := range map[string]struct {
		first func(*world)
		next  bool
		took  time.Duration
		err   func(error) bool
	}{
		"silent": {func(w *world) { w.serveAt(v4a+":443", nil, silent) }, false, 10 * time.Second,
			func(err error) bool {
				return errors.Is(err, os.ErrDeadlineExceeded) && strings.Contains(err.Error(), "tls handshake timeout after 10s")
			}},
		"another name": {func(w *world) { w.serveAt(v4a+":443", strange, silent) }, false, 0, func(err error) bool { return errors.As(err, new(*HostnameError)) }},
		"closed":       {func(w *world) { w.serveAt(v4a+":443", nil, func(p *peer) { p.in.ReadByte() }) }, true, 0, nil},
		"cleartext": {func(w *world) {
			w.serveAt(v4a+":443", nil, func(p *peer) { p.in.ReadByte(); p.send("HTTP/1.1 400 X\r\n\r\n"); silent(p) })
		}, true, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.resolve("server.test", v4a, v4b)
				tt.first(w)
				w.serveAt(v4b+":443", serverTLS, answer(okText("b")))
				got, err := w.get("https://server.test/")
				w.wantSince(d.start, tt.took)
				if tt.next {
					w.want("200 b")(got, err)
					w.wantDials(d, "0s 10.0.0.1:443", "0s 10.0.0.2:443")
					return
				}
				var e *Error
				if !errors.As(err, &e) || e.Phase != PhaseTLS || e.Sent || !tt.err(err) {
					t.Errorf("error %v", err)
				}
				w.wantDials(d, "0s 10.0.0.1:443")
			}, WithTLSConfig(clientTLS))
		})
	}
}

// Fact 41: without fast fallback one address is tried after another, each for the whole connect timeout.
func TestSequential(t *testing.T) {
	t.Run("call timeout", func(t *testing.T) {
		inDials(t, func(t *testing.T, w *world, d *dials) {
			w.resolve("server.test", v4a, v4b)
			d.script(dead, v4a)
			_, err := w.get("http://server.test/", WithCallTimeout(3*time.Second))
			if !errors.Is(err, ErrCallTimeout) {
				t.Errorf("error %v", err)
			}
			w.wantDials(d, "0s 10.0.0.1")
			w.wantSince(d.start, 3*time.Second)
		}, WithFastFallback(false))
	})
	t.Run("in the resolver's order", func(t *testing.T) {
		inDials(t, func(t *testing.T, w *world, d *dials) {
			w.resolve("server.test", v4a, v4b, v6a)
			w.serve("live.test", v6a, answer(okText("live")))
			d.script(dead, v4a)
			w.want("200 live")(w.get("http://server.test/"))
			w.wantDials(d, "0s 10.0.0.1", "10s 10.0.0.2", "10s [fd00::1]")
		}, WithFastFallback(false))
	})
	t.Run("all fail", func(t *testing.T) {
		inDials(t, func(t *testing.T, w *world, d *dials) {
			w.resolve("server.test", v4a, v4b)
			d.script(dead, v4a)
			_, err := w.get("http://server.test/")
			var e *Error
			if !errors.As(err, &e) || !e.Timeout() || failuresOf(e) != "connect timeout after 10s, failed to connect to 10.0.0.2:80" {
				t.Errorf("error %v", err)
			}
		}, WithFastFallback(false))
	})
	// In the reference the failure is thrown before the next spec is queued.
	t.Run("next connection spec", func(t *testing.T) {
		serverTLS, clientTLS := tlsFor("server.test")
		old := serverTLS.Clone()
		old.MaxVersion = 0x0302
		old.MinVersion = 0x0301
		inDials(t, func(t *testing.T, w *world, d *dials) {
			w.resolve("server.test", v4a)
			w.serveAt(v4a+":443", old, func(p *peer) { p.in.ReadByte() }, answer(okText("old")))
			w.want("200 old")(w.get("https://server.test/"))
			w.wantDials(d, "0s 10.0.0.1:443", "0s 10.0.0.1:443")
		}, WithFastFallback(false), WithTLSConfig(clientTLS), WithConnectionSpecs(ModernTLS, CompatibleTLS))
	})
}

// Fact 36: while addresses are tried, another call gives a connection back.
func TestPooledConnectionDuringRace(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a)
		w.serve("live.test", v4a, answer(okText("first"), okText("second")))
		held := w.executed()
		d.again()
		d.script(dead, v4a, v4b, v4c)
		w.resolve("server.test", v4b, v4c)
		w.events = nil
		time.AfterFunc(400*time.Millisecond, func() {
			if text, err := held.Body.Text(); text != "first" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			w.mu.Lock()
			w.events = nil
			w.mu.Unlock()
		})
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
		w.events = nil
		resp, err := call.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "second" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		w.wantSince(d.start, 500*time.Millisecond)
		w.wantDials(d, "0s 10.0.0.1", "250ms 10.0.0.2")
		w.wantEvents("connectionAcquired connectFailed connectFailed " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 6 connectionReleased callEnd")
		w.wantOpen(d, 1)
	})
}

// A panic of a dialer passes to the caller where that is who called it. On a goroutine of a race it is the failure of the call.
func TestDialerPanics(t *testing.T) {
	panics := func(context.Context, func() (net.Conn, error)) (net.Conn, error) { panic("dialer") }
	t.Run("alone", func(t *testing.T) {
		inDials(t, func(t *testing.T, w *world, d *dials) {
			w.resolve("server.test", v4a)
			d.script(panics, v4a)
			defer func() {
				if v := recover(); v != "dialer" {
					t.Errorf("recovered %v", v)
				}
			}()
			w.get("http://server.test/")
		})
	})
	t.Run("in a race", func(t *testing.T) {
		inDials(t, func(t *testing.T, w *world, d *dials) {
			w.resolve("server.test", v4a, v4b)
			d.script(panics, v4a)
			_, err := w.get("http://server.test/")
			var e *Error
			var pe *PanicError
			if !errors.As(err, &e) || e.Phase != PhaseConnect || !errors.As(err, &pe) || pe.Value != "dialer" {
				t.Errorf("error %v", err)
			}
			w.wantDials(d, "0s 10.0.0.1")
		})
	})
}

// A dialer that returns neither is told so.
func TestDialerReturnsNothing(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a)
		d.script(func(context.Context, func() (net.Conn, error)) (net.Conn, error) { return nil, nil }, v4a)
		_, err := w.get("http://server.test/")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseConnect || !strings.Contains(err.Error(), "neither a connection nor an error") {
			t.Errorf("error %v", err)
		}
	})
}

// Two calls that race to the same server do not disturb each other.
func TestTwoRaces(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b)
		w.serve("live.test", v4b, slow(1), slow(1))
		d.script(dead, v4a)
		_, one := w.enqueue(t.Context(), w.client, "http://server.test/one")
		time.Sleep(100 * time.Millisecond)
		_, two := w.enqueue(t.Context(), w.client, "http://server.test/two")
		for want, done := range map[string]<-chan outcome{"/one": one, "/two": two} {
			if o := <-done; o.text != want || o.err != nil || o.at != 1250*time.Millisecond {
				t.Errorf("%s: %+v", want, o)
			}
		}
		synctest.Wait()
		w.wantDials(d, "0s 10.0.0.1", "100ms 10.0.0.1", "250ms 10.0.0.2", "350ms 10.0.0.2")
	})
}
