package okhttp

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// Facts 56 and 59, section 8.2 and decision 6: when a connection to one host is used for another one.
func TestCoalescing(t *testing.T) {
	otherPin := func(host string) Option {
		p, err := NewCertificatePinner(host, "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
		if err != nil {
			t.Fatal(err)
		}
		return WithCertificatePinner(p)
	}
	accept := func(string, *tls.ConnectionState) error { return nil }
	for name, tt := range map[string]struct {
		names  string
		addr   string // of the second host
		url    string
		opt    func(client *tls.Config) Option // nil: none
		http1  bool
		shared bool
	}{
		"same address, both names": {names: "a.test b.test", shared: true},
		"a wildcard":               {names: "a.test *.test", shared: true},
		"another address":          {names: "a.test b.test", addr: "10.0.0.2"},
		"another port":             {names: "a.test b.test", url: "https://b.test:444/"},
		"a name that is not there": {names: "a.test"},
		"HTTP/1.1":                 {names: "a.test b.test", http1: true},
		"a verifier":               {names: "a.test b.test", opt: func(*tls.Config) Option { return WithHostnameVerifier(&verifierFunc{accept}) }},
		"InsecureSkipVerify":       {names: "a.test b.test", opt: func(c *tls.Config) Option { c.InsecureSkipVerify = true; return nil }},
		"ServerName":               {names: "a.test b.test", opt: func(c *tls.Config) Option { c.ServerName = "a.test"; return nil }},
		"VerifyConnection": {names: "a.test b.test", opt: func(c *tls.Config) Option {
			c.VerifyConnection = func(tls.ConnectionState) error { return nil }
			return nil
		}},
		"pins that do not match":       {names: "a.test b.test", opt: func(*tls.Config) Option { return otherPin("b.test") }},
		"pins of somebody else":        {names: "a.test b.test", opt: func(*tls.Config) Option { return otherPin("c.test") }, shared: true},
		"a client of HTTP/1.1 as well": {names: "a.test b.test", opt: func(*tls.Config) Option { return WithProtocols(HTTP2OrHTTP1) }, shared: true},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := tls2For(strings.Fields(tt.names)...)
			otherTLS, _ := tls2For("b.test")
			if tt.http1 {
				server.NextProtos = []string{"http/1.1"}
				otherTLS.NextProtos = server.NextProtos
			}
			// What does not have the other name is asked for by it, and shows another certificate then.
			byName := server.Clone()
			if !strings.Contains(tt.names, "b.test") && !strings.Contains(tt.names, "*") {
				byName.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
					if h.ServerName == "b.test" {
						return otherTLS, nil
					}
					return nil, nil
				}
			}
			opts := []Option{nil, WithTLSConfig(client)}
			if tt.opt != nil {
				opts[0] = tt.opt(client)
			}
			inWorld(t, func(t *testing.T, w *world) {
				w.resolve("a.test", "10.0.0.1")
				addr := tt.addr
				if addr == "" {
					addr = "10.0.0.1"
				}
				w.resolve("b.test", addr)
				want := "200 1.0"
				if tt.shared {
					want = "200 0.1"
				}
				if tt.http1 {
					w.serveAt("10.0.0.1:443", byName, answer(okText("0.0")), answer(okText("1.0")))
				} else {
					w.serve2At("10.0.0.1:443", byName, http2.Config{}, streams(which), streams(which))
					if tt.addr != "" {
						w.serve2At(tt.addr+":443", byName, http2.Config{}, streams(func(s *stream2) { s.answer(200, "1.0") }))
					}
					w.serve2At("10.0.0.1:444", byName, http2.Config{}, streams(func(s *stream2) { s.answer(200, "1.0") }))
				}
				w.want("200 0.0")(w.get("https://a.test/"))
				w.events = nil
				url := tt.url
				if url == "" {
					url = "https://b.test/"
				}
				got, err := w.get(url)
				if tt.opt != nil && name == "pins that do not match" {
					if !isA[*PinMismatchError](err) {
						t.Errorf("%s, %v", got, err)
					}
					return
				}
				w.want(want)(got, err)
				if tt.shared {
					w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectionAcquired " + exchanged +
						"followUpDecision false responseBodyStart responseBodyEnd 3 connectionReleased callEnd")
					w.want("200 0.2")(w.get(url))
					w.wantPool(1, 1, 0)
				} else {
					w.wantPool(2, 2, 0)
				}
			}, opts...)
		})
	}
}

// Fact 58: a server that wants a host elsewhere is asked again over a connection of its own, and the first serves its own host.
func TestMisdirected(t *testing.T) {
	inWorld2(t, "a.test b.test", func(t *testing.T, w *world, config *tls.Config) {
		w.resolve("b.test", "10.0.0.1")
		script := streams(func(s *stream2) {
			if s.peer.n == 0 && s.field(":authority") == "b.test" {
				s.answer(421, "not here")
				return
			}
			which(s)
		})
		w.serve2("a.test", "10.0.0.1", config, script, script)
		w.want("200 0.0")(w.get("https://a.test/"))
		resp, err := w.client.Post(t.Context(), "https://b.test/", Text("x"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "1.0" || err != nil || resp.Prior() == nil || resp.Prior().Status != 421 {
			t.Errorf("%q, %v after %v", text, err, resp.Prior())
		}
		w.want("200 0.2")(w.get("https://a.test/"))
		w.want("200 1.1")(w.get("https://b.test/"))
		w.wantPool(2, 2, 0)
	})
	// A body that can be sent once is not, and neither is what a connection of its own refuses.
	inWorld2(t, "a.test b.test", func(t *testing.T, w *world, config *tls.Config) {
		w.resolve("b.test", "10.0.0.1")
		w.serve2("a.test", "10.0.0.1", config, streams(func(s *stream2) { s.answer(421, "no") }))
		w.want("421 no")(w.get("https://a.test/"))
		w.want("421 no")(w.do("POST", "https://b.test/", OneShot("", -1, strings.NewReader("x"))))
		w.wantPool(1, 1, 0)
	})
}

// A redirect to a host that the certificate is for is looked up all the same: only the same address makes it the same server.
func TestRedirectToCoveredHost(t *testing.T) {
	for _, same := range []bool{true, false} {
		t.Run(fmt.Sprint(same), func(t *testing.T) {
			inWorld2(t, "a.test b.test", func(t *testing.T, w *world, config *tls.Config) {
				addr, want := "10.0.0.1", "200 b.test 0.1"
				if !same {
					addr, want = "10.0.0.2", "200 elsewhere"
					w.serve2At("10.0.0.2:443", config, http2.Config{}, streams(func(s *stream2) { s.answer(200, "elsewhere") }))
				}
				w.resolve("b.test", addr)
				w.serve2("a.test", "10.0.0.1", config, streams(func(s *stream2) {
					if s.field(":authority") == "a.test" {
						s.answer(302, "", "location", "https://b.test/")
						return
					}
					s.answer(200, fmt.Sprint(s.field(":authority"), " ", s.peer.n, ".", s.n))
				}))
				w.want(want)(w.get("https://a.test/"))
				if w.lookups != 2 {
					t.Errorf("%d look-ups", w.lookups)
				}
				w.holdsNothing()
			})
		})
	}
}

// A redirect on the same host keeps the connection that was taken for it.
func TestRedirectOnCoalesced(t *testing.T) {
	inWorld2(t, "a.test b.test", func(t *testing.T, w *world, config *tls.Config) {
		w.resolve("b.test", "10.0.0.1")
		w.serve2("a.test", "10.0.0.1", config, inTurn(which, reply(302, "", "location", "/x"), which))
		w.want("200 0.0")(w.get("https://a.test/"))
		w.events = nil
		w.want("200 0.2")(w.get("https://b.test/"))
		if n := strings.Count(strings.Join(w.events, " "), "connectionAcquired"); n != 1 {
			t.Errorf("acquired %d times: %v", n, w.events)
		}
		w.wantPool(1, 1, 0)
	})
}

// Fact 57: a connection that was taken for another host, and turns out to be closed, is replaced by one of its own.
func TestStaleCoalesced(t *testing.T) {
	inWorld2(t, "a.test b.test", func(t *testing.T, w *world, config *tls.Config) {
		w.resolve("b.test", "10.0.0.1")
		w.serve2("a.test", "10.0.0.1", config, func(p *peer2) {
			which(p.accept(0))
			p.accept(1) // and closes
		}, streams(which))
		w.want("200 0.0")(w.get("https://a.test/"))
		w.want("200 1.0")(w.get("https://b.test/"))
		w.wantPool(1, 1, 0)
	})
}

// A tunnel leads to HTTP/2 as a direct connection does, and what is for the proxy stays with it (fact 48). Nothing is coalesced.
func TestHTTP2ThroughProxies(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.resolve("proxy.test", "10.1.0.1")
		connects, fields := make(chan string, 4), make(chan []string, 4)
		w.serveAt("10.1.0.1:8080", nil, slices.Repeat([]func(*peer){func(p *peer) {
			r, _ := p.request()
			if r == nil {
				return
			}
			connects <- r.Method + " " + r.RequestURI + " " + r.Header.Get("Proxy-Authorization")
			p.send("HTTP/1.1 200 OK\r\n\r\n")
			var stream = p.Conn
			if config != nil {
				stream = tls.Server(p.Conn, config)
			}
			c := http2.NewServer(stream, http2.Config{})
			defer c.Close()
			streams(func(s *stream2) {
				fields <- s.fields
				which(s)
			})(&peer2{t: t, Conn: c, raw: stream})
		}}, 2)...)
		proxy, err := ParseProxy("http://user:secret@proxy.test:8080")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", url, Header("Proxy-Authorization", "mine")), WithProxy(proxy))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := resp.Body.Text(); text != fmt.Sprint("0.", i) || err != nil || resp.Protocol != HTTP2 {
				t.Errorf("%q, %v over %s", text, err, resp.Protocol)
			}
			if got := <-fields; slices.Contains(got, "proxy-authorization") {
				t.Errorf("the server got %q", got)
			}
		}
		if got := <-connects; !strings.HasPrefix(got, "CONNECT server.test:") || !strings.Contains(got, "Basic ") || len(connects) > 0 {
			t.Errorf("the proxy was asked %s, and %d times more", got, len(connects))
		}
		w.wantPool(1, 1, 0)
	})
}

// A panic of a listener leaves the connection and its other calls whole.
func TestHTTP2ListenerPanics(t *testing.T) {
	for _, hook := range []string{"connectionAcquired", "requestHeadersStart", "requestHeadersEnd", "responseHeadersEnd", "responseBodyStart", "responseBodyEnd"} {
		t.Run(hook, func(t *testing.T) {
			inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
				w.serve2("server.test", "10.0.0.1", nil, streams(func(s *stream2) {
					if s.n == 1 {
						time.Sleep(time.Second)
					}
					s.answer(200, "x")
				}))
				w.want("200 x")(w.get("http://server.test/"))
				_, other := w.enqueue(t.Context(), w.client, "http://server.test/")
				time.Sleep(time.Millisecond)
				func() {
					defer func() {
						if v := recover(); v != "boom" {
							t.Errorf("recovered %v", v)
						}
					}()
					call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
					call.AddEventListener(listenToAll(func(h string, event any) {
						if name, _, _ := strings.Cut(eventText(h, event), " "); name == hook {
							panic("boom")
						}
					}))
					resp, err := call.Execute(t.Context())
					if err != nil {
						t.Errorf("error %v", err)
						return
					}
					defer resp.Body.Close()
					resp.Body.Text()
				}()
				if o := <-other; o.err != nil || o.text != "x" {
					t.Errorf("the other call: %+v", o)
				}
				w.want("200 x")(w.get("http://server.test/"))
				w.wantPool(1, 1, 0)
			})
		})
	}
}
