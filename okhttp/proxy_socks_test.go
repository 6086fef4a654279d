package okhttp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

const socksAddr = "10.0.9.2:1080"

func socksProxy(t *testing.T, scheme string) Option {
	return WithProxy(mustProxy(t, scheme+"://10.0.9.2"))
}

const (
	socksGranted   = "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
	viaSOCKS       = "server.test:80 via proxy socks5://10.0.9.2:1080"
	socksConnected = "callStart connectStart dnsStart dnsEnd connectEnd connectionAcquired " // the proxy's address is known, the server's is not
)

// socksGrants is a SOCKS5 proxy (RFC 1928) that wants no credentials and grants what it is asked for. It returns the methods it was offered and
// that.
func socksGrants(p *peer) string {
	asked := p.socksMethods() + p.socksRequest()
	p.send(socksGranted)
	return asked
}

// socksMethods reads a greeting and chooses to do without credentials.
func (p *peer) socksMethods() string {
	greeting := p.bytes(2)
	methods := p.bytes(int(greeting[1]))
	p.send("\x05\x00")
	return fmt.Sprintf("%x %x ", greeting[0], methods)
}

// socksRequest reads a request and returns the type of its address, and the address.
func (p *peer) socksRequest() string {
	head := p.bytes(4)
	if string(head[:3]) != "\x05\x01\x00" {
		p.t.Errorf("a request begins with %x", head)
	}
	kind, host := "name", ""
	switch head[3] {
	case 1:
		kind, host = "IPv4", netip.AddrFrom4([4]byte(p.bytes(4))).String()
	case 4:
		kind, host = "IPv6", netip.AddrFrom16([16]byte(p.bytes(16))).String()
	case 3:
		host = string(p.bytes(int(p.bytes(1)[0])))
	}
	return fmt.Sprint(kind, " ", host, " ", binary.BigEndian.Uint16(p.bytes(2)))
}

// bytes reads so many bytes; zeros stand for those that do not come.
func (p *peer) bytes(n int) []byte {
	b := make([]byte, n)
	io.ReadFull(p.in, b)
	return b
}

// socks5 resolves names here, socks5h leaves that to the proxy (RFC 1928 section 5). Through both HTTP is what it is without a proxy.
func TestSOCKS(t *testing.T) {
	for _, tt := range []struct {
		scheme, url string
		asked       string
		dns         bool
	}{
		{"socks5", "http://server.test/a?b", "5 00 IPv4 10.0.0.1 80", true},
		{"socks5", "http://server.test:8080/", "5 00 IPv4 10.0.0.1 8080", true},
		{"socks5", "https://server.test/", "5 00 IPv4 10.0.0.1 443", true},
		{"socks5", "http://six.test/", "5 00 IPv6 2001:db8::1 80", true},
		{"socks5", "http://192.0.2.1/", "5 00 IPv4 192.0.2.1 80", false},
		{"socks5", "http://[2001:db8::2]/", "5 00 IPv6 2001:db8::2 80", false},
		{"socks5h", "http://server.test/", "5 00 name server.test 80", false},
		{"socks5h", "https://server.test/", "5 00 name server.test 443", false},
		{"socks5h", "http://unknown.test/", "5 00 name unknown.test 80", false},
		{"socks5h", "http://BÜCHER.test/", "5 00 name xn--bcher-kva.test 80", false},
		{"socks5h", "http://server.test./", "5 00 name server.test. 80", false},
		{"socks5h", "http://" + strings.Repeat("a", 255), "5 00 name " + strings.Repeat("a", 255) + " 80", false},
		{"socks5h", "http://192.0.2.1:81/", "5 00 IPv4 192.0.2.1 81", false},
		{"socks5h", "http://[2001:db8::2]/", "5 00 IPv6 2001:db8::2 80", false},
	} {
		t.Run(tt.scheme+" "+tt.url, func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			u, err := ParseURL(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			inWorld(t, func(t *testing.T, w *world) {
				w.resolve("server.test", "10.0.0.1")
				w.resolve("six.test", "2001:db8::1")
				asked, head := "", ""
				w.serveAt(socksAddr, nil, func(p *peer) {
					asked = socksGrants(p)
					serve := func(p *peer) {
						head = p.head()
						p.send(okText("x"))
						p.head()
						p.send(okText("y"))
						p.untilClosed()
					}
					if u.isHTTPS() {
						p.under(serverTLS, serve)
					} else {
						serve(p)
					}
				})
				w.want("200 x")(w.get(tt.url))
				if asked != tt.asked {
					t.Errorf("asked for %s, want %s", asked, tt.asked)
				}
				if !strings.HasPrefix(head, "GET "+u.requestTarget()+" HTTP/1.1\r\nHost: "+u.hostPort()+"\r\n") {
					t.Errorf("sent %q", head)
				}
				if dns := w.lookups > 0; dns != tt.dns {
					t.Errorf("%d look-ups", w.lookups)
				}
				w.want("200 y")(w.get(tt.url)) // over the same connection
			}, socksProxy(t, tt.scheme), WithTLSConfig(clientTLS))
		})
	}
}

// The proxy's own name is resolved here, whatever becomes of the server's.
func TestSOCKSByName(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.resolve("proxy.test", "10.0.9.2")
		w.serveAt(socksAddr, nil, func(p *peer) {
			socksGrants(p)
			answer(okText("x"))(p)
		})
		w.want("200 x")(w.get("http://server.test/"))
		w.wantEvents(proxied + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
	}, WithProxy(mustProxy(t, "socks5h://proxy.test")))
}

// RFC 1929: credentials are sent if the proxy asks for them, and at no other time.
func TestSOCKSAuthentication(t *testing.T) {
	for name, tt := range map[string]struct {
		proxy  string
		method string // chosen by the proxy
		status string // of the authentication
		login  string // as the proxy is to see it
		fails  string
	}{
		"not asked for":      {"socks5h://us3r:hunter2@10.0.9.2", "\x05\x00", "", "", ""},
		"accepted":           {"socks5h://us3r:hunter2@10.0.9.2", "\x05\x02", "\x01\x00", "us3r hunter2", ""},
		"of any bytes":       {"socks5h://us%3A%00:%C3%BC%FF@10.0.9.2", "\x05\x02", "\x01\x00", "us:\x00 \xc3\xbc\xff", ""},
		"without a password": {"socks5h://us3r@10.0.9.2", "\x05\x02", "\x01\x00", "us3r ", ""},
		"long":               {"socks5h://" + strings.Repeat("u", 255) + ":" + strings.Repeat("p", 255) + "@10.0.9.2", "\x05\x02", "\x01\x00", strings.Repeat("u", 255) + " " + strings.Repeat("p", 255), ""},
		"refused":            {"socks5h://us3r:hunter2@10.0.9.2", "\x05\x02", "\x01\x01", "us3r hunter2", "authentication failed"},
		"answered wrongly":   {"socks5h://us3r:hunter2@10.0.9.2", "\x05\x02", "\x05\x00", "us3r hunter2", "invalid username/password version"},
		"closed after them":  {"socks5h://us3r:hunter2@10.0.9.2", "\x05\x02", "", "us3r hunter2", "EOF"},
		"no method will do":  {"socks5h://us3r:hunter2@10.0.9.2", "\x05\xff", "", "", "no acceptable authentication methods"},
		"an unknown method":  {"socks5h://us3r:hunter2@10.0.9.2", "\x05\x01", "", "", "unsupported authentication method 1"},
		"asked without any":  {"socks5h://10.0.9.2", "\x05\xff", "", "", "no acceptable authentication methods"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				login := ""
				w.serveAt(socksAddr, nil, func(p *peer) {
					methods := p.bytes(int(p.bytes(2)[1]))
					if with := strings.Contains(tt.proxy, "@"); with != slices.Contains(methods, 2) || !slices.Contains(methods, 0) {
						t.Errorf("offered %x", methods)
					}
					p.send(tt.method)
					if tt.login != "" {
						head := p.bytes(2)
						user := p.bytes(int(head[1]))
						password := p.bytes(int(p.bytes(1)[0]))
						login = string(user) + " " + string(password)
						p.send(tt.status)
					}
					if tt.fails != "" {
						if tt.status != "" || tt.login == "" {
							p.untilClosed()
						}
						return
					}
					p.socksRequest()
					p.send(socksGranted)
					answer(okText("x"))(p)
				})
				got, err := w.get("http://server.test/", WithProxy(mustProxy(t, tt.proxy)))
				if login != tt.login {
					t.Errorf("the proxy saw %q, want %q", login, tt.login)
				}
				if tt.fails == "" {
					w.want("200 x")(got, err)
					return
				}
				wantProxyError(t, err, PhaseProxy, 0, "server.test:80 via proxy socks5h://10.0.9.2:1080", tt.fails)
				wantNoSecret(t, err, "us3r", "hunter2")
				w.holdsNothing()
			})
		})
	}
}

// RFC 1928 section 6: each reply has its meaning, which the error tells. What is no reply is a failure too.
func TestSOCKSReplies(t *testing.T) {
	const ip4, ip6 = "\x01\x00\x00\x00\x00\x00\x00", "\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for name, tt := range map[string]struct{ reply, fails string }{
		"granted for IPv4":   {"\x05\x00\x00" + ip4, ""},
		"granted for IPv6":   {"\x05\x00\x00" + ip6, ""},
		"granted for a name": {"\x05\x00\x00\x03\x0bserver.test\x00\x50", ""},
		"granted for none":   {"\x05\x00\x00\x03\x00\x00\x00", ""},
		"failure":            {"\x05\x01\x00" + ip4, "general SOCKS server failure"},
		"not allowed":        {"\x05\x02\x00" + ip4, "connection not allowed by ruleset"},
		"network":            {"\x05\x03\x00" + ip4, "network unreachable"},
		"host":               {"\x05\x04\x00" + ip4, "host unreachable"},
		"refused":            {"\x05\x05\x00" + ip4, "connection refused"},
		"TTL":                {"\x05\x06\x00" + ip4, "TTL expired"},
		"command":            {"\x05\x07\x00" + ip4, "command not supported"},
		"address type":       {"\x05\x08\x00" + ip4, "address type not supported"},
		"unassigned":         {"\x05\x09\x00" + ip4, "unknown code: 9"},
		"unassigned, last":   {"\x05\xff\x00" + ip4, "unknown code: 255"},
		"short refusal":      {"\x05\x05\x00\x01", "connection refused"},
		"version 4":          {"\x04\x00\x00" + ip4, "unexpected protocol version 4"},
		"HTTP":               {"HTTP/1.1 200 OK\r\n\r\n", "unexpected protocol version 72"},
		"reserved":           {"\x05\x00\x01" + ip4, "reserved"},
		"no such type":       {"\x05\x00\x00\x02\x00\x00\x00\x00\x00\x00", "unknown address type 2"},
		"nothing":            {"", "EOF"},
		"a byte":             {"\x05", "EOF"},
		"half of it":         {"\x05\x00\x00\x01\x00\x00", "EOF"},
		"a name cut":         {"\x05\x00\x00\x03\xffx", "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveAt(socksAddr, nil, func(p *peer) {
					p.socksMethods()
					p.socksRequest()
					if p.send(tt.reply); tt.fails == "" {
						answer(okText("x"))(p)
					}
				})
				got, err := w.get("http://server.test/")
				if tt.fails == "" {
					w.want("200 x")(got, err)
					return
				}
				wantProxyError(t, err, PhaseProxy, 0, "server.test:80 via proxy socks5h://10.0.9.2:1080", tt.fails)
				w.wantEvents("callStart connectStart connectFailed retryDecision false callFailed")
				w.holdsNothing()
			}, socksProxy(t, "socks5h"))
		})
	}
	t.Run("greeting", func(t *testing.T) {
		for text, fails := range map[string]string{"\x04\x00": "unexpected protocol version 4", "HTTP/1.1 400 X\r\n\r\n": "unexpected protocol version 72", "\x05": "EOF", "": "EOF"} {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveAt(socksAddr, nil, func(p *peer) {
					p.bytes(3)
					p.send(text)
				})
				_, err := w.get("http://server.test/")
				wantProxyError(t, err, PhaseProxy, 0, "server.test:80 via proxy socks5h://10.0.9.2:1080", fails)
			}, socksProxy(t, "socks5h"))
		}
	})
}

// The addresses of a server are tried one after another, each over a connection of its own.
func TestSOCKSSeveralAddresses(t *testing.T) {
	refuse := func(asked *[]string) func(*peer) {
		return func(p *peer) {
			p.socksMethods()
			*asked = append(*asked, p.socksRequest())
			p.send("\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00")
			p.untilClosed()
		}
	}
	for _, reached := range []bool{true, false} {
		t.Run(fmt.Sprint(reached), func(t *testing.T) {
			s := selectorOf(t, "socks5://10.0.9.2")
			inWorld(t, func(t *testing.T, w *world) {
				w.resolve("server.test", "10.0.0.1", "2001:db8::1", "10.0.0.2")
				var asked []string
				last := func(p *peer) {
					asked = append(asked, strings.TrimPrefix(socksGrants(p), "5 00 "))
					answer(okText("x"))(p)
				}
				if !reached {
					last = refuse(&asked)
				}
				w.serveAt(socksAddr, nil, refuse(&asked), refuse(&asked), last)
				got, err := w.get("http://server.test/")
				if want := []string{"IPv6 2001:db8::1 80", "IPv4 10.0.0.1 80", "IPv4 10.0.0.2 80"}; !slices.Equal(asked, want) {
					t.Errorf("asked for %q, want %q", asked, want)
				}
				if reached {
					w.want("200 x")(got, err)
					w.wantEvents("callStart " + selected + "connectStart dnsStart dnsEnd connectFailed connectStart connectFailed connectStart connectEnd connectionAcquired " + exchanged +
						"followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
					s.wantTold(t)
					return
				}
				wantProxyError(t, err, PhaseProxy, 0, viaSOCKS, "host unreachable")
				var e *Error
				if errors.As(err, &e); len(e.Attempts) != 2 {
					t.Errorf("attempts %v", e.Attempts)
				}
				w.wantEvents("callStart " + selected + "connectStart dnsStart dnsEnd connectFailed connectStart connectFailed connectStart connectFailed retryDecision false callFailed")
				s.wantTold(t, [2]string{"http://server.test/ socks5://10.0.9.2:1080", "host unreachable"})
				w.holdsNothing()
			}, WithProxySelector(s))
		})
	}
}

// A name that cannot be resolved here is that, and nothing of the proxy's.
func TestSOCKSUnknownHost(t *testing.T) {
	s := selectorOf(t, "socks5://10.0.9.2")
	inWorld(t, func(t *testing.T, w *world) {
		w.serveAt(socksAddr, nil, (*peer).untilClosed)
		_, err := w.get("http://unknown.test/")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseDNS || !isError[*UnknownHostError](err) || isError[*ProxyError](err) {
			t.Errorf("error %v", err)
		}
		s.wantTold(t)
		w.wantEvents("callStart " + selected + "connectStart dnsStart connectFailed retryDecision false callFailed")
		w.holdsNothing()
	}, WithProxySelector(s))
}

// A 407 has no meaning here (section 6.3).
func TestSOCKSServerSends407(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serveAt(socksAddr, nil, func(p *peer) {
			socksGrants(p)
			answer(proxyRefusal)(p)
		})
		if _, err := w.get("http://server.test/", proxyCredentials("x")); !isError[*ProtocolError](err) {
			t.Errorf("error %v", err)
		}
	}, socksProxy(t, "socks5h"))
}

// A slow proxy is given up when the time for connecting is up, or when the call ends.
func TestSOCKSSlow(t *testing.T) {
	for name, script := range map[string]func(*peer){
		"silent":  (*peer).untilClosed,
		"chooses": func(p *peer) { p.socksMethods(); p.untilClosed() },
		"drips": func(p *peer) {
			p.socksMethods()
			p.socksRequest()
			for _, c := range []byte("\x05\x00\x00\x03\xff" + strings.Repeat("x", 255)) {
				if _, err := p.Write([]byte{c}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		},
	} {
		t.Run(name+"/connect timeout", func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveAt(socksAddr, nil, script)
				within(t, 7*time.Second, 7*time.Second, func() {
					_, err := w.get("http://server.test/", WithConnectTimeout(7*time.Second))
					wantProxyError(t, err, PhaseProxy, 0, "server.test:80 via proxy socks5h://10.0.9.2:1080", "connect timeout after 7s")
					var e *Error
					if !errors.As(err, &e) || !e.Timeout() || errors.Is(err, ErrCallTimeout) {
						t.Errorf("error %v", err)
					}
				})
				w.holdsNothing()
			}, socksProxy(t, "socks5h"))
		})
		t.Run(name+"/canceled", func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveAt(socksAddr, nil, script)
				call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
				time.AfterFunc(2500*time.Millisecond, call.Cancel)
				within(t, 2500*time.Millisecond, 2500*time.Millisecond, func() {
					_, err := call.Execute(t.Context())
					var e *Error
					if !errors.As(err, &e) || !errors.Is(err, ErrCanceled) || e.Phase != PhaseProxy {
						t.Errorf("error %v", err)
					}
				})
				w.holdsNothing()
			}, socksProxy(t, "socks5h"))
		})
		t.Run(name+"/call timeout", func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveAt(socksAddr, nil, script)
				within(t, 3*time.Second, 3*time.Second, func() {
					if _, err := w.get("http://server.test/", WithCallTimeout(3*time.Second)); !errors.Is(err, ErrCallTimeout) {
						t.Errorf("error %v", err)
					}
				})
				w.holdsNothing()
			}, socksProxy(t, "socks5h"))
		})
	}
}

// The limit for connecting ends with it: what is transferred later is under limits of its own.
func TestSOCKSLimitsEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serveAt(socksAddr, nil, func(p *peer) {
			socksGrants(p)
			p.request()
			time.Sleep(time.Minute)
			p.send(okText("x"))
			p.untilClosed()
		})
		w.want("200 x")(w.get("http://server.test/", WithConnectTimeout(time.Second), WithReadTimeout(0)))
	}, socksProxy(t, "socks5h"))
}
