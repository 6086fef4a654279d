package okhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"iter"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// serveAt handles the connections to an address and port as serve does, under TLS if there is a configuration.
func (w *world) serveAt(addrPort string, config *tls.Config, scripts ...func(*peer)) {
	w.t.Helper()
	l, err := w.network.Listen(addrPort)
	if err != nil {
		w.t.Fatal(err)
	}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	w.serveOn(l, scripts...)
}

// serveTLS is serve for https.
func (w *world) serveTLS(name, addr string, config *tls.Config, scripts ...func(*peer)) {
	w.t.Helper()
	w.resolve(name, addr)
	w.serveAt(net.JoinHostPort(addr, "443"), config, scripts...)
}

func (p *peer) secure() bool {
	_, ok := p.Conn.(*tls.Conn)
	return ok
}

const tlsConnected = "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart secureConnectEnd connectEnd connectionAcquired "

// An https call from end to end: events, the handshake's outcome and what the server learns.
func TestHTTPS(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			serverTLS.MaxVersion = version
			inWorld(t, func(t *testing.T, w *world) {
				var state tls.ConnectionState
				w.serveTLS("server.test", "10.0.0.1", serverTLS, func(p *peer) {
					p.request()
					state = p.Conn.(*tls.Conn).ConnectionState()
					p.send(okText("x"))
					p.request()
					p.send(okText("y"))
					io.Copy(io.Discard, p.in)
				})
				resp, err := w.client.Get(t.Context(), "https://server.test/")
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != "x" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				w.wantEvents(tlsConnected + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
				hs := resp.Handshake()
				if hs == nil {
					t.Fatal("no handshake")
				}
				if want := map[uint16]string{tls.VersionTLS12: "TLSv1.2", tls.VersionTLS13: "TLSv1.3"}[version]; hs.Version != want {
					t.Errorf("version %s, want %s", hs.Version, want)
				}
				if want := tls.CipherSuiteName(state.CipherSuite); hs.CipherSuite != want {
					t.Errorf("suite %s, want %s", hs.CipherSuite, want)
				}
				if len(hs.PeerCertificates) != 1 || hs.PeerCertificates[0].DNSNames[0] != "server.test" || hs.LocalCertificates != nil {
					t.Errorf("certificates %v and %v", hs.PeerCertificates, hs.LocalCertificates)
				}
				if state.ServerName != "server.test" || state.NegotiatedProtocol != "http/1.1" {
					t.Errorf("the server saw name %q, protocol %q", state.ServerName, state.NegotiatedProtocol)
				}
				if n := resp.NetworkResponse(); n.Handshake() != hs {
					t.Error("the network response has another handshake")
				}
				w.want("200 y")(w.get("https://server.test/"))
				w.wantEvents("callStart connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
			}, WithTLSConfig(clientTLS))
		})
	}
}

// A name that TLS libraries like to refuse, through URL, Host, server name and certificate (decision 10).
func TestHTTPSOfHostWithUnderscore(t *testing.T) {
	serverTLS, clientTLS := tlsFor("a_b.com")
	inWorld(t, func(t *testing.T, w *world) {
		var host, sni string
		w.serveTLS("a_b.com", "10.0.0.1", serverTLS, func(p *peer) {
			r, _ := p.request()
			if r == nil {
				return
			}
			host, sni = r.Host, p.Conn.(*tls.Conn).ConnectionState().ServerName
			p.send(okText("x"))
			io.Copy(io.Discard, p.in)
		})
		w.want("200 x")(w.get("https://a_b.com/"))
		if host != "a_b.com" || sni != "a_b.com" {
			t.Errorf("Host %q, server name %q", host, sni)
		}
	}, WithTLSConfig(clientTLS))
}

func TestHTTPSOfOtherNames(t *testing.T) {
	for _, c := range []struct{ url, sni string }{
		{"https://server.test./", "server.test"}, // the root's dot is no part of the name in TLS
		{"https://SERVER.test/", "server.test"},
		{"https://sub.wild.test/", "sub.wild.test"},
		{"https://b\u00fccher.test/", "xn--bcher-kva.test"},
		{"https://10.0.0.1/", ""}, // addresses are not sent (RFC 6066 section 3)
		{"https://[2001:db8::1]/", ""},
	} {
		t.Run(c.url, func(t *testing.T) {
			leaf := issue(&x509.Certificate{SerialNumber: big.NewInt(3), DNSNames: []string{"server.test", "*.wild.test", "xn--bcher-kva.test"},
				IPAddresses: []net.IP{net.ParseIP("10.0.0.1"), net.ParseIP("2001:db8::1")}}, authority())
			_, clientTLS := tlsFor()
			inWorld(t, func(t *testing.T, w *world) {
				req := mustRequest(t, "GET", c.url)
				addr := "10.0.0.1"
				if strings.Contains(c.url, "[") {
					addr = "2001:db8::1"
				}
				sni := "unset"
				w.serveTLS(req.URL().Host(), addr, &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
					sni = hello.ServerName
					chain := leaf.chain()
					return &chain, nil
				}}, answer(okText("x")))
				w.want("200 x")(w.get(c.url))
				if sni != c.sni {
					t.Errorf("server name %q, want %q", sni, c.sni)
				}
			}, WithTLSConfig(clientTLS))
		})
	}
}

// Certificates that do not verify end the call: the next address is the same server.
func TestUntrustedServer(t *testing.T) {
	goodServer, clientTLS := tlsFor("server.test")
	otherServer, _ := tlsFor("other.test")
	expired := &tls.Config{Certificates: goodServer.Certificates}
	late := clientTLS.Clone()
	late.Time = func() time.Time { return time.Date(3001, 1, 1, 0, 0, 0, 0, time.UTC) }
	refuses := clientTLS.Clone()
	refuses.VerifyConnection = func(tls.ConnectionState) error {
		return &tls.CertificateVerificationError{Err: errors.New("not today")}
	}
	for name, c := range map[string]struct {
		server, client *tls.Config
		host           bool // the cause is the name
	}{
		"wrong host":          {otherServer, clientTLS, true},
		"unknown authority":   {goodServer, &tls.Config{RootCAs: x509.NewCertPool()}, false},
		"expired":             {expired, late, false},
		"refused by the user": {goodServer, refuses, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveTLS("server.test", "10.0.0.1", c.server, answer(okText("x")))
				w.serveTLS("server.test", "10.0.0.2", goodServer, answer(okText("x")))
				_, err := w.get("https://server.test/")
				var e *Error
				var verification *tls.CertificateVerificationError
				var host x509.HostnameError
				if !errors.As(err, &e) || e.Phase != PhaseTLS || e.Route != "server.test at 10.0.0.1:443" || e.Sent || !SafeToRetry(err) || e.Timeout() {
					t.Errorf("error %+v", err)
				}
				var name *HostnameError
				if !errors.As(err, &verification) || errors.As(err, &host) != c.host || errors.As(err, &name) != c.host {
					t.Errorf("error %v of type %T", err, e.Err)
				}
				w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart connectFailed retryDecision false callFailed")
				if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
					t.Errorf("pool %+v", got)
				}
			}, WithTLSConfig(c.client))
		})
	}
	t.Run("unless the user takes anything", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serveTLS("server.test", "10.0.0.1", otherServer, answer(okText("x")))
			resp, err := w.client.Get(t.Context(), "https://server.test/")
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Handshake().PeerCertificates[0].DNSNames[0]; got != "other.test" {
				t.Errorf("certificate of %s", got)
			}
			resp.Body.Close()
		}, WithTLSConfig(&tls.Config{InsecureSkipVerify: true}))
	})
}

// Fact 31: a handshake that stalls is bound by the read timeout and not tried at the next address.
func TestHandshakeStalls(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	stall := func(p *peer) { io.Copy(io.Discard, p.in) }
	t.Run("read timeout", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.resolve("server.test", "10.0.0.1")
			w.serveAt("10.0.0.1:443", nil, stall)
			w.serveTLS("server.test", "10.0.0.2", serverTLS, answer(okText("x")))
			start := time.Now()
			_, err := w.get("https://server.test/", WithReadTimeout(3*time.Second))
			var e *Error
			if !errors.As(err, &e) || !e.Timeout() || errors.Is(err, context.DeadlineExceeded) || e.Phase != PhaseTLS || e.Sent || len(e.Attempts) != 0 {
				t.Errorf("error %+v", err)
			}
			if got := time.Since(start); got != 3*time.Second {
				t.Errorf("after %v, want 3 s", got)
			}
			w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart connectFailed retryDecision false callFailed")
		}, WithTLSConfig(clientTLS))
	})
	for _, how := range []string{"Cancel", "context", "call timeout", "deadline"} {
		t.Run(how, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.resolve("server.test", "10.0.0.1")
				w.serveAt("10.0.0.1:443", nil, stall)
				var opts []CallOption
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				want := ErrCanceled
				switch how {
				case "call timeout":
					opts, want = append(opts, WithCallTimeout(time.Second)), ErrCallTimeout
				case "deadline":
					want = context.DeadlineExceeded
					ctx, cancel = context.WithTimeout(ctx, time.Second)
					defer cancel()
				}
				call := w.client.NewCall(mustRequest(t, "GET", "https://server.test/"), opts...)
				switch how {
				case "Cancel":
					time.AfterFunc(time.Second, call.Cancel)
				case "context":
					want = context.Canceled
					time.AfterFunc(time.Second, cancel)
				}
				start := time.Now()
				if _, err := call.Execute(ctx); !errors.Is(err, want) {
					t.Errorf("error %v, want %v", err, want)
				}
				if got := time.Since(start); got != time.Second {
					t.Errorf("after %v, want 1 s", got)
				}
			}, WithTLSConfig(clientTLS))
		})
	}
}

// A handshake that breaks for another reason may be the fault of one machine.
func TestHandshakeBreaks(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	old := serverTLS.Clone()
	old.MaxVersion = tls.VersionTLS11
	for name, broken := range map[string]func(*peer){
		"closed at once":      func(*peer) {},
		"closed on the hello": func(p *peer) { p.in.Peek(1) },
		"closed in the midst": func(p *peer) { p.in.Peek(1); p.send("\x16\x03\x03\x40\x00") },
		"not TLS":             func(p *peer) { p.send("HTTP/1.1 400 Bad Request\r\n\r\n"); io.Copy(io.Discard, p.in) },
		"no common version":   func(p *peer) { tls.Server(p.Conn, old).Handshake() },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.resolve("server.test", "10.0.0.1")
				w.serveAt("10.0.0.1:443", nil, broken, broken)
				if _, err := w.get("https://server.test/"); err == nil {
					t.Error("no error")
				} else if e := (*Error)(nil); !errors.As(err, &e) || e.Phase != PhaseTLS || e.Sent {
					t.Errorf("error %+v", err)
				}
				w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart connectFailed retryDecision false callFailed")
				w.serveTLS("server.test", "10.0.0.2", serverTLS, answer(okText("x")))
				time.Sleep(routeMemory) // or else the route that failed would be the last
				w.want("200 x")(w.get("https://server.test/"))
				w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart connectFailed connectStart secureConnectStart secureConnectEnd connectEnd connectionAcquired " +
					exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
			}, WithTLSConfig(clientTLS))
		})
	}
}

// Decision 8: what arrives on an idle TLS connection is noticed, if it means something.
func TestIdleTLSConnection(t *testing.T) {
	for name, c := range map[string]struct {
		idle   func(*tls.Conn)
		reused bool
	}{
		"nothing":        {func(*tls.Conn) {}, true},
		"close_notify":   {func(c *tls.Conn) { c.CloseWrite() }, false},
		"unasked answer": {func(c *tls.Conn) { io.WriteString(c, okText("forged")) }, false},
		"close":          {func(c *tls.Conn) { c.Close() }, false},
	} {
		for _, method := range []string{"GET", "POST"} {
			t.Run(name+" "+method, func(t *testing.T) {
				serverTLS, clientTLS := tlsFor("server.test")
				inWorld(t, func(t *testing.T, w *world) {
					w.serveTLS("server.test", "10.0.0.1", serverTLS, func(p *peer) {
						p.request()
						p.send(okText("a"))
						time.Sleep(time.Second)
						c.idle(p.Conn.(*tls.Conn))
						if r, _ := p.request(); r != nil {
							if !c.reused {
								t.Errorf("a %s came", r.Method)
							}
							p.send(okText("same"))
						}
						io.Copy(io.Discard, p.in)
					}, answer(okText("other")))
					w.want("200 a")(w.get("https://server.test/"))
					time.Sleep(3 * time.Second)
					var body *Body
					if method == "POST" {
						body = Text("x")
					}
					want := "200 other"
					if c.reused {
						want = "200 same"
					}
					w.want(want)(w.do(method, "https://server.test/", body))
				}, WithTLSConfig(clientTLS))
			})
		}
	}
}

// idleTLS makes a connection as connecting leaves it, and its server's end. With TLS 1.3 the server's session tickets are on their way.
func idleTLS(t *testing.T, client, server net.Conn) (*Connection, *tls.Conn) {
	t.Helper()
	serverTLS, clientTLS := tlsFor("server.test")
	serverTLS.ClientAuth = tls.RequestClientCert // tickets follow the client's last message then
	clientTLS.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	srv := tls.Server(server, serverTLS)
	done := make(chan error, 1)
	go func() { done <- srv.Handshake() }()
	setup := newTLSSetup(New(WithTLSConfig(clientTLS)).cfg)
	cfg, _ := setup.choose(defaultSpecs, 0)
	setup.complete(cfg, "server.test", ModernTLS, HTTP1Only, "", new(tlsOutcome))
	secure := tls.Client(client, cfg)
	if err := secure.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	conn := newConnection(&connectPlan{route: &Route{address: address{host: "server.test", port: 443, secure: true, settings: New().cfg.secure}}, raw: client, stream: client}, secure)
	t.Cleanup(func() { conn.close(); srv.Close() })
	return conn, srv
}

// Session tickets are no sign of anything; the probe takes them and finds the connection silent.
func TestSessionTicketsOnIdleConnection(t *testing.T) {
	after := func(t *testing.T, conn *Connection, wait func(peekResult)) {
		t.Helper()
		for range 2 {
			if !conn.healthy(time.Hour, noRisk) {
				t.Error("session tickets make the connection unfit")
			}
		}
		wait(peekSilent)
	}
	t.Run("in memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a, b := okio.ConnPair(0)
			conn, srv := idleTLS(t, a, b)
			synctest.Wait()
			after(t, conn, func(peekResult) {})
			if err := srv.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if conn.healthy(time.Hour, noRisk) {
				t.Error("close_notify went unnoticed")
			}
			conn.close()
			srv.Close()
		})
	})
	t.Run("over TCP", func(t *testing.T) {
		for _, end := range []string{"close_notify", "close", "data"} {
			a, b := tcpPair(t)
			conn, srv := idleTLS(t, a, b)
			arrive := func(want peekResult) { // the kernel delivers when it likes
				for deadline := time.Now().Add(10 * time.Second); ; {
					if got := newProber(a).peek(); got == want || got == peekUnknown {
						return
					}
					if time.Now().After(deadline) {
						t.Fatalf("nothing arrived: %d, want %d", newProber(a).peek(), want)
					}
				}
			}
			arrive(peekBytes)
			after(t, conn, arrive)
			switch end {
			case "close_notify":
				srv.CloseWrite()
				arrive(peekBytes)
			case "close":
				srv.NetConn().Close()
				arrive(peekEnded)
			case "data":
				io.WriteString(srv, "forged")
				arrive(peekBytes)
			}
			if conn.healthy(time.Hour, noRisk) {
				t.Errorf("%s went unnoticed", end)
			}
		}
	})
}

func tcpPair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no loopback:", err)
	}
	defer l.Close()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return client, server
}

// Decision 7: calls share a connection if they were given the same things, and comparing never panics.
func TestConnectionSharing(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	copied := clientTLS.Clone()
	answered := DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	})
	uncomparable := WithDNS(uncomparableDNS{addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}})
	for name, c := range map[string]struct {
		first, second []CallOption
		shared        bool
		cleartext     bool
	}{
		"the same by default":                    {nil, nil, true, false},
		"the same config":                        {[]CallOption{WithTLSConfig(clientTLS)}, []CallOption{WithTLSConfig(clientTLS)}, true, false},
		"an equal config":                        {[]CallOption{WithTLSConfig(clientTLS)}, []CallOption{WithTLSConfig(copied)}, false, false},
		"another config in cleartext":            {[]CallOption{WithTLSConfig(clientTLS)}, []CallOption{WithTLSConfig(copied)}, true, true},
		"other time limits":                      {nil, []CallOption{WithReadTimeout(1e9), WithCallTimeout(1e10), WithFollowRedirects(false)}, true, false},
		"the same DNS":                           {[]CallOption{WithDNS(answered)}, []CallOption{WithDNS(answered)}, true, false},
		"another DNS":                            {nil, []CallOption{WithDNS(answered)}, false, false},
		"equal values of a DNS":                  {[]CallOption{WithDNS(valueDNS("10.0.0.1"))}, []CallOption{WithDNS(valueDNS("10.0.0.1"))}, true, false},
		"different values of a DNS":              {[]CallOption{WithDNS(valueDNS("10.0.0.1"))}, []CallOption{WithDNS(valueDNS("10.0.0.2"))}, false, false},
		"the same option of an uncomparable DNS": {[]CallOption{uncomparable}, []CallOption{uncomparable}, true, false},
		"two options of an uncomparable DNS":     {[]CallOption{uncomparable}, []CallOption{WithDNS(uncomparableDNS{addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}})}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				scripts := []func(*peer){answer(okText("1"), okText("shared")), answer(okText("new"))}
				url := "https://server.test/"
				if c.cleartext {
					url = "http://server.test/"
					w.serve("server.test", "10.0.0.1", scripts...)
				} else {
					w.serveTLS("server.test", "10.0.0.1", serverTLS, scripts...)
					w.serveAt("10.0.0.2:443", serverTLS, scripts[1])
				}
				w.want("200 1")(w.get(url, c.first...))
				want := "200 new"
				if c.shared {
					want = "200 shared"
				}
				w.want(want)(w.get(url, c.second...))
			}, WithTLSConfig(clientTLS))
		})
	}
}

// valueDNS resolves everything to one address; equal values are the same.
type valueDNS string

func (v valueDNS) Lookup(context.Context, string) iter.Seq2[DNSAnswer, error] {
	return func(yield func(DNSAnswer, error) bool) {
		yield(DNSAnswer{Addrs: []netip.Addr{netip.MustParseAddr(string(v))}}, nil)
	}
}

// uncomparableDNS cannot be compared with ==.
type uncomparableDNS struct{ addrs []netip.Addr }

func (u uncomparableDNS) Lookup(context.Context, string) iter.Seq2[DNSAnswer, error] {
	return func(yield func(DNSAnswer, error) bool) { yield(DNSAnswer{Addrs: u.addrs}, nil) }
}

// The user's configuration is completed in a copy.
func TestTLSConfigIsNotModified(t *testing.T) {
	serverTLS, clientTLS := tlsFor("certificate.test")
	clientTLS.ServerName = "certificate.test"
	clientTLS.NextProtos = []string{"h2"}
	inWorld(t, func(t *testing.T, w *world) {
		var state tls.ConnectionState
		w.serveTLS("server.test", "10.0.0.1", serverTLS, func(p *peer) {
			p.request()
			state = p.Conn.(*tls.Conn).ConnectionState()
			p.send(okText("x"))
			io.Copy(io.Discard, p.in)
		})
		w.want("200 x")(w.get("https://server.test/"))
		if state.ServerName != "certificate.test" {
			t.Errorf("server name %q", state.ServerName)
		}
		if clientTLS.ServerName != "certificate.test" || len(clientTLS.NextProtos) != 1 || clientTLS.NextProtos[0] != "h2" {
			t.Errorf("the configuration is now %+v", clientTLS)
		}
	}, WithTLSConfig(clientTLS))
}

// Bodies over TLS behave as in cleartext.
func TestBodiesOverTLS(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	large := strings.Repeat("0123456789", 100_000)
	t.Run("large", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var server recorder
			w.serveTLS("server.test", "10.0.0.1", serverTLS, server.answer(okText(large)))
			w.want("200 " + large)(w.do("POST", "https://server.test/", Text(large)))
			if server.requests[0].body != large {
				t.Errorf("the server got %d bytes", len(server.requests[0].body))
			}
		}, WithTLSConfig(clientTLS))
	})
	t.Run("ends with the connection", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serveTLS("server.test", "10.0.0.1", serverTLS, answerAndClose("HTTP/1.1 200 OK\r\n\r\nhello"))
			w.want("200 hello")(w.get("https://server.test/"))
		}, WithTLSConfig(clientTLS))
	})
	t.Run("refused while written", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serveTLS("server.test", "10.0.0.1", serverTLS, func(p *peer) {
				p.head()
				p.send("HTTP/1.1 413 X\r\nConnection: close\r\nContent-Length: 4\r\n\r\nstop")
			})
			w.want("413 stop")(w.do("POST", "https://server.test/", Bytes("", make([]byte, 4<<20))))
		}, WithTLSConfig(clientTLS))
	})
}

func TestTLSVersionNames(t *testing.T) {
	for version, want := range map[uint16]string{tls.VersionTLS10: "TLSv1", tls.VersionTLS11: "TLSv1.1", tls.VersionTLS12: "TLSv1.2", tls.VersionTLS13: "TLSv1.3", 0x0305: "0x0305"} {
		if got := tlsVersionName(version); got != want {
			t.Errorf("%04x is %s, want %s", version, got, want)
		}
	}
}
