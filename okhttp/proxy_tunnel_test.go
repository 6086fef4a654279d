package okhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Facts 44, 45 and 48, and section 7.9: the proxy sees its own fields and nothing of the request, and the server sees nothing that is the proxy's.
func TestTunnel(t *testing.T) {
	for url, authority := range map[string]string{
		"https://server.test/a?b":       "server.test:443",
		"https://server.test:8443/":     "server.test:8443",
		"https://10.0.0.1/":             "10.0.0.1:443",
		"https://[2001:DB8::1]/":        "[2001:db8::1]:443",
		"https://[2001:db8::1]:8443/":   "[2001:db8::1]:8443",
		"https://BÜCHER.test/":          "xn--bcher-kva.test:443",
		"https://us3r:hunter2@10.0.0.1": "10.0.0.1:443",
	} {
		t.Run(authority, func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			clientTLS.InsecureSkipVerify = true
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				w.proxy(func(p *peer) {
					p.say(&heads, established)
					p.under(serverTLS, func(p *peer) {
						p.say(&heads, okText("x"), okText("y"))
						p.untilClosed()
					})
				})
				for _, want := range []string{"x", "y"} {
					resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", url, Header("Authorization", "of the server"), Header("Cookie", "a=b"), Header("X-Own", "v"),
						Header("User-Agent", "mine"), Header("Proxy-Authorization", "of the proxy"), Header("Proxy-Connection", "close")))
					if err != nil {
						t.Fatal(err)
					}
					if text, err := resp.Body.Text(); text != want || err != nil {
						t.Errorf("%q, %v", text, err)
					}
				}
				connect := "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\nProxy-Connection: Keep-Alive\r\nUser-Agent: okhttp-go/" + Version + "\r\n\r\n"
				if len(heads) != 3 || heads[0] != connect {
					t.Fatalf("heads %q\nwant %q and two", heads, connect)
				}
				u, _ := ParseURL(url)
				for _, head := range heads[1:] {
					if !strings.HasPrefix(head, "GET "+u.requestTarget()+" HTTP/1.1\r\nHost: "+u.hostPort()+"\r\n") || !strings.Contains(head, "X-Own: v") ||
						!strings.Contains(head, "Authorization: of the server") || !strings.Contains(head, "User-Agent: mine") {
						t.Errorf("in the tunnel: %q", head)
					}
					if strings.Contains(strings.ToLower(head), "proxy") {
						t.Errorf("the server saw what was for the proxy: %q", head)
					}
				}
				w.wantEvents(proxiedTLS + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd " +
					"callStart connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
			}, httpProxy(t), WithTLSConfig(clientTLS))
		})
	}
}

// RFC 9110 section 9.3.6: any 2xx is success, and the fields that would frame content say nothing.
func TestTunnelGranted(t *testing.T) {
	for name, answer := range map[string]string{
		"200":                       established,
		"200 of HTTP/1.0":           "HTTP/1.0 200 OK\r\n\r\n",
		"200 without a reason":      "HTTP/1.1 200\r\n\r\n",
		"201":                       "HTTP/1.1 201 Created\r\n\r\n",
		"204":                       "HTTP/1.1 204 No Content\r\n\r\n",
		"299":                       "HTTP/1.1 299 X\r\n\r\n",
		"length":                    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		"length of 204":             "HTTP/1.1 204 OK\r\nContent-Length: 5\r\n\r\n",
		"length of 205":             "HTTP/1.1 205 OK\r\nContent-Length: 5\r\n\r\n",
		"no number as length":       "HTTP/1.1 200 OK\r\nContent-Length: none\r\n\r\n",
		"two lengths":               "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"chunked":                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		"unknown coding":            "HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\n",
		"close":                     "HTTP/1.1 200 OK\r\nConnection: close\r\nProxy-Connection: close\r\n\r\n",
		"after informational heads": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nContent-Length: 5\r\n\r\n" + established,
		"lines of one byte":         "HTTP/1.1 200 OK\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			inWorld(t, func(t *testing.T, w *world) {
				w.proxy(func(p *peer) {
					p.head()
					p.send(answer)
					p.under(serverTLS, func(p *peer) {
						p.request()
						p.send(okText("x"))
						p.untilClosed()
					})
				})
				w.want("200 x")(w.get("https://server.test/"))
			}, httpProxy(t), WithTLSConfig(clientTLS))
		})
	}
}

// Any other answer is a failure that names the status and keeps the rest to itself. Nothing of a proxy is followed.
func TestTunnelRefused(t *testing.T) {
	for _, status := range []int{101, 300, 301, 302, 304, 307, 400, 401, 403, 404, 408, 421, 429, 500, 502, 503, 504, 599, 999} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			_, clientTLS := tlsFor("server.test")
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				w.proxy(func(p *peer) {
					p.say(&heads, fmt.Sprintf("HTTP/1.1 %d Reason\r\nLocation: https://other.test/\r\nWWW-Authenticate: Basic realm=x\r\nRetry-After: 0\r\nSet-Cookie: hunter2=1\r\nContent-Length: 7\r\n\r\ncontent", status))
					p.untilClosed()
				})
				_, err := w.get("https://server.test/", credentials("x"), WithReadTimeout(0))
				pe := wantProxyError(t, err, PhaseProxy, status, "server.test:443 via proxy http://proxy.test:3128 at 10.0.9.1:3128", fmt.Sprintf("proxy http://proxy.test:3128: unexpected response code for CONNECT: %d", status))
				if pe.Err != nil || pe.Proxy != "http://proxy.test:3128" || len(heads) != 1 || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "content") {
					t.Errorf("error %v after %q", err, heads)
				}
				w.wantEvents("callStart dnsStart dnsEnd connectStart connectFailed retryDecision false callFailed")
				w.holdsNothing()
			}, httpProxy(t), WithTLSConfig(clientTLS))
		})
	}
}

// Fact 46, and what else a proxy can say that is no answer.
func TestTunnelTruncated(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want string
		is   func(error) bool
	}{
		"nothing":       {"", "unexpected end of stream", isUnexpectedEOF},
		"a byte":        {"H", "unexpected end of stream", isUnexpectedEOF},
		"a line":        {"HTTP/1.1 200 OK\r\n", "unexpected end of stream", isUnexpectedEOF},
		"two lines":     {"HTTP/1.1 200 OK\r\nA: b\r\n", "unexpected end of stream", isUnexpectedEOF},
		"early":         {"HTTP/1.1 100 Continue\r\n\r\n", "unexpected end of stream", isUnexpectedEOF},
		"no HTTP":       {"220 mail.test ESMTP\r\n\r\n", "unexpected status line", isError[*ProtocolError]},
		"TLS":           {"\x15\x03\x01\x00\x02\x02\x16\r\n\r\n", "", isError[*ProtocolError]},
		"HTTP/2":        {"HTTP/2 200\r\n\r\n", "unexpected status line", isError[*ProtocolError]},
		"no number":     {"HTTP/1.1 abc\r\n\r\n", "unexpected status line", isError[*ProtocolError]},
		"no field":      {"HTTP/1.1 200 OK\r\nhello\r\n\r\n", "", isError[*ProtocolError]},
		"large":         {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 300<<10) + "\r\n\r\n", "", isError[*TooLargeError]},
		"many fields":   {"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 100<<10) + "\r\n", "", isError[*TooLargeError]},
		"many early":    {strings.Repeat("HTTP/1.1 103 Hints\r\nLink: </style.css>\r\n\r\n", 10<<10), "", isError[*TooLargeError]},
		"one long line": {strings.Repeat("a", 1<<20), "", isError[*TooLargeError]},
	} {
		t.Run(name, func(t *testing.T) {
			_, clientTLS := tlsFor("server.test")
			inWorld(t, func(t *testing.T, w *world) {
				w.proxy(func(p *peer) {
					p.head()
					p.send(tt.text)
				})
				_, err := w.get("https://server.test/")
				pe := wantProxyError(t, err, PhaseProxy, 0, "server.test:443 via proxy http://proxy.test:3128 at 10.0.9.1:3128", tt.want)
				if !tt.is(pe.Err) || len(err.Error()) > 500 {
					t.Errorf("error %T %v", pe.Err, err)
				}
				w.holdsNothing()
			}, httpProxy(t), WithTLSConfig(clientTLS))
		})
	}
}

func isUnexpectedEOF(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

func isError[T error](err error) bool {
	var e T
	return errors.As(err, &e)
}

// What comes right after the answer is nobody's: TLS has not begun.
func TestTunnelLeftover(t *testing.T) {
	for _, extra := range []string{"x", "HTTP/1.1 200 OK\r\n\r\n", "\x16\x03\x01", strings.Repeat("x", 100<<10)} {
		_, clientTLS := tlsFor("server.test")
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(func(p *peer) {
				p.head()
				p.send(established + extra)
				p.untilClosed()
			})
			_, err := w.get("https://server.test/")
			pe := wantProxyError(t, err, PhaseProxy, 0, "server.test:443 via proxy http://proxy.test:3128 at 10.0.9.1:3128", "bytes came right after the response to CONNECT")
			if !isError[*ProtocolError](pe.Err) {
				t.Errorf("error %T", pe.Err)
			}
			w.wantEvents("callStart dnsStart dnsEnd connectStart connectFailed retryDecision false callFailed")
			w.holdsNothing()
		}, httpProxy(t), WithTLSConfig(clientTLS))
	}
}

// The tunnel leads to the server that was asked for, or else to a failure of TLS.
func TestTunnelToAnotherServer(t *testing.T) {
	serverTLS, clientTLS := tlsFor("other.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.proxy(tunneled(serverTLS, (*peer).untilClosed))
		_, err := w.get("https://server.test/")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseTLS || e.Route != "server.test:443 via proxy http://proxy.test:3128 at 10.0.9.1:3128" || !isError[*HostnameError](err) {
			t.Errorf("error %v", err)
		}
		w.wantEvents("callStart dnsStart dnsEnd connectStart secureConnectStart connectFailed retryDecision false callFailed")
		w.holdsNothing()
	}, httpProxy(t), WithTLSConfig(clientTLS))
}

// A proxy that is slow, or never done, is given up when the time is up, by whoever set the limit. Nothing is left behind: the bubble would
// tell.
func TestTunnelSlow(t *testing.T) {
	silent := func(p *peer) {
		p.head()
		p.untilClosed()
	}
	// drip sends the head byte by byte, so that no read takes long and the whole takes forever.
	drip := func(p *peer) {
		p.head()
		for i := 0; ; i++ {
			if _, err := p.Write([]byte("HTTP/1.1 200 OK\r\nA: aaaaaaaaaaaaaaaaaaaaaaaaaaaa"[min(i, 40):][:1])); err != nil {
				return
			}
			time.Sleep(4 * time.Second)
		}
	}
	refusing := func(p *peer) { // and then silent
		p.head()
		p.send("HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n")
		time.Sleep(4 * time.Second)
		p.head()
		p.untilClosed()
	}
	for name, script := range map[string]func(*peer){"silent": silent, "drip": drip, "refusing": refusing} {
		_, clientTLS := tlsFor("server.test")
		opts := []Option{httpProxy(t), WithTLSConfig(clientTLS), proxyCredentials("x")}
		if name != "drip" {
			t.Run(name+"/read timeout", func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.proxy(script)
					within(t, 3*time.Second, 7*time.Second, func() {
						_, err := w.get("https://server.test/", WithReadTimeout(3*time.Second))
						var e *Error
						if !errors.As(err, &e) || !e.Timeout() || e.Phase != PhaseProxy || !strings.Contains(err.Error(), "timeout after 3s") || errors.Is(err, ErrCallTimeout) || errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("error %v", err)
						}
					})
					w.holdsNothing()
				}, opts...)
			})
		}
		t.Run(name+"/call timeout", func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.proxy(script)
				within(t, 25*time.Second, 25*time.Second, func() {
					_, err := w.get("https://server.test/", WithCallTimeout(25*time.Second), WithReadTimeout(30*time.Second))
					if !errors.Is(err, ErrCallTimeout) || !strings.Contains(err.Error(), "proxy (server.test:443 via proxy") {
						t.Errorf("error %v", err)
					}
				})
				w.holdsNothing()
			}, opts...)
		})
		for how, cancel := range map[string]func(*Call, context.CancelFunc){
			"canceled":         func(c *Call, _ context.CancelFunc) { c.Cancel() },
			"canceled context": func(_ *Call, f context.CancelFunc) { f() },
		} {
			for _, after := range []time.Duration{3 * time.Second, 5 * time.Second, 9 * time.Second} {
				t.Run(fmt.Sprint(name, "/", how, " after ", after), func(t *testing.T) {
					inWorld(t, func(t *testing.T, w *world) {
						w.proxy(script)
						ctx, end := context.WithCancel(t.Context())
						defer end()
						call := w.client.NewCall(mustRequest(t, "GET", "https://server.test/"))
						time.AfterFunc(after, func() { cancel(call, end) })
						within(t, after, after, func() {
							_, err := call.Execute(ctx)
							var e *Error
							if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || e.Phase != PhaseProxy || e.Sent {
								t.Errorf("error %v", err)
							}
						})
						w.holdsNothing()
					}, opts...)
				})
			}
		}
	}
}

// Closing the client ends a call that waits for a proxy.
func TestTunnelClosedClient(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.proxy(func(p *peer) {
			p.head()
			p.untilClosed()
		})
		time.AfterFunc(time.Second, func() { w.client.Close() })
		within(t, time.Second, time.Second, func() {
			if _, err := w.get("https://server.test/"); !errors.Is(err, ErrCanceled) {
				t.Errorf("error %v", err)
			}
		})
		w.holdsNothing()
	}, httpProxy(t))
}

// The limits of the tunnel's exchange do not cut what goes through it later.
func TestTunnelLimitsEnd(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.proxy(func(p *peer) {
			p.head()
			time.Sleep(2 * time.Second)
			p.send(established)
			p.under(serverTLS, func(p *peer) {
				p.request()
				p.send(okText("x"))
				p.request()
				time.Sleep(time.Minute)
				p.send(okText("y"))
				p.untilClosed()
			})
		})
		w.want("200 x")(w.get("https://server.test/", WithReadTimeout(3*time.Second), WithWriteTimeout(3*time.Second)))
		w.want("200 y")(w.get("https://server.test/", WithReadTimeout(0), WithWriteTimeout(0)))
	}, httpProxy(t), WithTLSConfig(clientTLS))
}

// A 407 inside a tunnel is the server's, which has no business with the proxy's credentials (section 6.3).
func TestTunnelOriginSends407(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.proxy(tunneled(serverTLS, answer(statusResponse(http.StatusProxyAuthRequired, "Proxy-Authenticate: Basic realm=x"))))
		asked := 0
		auth := AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
			if resp.Headers().Get("Proxy-Authenticate") != PreemptiveChallenge {
				asked++
			}
			return nil, nil
		})
		_, err := w.get("https://server.test/", WithProxyAuthenticator(auth))
		if !isError[*ProtocolError](err) || asked != 0 {
			t.Errorf("error %v, asked %d times", err, asked)
		}
		w.holdsNothing()
	}, httpProxy(t), WithTLSConfig(clientTLS))
}
