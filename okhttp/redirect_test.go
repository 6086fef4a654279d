package okhttp

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// Fact 7 and section 6.4 of the specification: what becomes of each method at each status.
func TestRedirectMethods(t *testing.T) {
	const unchanged, get = "unchanged", "GET"
	for _, row := range []struct{ method, at30012, at303, at3078 string }{
		{"GET", unchanged, unchanged, unchanged},
		{"HEAD", unchanged, unchanged, unchanged},
		{"PROPFIND", unchanged, unchanged, unchanged},
		{"QUERY", unchanged, get, unchanged},
		{"POST", get, get, unchanged},
		{"PUT", get, get, unchanged},
		{"PATCH", get, get, unchanged},
		{"DELETE", get, get, unchanged},
		{"OPTIONS", get, get, unchanged},
		{"get", get, get, unchanged}, // methods are case-sensitive
		{"CUSTOM", get, get, unchanged},
	} {
		for status, want := range map[int]string{300: row.at30012, 301: row.at30012, 302: row.at30012, 303: row.at303, 307: row.at3078, 308: row.at3078} {
			t.Run(fmt.Sprint(row.method, " ", status), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					var server recorder
					w.serve("server.test", "10.0.0.1", server.answer(redirectText(status, "/next"), statusResponse(200)))
					opts := []RequestOption{Header("X-Kept", "yes"), Header("Content-Encoding", "identity"), Header("Content-Language", "en")}
					body := ""
					if row.method != "GET" && row.method != "HEAD" {
						opts = append(opts, WithBody(Text("content")))
						body = "content"
					}
					resp, err := w.client.Do(t.Context(), mustRequest(t, row.method, "http://server.test/first", opts...))
					if err != nil {
						t.Fatal(err)
					}
					resp.Body.Close()
					if len(server.requests) != 2 {
						t.Fatalf("%d requests, want 2", len(server.requests))
					}
					got := server.requests[1]
					if got.target != "/next" || got.header.Get("X-Kept") != "yes" {
						t.Errorf("second request %+v", got)
					}
					if want == unchanged {
						if got.method != row.method || got.body != body || got.header.Get("Content-Language") != "en" {
							t.Errorf("second request %+v, want the first again", got)
						}
						return
					}
					if got.method != "GET" || got.body != "" {
						t.Errorf("second request %+v, want a GET", got)
					}
					for name := range got.header {
						if strings.HasPrefix(name, "Content-") || name == "Transfer-Encoding" {
							t.Errorf("the GET has %s: %v", name, got.header[name])
						}
					}
				})
			})
		}
	}
}

// What is not followed is returned as it is.
func TestRedirectNotFollowed(t *testing.T) {
	off := WithFollowRedirects(false)
	for name, c := range map[string]struct {
		response string
		opts     []CallOption
	}{
		"switched off":           {redirectText(302, "/next"), []CallOption{off}},
		"no Location":            {statusResponse(302), nil},
		"fact 10: no URL":        {redirectText(302, "http://[::1/"), nil},
		"invalid port":           {redirectText(302, "http://server.test:99999/"), nil},
		"fact 10: file":          {redirectText(302, "file:///etc/passwd"), nil},
		"javascript":             {redirectText(302, "javascript:alert(1)"), nil},
		"empty host":             {redirectText(302, "http://"), nil},
		"fact 8: 305":            {redirectText(305, "/next"), nil},
		"306":                    {redirectText(306, "/next"), nil},
		"304":                    {"HTTP/1.1 304 X\r\nLocation: /next\r\n\r\n", nil},
		"201 with a Location":    {redirectText(201, "/next"), nil},
		"429 with a Retry-After": {statusResponse(429, "Retry-After: 0"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(c.response, statusResponse(200)))
				resp, err := w.client.Get(t.Context(), "http://server.test/", c.opts...)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if want := c.response[len("HTTP/1.1 ") : len("HTTP/1.1 ")+3]; fmt.Sprint(resp.Status) != want {
					t.Errorf("status %d, want %s", resp.Status, want)
				}
				if len(server.requests) != 1 || resp.Prior() != nil {
					t.Errorf("%d requests, prior %v", len(server.requests), resp.Prior())
				}
			})
		})
	}
}

func TestRedirectEvents(t *testing.T) {
	const toNext = "requestHeadersStart requestHeadersEnd responseHeadersStart responseHeadersEnd "
	const last = toNext + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd"
	t.Run("same connection", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 4\r\n\r\nbody", okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			w.wantEvents(newConnection80 + toNext + "responseBodyStart responseBodyEnd 4 followUpDecision true " + last)
		})
	})
	t.Run("same connection, empty body", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(redirectText(302, "/b"), okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			w.wantEvents(newConnection80 + toNext + "responseBodyStart responseBodyEnd 0 followUpDecision true " + last)
		})
	})
	t.Run("other host", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(redirectText(302, "http://other.test/")))
			w.serve("other.test", "10.0.0.2", answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			w.wantEvents(newConnection80 + toNext + "responseBodyStart responseBodyEnd 0 followUpDecision true connectionReleased " +
				"proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " + last)
			if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 2, Idle: 2}) {
				t.Errorf("pool %+v", got)
			}
		})
	})
	t.Run("server closes the first connection", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1",
				answerAndClose("HTTP/1.1 302 X\r\nLocation: /b\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			w.wantEvents(newConnection80 + toNext + "responseBodyStart responseBodyEnd 0 followUpDecision true connectionReleased " +
				"proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " + last)
		})
	})
	t.Run("body that the request cannot send again", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var server recorder
			w.serve("server.test", "10.0.0.1", server.answer(redirectText(307, "/b"), okText("x")))
			w.want("307 ")(w.do("POST", "http://server.test/", OneShot("", 1, strings.NewReader("x"))))
			w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 1 responseHeadersStart responseHeadersEnd " +
				"responseBodyStart responseBodyEnd 0 followUpDecision false connectionReleased callEnd")
			if len(server.requests) != 1 {
				t.Errorf("%d requests, want 1", len(server.requests))
			}
		})
	})
	t.Run("one-shot body that the redirect drops", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(redirectText(302, "/b"), okText("x")))
			w.want("200 x")(w.do("POST", "http://server.test/", OneShot("", 1, strings.NewReader("x"))))
		})
	})
}

// Fact 11: a redirect whose body stalls costs its connection and 100 ms, not more.
func TestRedirectWithStallingBody(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 100\r\n\r\nhe"), answer(okText("x")))
		start := time.Now()
		w.want("200 x")(w.get("http://server.test/"))
		if got := time.Since(start); got != discardTime {
			t.Errorf("took %v, want %v", got, discardTime)
		}
		w.wantEvents(newConnection80 + exchanged + "responseBodyStart responseBodyEnd 2 followUpDecision true connectionReleased " +
			"proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
	})
}

// Fact 12: a pool that keeps nothing does not get between a call and its connection.
func TestRedirectWithoutPooling(t *testing.T) {
	pool := NewConnectionPool(PoolConfig{MaxIdle: -1})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(redirectText(302, "/b"), okText("x")), answer(okText("y")))
		w.want("200 x")(w.get("http://server.test/"))
		if got := pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v", got)
		}
		w.want("200 y")(w.get("http://server.test/"))
	}, WithPool(pool))
}

func TestRedirectLocation(t *testing.T) {
	for _, c := range []struct{ from, location, want string }{
		{"http://server.test/a/b?q=1#old", "c", "http://server.test/a/c"},
		{"http://server.test/a/b?q=1#old", "?q=2", "http://server.test/a/b?q=2"},
		{"http://server.test/a/b?q=1#old", "/c#new", "http://server.test/c#new"},
		{"http://server.test/a/b#old", "", "http://server.test/a/b"}, // the fragment comes from Location alone
		{"http://server.test/a/b", "//server.test/d", "http://server.test/d"},
		{"http://server.test/a/b", "HTTP://SERVER.test:80/./e", "http://server.test/e"},
		{"http://server.test/", "/ä b", "http://server.test/%C3%A4%20b"},
		{"http://server.test/", `\f`, "http://server.test/f"},
	} {
		t.Run(c.location, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(redirectText(302, c.location), okText("x")))
				resp, err := w.client.Get(t.Context(), c.from)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if resp.Status != 200 {
					t.Fatalf("status %d", resp.Status)
				}
				if got := resp.Request().URL().String(); got != c.want {
					t.Errorf("followed to %s, want %s", got, c.want)
				}
			})
		})
	}
}

// Fact 9: the credentials of one origin are not for another, whichever part of it changes, and do not come back.
func TestRedirectCredentials(t *testing.T) {
	names := []string{"Authorization", "Cookie", "Proxy-Authorization", "X-Secret", "X-Other-Secret"}
	kept := append(slices.Clone(names), "X-Kept")
	for name, c := range map[string]struct {
		first, second, third string // the URLs of three requests
		want                 []string
	}{
		"same origin":          {"http://server.test/", "/b", "http://server.test:80/c", kept},
		"other host":           {"http://server.test/", "http://other.test/", "/c", []string{"X-Kept"}},
		"subdomain":            {"http://server.test/", "http://a.server.test/", "/c", []string{"X-Kept"}},
		"other port":           {"http://server.test/", "http://server.test:8080/", "/c", []string{"X-Kept"}},
		"other scheme":         {"http://server.test/", "https://server.test/", "/c", []string{"X-Kept"}},
		"back from https":      {"https://server.test/", "http://server.test/", "https://server.test/", []string{"X-Kept"}},
		"there and back again": {"http://server.test/", "http://other.test/", "http://server.test/c", []string{"X-Kept"}},
		"at the last moment":   {"http://server.test/", "/b", "http://other.test/", []string{"X-Kept"}},
	} {
		t.Run(name, func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				// Each place handles what the others left over of the same list.
				place := func(p *peer) {
					for {
						r, body := p.request()
						if r == nil {
							return
						}
						server.requests = append(server.requests, seen{r.Method, r.RequestURI, body, r.Header})
						if r.Header.Get("Host") == "" && r.Host == "" {
							t.Error("no Host")
						}
						p.send([]string{redirectText(307, c.second), redirectText(308, c.third), okText("x")}[len(server.requests)-1])
					}
				}
				places := []func(*peer){place, place, place}
				w.serve("server.test", "10.0.0.1", places...)
				w.serveAt("10.0.0.1:8080", nil, places...)
				w.serveAt("10.0.0.1:443", serverTLS, places...)
				w.serve("other.test", "10.0.0.2", places...)
				w.serve("a.server.test", "10.0.0.3", places...)
				var opts []RequestOption
				for _, name := range kept {
					opts = append(opts, Header(name, "value of "+name))
				}
				resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", c.first, opts...))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if len(server.requests) != 3 {
					t.Fatalf("%d requests, want 3", len(server.requests))
				}
				for _, name := range kept {
					if server.requests[0].header.Get(name) == "" {
						t.Errorf("the first request has no %s", name)
					}
					got, want := server.requests[2].header.Get(name) != "", slices.Contains(c.want, name)
					if got != want {
						t.Errorf("the last request has %s: %v, want %v", name, got, want)
					}
				}
			}, WithTLSConfig(clientTLS), WithSensitiveHeaders("x-secret"), WithSensitiveHeaders("X-Other-Secret"))
		})
	}
}

// A Host header of the user names the origin it was set for.
func TestRedirectHostHeader(t *testing.T) {
	for location, want := range map[string]string{"/b": "alias.test", "http://other.test/": "other.test"} {
		inWorld(t, func(t *testing.T, w *world) {
			var host string
			last := func(p *peer) {
				r, _ := p.request()
				if r != nil && r.URL.Path == "/first" {
					p.send(redirectText(302, location))
					r, _ = p.request()
				}
				if r != nil {
					host = r.Host
					p.send(okText("x"))
				}
				io.Copy(io.Discard, p.in)
			}
			w.serve("server.test", "10.0.0.1", last)
			w.serve("other.test", "10.0.0.2", last)
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/first", Header("Host", "alias.test")))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if host != want {
				t.Errorf("redirect to %s has Host %s, want %s", location, host, want)
			}
		})
	}
}

func TestRedirectAcrossSchemes(t *testing.T) {
	for name, c := range map[string]struct {
		from, to string
		follow   bool
	}{
		"http to https":          {"http://server.test/", "https://server.test/", true},
		"https to http":          {"https://server.test/", "http://server.test/", true},
		"http to https, refused": {"http://server.test/", "https://server.test/", false},
		"https to http, refused": {"https://server.test/", "http://server.test/", false},
	} {
		t.Run(name, func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			inWorld(t, func(t *testing.T, w *world) {
				both := func(p *peer) {
					r, _ := p.request()
					switch {
					case r == nil:
					case strings.HasPrefix(c.from, "https:") == p.secure():
						p.send(redirectText(302, c.to))
					default:
						p.send(okText("x"))
					}
					io.Copy(io.Discard, p.in)
				}
				w.serve("server.test", "10.0.0.1", both)
				w.serveAt("10.0.0.1:443", serverTLS, both)
				want := "302 "
				if c.follow {
					want = "200 x"
				}
				w.want(want)(w.get(c.from, WithFollowTLSRedirects(c.follow)))
			}, WithTLSConfig(clientTLS))
		})
	}
}

func TestRedirectKeepsTheCall(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(redirectText(302, "/b"), okText("x")))
		req := mustRequest(t, "GET", "http://server.test/a")
		call := w.client.NewCall(req)
		resp, err := call.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if call.Request() != req || resp.Request().URL().EncodedPath() != "/b" {
			t.Errorf("call %v, response %v", call.Request().URL(), resp.Request().URL())
		}
	})
}

// FuzzRedirect: whatever a server sends as Location, the next request is one of http or https, and another origin gets no credentials.
func FuzzRedirect(f *testing.F) {
	for _, location := range []string{"", "/b", "//other.test", "https://server.test/", "http://user:pass@server.test/", "file:///x", "\\\\other.test", "http:b",
		"http://server.test:80/", "http://[::1]/", "http://server.test./", "\x00", "http://SERVER.TEST/", "ws://server.test/", "http://server.test@other.test/"} {
		f.Add(location, 302)
	}
	f.Add("/b", 307)
	cfg := defaultConfig()
	cfg.sensitive = []string{"X-Secret"}
	req := mustRequest(f, "POST", "http://server.test/a?b#c", WithBody(Text("x")), Header("Authorization", "a"), Header("Cookie", "b"), Header("X-Secret", "c"),
		Header("Proxy-Authorization", "d"))
	f.Fuzz(func(t *testing.T, location string, status int) {
		next := redirect(cfg, req, NewResponse(req, status, ResponseHeaders(headersOf([]string{"Location", location}))))
		if next == nil {
			return
		}
		u := next.url
		if s := u.Scheme(); s != "http" && s != "https" || u.Host() == "" {
			t.Fatalf("%q leads to %s", location, u)
		}
		if err := next.check(false); err != nil {
			t.Fatalf("%q leads to a request that is not allowed: %v", location, err)
		}
		if _, err := ParseURL(u.String()); err != nil {
			t.Fatalf("%q leads to %s: %v", location, u, err)
		}
		same := u.Scheme() == "http" && u.Host() == "server.test" && u.Port() == 80
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization", "X-Secret"} {
			if got := next.headers.Get(name) != ""; got != same {
				t.Fatalf("%q leads to %s with %s: %v", location, u, name, got)
			}
		}
	})
}
