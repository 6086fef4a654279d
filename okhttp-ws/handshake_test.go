package okws

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Facts 27, 28 and 30 to 32: answers that are no upgrade. What the server sent can be read by the listener.
func TestListenerRefused(t *testing.T) {
	const plain = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nBody"
	for _, c := range []struct {
		name   string
		answer func(p *rawPeer)
		want   string
		body   string
	}{
		{"200", func(p *rawPeer) { p.request(); p.send(plain) }, "Expected HTTP 101 response but was '200 OK'", "Body"},
		{"404", func(p *rawPeer) { p.request(); p.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") }, "Expected HTTP 101 response but was '404 Not Found'", ""},
		{"no accept", func(p *rawPeer) { p.upgrade("Sec-WebSocket-Accept", "") }, "Expected 'Sec-WebSocket-Accept' header value '*' but was 'null'", ""},
		{"wrong accept", func(p *rawPeer) { p.upgrade("Sec-WebSocket-Accept", "magic") }, "Expected 'Sec-WebSocket-Accept' header value '*' but was 'magic'", ""},
		{"wrong upgrade", func(p *rawPeer) { p.upgrade("Upgrade", "Pepsi") }, "Expected 'Upgrade' header value 'websocket' but was 'Pepsi'", ""},
		{"a subprotocol that was not offered", func(p *rawPeer) { p.upgrade("Sec-WebSocket-Protocol", "soap") },
			"Expected 'Sec-WebSocket-Protocol' header value to be one of those offered but was 'soap'", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inSite(t, func(t *testing.T, w *site) {
				w.serveRaw(c.answer, c.answer)
				r := newRecorder(t)
				var got error
				r.do.OnFailure = func(_ *WebSocket, err error, resp *okhttp.Response) {
					got = err
					if resp == nil {
						t.Error("no response")
						return
					}
					if body, err := resp.Body.Text(); body != c.body || err != nil {
						t.Errorf("the body is %q, %v", body, err)
					}
				}
				ws := w.open(r.listener(), nil)
				<-ws.Done()
				var refused *HandshakeError
				if !errors.As(got, &refused) || !matches(refused.Detail, c.want) {
					t.Errorf("failed with %v, want %s", got, c.want)
				}
				_, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
				if !errors.As(err, &refused) || !matches(refused.Detail, c.want) {
					t.Errorf("Dial failed with %v, want %s", err, c.want)
				} else if body, _ := refused.Response.Body.Text(); body != c.body {
					t.Errorf("the body for Dial is %q", body)
				}
			})
		})
	}
}

// matches compares with a pattern in which an asterisk stands for anything.
func matches(s, pattern string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return s == pattern
	}
	return strings.HasPrefix(s, before) && strings.HasSuffix(s, after)
}

// Facts 30, 31 and 85, on the check itself, because okhttp takes a 101 without these headers for a protocol error.
func TestCheckResponse(t *testing.T) {
	const key = "YLQguzhR2dR6y5M9vnA5mw=="
	req, err := NewRequest("ws://server.test/")
	if err != nil {
		t.Fatal(err)
	}
	missing := "Web Socket socket missing: bad interceptor?"
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{[]string{"Upgrade", "websocket"}, "Expected 'Connection' header value 'Upgrade' but was 'null'"},
		{[]string{"Upgrade", "websocket", "Connection", "Downgrade"}, "Expected 'Connection' header value 'Upgrade' but was 'Downgrade'"},
		{[]string{"Connection", "Upgrade"}, "Expected 'Upgrade' header value 'websocket' but was 'null'"},
		{[]string{"Connection", "Upgrade", "Upgrade", "Pepsi"}, "Expected 'Upgrade' header value 'websocket' but was 'Pepsi'"},
		{[]string{"Connection", "Upgrade", "Upgrade", "websocket"}, "Expected 'Sec-WebSocket-Accept' header value 'ujmZX4KXZqjwy6vi1aQFH5p4Ygk=' but was 'null'"},
		{[]string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Accept", "magic"},
			"Expected 'Sec-WebSocket-Accept' header value 'ujmZX4KXZqjwy6vi1aQFH5p4Ygk=' but was 'magic'"},
		{[]string{"Connection", "keep-alive, Upgrade", "Upgrade", "WebSocket", "Sec-WebSocket-Accept", "ujmZX4KXZqjwy6vi1aQFH5p4Ygk="}, missing},
		{[]string{"Connection", "upgrade", "Connection", "close", "Upgrade", "websocket", "Sec-WebSocket-Accept", "ujmZX4KXZqjwy6vi1aQFH5p4Ygk="}, missing},
	} {
		h, err := okhttp.NewHeaders(c.fields...)
		if err != nil {
			t.Fatal(err)
		}
		resp := okhttp.NewResponse(req, 101, okhttp.ResponseHeaders(h))
		if err := checkResponse(resp, key); err == nil || err.Detail != c.want {
			t.Errorf("%q: %v, want %s", c.fields, err, c.want)
		}
	}
}

// Fact 33, and section 1: what the request may not be.
func TestBadRequests(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		r := newRecorder(t)
		ws := w.open(r.listener(), nil, okhttp.Header("Sec-WebSocket-Extensions", "permessage-deflate"))
		r.want("failure protocol error: Request header not permitted: 'Sec-WebSocket-Extensions'")
		ws.Cancel()
		if ws.SendText("x") {
			t.Error("sent")
		}
		req, err := okhttp.NewRequest("POST", "http://server.test/", okhttp.WithBody(okhttp.Text("x")))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewWebSocket(t.Context(), w.client, req, r.listener(), nil); err == nil || err.Error() != "okws: Request must be GET: POST" {
			t.Errorf("POST: %v", err)
		}
		for _, bad := range []*Config{{Subprotocols: []string{"a b"}}, {Compression: Compression{Level: 10}}, {Compression: Compression{PeerMaxWindowBits: 7}}} {
			if _, err := Dial(t.Context(), w.client, "ws://server.test/", bad); !errors.As(err, new(*ArgumentError)) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}

// Facts 34 and 35: application interceptors see the upgrade once, network interceptors never do.
func TestInterceptors(t *testing.T) {
	var applied, network int
	inSite(t, func(t *testing.T, w *site) {
		w.serve(w.accepting(nil, echo))
		c, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close(CodeNormal, "")
		if applied != 1 || network != 0 {
			t.Errorf("%d application and %d network interceptors ran", applied, network)
		}
	}, okhttp.WithInterceptor(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		resp, err := chain.Proceed(ctx, chain.Request())
		if err == nil {
			applied++
			if resp.Status != 101 || resp.Headers().Get("Connection") != "Upgrade" || chain.Request().Body() != nil {
				t.Errorf("it sees %v", resp)
			}
			if text, err := resp.Body.Text(); text != "" {
				t.Errorf("the body is %q, %v", text, err)
			}
		}
		return resp, err
	})), okhttp.WithNetworkInterceptor(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		network++
		return chain.Proceed(ctx, chain.Request())
	})))
}

// The four schemes, in any case, as URLs. TestConnectSchemes connects.
func TestSchemes(t *testing.T) {
	for from, want := range map[string]string{
		"ws://h/x": "http://h/x", "WS://h/x": "http://h/x", "wss://h/x": "https://h/x", "WsS://h:1/x": "https://h:1/x", "http://h/x": "http://h/x", "https://h/x": "https://h/x",
	} {
		req, err := NewRequest(from)
		if err != nil || req.URL().String() != want {
			t.Errorf("%s became %v, %v", from, req, err)
		}
	}
	if _, err := NewRequest("ftp://h/"); err == nil {
		t.Error("ftp was taken")
	}
}

// Fact 39: a handshake that stalls runs into the read timeout.
func TestStalledHandshake(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		stop := make(chan struct{})
		defer close(stop)
		w.serveRaw(func(*rawPeer) { <-stop })
		r := newRecorder(t)
		began := time.Now()
		var failure error
		r.do.OnFailure = func(_ *WebSocket, err error, _ *okhttp.Response) { failure = err }
		ws := w.open(r.listener(), nil)
		<-ws.Done()
		if !errors.Is(failure, os.ErrDeadlineExceeded) || time.Since(began) != 500*ms {
			t.Errorf("after %v: %v", time.Since(began), failure)
		}
		if ws.Close(CodeNormal, "") == nil {
			t.Error("closed")
		}
	}, okhttp.WithReadTimeout(500*ms))
}

// Fact 46 and the issue: the events of the call are told to a listener of the client, and nothing to anybody else.
func TestEvents(t *testing.T) {
	var events []string
	inSite(t, func(t *testing.T, w *site) {
		w.serve(w.accepting(nil, echo))
		c, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close(CodeNormal, "")
		if want := []string{"start", "end"}; !slices.Equal(events, want) {
			t.Errorf("events %q", events)
		}
		events = nil
		if c, err = Dial(t.Context(), w.client.With(okhttp.WithEventListener(nil)), "ws://server.test/", nil); err != nil {
			t.Fatal(err)
		}
		_ = c.Close(CodeNormal, "")
		if events != nil {
			t.Errorf("events %q without a listener", events)
		}
	}, okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
		return &okhttp.EventListener{
			CallStart: func(okhttp.CallStart) { events = append(events, "start") },
			CallEnd:   func(okhttp.CallEnd) { events = append(events, "end") },
		}
	}))
}

// Fact 47: the call timeout is for setting up.
func TestCallTimeout(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serveRaw(func(p *rawPeer) {
			p.request()
			time.Sleep(500 * ms)
		}, func(p *rawPeer) {
			p.upgrade()
			time.Sleep(time.Second)
			p.send("\x81\x05Hello")
			_, _ = p.in.ReadByte()
		})
		r := newRecorder(t)
		<-w.open(r.listener(), nil).Done()
		if got := <-r.events; !strings.Contains(got, "timeout") {
			t.Errorf("event %q", got)
		}
		ws := w.open(r.listener(), nil)
		r.want("open", "text Hello")
		ws.Cancel()
		r.want("failure okws: canceled")
	}, okhttp.WithCallTimeout(100*ms))
}

// Facts 29 and 48: a 408 is tried again, and a refused upgrade leaves its connection to the next call.
func TestConnectionAfterRefusal(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serveRaw(func(p *rawPeer) {
			p.request()
			p.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
			p.upgrade()
			p.send("\x88\x00")
		}, func(p *rawPeer) {
			p.request()
			p.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
			p.request()
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		})
		c, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = c.Read(t.Context())
		wantClose(t, err, CodeNoStatus, "")
		if _, err = Dial(t.Context(), w.client, "ws://server.test/", nil); err == nil {
			t.Fatal("connected")
		}
		resp, err := w.client.Get(t.Context(), "http://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "ok" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}
