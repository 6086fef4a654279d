package okhttp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// RFC 9112 section 3.2.2: a proxy that reads requests gets the whole URL, but for what never leaves this side.
func TestForward(t *testing.T) {
	for url, want := range map[string]string{
		"http://server.test":                        "GET http://server.test/ HTTP/1.1\r\nHost: server.test\r\n",
		"http://server.test:80/a/b;c?d=e&f#g":       "GET http://server.test/a/b;c?d=e&f HTTP/1.1\r\nHost: server.test\r\n",
		"http://server.test:8080/?":                 "GET http://server.test:8080/? HTTP/1.1\r\nHost: server.test:8080\r\n",
		"http://server.test/%2F%20?q=http://x/?%23": "GET http://server.test/%2F%20?q=http://x/?%23 HTTP/1.1\r\nHost: server.test\r\n",
		"http://10.0.0.1/":                          "GET http://10.0.0.1/ HTTP/1.1\r\nHost: 10.0.0.1\r\n",
		"http://[2001:DB8::1]/":                     "GET http://[2001:db8::1]/ HTTP/1.1\r\nHost: [2001:db8::1]\r\n",
		"http://[2001:db8::1]:81/a":                 "GET http://[2001:db8::1]:81/a HTTP/1.1\r\nHost: [2001:db8::1]:81\r\n",
		"http://us3r:hunter2@server.test/":          "GET http://server.test/ HTTP/1.1\r\nHost: server.test\r\n",
		"http://BÜCHER.test/ü":                      "GET http://xn--bcher-kva.test/%C3%BC HTTP/1.1\r\nHost: xn--bcher-kva.test\r\n",
		"http://server.test:443/":                   "GET http://server.test:443/ HTTP/1.1\r\nHost: server.test:443\r\n",
	} {
		inWorld(t, func(t *testing.T, w *world) {
			var heads []string
			w.proxy(func(p *peer) {
				p.say(&heads, okText("x"), okText("y"))
				p.untilClosed()
			})
			w.want("200 x")(w.get(url))
			w.want("200 y")(w.get(url))
			rest := "Connection: Keep-Alive\r\nAccept-Encoding: gzip\r\nUser-Agent: okhttp-go/" + Version + "\r\n\r\n"
			if len(heads) != 2 || heads[0] != want+rest || heads[1] != want+rest {
				t.Errorf("sent %q, want %q", heads, want+rest)
			}
			w.wantEvents(proxied + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd " +
				"callStart connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		}, httpProxy(t))
	}
}

// The rest of a request is the same as without a proxy, and so are its failures.
func TestForwardRest(t *testing.T) {
	t.Run("body", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var server recorder
			w.proxy(server.answer(okText("x")))
			w.want("200 x")(w.do("POST", "http://server.test/a", Text("hello")))
			if got := server.requests[0]; got.target != "http://server.test/a" || got.method != "POST" || got.body != "hello" {
				t.Errorf("the proxy got %+v", got)
			}
		}, httpProxy(t))
	})
	t.Run("the proxy's own answers", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answer(statusResponse(502), statusResponse(504), statusResponse(403)))
			for _, want := range []string{"502 ", "504 ", "403 "} {
				w.want(want)(w.get("http://server.test/"))
			}
		}, httpProxy(t))
	})
	t.Run("closed", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(func(p *peer) { p.head() })
			_, err := w.get("http://server.test/?secret")
			var e *Error
			if !errors.As(err, &e) || e.Phase != PhaseResponseHeaders || e.Route != "server.test:80 via proxy http://proxy.test:3128 at 10.0.9.1:3128" || !e.Sent || isError[*ProxyError](err) {
				t.Errorf("error %v", err)
			}
			wantNoSecret(t, err, "secret")
		}, httpProxy(t))
	})
	t.Run("stale", func(t *testing.T) { // and replaced
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answerAndClose(okText("x")), answer(okText("y")))
			w.want("200 x")(w.get("http://server.test/"))
			w.want("200 y")(w.get("http://server.test/"))
		}, httpProxy(t))
	})
}

// Connections are shared by what is asked for, not by who forwards it.
func TestForwardSharing(t *testing.T) {
	serverTLS, clientTLS := tlsFor("a.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.proxy(answer(okText("a1"), okText("a2")), answer(okText("b")), answer(okText("a on 81")), tunneled(serverTLS, answer(okText("secure"))))
		w.want("200 a1")(w.get("http://a.test/"))
		w.want("200 b")(w.get("http://b.test/"))
		w.want("200 a on 81")(w.get("http://a.test:81/"))
		w.want("200 secure")(w.get("https://a.test/"))
		w.want("200 a2")(w.get("http://a.test/other"))
	}, httpProxy(t), WithTLSConfig(clientTLS))
}

const (
	proxyRefusal = proxyChallenge + "Content-Length: 2\r\n\r\nno"
	basicXX      = "Basic eHg="
)

// wantProxyAuthorization checks the Proxy-Authorization that a proxy, or a server, got with each request.
func wantProxyAuthorization(t *testing.T, heads []string, want ...string) {
	t.Helper()
	var got []string
	for _, head := range heads {
		value, n := "", 0
		for line := range strings.SplitSeq(head, "\r\n") {
			if v, ok := strings.CutPrefix(line, "Proxy-Authorization: "); ok {
				value = v
				n++
			}
		}
		if n > 1 {
			value = fmt.Sprint(n, " times")
		}
		got = append(got, value)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Proxy-Authorization %q, want %q", got, want)
	}
}

// A 407 of a proxy that reads requests is followed up like a 401, over the same connection.
func TestForwardAuthentication(t *testing.T) {
	t.Run("answered", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var heads []string
			w.proxy(func(p *peer) {
				p.say(&heads, proxyRefusal, okText("x"))
				p.untilClosed()
			})
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/a?b"), WithProxyAuthenticator(AuthenticatorFunc(
				func(_ context.Context, r *Route, resp *Response) (*Request, error) {
					if r.String() != "server.test:80 via proxy http://proxy.test:3128 at 10.0.9.1:3128" || r.RequiresTunnel() || resp.Request().Method() != "GET" || resp.Prior() != nil {
						t.Errorf("asked for %s, %v", r, resp.Request())
					}
					return resp.Request().With(Header("Proxy-Authorization", basicXX))
				})))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := resp.Body.Text(); text != "x" || err != nil || resp.Prior() == nil || resp.Prior().Status != 407 {
				t.Errorf("%q, %v, prior %v", text, err, resp.Prior())
			}
			wantProxyAuthorization(t, heads, "", basicXX)
			for _, head := range heads {
				if !strings.HasPrefix(head, "GET http://server.test/a?b HTTP/1.1\r\n") {
					t.Errorf("sent %q", head)
				}
			}
			w.wantEvents(proxied + exchanged + "responseBodyStart responseBodyEnd 2 followUpDecision true " +
				exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		}, httpProxy(t))
	})
	t.Run("answered over a new connection", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answerAndClose(proxyChallenge+"Connection: close\r\n\r\nno"), answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/", proxyCredentials(basicXX)))
		}, httpProxy(t))
	})
	t.Run("nobody to answer", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answer(proxyRefusal, proxyRefusal))
			w.want("407 no")(w.get("http://server.test/"))
			w.want("407 no")(w.get("http://server.test/", credentials("x")))
		}, httpProxy(t))
	})
	t.Run("limit", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answer(slices.Repeat([]string{proxyRefusal}, 30)...))
			_, err := w.get("http://server.test/", proxyCredentials(basicXX))
			if !isError[*ProtocolError](err) || !strings.Contains(err.Error(), "too many follow-up requests: 21") {
				t.Errorf("error %v", err)
			}
		}, httpProxy(t))
	})
	t.Run("one-shot body", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answer(proxyRefusal))
			w.want("407 no")(w.do("POST", "http://server.test/", OneShot("", 1, strings.NewReader("x")), proxyCredentials(basicXX)))
		}, httpProxy(t))
	})
	t.Run("fails", func(t *testing.T) {
		why := errors.New("no password")
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(answer(proxyRefusal, okText("x")))
			_, err := w.get("http://server.test/", WithProxyAuthenticator(AuthenticatorFunc(func(context.Context, *Route, *Response) (*Request, error) { return nil, why })))
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, why) || e.Phase != PhaseFollowUp {
				t.Errorf("error %v", err)
			}
			w.holdsNothing()
		}, httpProxy(t))
	})
}

// Credentials of the proxy's URL go along unasked, with every request, unless the request has others.
func TestForwardCredentialsOfURL(t *testing.T) {
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("us3r:hünter2"))
	proxy := WithProxy(mustProxy(t, "http://us3r:h%C3%BCnter2@proxy.test:3128"))
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		w.proxy(func(p *peer) {
			p.say(&heads, okText("1"), okText("2"), okText("3"), proxyRefusal, proxyRefusal, okText("6"))
			p.untilClosed()
		})
		w.want("200 1")(w.get("http://server.test/"))
		w.want("200 2")(w.get("http://server.test/"))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Header("Proxy-Authorization", "own")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		w.want("407 no")(w.get("http://server.test/")) // refused
		client := w.client
		w.client = client.With(proxyCredentials(basicXX))
		defer func() { w.client = client }()
		wantProxyAuthorization(t, heads, basic, basic, "own", basic)
	}, proxy)
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		w.proxy(func(p *peer) {
			p.say(&heads, proxyRefusal, okText("x"))
			p.untilClosed()
		})
		w.want("200 x")(w.get("http://server.test/", proxyCredentials(basicXX)))
		wantProxyAuthorization(t, heads, basic, basicXX)
	}, proxy)
}

// RFC 9110 section 11.7.2: credentials for the proxy are for the proxy. Nobody else gets them, wherever a call goes after it.
func TestProxyCredentialsStay(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	t.Run("redirect into a tunnel", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var heads, inside []string
			w.proxy(func(p *peer) {
				p.say(&heads, proxyRefusal, redirectText(302, "https://server.test/"))
				p.untilClosed()
			}, func(p *peer) {
				p.say(&heads, proxyRefusal, established)
				p.under(serverTLS, func(p *peer) {
					p.say(&inside, okText("x"))
					p.untilClosed()
				})
			})
			w.want("200 x")(w.get("http://server.test/", proxyCredentials(basicXX)))
			wantProxyAuthorization(t, heads, "", basicXX, "", basicXX)
			wantProxyAuthorization(t, inside, "")
		}, httpProxy(t), WithTLSConfig(clientTLS))
	})
	t.Run("redirect out of a tunnel", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var heads, inside []string
			w.proxy(func(p *peer) {
				p.say(&heads, established)
				p.under(serverTLS, func(p *peer) {
					p.say(&inside, redirectText(307, "http://server.test/"))
					p.untilClosed()
				})
			}, func(p *peer) {
				p.say(&heads, okText("x"))
				p.untilClosed()
			})
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "https://server.test/", Header("Proxy-Authorization", "own")))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			wantProxyAuthorization(t, heads, "Basic dTpw", "Basic dTpw")
			wantProxyAuthorization(t, inside, "")
		}, WithProxy(mustProxy(t, "http://u:p@proxy.test:3128")), WithTLSConfig(clientTLS))
	})
	// The same server, by another way: the selector says so, or the proxy is gone.
	for name, tt := range map[string]struct {
		header bool // the user gave the credentials, and not the authenticator
		second Proxy
	}{
		"direct":             {false, Direct},
		"direct, own header": {true, Direct},
		"over SOCKS":         {false, mustProxy(t, "socks5h://10.0.9.2")},
		"over SOCKS, own":    {true, mustProxy(t, "socks5h://10.0.9.2")},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := mustProxy(t, "http://proxy.test:3128")
			inWorld(t, func(t *testing.T, w *world) {
				var heads, inside []string
				w.proxy(func(p *peer) {
					if tt.header {
						return // before any request
					}
					p.say(&heads, proxyRefusal)
					p.head() // and gone
				})
				server := func(p *peer) {
					p.say(&inside, okText("x"))
					p.untilClosed()
				}
				w.serve("server.test", "10.0.0.1", server)
				w.serveAt("10.0.9.2:1080", nil, func(p *peer) {
					socksGrants(p)
					server(p)
				})
				var opts []RequestOption
				if tt.header {
					opts = append(opts, Header("Proxy-Authorization", basicXX), Header("Proxy-Connection", "close"))
				}
				resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", opts...), proxyCredentials(basicXX))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				wantProxyAuthorization(t, inside, "")
				if strings.Contains(strings.Join(inside, ""), "Proxy") {
					t.Errorf("sent %q", inside)
				}
			}, WithProxySelector(ProxyList([]Proxy{proxy, tt.second})))
		})
	}
	t.Run("an exception by path", func(t *testing.T) {
		proxy := mustProxy(t, "http://proxy.test:3128")
		inWorld(t, func(t *testing.T, w *world) {
			var heads, inside []string
			w.proxy(func(p *peer) {
				p.say(&heads, proxyRefusal, "HTTP/1.1 302 X\r\nLocation: /direct\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			})
			w.serve("server.test", "10.0.0.1", func(p *peer) {
				p.say(&inside, okText("x"))
				p.untilClosed()
			})
			w.want("200 x")(w.get("http://server.test/", proxyCredentials(basicXX)))
			wantProxyAuthorization(t, heads, "", basicXX)
			wantProxyAuthorization(t, inside, "")
		}, WithProxySelector(ProxySelectorFunc(func(u URL) ([]Proxy, error) {
			if u.EncodedPath() == "/direct" {
				return nil, nil
			}
			return []Proxy{proxy}, nil
		})))
	})
	t.Run("without a proxy at all", func(t *testing.T) { // the field is the user's
		inWorld(t, func(t *testing.T, w *world) {
			var heads []string
			w.serve("server.test", "10.0.0.1", func(p *peer) {
				p.say(&heads, okText("x"))
				p.untilClosed()
			})
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Header("Proxy-Authorization", "own")))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			wantProxyAuthorization(t, heads, "own")
		})
	})
}

// An upgrade works through both kinds of HTTP proxy (RFC 9110 section 7.8: it is one hop at a time, and this proxy takes part).
func TestProxyUpgrade(t *testing.T) {
	t.Run("forwarded", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(func(p *peer) {
				head := p.head()
				if !strings.HasPrefix(head, "GET http://server.test/ HTTP/1.1\r\n") || !strings.Contains(head, "\r\nConnection: Upgrade\r\nUpgrade: echo\r\n") {
					t.Errorf("sent %q", head)
				}
				p.send(switching + "hi")
				echoLines(p)
			})
			_, resp, _ := w.upgraded(t.Context())
			greet(t, resp)
			w.holdsNothing()
		}, httpProxy(t))
	})
	t.Run("tunneled", func(t *testing.T) {
		serverTLS, clientTLS := tlsFor("server.test")
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(tunneled(serverTLS, switchAnd("hi", echoLines)))
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "https://server.test/", Upgrade("echo")))
			if err != nil {
				t.Fatal(err)
			}
			greet(t, resp)
			w.holdsNothing()
		}, httpProxy(t), WithTLSConfig(clientTLS))
	})
}
