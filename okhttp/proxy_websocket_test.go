package okhttp

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// asWebSocket are the ways to ask for one.
var asWebSocket = map[string][]RequestOption{
	"alone":     {Upgrade("websocket")},
	"in a list": {Upgrade("h2c, WebSocket")},
	"by fields": {Header("Connection", "Upgrade"), Header("Upgrade", "websocket")},
}

// A web socket without TLS asks an HTTP proxy for a connection (RFC 6455 section 4.1), whatever else is idle, and comes back to it after a refusal.
func TestProxyWebSocket(t *testing.T) {
	for name, opts := range asWebSocket {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var heads []string
				w.proxy(func(p *peer) {
					p.say(&heads, okText("forwarded"), okText("again"))
				}, func(p *peer) {
					p.say(&heads, established, okText("not yet"), switching+"hi")
					echoLines(p)
				})
				w.want("200 forwarded")(w.get("http://server.test/"))
				w.want("not yet")(w.chat(opts...).Body.Text())
				greet(t, w.chat(opts...))
				w.want("200 again")(w.get("http://server.test/"))
				wantTargets(t, heads, "GET http://server.test/", "CONNECT server.test:80", "GET /chat", "GET /chat", "GET http://server.test/")
			}, httpProxy(t))
		})
	}
}

// A tunnel that a refused web socket leaves is not for other requests: they would get around the proxy.
func TestProxyWebSocketRefused(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		w.proxy(func(p *peer) {
			p.say(&heads, established, okText("not yet"))
			p.untilClosed()
		}, func(p *peer) {
			p.say(&heads, okText("forwarded"))
			p.untilClosed()
		})
		w.want("not yet")(w.chat(Upgrade("websocket")).Body.Text())
		w.want("200 forwarded")(w.get("http://server.test/"))
		wantTargets(t, heads, "CONNECT server.test:80", "GET /chat", "GET http://server.test/")
	}, httpProxy(t))
}

// A call that becomes a web socket gives up the connection that it holds.
func TestProxyWebSocketAsFollowUp(t *testing.T) {
	auth := AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
		return resp.Request().With(Upgrade("websocket"))
	})
	inWorld(t, func(t *testing.T, w *world) {
		var heads []string
		w.proxy(func(p *peer) {
			p.say(&heads, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
			p.untilClosed()
		}, func(p *peer) {
			p.say(&heads, established, switching+"hi")
			echoLines(p)
		})
		greet(t, w.chat())
		wantTargets(t, heads, "GET http://server.test/chat", "CONNECT server.test:80", "GET /chat")
	}, httpProxy(t), WithAuthenticator(auth))
}

// A server waits for the handshake, so what is right behind the proxy's answer is nobody's.
func TestProxyWebSocketTooEarly(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.proxy(func(p *peer) {
			p.head()
			p.send(established + switching)
			p.untilClosed()
		})
		_, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/chat", Upgrade("websocket")))
		wantProxyError(t, err, PhaseProxy, 0, "server.test:80 via proxy http://proxy.test:3128 at 10.0.9.1:3128", "bytes came right after the response to CONNECT")
	}, httpProxy(t))
}

func (w *world) chat(opts ...RequestOption) *Response {
	w.t.Helper()
	resp, err := w.client.Do(w.t.Context(), mustRequest(w.t, "GET", "http://server.test/chat", opts...))
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
}

// wantTargets checks the methods and targets of heads.
func wantTargets(t *testing.T, heads []string, want ...string) {
	t.Helper()
	var got []string
	for _, head := range heads {
		line, _, _ := strings.Cut(head, "\r\n")
		got = append(got, strings.TrimSuffix(line, " HTTP/1.1"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}
