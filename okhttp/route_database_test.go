package okhttp

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func routeTo(n int) *Route {
	return &Route{socket: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 80)}
}

// A failure is remembered for a minute.
func TestRouteDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d routeDatabase
		wanted := func(n int, want bool) {
			t.Helper()
			if got := d.postponed(routeTo(n)); got != want {
				t.Errorf("route %d is postponed: %v", n, got)
			}
		}
		wanted(1, false)
		d.connected(routeTo(1))
		d.fail(routeTo(1))
		wanted(1, true)
		wanted(2, false)
		time.Sleep(time.Minute - 1)
		wanted(1, true)
		d.fail(routeTo(2))
		time.Sleep(time.Nanosecond)
		wanted(1, false)
		wanted(2, true)
		d.connected(routeTo(2))
		wanted(2, false)
		d.fail(routeTo(1)) // again
		wanted(1, true)
	})
}

// No more than a thousand are remembered: what is out of date goes first, then the oldest.
func TestRouteDatabaseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d routeDatabase
		for n := range 1500 {
			d.fail(routeTo(n))
			time.Sleep(time.Millisecond)
		}
		if n := len(d.failed); n != routesRemembered {
			t.Errorf("%d routes are remembered", n)
		}
		for n, want := range map[int]bool{0: false, 499: false, 500: true, 1499: true} {
			if got := d.postponed(routeTo(n)); got != want {
				t.Errorf("route %d is postponed: %v", n, got)
			}
		}
		time.Sleep(time.Minute - 100*time.Millisecond)
		d.fail(routeTo(2000))
		if n := len(d.failed); n != 100 { // those of the last 99 ms, and this one
			t.Errorf("%d routes are remembered", n)
		}
	})
}

// An address that failed is tried after the others, for a minute or until it is connected to again.
func TestFailedAddressIsPostponed(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	for name, tt := range map[string]struct {
		url  string
		fail func(*world, *dials)
		port string
	}{
		"refused": {"http://server.test/", func(*world, *dials) {}, ""},
		"connect timeout": {"http://server.test/", func(w *world, d *dials) {
			d.script(dead, v4a)
			w.client = w.client.With(WithFastFallback(false))
		}, ""},
		"first exchange": {"http://server.test/", func(w *world, _ *dials) { w.serve("a.test", v4a, func(p *peer) { p.request() }) }, ""},
		"TLS": {"https://server.test/", func(w *world, _ *dials) {
			w.serveAt(v4a+":443", nil, func(p *peer) { p.in.ReadByte() })
		}, ":443"},
	} {
		t.Run(name, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.resolve("server.test", v4a, v4b)
				tt.fail(w, d)
				scripts := repeat(5, answerAndClose("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"))
				if tt.port == "" {
					w.serve("b.test", v4b, scripts...)
				} else {
					w.serveAt(v4b+tt.port, serverTLS, scripts...)
				}
				w.want("200 x")(w.get(tt.url))
				failed := time.Now()
				d.again()
				w.want("200 x")(w.get(tt.url))
				w.wantDials(d, "0s "+v4b+tt.port)
				time.Sleep(time.Minute - 20*time.Second)
				d.again()
				w.want("200 x")(w.get(tt.url))
				w.wantDials(d, "0s "+v4b+tt.port)
				time.Sleep(time.Until(failed.Add(time.Minute)))
				d.again()
				d.script(refused(0), v4a)
				w.want("200 x")(w.get(tt.url))
				w.wantDials(d, "0s "+v4a+tt.port, "0s "+v4b+tt.port)
			}, WithTLSConfig(clientTLS))
		})
	}
}

// If all failed, all are tried, in their order. The one that connects is first again.
func TestAllAddressesArePostponed(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b)
		d.script(refused(0), v4a, v4b)
		for range 2 {
			_, err := w.get("http://server.test/")
			var e *Error
			if !errors.As(err, &e) || failuresOf(e) != "failed to connect to 10.0.0.1:80, failed to connect to 10.0.0.2:80" {
				t.Errorf("error %v", err)
			}
		}
		w.wantDials(d, "0s 10.0.0.1", "0s 10.0.0.2", "0s 10.0.0.1", "0s 10.0.0.2")
		d.script(nil, v4a, v4b)
		w.serve("b.test", v4b, answer(okText("b")))
		d.again()
		w.want("200 b")(w.get("http://server.test/"))
		w.wantDials(d, "0s 10.0.0.1", "0s 10.0.0.2")
		w.client.cfg.pool.EvictAll()
		w.serve("a.test", v4a, answer(okText("a")))
		d.script(dead, v4b)
		d.again()
		w.want("200 a")(w.get("http://server.test/"))
		w.wantDials(d, "0s 10.0.0.2", "250ms 10.0.0.1")
	})
}

// What a call breaks off says nothing about the address.
func TestEndIsNoFailureOfRoute(t *testing.T) {
	_, clientTLS := tlsFor("server.test")
	for name, tt := range map[string]struct {
		url  string
		prep func(*world, *dials)
	}{
		"connecting": {"http://server.test/", func(w *world, d *dials) { d.script(dead, v4a) }},
		"TLS":        {"https://server.test/", func(w *world, d *dials) { w.serveAt(v4a+":443", nil, func(p *peer) { io.Copy(io.Discard, p.in) }) }},
		"response":   {"http://server.test/", func(w *world, d *dials) { w.serve("a.test", v4a, answer()) }},
	} {
		for how, opts := range map[string][]CallOption{"timeout": {WithCallTimeout(time.Second)}, "cancel": nil} {
			t.Run(fmt.Sprint(name, ", ", how), func(t *testing.T) {
				inDials(t, func(t *testing.T, w *world, d *dials) {
					w.resolve("server.test", v4a)
					tt.prep(w, d)
					call := w.client.NewCall(mustRequest(t, "GET", tt.url), opts...)
					time.AfterFunc(time.Second+time.Millisecond, call.Cancel)
					if _, err := call.Execute(t.Context()); err == nil {
						t.Error("no error")
					}
					if n := len(w.client.cfg.failures.failed); n > 0 {
						t.Errorf("%d routes count as failed", n)
					}
				}, WithTLSConfig(clientTLS))
			})
		}
	}
}

// Derived clients share what is known of routes. Under other settings a route is another one.
func TestRouteDatabaseOfDerivedClients(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.resolve("server.test", v4a, v4b)
		w.serve("b.test", v4b, repeat(9, answer(okText("b")))...)
		get := func(c *Client, opts ...CallOption) {
			t.Helper()
			d.again()
			resp, err := c.Get(t.Context(), "http://server.test/", opts...)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			c.cfg.pool.EvictAll()
		}
		get(w.client)
		w.wantDials(d, "0s 10.0.0.1", "0s 10.0.0.2")
		get(w.client.With(WithReadTimeout(time.Minute)))
		w.wantDials(d, "0s 10.0.0.2")
		get(w.client, WithReadTimeout(time.Minute))
		w.wantDials(d, "0s 10.0.0.2")
		get(w.client.With(WithProxySelector(ProxyList(nil))))
		w.wantDials(d, "0s 10.0.0.1", "0s 10.0.0.2")
	})
}
