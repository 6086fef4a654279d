package okhttp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// secureProxy makes proxy.test a proxy that is spoken to over TLS.
func (w *world) secureProxy(config *tls.Config, scripts ...func(*peer)) {
	w.t.Helper()
	w.resolve("proxy.test", "10.0.9.1")
	w.serveAt("10.0.9.1:443", config, scripts...)
}

func httpsProxy(t *testing.T) Option { return WithProxy(mustProxy(t, "https://u:p@proxy.test")) }

const viaHTTPS = " via proxy https://proxy.test:443 at 10.0.9.1:443"

// TLS within TLS, and TLS around cleartext. Both sides of each see the names that are theirs.
func TestHTTPSProxy(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		serverTLS, clientTLS := tlsFor("server.test")
		proxyTLS, _ := tlsFor("proxy.test")
		serverTLS.MaxVersion, proxyTLS.MaxVersion = version, version
		t.Run(tls.VersionName(version)+"/tunnel", func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				var outer, inner tls.ConnectionState
				w.secureProxy(proxyTLS, func(p *peer) {
					heads = append(heads, p.head())
					outer = p.Conn.(*tls.Conn).ConnectionState()
					p.send(established)
					p.under(serverTLS, func(p *peer) {
						heads = append(heads, p.head())
						inner = p.Conn.(*tls.Conn).ConnectionState()
						p.send(okText("x"))
						p.say(&heads, okText("y"))
						p.untilClosed()
					})
				})
				resp, err := w.client.Get(t.Context(), "https://server.test/a")
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != "x" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				w.want("200 y")(w.get("https://server.test/a"))
				wantProxyAuthorization(t, heads, "Basic dTpw", "", "")
				if !strings.HasPrefix(heads[0], "CONNECT server.test:443 HTTP/1.1\r\n") || !strings.HasPrefix(heads[1], "GET /a HTTP/1.1\r\n") {
					t.Errorf("sent %q", heads)
				}
				if outer.ServerName != "proxy.test" || outer.NegotiatedProtocol != "http/1.1" || inner.ServerName != "server.test" || inner.NegotiatedProtocol != "http/1.1" {
					t.Errorf("the proxy saw %s %s, the server %s %s", outer.ServerName, outer.NegotiatedProtocol, inner.ServerName, inner.NegotiatedProtocol)
				}
				if hs := resp.Handshake(); hs == nil || hs.PeerCertificates[0].DNSNames[0] != "server.test" {
					t.Errorf("handshake %+v", hs)
				}
				if conn, _ := resp.Connection(); conn.Route().String() != "server.test"+viaHTTPS || conn.TLS().ServerName != "server.test" {
					t.Errorf("route %s", conn.Route())
				}
				w.wantEvents(proxiedTLS + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd " +
					"callStart connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
			}, httpsProxy(t), WithTLSConfig(clientTLS))
		})
		t.Run(tls.VersionName(version)+"/forward", func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				w.secureProxy(proxyTLS, func(p *peer) {
					p.say(&heads, okText("x"), okText("y"))
					p.untilClosed()
				})
				resp, err := w.client.Get(t.Context(), "http://server.test/a")
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != "x" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				if resp.Handshake() != nil { // the server's would be meant
					t.Error("a handshake")
				}
				w.want("200 y")(w.get("http://server.test/a"))
				wantProxyAuthorization(t, heads, "Basic dTpw", "Basic dTpw")
				if !strings.HasPrefix(heads[0], "GET http://server.test/a HTTP/1.1\r\nHost: server.test\r\n") {
					t.Errorf("sent %q", heads)
				}
			}, httpsProxy(t), WithTLSConfig(clientTLS))
		})
	}
}

// What the user does for servers is not done to the proxy, and the proxy is not let off either.
func TestHTTPSProxyTrust(t *testing.T) {
	serverTLS, trusting := tlsFor("server.test")
	proxyTLS, _ := tlsFor("proxy.test")
	strangerTLS, _ := tlsFor("stranger.test")
	pinned, err := NewCertificatePinner("*.test", PinOf(leafOf(serverTLS)))
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(*tls.Config)) *tls.Config {
		c := trusting.Clone()
		change(c)
		return c
	}
	for name, tt := range map[string]struct {
		proxy  *tls.Config
		client *tls.Config
		opts   []CallOption
		fails  func(error) bool
	}{
		"trusted":               {proxyTLS, trusting, nil, nil},
		"another name":          {strangerTLS, trusting, nil, isError[x509.HostnameError]},
		"another authority":     {proxyTLS, &tls.Config{RootCAs: x509.NewCertPool()}, nil, isError[*tls.CertificateVerificationError]},
		"anything goes":         {strangerTLS, with(func(c *tls.Config) { c.InsecureSkipVerify = true }), nil, nil},
		"a name for the server": {proxyTLS, with(func(c *tls.Config) { c.ServerName = "server.test" }), nil, nil},
		"a check of servers": {proxyTLS, with(func(c *tls.Config) {
			c.VerifyConnection = func(cs tls.ConnectionState) error {
				if cs.ServerName != "server.test" {
					return errors.New("not the server")
				}
				return nil
			}
			c.VerifyPeerCertificate = func(_ [][]byte, chains [][]*x509.Certificate) error {
				if chains[0][0].DNSNames[0] != "server.test" {
					return errors.New("not the server's certificate")
				}
				return nil
			}
		}), nil, nil},
		"a check in the place of trust": {strangerTLS, with(func(c *tls.Config) {
			c.InsecureSkipVerify = true
			c.VerifyConnection = func(cs tls.ConnectionState) error { return nil }
		}), nil, isError[x509.HostnameError]},
		"another check in the place of trust": {strangerTLS, with(func(c *tls.Config) {
			c.InsecureSkipVerify = true
			c.VerifyPeerCertificate = func([][]byte, [][]*x509.Certificate) error { return nil }
		}), nil, isError[x509.HostnameError]},
		"keys for a hello":              {proxyTLS, with(func(c *tls.Config) { c.EncryptedClientHelloConfigList = []byte("of the server") }), nil, isPhase(PhaseTLS)},
		"pins":                          {proxyTLS, trusting, []CallOption{WithCertificatePinner(pinned)}, nil},
		"a verifier":                    {proxyTLS, trusting, []CallOption{WithHostnameVerifier(onlyFor("server.test"))}, nil},
		"a verifier that is not for it": {strangerTLS, trusting, []CallOption{WithHostnameVerifier(onlyFor("server.test"))}, isError[x509.HostnameError]},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				w.secureProxy(tt.proxy, func(p *peer) {
					p.say(&heads, established)
					p.under(serverTLS, answer(okText("x")))
				})
				got, err := w.get("https://server.test/", append(tt.opts, WithTLSConfig(tt.client))...)
				switch {
				case tt.fails == nil:
					w.want("200 x")(got, err)
				case !tt.fails(err):
					t.Errorf("%q, error %v", got, err)
				case isError[*ProxyError](err):
					wantProxyError(t, err, PhaseProxy, 0, "server.test"+viaHTTPS, "proxy https://proxy.test:443: ")
					if len(heads) > 0 {
						t.Errorf("a proxy without trust got %q", heads)
					}
					w.wantEvents("callStart dnsStart dnsEnd connectStart connectFailed retryDecision false callFailed")
				}
				w.holdsNothing()
			}, httpsProxy(t))
		})
	}
}

func isPhase(p Phase) func(error) bool {
	return func(err error) bool {
		var e *Error
		return errors.As(err, &e) && e.Phase == p
	}
}

func leafOf(c *tls.Config) *x509.Certificate {
	leaf, err := x509.ParseCertificate(c.Certificates[0].Certificate[0])
	if err != nil {
		panic(err)
	}
	return leaf
}

// onlyFor is a verifier of one name, and fails the others.
type onlyFor string

func (n onlyFor) Verify(host string, cs *tls.ConnectionState) error {
	if host != string(n) {
		return errors.New("asked for " + host)
	}
	return nil
}

// A name with the root's dot is that of the certificate without it.
func TestHTTPSProxyWithDot(t *testing.T) {
	proxyTLS, clientTLS := tlsFor("proxy.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.resolve("proxy.test.", "10.0.9.1")
		w.secureProxy(proxyTLS, answer(okText("x")))
		w.want("200 x")(w.get("http://server.test/"))
	}, WithProxy(mustProxy(t, "https://proxy.test.")), WithTLSConfig(clientTLS))
}

// An idle connection through two layers of TLS is looked at like any other: tickets are no data, an end is seen.
func TestHTTPSProxyIdle(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	proxyTLS, _ := tlsFor("proxy.test")
	for name, tt := range map[string]struct {
		between func(p *peer) // what the server does while the connection is idle
		kept    bool
	}{
		"silent":         {func(p *peer) {}, true},
		"closed":         {func(p *peer) { p.Close() }, false},
		"closed at once": {func(p *peer) { p.Conn.(*tls.Conn).NetConn().(*readConn).Close() }, false},
		"data":           {func(p *peer) { p.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				idle := make(chan struct{})
				w.secureProxy(proxyTLS, func(p *peer) {
					p.head()
					p.send(established)
					p.under(serverTLS, func(p *peer) {
						p.request()
						p.send(okText("x"))
						<-idle
						tt.between(p)
						answer(okText("kept"))(p)
					})
				}, tunneled(serverTLS, answer(okText("new"))))
				w.want("200 x")(w.get("https://server.test/"))
				time.Sleep(10 * time.Second)
				close(idle)
				time.Sleep(10 * time.Second)
				want := "200 new"
				if tt.kept {
					want = "200 kept"
				}
				w.want(want)(w.do("POST", "https://server.test/", Text("y"))) // which is not repeated
			}, httpsProxy(t), WithTLSConfig(clientTLS))
		})
	}
}

// Sessions are resumed with the proxy and with the server, each with its own.
func TestHTTPSProxyResumption(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	proxyTLS, _ := tlsFor("proxy.test")
	inWorld(t, func(t *testing.T, w *world) {
		var outer, inner []bool
		script := func(p *peer) {
			p.head()
			outer = append(outer, p.Conn.(*tls.Conn).ConnectionState().DidResume)
			p.send(established)
			p.under(serverTLS, func(p *peer) {
				p.request()
				inner = append(inner, p.Conn.(*tls.Conn).ConnectionState().DidResume)
				p.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")
				io.Copy(io.Discard, p.in)
			})
		}
		w.secureProxy(proxyTLS, script, script)
		w.want("200 x")(w.get("https://server.test/"))
		w.want("200 x")(w.get("https://server.test/"))
		if len(outer) != 2 || outer[0] || !outer[1] || inner[0] || !inner[1] {
			t.Errorf("resumed %v with the proxy, %v with the server", outer, inner)
		}
	}, httpsProxy(t), WithTLSConfig(clientTLS))
}

// The proxy of one client may be the server of another, by the same name: what was agreed with one is not taken for the other where that has
// conditions of its own.
func TestHTTPSProxyIsServerToo(t *testing.T) {
	bothTLS, clientTLS := tlsFor("proxy.test")
	otherTLS, _ := tlsFor("other.test")
	pinned, err := NewCertificatePinner("proxy.test", PinOf(leafOf(otherTLS)))
	if err != nil {
		t.Fatal(err)
	}
	inWorld(t, func(t *testing.T, w *world) {
		close := func(p *peer) {
			p.request()
			p.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")
			p.untilClosed()
		}
		w.secureProxy(bothTLS, close, (*peer).untilClosed)
		w.want("200 x")(w.get("http://server.test/", WithProxy(mustProxy(t, "https://proxy.test"))))
		if _, err := w.get("https://proxy.test/"); !isError[*PinMismatchError](err) {
			t.Errorf("error %v", err)
		}
	}, WithTLSConfig(clientTLS), WithCertificatePinner(pinned))
}

// A proxy that is slow to shake hands is given up like a server.
func TestHTTPSProxySlow(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.secureProxy(nil, (*peer).untilClosed, (*peer).untilClosed)
		within(t, 3*time.Second, 3*time.Second, func() {
			_, err := w.get("http://server.test/", WithReadTimeout(3*time.Second))
			wantProxyError(t, err, PhaseProxy, 0, "server.test:80"+viaHTTPS, "tls handshake timeout after 3s")
		})
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
		time.AfterFunc(time.Second, call.Cancel)
		within(t, time.Second, time.Second, func() {
			if _, err := call.Execute(t.Context()); !errors.Is(err, ErrCanceled) {
				t.Errorf("error %v", err)
			}
		})
		w.holdsNothing()
	}, httpsProxy(t))
}
