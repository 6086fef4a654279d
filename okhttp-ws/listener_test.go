package okws

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

func codeText(c Code) string { return strconv.Itoa(int(c)) }

// Fact 22: text and binary go both ways.
func TestListenerMessages(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serve(w.accepting(nil, echo))
		r := newRecorder(t)
		ws := w.open(r.listener(), nil)
		r.want("open")
		if !ws.SendText("Hello, WebSockets!") || !ws.Send(Binary, []byte("Hello!")) {
			t.Error("not sent")
		}
		r.want("text Hello, WebSockets!", "binary Hello!")
		if err := ws.Close(CodeNormal, ""); err != nil {
			t.Error(err)
		}
		r.want("closing 1000", "closed 1000")
		<-ws.Done()
		if ws.SendText("late") || ws.Close(CodeNormal, "") == nil {
			t.Error("it can be used after the end")
		}
	})
}

// Facts 23, 24, 25: a panic of the listener is the failure of the web socket, and the peer sees the end of the stream.
func TestListenerPanics(t *testing.T) {
	for name, do := range map[string]Listener{
		"open":    {OnOpen: func(*WebSocket, *okhttp.Response) { panic("ouch") }},
		"message": {OnMessage: func(*WebSocket, Type, []byte) { panic("ouch") }},
		"closing": {OnClosing: func(*WebSocket, Code, string) { panic("ouch") }},
	} {
		t.Run(name, func(t *testing.T) {
			inSite(t, func(t *testing.T, w *site) {
				ended := make(chan error, 1)
				w.serve(w.accepting(nil, func(c *Conn) {
					_ = c.WriteText(background(), "x")
					if name == "closing" {
						ended <- c.Close(CodeNormal, "")
						return
					}
					_, _, err := c.Read(background())
					ended <- err
				}))
				r := newRecorder(t)
				r.do = do
				var failure error
				r.do.OnFailure = func(_ *WebSocket, err error, _ *okhttp.Response) { failure = err }
				ws := w.open(r.listener(), nil)
				<-ws.Done()
				if panicked := (*okhttp.PanicError)(nil); !errors.As(failure, &panicked) || panicked.Value != "ouch" {
					t.Errorf("failed with %v", failure)
				}
				if err := <-ended; err == nil {
					t.Error("the peer did not see it")
				}
			})
		})
	}
}

// Fact 26: the server closes, and the listener answers from OnClosing.
func TestListenerAnswersClose(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		ended := make(chan error, 1)
		w.serve(w.accepting(nil, func(c *Conn) {
			ended <- c.Close(CodeGoingAway, "bye")
			ended <- c.Err()
		}))
		r := newRecorder(t)
		r.do.OnClosing = func(ws *WebSocket, _ Code, _ string) {
			if err := ws.Close(CodeNormal, ""); err != nil {
				t.Error(err)
			}
		}
		w.open(r.listener(), nil)
		r.want("open", "closing 1001 bye", "closed 1001 bye")
		if err := <-ended; err != nil {
			t.Error(err)
		}
		wantClose(t, <-ended, CodeNormal, "")
	})
}

// The option answers by itself, and without it the connection stays.
func TestListenerEchoesClose(t *testing.T) {
	for _, on := range []bool{true, false} {
		inSite(t, func(t *testing.T, w *site) {
			w.serve(w.accepting(nil, func(c *Conn) { _ = c.Close(4000, "bye") }))
			r := newRecorder(t)
			ws := w.open(r.listener(), &Config{EchoClose: on})
			r.want("open", "closing 4000 bye")
			if !on {
				time.Sleep(time.Second)
				r.wantNone()
				if !ws.SendText("still open") {
					t.Error("closed")
				}
				_ = ws.Close(CodeNormal, "")
			}
			r.want("closed 4000 bye")
		})
	}
}

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

// Fact 38: the four schemes, in any case.
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

// Fact 36: sending until the queue is full closes with 1001 behind what was taken.
func TestQueueFull(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		begin := make(chan struct{})
		got := make(chan int, 1)
		w.serve(w.accepting(nil, func(c *Conn) {
			<-begin
			n := 0
			for m, err := range c.Messages(background()) {
				if err != nil || len(m.Data) != 1<<20 {
					t.Errorf("message of %d, %v", len(m.Data), err)
				}
				n++
			}
			wantClose(t, c.Err(), CodeGoingAway, "")
			got <- n
		}))
		r := newRecorder(t)
		ws := w.open(r.listener(), &Config{Compression: Compression{Off: true}})
		r.want("open")
		message := make([]byte, 1<<20)
		sent := 0
		for ws.Send(Binary, message) {
			sent++
			if size := ws.QueueSize(); size > int64(sent)<<20 {
				t.Fatalf("%d bytes are queued of %d", size, sent<<20)
			}
			synctest.Wait()
		}
		if sent >= 32 || sent < 16 {
			t.Errorf("%d were taken", sent)
		}
		if ws.SendText("after") {
			t.Error("sent after it was closed")
		}
		close(begin)
		if n := <-got; n != sent {
			t.Errorf("%d of %d arrived", n, sent)
		}
		r.want("closing 1001", "closed 1001")
	})
}

// One message of exactly the limit is taken, one byte more is not.
func TestQueueLimit(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		stop := make(chan struct{})
		defer close(stop)
		w.serveRaw(func(p *rawPeer) { <-stop })
		r := newRecorder(t)
		for _, policy := range []QueuePolicy{QueueRefuses, QueueCloses} {
			ws := w.open(r.listener(), &Config{QueueFull: policy})
			if ws.Send(Binary, make([]byte, 16<<20+1)) {
				t.Error("one byte more was taken")
			}
			if ok := ws.Send(Binary, make([]byte, 16<<20)); ok != (policy == QueueRefuses) {
				t.Errorf("with policy %d the whole limit: %v", policy, ok)
			}
			ws.Cancel()
			r.want("failure …")
		}
	})
}

// With QueueBlocks, and with SendContext, sending waits for room, and Flush for what was sent.
func TestQueueBlocks(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		got := make(chan struct{})
		w.serve(w.accepting(nil, func(c *Conn) {
			time.Sleep(time.Second)
			for range 5 {
				if _, _, err := c.Read(background()); err != nil {
					t.Error(err)
				}
			}
			close(got)
			_, _, _ = c.Read(background())
		}))
		r := newRecorder(t)
		ws := w.open(r.listener(), &Config{QueueFull: QueueBlocks, QueueLimit: 200 << 10, Compression: Compression{Off: true}})
		r.want("open")
		began := time.Now()
		message := make([]byte, 150<<10)
		for range 3 {
			if !ws.Send(Binary, message) {
				t.Error("refused")
			}
		}
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		written := make(chan error, 1)
		if err := ws.SendContext(t.Context(), Binary, message, func(err error) { written <- err }); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := ws.SendContext(ctx, Binary, make([]byte, 201<<10), nil); err != ErrQueueFull {
			t.Errorf("a message larger than the queue: %v", err)
		}
		if err := <-written; err != nil {
			t.Error(err)
		}
		if err := ws.SendContext(t.Context(), Text, nil, nil); err != nil {
			t.Error(err)
		}
		if err := ws.Flush(t.Context()); err != nil || ws.QueueSize() != 0 {
			t.Errorf("flushed %v with %d left", err, ws.QueueSize())
		}
		<-got
		ws.Cancel()
		r.want("failure okws: canceled")
	})
}

// Fact 37: reasons of 123 bytes fit, longer ones are refused and do no harm.
func TestReasons(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		long := strings.Repeat("x", 123)
		w.serve(w.accepting(nil, func(c *Conn) {
			if err := c.Close(CodeNormal, long+"x"); err == nil || err.Error() != "okws: reason.size() > 123: "+long+"x" {
				t.Errorf("closed with %v", err)
			}
			if err := c.Close(CodeNormal, long); err != nil {
				t.Error(err)
			}
			wantClose(t, c.Err(), CodeNormal, long)
		}))
		r := newRecorder(t)
		ws := w.open(r.listener(), nil)
		r.want("open", "closing 1000 "+long)
		if err := ws.Close(CodeNormal, long+"x"); err == nil || !errors.As(err, new(*ArgumentError)) {
			t.Errorf("closed with %v", err)
		}
		if err := ws.Close(0, ""); err == nil || err.Error() != "okws: Code must be in range [1000,5000): 0" {
			t.Errorf("closed with %v", err)
		}
		if err := ws.Close(CodeNormal, long); err != nil {
			t.Error(err)
		}
		r.want("closed 1000 " + long)
	})
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

// Facts 40, 41: the read timeout is for the inside of frames, not for silence between them.
func TestFrameTimeout(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serveRaw(func(p *rawPeer) {
			p.upgrade()
			time.Sleep(time.Second)
			p.send("\x81\x05Hello")
			time.Sleep(time.Second)
			p.send("\x81")
			_, _ = p.in.ReadByte()
		})
		r := newRecorder(t)
		began := time.Now()
		ws := w.open(r.listener(), nil)
		r.want("open", "text Hello", "failure okws: timeout: the peer sent nothing for 500ms in the middle of a frame")
		if time.Since(began) != 2500*ms {
			t.Errorf("after %v", time.Since(began))
		}
		<-ws.Done()
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

// Fact 49: sending and closing before it is connected.
func TestBeforeConnected(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serve(func(rw http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			if c, err := Accept(rw, r, nil); err == nil { // it is canceled the second time
				echo(c)
				_ = c.CloseNow()
			}
		})
		r := newRecorder(t)
		ws := w.open(r.listener(), nil)
		if !ws.SendText("early") || ws.QueueSize() != 5 {
			t.Errorf("%d bytes are queued", ws.QueueSize())
		}
		if err := ws.Close(CodeNormal, "done"); err != nil {
			t.Error(err)
		}
		if ws.SendText("late") || ws.Close(CodeNormal, "") == nil {
			t.Error("it can be used after Close")
		}
		r.want("open", "text early", "closing 1000", "closed 1000")
		ws = w.open(r.listener(), nil)
		time.Sleep(500 * ms)
		ws.Cancel()
		ws.Cancel()
		r.want("failure …")
	})
}

// Fact 50: connecting again from OnFailure.
func TestReconnectFromFailure(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serve(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusUnauthorized) })
		done := make(chan struct{})
		n := 0
		var l Listener
		l.OnFailure = func(*WebSocket, error, *okhttp.Response) {
			if n++; n == 20 {
				close(done)
				return
			}
			w.open(l, nil)
		}
		w.open(l, nil)
		<-done
	})
}

// Section 10: an open web socket leaves the dispatcher to other calls.
func TestDispatcherSlot(t *testing.T) {
	d := okhttp.NewDispatcher(okhttp.DispatcherConfig{MaxRequests: 1})
	inSite(t, func(t *testing.T, w *site) {
		w.serve(w.accepting(nil, echo))
		r := newRecorder(t)
		first := w.open(r.listener(), nil)
		r.want("open")
		second := w.open(r.listener(), nil)
		r.want("open")
		for _, ws := range []*WebSocket{first, second} {
			_ = ws.Close(CodeNormal, "")
			r.want("closing 1000", "closed 1000")
		}
	}, okhttp.WithDispatcher(d))
}

// The context of a web socket ends it: with a close frame.
func TestContextEndsWebSocket(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		ended := make(chan error, 1)
		w.serve(w.accepting(nil, func(c *Conn) {
			_, _, err := c.Read(background())
			ended <- err
		}))
		ctx, cancel := context.WithCancelCause(t.Context())
		r := newRecorder(t)
		req, _ := NewRequest("ws://server.test/")
		if _, err := NewWebSocket(ctx, w.client, req, r.listener(), nil); err != nil {
			t.Fatal(err)
		}
		r.want("open")
		cancel(errors.New("enough"))
		r.want("failure enough")
		wantClose(t, <-ended, CodeGoingAway, "")
	})
}
