package okhttp

import (
	"errors"
	"strings"
	"testing"
)

// elsewhere is the proxy of a URL, Direct for "direct", that leads to another host and port.
func elsewhere(t *testing.T, proxy, host string, port int) CallOption {
	t.Helper()
	p, err := mustProxy(t, proxy).ConnectTo(host, port)
	if err != nil {
		t.Fatal(err)
	}
	return WithProxy(p)
}

func TestConnectTo(t *testing.T) {
	for name, tt := range map[string]struct {
		host  string
		port  int
		url   string
		route string
	}{
		"host and port":       {"BACK.test.", 8080, "http://server.test/", "server.test:80 to back.test.:8080 at 10.0.0.2:8080"},
		"host":                {"back.test", 0, "http://server.test:8080/", "server.test:8080 to back.test:8080 at 10.0.0.2:8080"},
		"port":                {"", 8080, "http://back.test/", "back.test:80 to back.test:8080 at 10.0.0.2:8080"},
		"address":             {"10.0.0.2", 8080, "http://server.test/", "server.test:80 to 10.0.0.2:8080"},
		"IPv6":                {"[2001:DB8::2]", 8080, "http://server.test/", "server.test:80 to [2001:db8::2]:8080"},
		"address by another":  {"10.0.0.2", 8080, "http://10.0.0.1:81/", "10.0.0.1:81 to 10.0.0.2:8080"},
		"what the URL has":    {"back.test", 8080, "http://back.test:8080/", "back.test at 10.0.0.2:8080"},
		"nothing is replaced": {"", 0, "http://back.test:8080/", "back.test at 10.0.0.2:8080"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.resolve("back.test", "10.0.0.2")
				w.resolve("back.test.", "10.0.0.2")
				var heads []string
				for _, addr := range []string{"10.0.0.2:8080", "[2001:db8::2]:8080"} {
					w.serveAt(addr, nil, func(p *peer) { p.say(&heads, okText("1"), okText("2")) })
				}
				route := ""
				listener := func(*Call) *EventListener {
					return &EventListener{ConnectStart: func(e ConnectEvent) { route = e.Route.String() }}
				}
				client := w.client.With(elsewhere(t, "direct", tt.host, tt.port), WithEventListener(listener))
				for _, want := range []string{"1", "2"} { // over one connection
					resp, err := client.Get(t.Context(), tt.url)
					if err != nil {
						t.Fatal(err)
					}
					if got, err := resp.Body.Text(); err != nil || got != want {
						t.Errorf("%q, %v, want %q", got, err, want)
					}
				}
				if route != tt.route {
					t.Errorf("connected to %s, want %s", route, tt.route)
				}
				host := strings.TrimSuffix(strings.TrimPrefix(tt.url, "http://"), "/")
				if len(heads) != 2 || !strings.Contains(heads[0], "\r\nHost: "+host+"\r\n") {
					t.Errorf("sent %q", heads)
				}
			})
		})
	}
}

// The certificate must be one for the URL's host, and the host that is connected to says nothing about it.
func TestConnectToTLS(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	for _, proxy := range []string{"direct", "http://proxy.test:3128"} {
		inWorld(t, func(t *testing.T, w *world) {
			w.resolve("back.test", "10.0.0.2")
			w.serveAt("10.0.0.2:8443", serverTLS, answer(okText("x")))
			asked := ""
			w.proxy(func(p *peer) {
				asked = p.head()
				p.send(established)
				p.under(serverTLS, answer(okText("x")))
			})
			w.want("200 x")(w.get("https://server.test/", elsewhere(t, proxy, "back.test", 8443)))
			if proxy != "direct" && !strings.HasPrefix(asked, "CONNECT back.test:8443 HTTP/1.1\r\nHost: back.test:8443\r\n") {
				t.Errorf("the proxy was asked %q", asked)
			}
		}, WithTLSConfig(clientTLS))
	}
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("back.test", "10.0.0.2", serverTLS, (*peer).untilClosed)
		if _, err := w.get("https://other.test/", elsewhere(t, "direct", "back.test", 0)); !isError[*HostnameError](err) {
			t.Errorf("error %v", err)
		}
	}, WithTLSConfig(clientTLS))
}

// An http URL goes through a tunnel too, since the proxy would connect to what the request names, and the request is as it is without a proxy.
func TestConnectToThroughHTTPProxy(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		w.proxy(func(p *peer) { p.say(&heads, proxyRefusal, established, okText("x")) }, func(p *peer) { p.say(&heads, okText("y")) })
		w.want("200 x")(w.get("http://server.test/a", elsewhere(t, "http://proxy.test:3128", "back.test", 0), proxyCredentials(basicXX)))
		w.want("200 y")(w.get("http://server.test/b", elsewhere(t, "http://proxy.test:3128", "server.test", 80)))
		if len(heads) != 4 || !strings.HasPrefix(heads[1], "CONNECT back.test:80 HTTP/1.1\r\nHost: back.test:80\r\n") || !strings.Contains(heads[1], "Proxy-Authorization: "+basicXX) ||
			!strings.HasPrefix(heads[2], "GET /a HTTP/1.1\r\nHost: server.test\r\n") || !strings.HasPrefix(heads[3], "GET http://server.test/b HTTP/1.1\r\n") {
			t.Errorf("sent %q", heads)
		}
	})
}

func TestConnectToThroughSOCKS(t *testing.T) {
	for proxy, want := range map[string]string{
		"socks5h://10.0.9.2": "5 00 name back.test 81",
		"socks5://10.0.9.2":  "5 00 IPv4 10.0.0.2 81",
	} {
		inWorld(t, func(t *testing.T, w *world) {
			w.resolve("back.test", "10.0.0.2")
			asked := ""
			w.serveAt(socksAddr, nil, func(p *peer) {
				asked = socksGrants(p)
				answer(okText("x"))(p)
			})
			w.want("200 x")(w.get("http://server.test/", elsewhere(t, proxy, "back.test", 81)))
			if asked != want {
				t.Errorf("the proxy was asked for %s, want %s", asked, want)
			}
		})
	}
}

// Calls share connections if they lead to the same place for the same host.
func TestConnectToSharing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.resolve("back.test", "10.0.0.2")
		w.serveAt("10.0.0.2:80", nil, answer(okText("1"), okText("2")), answer(okText("other host")), answer(okText("no rule")))
		rule := elsewhere(t, "direct", "back.test", 0)
		w.want("200 1")(w.get("http://server.test/", rule))
		w.want("200 2")(w.get("http://server.test/", elsewhere(t, "direct", "BACK.test", 0)))
		w.want("200 other host")(w.get("http://other.test/", rule))
		w.want("200 no rule")(w.get("http://back.test/"))
	})
}

// Who cannot be found is the host that was asked for.
func TestConnectToUnknownHost(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		_, err := w.get("http://server.test/", elsewhere(t, "direct", "gone.test", 0))
		var unknown *UnknownHostError
		if !errors.As(err, &unknown) || unknown.Host != "gone.test" {
			t.Errorf("error %v", err)
		}
	})
}

func TestConnectToArguments(t *testing.T) {
	for _, tt := range []struct {
		host string
		port int
		want string
	}{
		{"h", -1, "okhttp: invalid target of a proxy: expected a port from 1 to 65535, or 0 for that of the URL, but got -1"},
		{"h", 65536, "okhttp: invalid target of a proxy: expected a port from 1 to 65535, or 0 for that of the URL, but got 65536"},
		{"a b", 0, "okhttp: invalid target of a proxy: expected a host name or an IP address in a b"},
		{"h:80", 0, "okhttp: invalid target of a proxy: expected a host name or an IP address in h:80"},
		{"u:hunter2@h", 0, "okhttp: invalid target of a proxy: expected a host name or an IP address in ██@h"},
		{"[a.example", 0, "okhttp: invalid target of a proxy: expected a host name or an IP address in [a.example"},
		{"1.2.3.400", 0, "okhttp: invalid target of a proxy: expected a host name or an IP address in 1.2.3.400"},
	} {
		p, err := Direct.ConnectTo(tt.host, tt.port)
		if err == nil || err.Error() != tt.want || p != Direct {
			t.Errorf("%q %d: %v, want %s", tt.host, tt.port, err, tt.want)
		}
	}
	p, err := Direct.ConnectTo("h", 1)
	if err != nil || p == Direct || !p.IsDirect() || p.String() != "direct" {
		t.Errorf("%v, %v", p, err)
	}
	if p, err = p.ConnectTo("", 0); err != nil || p != Direct {
		t.Errorf("%v, %v", p, err)
	}
	socket := UnixSocket("/run/x.sock")
	if p, err = socket.ConnectTo("h", 1); err != nil || p != socket {
		t.Errorf("%v, %v", p, err)
	}
}
