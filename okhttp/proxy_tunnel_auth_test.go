package okhttp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const proxyChallenge = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"

// proxyCredentials answers every challenge of a proxy, once it came.
func proxyCredentials(value string) CallOption {
	return WithProxyAuthenticator(AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
		if resp.Headers().Get("Proxy-Authenticate") == PreemptiveChallenge {
			return nil, nil
		}
		return resp.Request().With(Header("Proxy-Authorization", value))
	}))
}

// A proxy that wants credentials gets them over the same connection if it keeps that, and over a new one otherwise. What came with the
// refusal does not matter.
func TestTunnelAuthentication(t *testing.T) {
	const same, other = true, false
	drip := func(p *peer) {
		for {
			if _, err := p.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	for name, tt := range map[string]struct {
		refusal string
		then    func(*peer)
		same    bool
	}{
		"no content":           {proxyChallenge + "Content-Length: 0\r\n\r\n", nil, same},
		"content":              {proxyChallenge + "Content-Length: 5\r\n\r\nhello", nil, same},
		"much content":         {proxyChallenge + "Content-Length: 50000\r\n\r\n" + strings.Repeat("x", 50000), nil, same},
		"chunks":               {proxyChallenge + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n", nil, same},
		"keep-alive of 1.0":    {strings.Replace(proxyChallenge, "1.1", "1.0", 1) + "Connection: keep-alive\r\nContent-Length: 0\r\n\r\n", nil, same},
		"early heads":          {"HTTP/1.1 102 Wait\r\n\r\n" + proxyChallenge + "Content-Length: 0\r\n\r\n", nil, same},
		"close":                {proxyChallenge + "Connection: close\r\nContent-Length: 0\r\n\r\n", nil, other},
		"close in a list":      {proxyChallenge + "Connection: x, Close\r\nContent-Length: 0\r\n\r\n", nil, other},
		"close as of old":      {proxyChallenge + "Proxy-Connection: close\r\nContent-Length: 0\r\n\r\n", nil, other},
		"close, endless":       {proxyChallenge + "Connection: close\r\n\r\n", drip, other},
		"close, silent":        {proxyChallenge + "Connection: close\r\n\r\n", (*peer).untilClosed, other},
		"no length":            {proxyChallenge + "\r\n", (*peer).untilClosed, other},
		"HTTP/1.0":             {strings.Replace(proxyChallenge, "1.1", "1.0", 1) + "Content-Length: 0\r\n\r\n", nil, other},
		"too much content":     {proxyChallenge + "Content-Length: 10000000000\r\n\r\n" + strings.Repeat("x", 200<<10), (*peer).untilClosed, other},
		"endless chunks":       {proxyChallenge + "Transfer-Encoding: chunked\r\n\r\n", chunksForever, other},
		"content that is late": {proxyChallenge + "Content-Length: 5\r\n\r\nhell", (*peer).untilClosed, other},
		"content that drips":   {proxyChallenge + "Content-Length: 500\r\n\r\n", drip, other},
		"content that is cut":  {proxyChallenge + "Content-Length: 5\r\n\r\nhell", nil, other},
		"no chunks":            {proxyChallenge + "Transfer-Encoding: chunked\r\n\r\nhello\r\n", nil, other},
		"more than its length": {proxyChallenge + "Content-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", (*peer).untilClosed, other},
		"closed unsaid":        {proxyChallenge + "Content-Length: 0\r\n\r\n", nil, other},
	} {
		t.Run(name, func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				granting := func(p *peer) {
					p.say(&heads, established)
					p.under(serverTLS, answer(okText("x")))
				}
				w.proxy(func(p *peer) {
					p.say(&heads, tt.refusal)
					if tt.then != nil {
						tt.then(p)
					} else if tt.same {
						granting(p)
					}
				}, granting)
				within(t, 0, time.Second, func() { w.want("200 x")(w.get("https://server.test/")) })
				if len(heads) != 2 || strings.Contains(heads[0], "Authorization") ||
					heads[1] != strings.TrimSuffix(heads[0], "\r\n")+"Proxy-Authorization: Basic eHg=\r\n\r\n" {
					t.Errorf("heads %q", heads)
				}
				connected := proxiedTLS
				if !tt.same {
					connected = strings.Replace(proxiedTLS, "connectStart", "connectStart connectEnd withoutProtocol connectStart", 1)
				}
				w.wantEvents(connected + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
			}, httpProxy(t), WithTLSConfig(clientTLS), proxyCredentials("Basic eHg="))
		})
	}
}

func chunksForever(p *peer) {
	for {
		if _, err := p.Write([]byte("1000\r\n" + strings.Repeat("x", 0x1000) + "\r\n")); err != nil {
			return
		}
	}
}

// Fact 47: the 21st refusal ends it, over however many connections they came.
func TestTunnelAuthenticationLimit(t *testing.T) {
	for _, connection := range []string{"close", "keep-alive"} {
		for refusals, ok := range map[int]bool{20: true, 21: false} {
			t.Run(fmt.Sprint(connection, " ", refusals), func(t *testing.T) {
				serverTLS, clientTLS := tlsFor("server.test")
				inWorld(t, func(t *testing.T, w *world) {
					left, asked := refusals, 0
					w.proxy(slices.Repeat([]func(*peer){func(p *peer) {
						for p.head() != "" {
							if asked++; left == 0 {
								p.send(established)
								p.under(serverTLS, answer(okText("x")))
								return
							}
							left--
							if p.send(proxyChallenge + "Connection: " + connection + "\r\nContent-Length: 0\r\n\r\n"); connection == "close" {
								return
							}
						}
					}}, 30)...)
					got, err := w.get("https://server.test/")
					if ok {
						w.want("200 x")(got, err)
					} else {
						var e *Error
						if !errors.As(err, &e) || !isError[*ProtocolError](err) || !strings.Contains(err.Error(), "too many tunnel connections attempted: 21") || e.Phase != PhaseProxy || e.Sent || len(e.Attempts) > 0 {
							t.Errorf("%q, %v", got, err)
						}
					}
					if asked != 21 {
						t.Errorf("the proxy was asked %d times", asked)
					}
				}, httpProxy(t), WithTLSConfig(clientTLS), proxyCredentials("Basic eHg="))
			})
		}
	}
}

// What an authenticator for proxies is asked.
func TestTunnelAuthenticatorIsAsked(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		refusal := proxyChallenge + "Content-Length: 2\r\n\r\nno"
		w.proxy(func(p *peer) {
			p.say(&heads, refusal, refusal+"", strings.Replace(refusal, "Content-Length", "Connection: close\r\nContent-Length", 1))
		}, func(p *peer) {
			p.say(&heads, established)
			p.under(serverTLS, answer(okText("x"), okText("y")))
		})
		var asked []string
		auth := AuthenticatorFunc(func(ctx context.Context, r *Route, resp *Response) (*Request, error) {
			prior := 0
			for p := resp.Prior(); p != nil; p = p.Prior() {
				if p.Status != 407 || p.Request().Method() != "CONNECT" {
					t.Errorf("prior %v", p)
				}
				if _, err := p.Body.Text(); err == nil {
					t.Error("the content of a prior response could be read")
				}
				prior++
			}
			req := resp.Request()
			asked = append(asked, fmt.Sprint(resp.Status, " ", resp.Message, " ", resp.Challenges()[0].Scheme, " ", req, " ", req.Headers().Get("Proxy-Authorization"), " after ", prior))
			if r.String() != "server.test:443 via proxy http://proxy.test:3128 at 10.0.9.1:3128" || !r.RequiresTunnel() || req.URL().String() != "https://server.test/a?b" {
				t.Errorf("asked for %s, %s", r, req.URL())
			}
			if ctx.Value(tagA("")) != "of the call" {
				t.Error("the context is not that of the call")
			}
			if text, err := resp.Body.Text(); text != "" || err != nil {
				t.Errorf("content %q, %v", text, err)
			}
			if len(asked) == 1 {
				return nil, nil
			}
			return req.With(Header("Proxy-Authorization", fmt.Sprint("try ", len(asked)-1)), Header("X-More", "of the authenticator"))
		})
		ctx := context.WithValue(t.Context(), tagA(""), "of the call")
		resp, err := w.client.Do(ctx, mustRequest(t, "GET", "https://server.test/a?b", Header("X-Own", "v")), WithProxyAuthenticator(auth))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "x" || err != nil || resp.Prior() != nil {
			t.Errorf("%q, %v", text, err)
		}
		want := []string{
			"407 Preemptive Authenticate OkHttp-Preemptive CONNECT https://server.test/...  after 0",
			"407 Proxy Authentication Required Basic CONNECT https://server.test/...  after 0",
			"407 Proxy Authentication Required Basic CONNECT https://server.test/... try 1 after 1",
			"407 Proxy Authentication Required Basic CONNECT https://server.test/... try 2 after 2",
		}
		if !slices.Equal(asked, want) {
			t.Errorf("asked\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
		}
		for i, head := range heads {
			if (i == 0) == strings.Contains(head, "X-More: of the authenticator\r\n") || strings.Contains(head, "X-Own") ||
				!strings.HasPrefix(head, "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n") {
				t.Errorf("head %q", head)
			}
		}
		if len(heads) != 4 {
			t.Errorf("%d requests", len(heads))
		}
	}, httpProxy(t), WithTLSConfig(clientTLS))
}

// Credentials that are known go with the first request, and a proxy that does not take them is not asked again.
func TestTunnelPreemptive(t *testing.T) {
	auth := func(calls *int) CallOption {
		return WithProxyAuthenticator(AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
			*calls++
			if resp.Request().Headers().Get("Proxy-Authorization") != "" {
				return nil, nil
			}
			return resp.Request().With(Header("Proxy-Authorization", "Basic eHg="))
		}))
	}
	serverTLS, clientTLS := tlsFor("server.test")
	t.Run("granted", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var heads []string
			w.proxy(func(p *peer) {
				p.say(&heads, established)
				p.under(serverTLS, answer(okText("x")))
			})
			calls := 0
			w.want("200 x")(w.get("https://server.test/", auth(&calls)))
			if calls != 1 || len(heads) != 1 || !strings.Contains(heads[0], "\r\nProxy-Authorization: Basic eHg=\r\n") {
				t.Errorf("asked %d times, sent %q", calls, heads)
			}
		}, httpProxy(t), WithTLSConfig(clientTLS))
	})
	t.Run("refused", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var heads []string
			w.proxy(func(p *peer) {
				p.say(&heads, proxyChallenge+"Content-Length: 0\r\n\r\n")
				p.untilClosed()
			})
			calls := 0
			_, err := w.get("https://server.test/", auth(&calls))
			wantProxyError(t, err, PhaseProxy, 407, "server.test:443 via proxy http://proxy.test:3128 at 10.0.9.1:3128", "failed to authenticate with the proxy")
			if calls != 2 || len(heads) != 1 {
				t.Errorf("asked %d times, sent %q", calls, heads)
			}
		}, httpProxy(t), WithTLSConfig(clientTLS))
	})
}

// Credentials of the proxy's URL go along from the beginning, without an authenticator, which may put others in their place.
func TestTunnelCredentialsOfURL(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("us3r:hünter2"))
	proxy := WithProxy(mustProxy(t, "http://us3r:h%C3%BCnter2@proxy.test:3128"))
	for name, tt := range map[string]struct {
		auth []CallOption
		want []string // Proxy-Authorization of each request
	}{
		"alone":                    {nil, []string{basic}},
		"refused":                  {nil, []string{basic, ""}},
		"refused, then others":     {[]CallOption{proxyCredentials("Basic eHg=")}, []string{basic, "Basic eHg="}},
		"with a silent one":        {[]CallOption{WithProxyAuthenticator(AuthenticatorFunc(func(context.Context, *Route, *Response) (*Request, error) { return nil, nil }))}, []string{basic}},
		"with one that goes first": {[]CallOption{WithProxyAuthenticator(eagerly("Basic eXk="))}, []string{"Basic eXk="}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				w.proxy(func(p *peer) {
					if len(tt.want) > 1 {
						p.say(&heads, proxyChallenge+"Content-Length: 0\r\n\r\n")
					}
					if tt.want[len(tt.want)-1] == "" {
						p.untilClosed()
						return
					}
					p.say(&heads, established)
					p.under(serverTLS, answer(okText("x")))
				})
				got, err := w.get("https://server.test/", tt.auth...)
				if tt.want[len(tt.want)-1] == "" {
					wantProxyError(t, err, PhaseProxy, 407, "server.test:443 via proxy http://proxy.test:3128 at 10.0.9.1:3128", "failed to authenticate with the proxy")
					wantNoSecret(t, err, "us3r", "hünter2", basic[6:])
				} else {
					w.want("200 x")(got, err)
				}
				for i, head := range heads {
					if !strings.Contains(head, "\r\nProxy-Authorization: "+tt.want[i]+"\r\n") || strings.Count(head, "Proxy-Authorization") != 1 {
						t.Errorf("head %d is %q, want %s", i, head, tt.want[i])
					}
				}
			}, proxy, WithTLSConfig(clientTLS))
		})
	}
}

// eagerly gives credentials whenever it is asked.
func eagerly(value string) Authenticator {
	return AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
		return resp.Request().With(Header("Proxy-Authorization", value))
	})
}

// wantNoSecret checks that an error shows none, nor any error in it.
func wantNoSecret(t *testing.T, err error, secrets ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	text := fmt.Sprintf("%v %+v %#v %v", err, err, err, e.Attempts)
	for inner := error(e); inner != nil; inner = errors.Unwrap(inner) {
		text += fmt.Sprintf("\n%v\n%+v\n%#v", inner, inner, inner)
	}
	for _, s := range secrets {
		if strings.Contains(text, s) {
			t.Errorf("the error shows %s: %s", s, text)
		}
	}
}

// What an authenticator does wrong is its failure, and no connection is lost over it.
func TestTunnelAuthenticatorFails(t *testing.T) {
	why := errors.New("no password")
	for name, tt := range map[string]struct {
		preemptive, later func(*Response) (*Request, error)
		want              func(error) bool
	}{
		"at first": {func(*Response) (*Request, error) { return nil, why }, nil, func(err error) bool { return errors.Is(err, why) }},
		"later":    {nil, func(*Response) (*Request, error) { return nil, why }, func(err error) bool { return errors.Is(err, why) }},
		"a body": {nil, func(r *Response) (*Request, error) {
			return NewRequest("POST", r.Request().URL().String(), WithBody(Text("x")))
		},
			isError[*CallError]},
	} {
		t.Run(name, func(t *testing.T) {
			_, clientTLS := tlsFor("server.test")
			inWorld(t, func(t *testing.T, w *world) {
				w.proxy(func(p *peer) {
					if p.head() != "" {
						p.send(proxyChallenge + "Content-Length: 0\r\n\r\n")
						p.untilClosed()
					}
				})
				auth := AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
					f := tt.later
					if resp.Headers().Get("Proxy-Authenticate") == PreemptiveChallenge {
						f = tt.preemptive
					}
					if f == nil {
						return nil, nil
					}
					return f(resp)
				})
				_, err := w.get("https://server.test/", WithProxyAuthenticator(auth))
				var e *Error
				if !errors.As(err, &e) || !tt.want(err) || e.Phase != PhaseProxy || e.Sent {
					t.Errorf("error %v", err)
				}
				w.wantEvents("callStart dnsStart dnsEnd connectStart connectFailed retryDecision false callFailed")
				w.holdsNothing()
			}, httpProxy(t), WithTLSConfig(clientTLS))
		})
	}
	t.Run("a panic", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.proxy(func(p *peer) {
				p.untilClosed()
			})
			defer func() {
				if v := recover(); v != why {
					t.Errorf("recovered %v", v)
				}
				w.holdsNothing()
			}()
			w.get("https://server.test/", WithProxyAuthenticator(AuthenticatorFunc(func(context.Context, *Route, *Response) (*Request, error) { panic(why) })))
		}, httpProxy(t))
	})
}

// Of an authenticator's answer only the fields count, and what HTTP/1.1 demands of them is there (RFC 9112 section 3.2).
func TestTunnelAuthenticatorBeginsAnew(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		w.proxy(func(p *peer) {
			p.say(&heads, established)
			p.under(serverTLS, answer(okText("x")))
		})
		auth := AuthenticatorFunc(func(context.Context, *Route, *Response) (*Request, error) {
			return NewRequest("DELETE", "http://elsewhere.test/", Header("Proxy-Authorization", "Basic eHg="))
		})
		w.want("200 x")(w.get("https://server.test/", WithProxyAuthenticator(auth)))
		if want := "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\nProxy-Authorization: Basic eHg=\r\n\r\n"; len(heads) != 1 || heads[0] != want {
			t.Errorf("sent %q, want %q", heads, want)
		}
	}, httpProxy(t), WithTLSConfig(clientTLS))
}

// An authenticator that takes its time is interrupted by the end of the call, and asks in vain what the connection is worth after that.
func TestTunnelAuthenticatorIsSlow(t *testing.T) {
	_, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.proxy(func(p *peer) {
			p.head()
			p.send(proxyChallenge + "Content-Length: 0\r\n\r\n")
			p.untilClosed()
		})
		auth := AuthenticatorFunc(func(ctx context.Context, _ *Route, resp *Response) (*Request, error) {
			if resp.Headers().Get("Proxy-Authenticate") == PreemptiveChallenge {
				return nil, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		within(t, time.Second, time.Second, func() {
			_, err := w.get("https://server.test/", WithProxyAuthenticator(auth), WithCallTimeout(time.Second))
			if !errors.Is(err, ErrCallTimeout) {
				t.Errorf("error %v", err)
			}
		})
		w.holdsNothing()
	}, httpProxy(t), WithTLSConfig(clientTLS))
}
