package okhttp

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: keep-alive, upgrade\r\nUpgrade: echo\r\n\r\n"

// switchAnd answers an upgrade with 101 and goes on as it is told.
func switchAnd(extra string, on func(*peer)) func(*peer) {
	return func(p *peer) {
		r, _ := p.request()
		if r == nil {
			return
		}
		if r.Header.Get("Connection") != "Upgrade" || r.Header.Get("Upgrade") != "echo" {
			p.t.Errorf("asked with %v", r.Header)
		}
		p.send(switching + extra)
		on(p)
	}
}

func echoLines(p *peer) { io.Copy(p.Conn, p.in) }

// upgraded executes an upgrade and returns both ends of what came of it.
func (w *world) upgraded(ctx context.Context, opts ...CallOption) (*Call, *Response, okio.Socket) {
	w.t.Helper()
	call := w.client.NewCall(mustRequest(w.t, "GET", "http://server.test/", Upgrade("echo")), opts...)
	resp, err := call.Execute(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	socket, ok := resp.Socket()
	if !ok {
		w.t.Fatalf("no socket in %+v", resp)
	}
	return call, resp, socket
}

func tell(t *testing.T, s okio.Socket, text string) {
	t.Helper()
	var b okio.Buffer
	b.WriteString(text)
	if err := s.Sink().WriteBuffer(&b, b.Len()); err != nil {
		t.Fatal(err)
	}
	if err := s.Sink().Flush(); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, s okio.Socket, want string) {
	t.Helper()
	var b okio.Buffer
	for b.Len() < int64(len(want)) {
		if _, err := s.Source().ReadBuffer(&b, int64(len(want))-b.Len()); err != nil {
			t.Fatalf("after %d bytes: %v", b.Len(), err)
		}
	}
	if got, _ := b.ReadText(b.Len()); got != want {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// greet talks to a server that says "hi" and then what it hears, and ends the call.
func greet(t *testing.T, resp *Response) {
	t.Helper()
	socket, ok := resp.Socket()
	if !ok {
		t.Fatalf("no socket in %+v", resp)
	}
	hear(t, socket, "hi")
	tell(t, socket, "hello")
	hear(t, socket, "hello")
	resp.Body.Close()
}

const upgradeAccepted = newConnection80 + exchanged + "followUpDecision false "

// Section 9.11: the connection is handed over, with the bytes that came right after the response first, and its call ends when both
// directions are closed.
func TestUpgrade(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("welcome", echoLines), answer(okText("x")))
		_, resp, s := w.upgraded(t.Context())
		conn, ok := resp.Connection()
		if resp.Status != 101 || !ok || conn.Route().String() != "server.test at 10.0.0.1:80" {
			t.Errorf("status %d, connection %v %v", resp.Status, conn, ok)
		}
		if text, err := io.ReadAll(resp.Body); len(text) > 0 || err != nil {
			t.Errorf("body %q, %v", text, err)
		}
		hear(t, s, "welcome")
		tell(t, s, "hello")
		hear(t, s, "hello")
		w.wantEvents(upgradeAccepted + "responseBodyStart requestBodyStart")
		if err := s.Sink().Close(); err != nil {
			t.Error(err)
		}
		w.wantEvents("requestBodyEnd 5")
		var b okio.Buffer
		if n, err := s.Source().ReadBuffer(&b, 1); n != 0 || err != io.EOF { // the server saw the end of what it echoes
			t.Errorf("read %d, %v", n, err)
		}
		if got := w.client.active.Load(); got != 1 {
			t.Errorf("%d calls while one direction is open", got)
		}
		if err := s.Source().Close(); err != nil {
			t.Error(err)
		}
		w.wantEvents("responseBodyEnd 12 connectionReleased callEnd")
		s.Source().Close()
		s.Sink().Close()
		resp.Body.Close()
		w.wantEvents("")
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v, an upgraded connection is never pooled", got)
		}
		if _, err := s.Source().ReadBuffer(&b, 1); !errors.Is(err, okio.ErrClosed) {
			t.Errorf("reading after closing: %v", err)
		}
		if err := s.Sink().WriteBuffer(&b, 0); !errors.Is(err, okio.ErrClosed) {
			t.Errorf("writing after closing: %v", err)
		}
		w.want("200 x")(w.get("http://server.test/"))
	})
}

func TestUpgradeCloseOrder(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("", echoLines), switchAnd("", echoLines), switchAnd("", echoLines))
		_, _, s := w.upgraded(t.Context())
		tell(t, s, "hello")
		hear(t, s, "hello")
		s.Source().Close()
		s.Sink().Close()
		w.wantEvents(upgradeAccepted + "requestBodyStart responseBodyStart responseBodyEnd 5 requestBodyEnd 5 connectionReleased callEnd")

		_, resp, s := w.upgraded(t.Context())
		tell(t, s, "hello")
		hear(t, s, "hello")
		resp.Body.Close() // both
		w.wantEvents(upgradeAccepted + "requestBodyStart responseBodyStart requestBodyEnd 5 responseBodyEnd 5 connectionReleased callEnd")

		_, resp, _ = w.upgraded(t.Context()) // and it is not used at all
		resp.Body.Close()
		w.wantEvents(upgradeAccepted + "connectionReleased callEnd")
		w.holdsNothing()
	})
}

// A body goes before the switch (facts of 14.4).
func TestUpgradeWithBody(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var body string
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			_, body = p.request()
			p.send(switching)
			echoLines(p)
		})
		resp, err := w.client.Do(t.Context(), mustRequest(t, "POST", "http://server.test/", Upgrade("echo"), WithBody(Text("body"))))
		if err != nil {
			t.Fatal(err)
		}
		s, ok := resp.Socket()
		if !ok {
			t.Fatal("no socket")
		}
		tell(t, s, "x")
		hear(t, s, "x")
		resp.Body.Close()
		if body != "body" {
			t.Errorf("the server got %q", body)
		}
		w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 4 responseHeadersStart responseHeadersEnd " +
			"followUpDecision false requestBodyStart responseBodyStart requestBodyEnd 1 responseBodyEnd 1 connectionReleased callEnd")
	})
}

// A pooled connection may be upgraded as well (9.11), without network interceptors; a refusal is a plain exchange over a connection that
// stays in the pool.
func TestUpgradeRefused(t *testing.T) {
	intercepted := 0
	count := interceptNetwork(func(ctx context.Context, c Chain) (*Response, error) {
		intercepted++
		return onward(ctx, c)
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a"), okText("no"), "HTTP/1.1 426 Upgrade Required\r\nUpgrade: other\r\nContent-Length: 2\r\n\r\nno", switching))
		w.want("200 a")(w.get("http://server.test/"))
		w.events = nil
		for _, status := range []int{200, 426} {
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Upgrade("echo")))
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := resp.Socket(); ok || resp.Status != status {
				t.Errorf("status %d, socket %v", resp.Status, ok)
			}
			if _, ok := resp.Connection(); !ok {
				t.Error("no connection")
			}
			if text, err := resp.Body.Text(); text != "no" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			w.wantEvents("callStart connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 2 connectionReleased callEnd")
		}
		_, resp, _ := w.upgraded(t.Context())
		resp.Body.Close()
		w.wantEvents("callStart connectionAcquired " + exchanged + "followUpDecision false connectionReleased callEnd")
		if intercepted != 1 {
			t.Errorf("%d exchanges were intercepted, want the plain one alone", intercepted)
		}
	}, count)
}

// A 101 is an upgrade if both sides say so, and a violation of the protocol otherwise.
func TestUpgradeOfOneSide(t *testing.T) {
	for name, c := range map[string]struct {
		opts     []RequestOption
		response string
		ok       bool
	}{
		"not asked for":                 {nil, switching, false},
		"only Upgrade":                  {[]RequestOption{Header("Upgrade", "echo")}, switching, false},
		"asked for by headers":          {[]RequestOption{Header("Upgrade", "echo"), Header("Connection", "x, Upgrade")}, switching, true},
		"no Connection in the response": {[]RequestOption{Upgrade("echo")}, "HTTP/1.1 101 X\r\nUpgrade: echo\r\n\r\n", false},
		"no Upgrade in the response":    {[]RequestOption{Upgrade("echo")}, "HTTP/1.1 101 X\r\nConnection: upgrade\r\n\r\n", false},
		"token of the second line":      {[]RequestOption{Upgrade("echo")}, "HTTP/1.1 101 X\r\nConnection: x\r\nConnection: y , UPGRADE\r\nUpgrade: echo\r\n\r\n", true},
		"another word":                  {[]RequestOption{Upgrade("echo")}, "HTTP/1.1 101 X\r\nConnection: upgraded\r\nUpgrade: echo\r\n\r\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(c.response))
				resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", c.opts...))
				if c.ok {
					if err != nil {
						t.Fatal(err)
					}
					resp.Body.Close()
					return
				}
				var pe *ProtocolError
				if !errors.As(err, &pe) || !strings.Contains(err.Error(), "101") {
					t.Errorf("error %v", err)
				}
				w.wantEvents(newConnection80 + exchanged + "retryDecision false connectionReleased callFailed")
				w.holdsNothing()
			})
		})
	}
}

// Whatever ended the set-up ends nothing after the switch: the context, and the call timeout.
func TestUpgradeOutlivesTheCall(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("", echoLines))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, resp, s := w.upgraded(ctx, WithCallTimeout(time.Second), WithReadTimeout(0))
		tell(t, s, "a")
		hear(t, s, "a")
		time.Sleep(time.Minute)
		if ctx.Err() == nil {
			t.Fatal("the context is still alive")
		}
		tell(t, s, "b")
		hear(t, s, "b")
		resp.Body.Close()
		w.wantEvents(upgradeAccepted + "requestBodyStart responseBodyStart requestBodyEnd 2 responseBodyEnd 2 connectionReleased callEnd")
	})
}

func TestUpgradeSetUpIsTimed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer())
		_, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Upgrade("echo")), WithCallTimeout(time.Second))
		if !errors.Is(err, ErrCallTimeout) {
			t.Errorf("error %v", err)
		}
	})
}

// The read timeout bounds each operation. One that ran out of time can be made again.
func TestUpgradeReadTimeout(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("", func(p *peer) {
			time.Sleep(1500 * time.Millisecond)
			p.send("late")
			io.Copy(io.Discard, p.in)
		}))
		_, resp, s := w.upgraded(t.Context(), WithReadTimeout(time.Second))
		var b okio.Buffer
		if _, err := s.Source().ReadBuffer(&b, 4); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		hear(t, s, "late")
		okio.TimeoutOf(s.Source()).SetLimit(time.Millisecond)
		began := time.Now()
		if _, err := s.Source().ReadBuffer(&b, 4); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Millisecond {
			t.Errorf("error %v after %v", err, time.Since(began))
		}
		resp.Body.Close()
		w.wantEvents(upgradeAccepted + "responseBodyStart responseBodyEnd 4 connectionReleased callEnd")
	})
}

// What breaks the connection fails its call, once and whatever direction notices.
func TestUpgradeBreaks(t *testing.T) {
	why := errors.New("enough")
	for name, c := range map[string]struct {
		end      func(w *world, call *Call, s okio.Socket)
		is       error
		canceled int
	}{
		"Cancel of the socket": {func(_ *world, _ *Call, s okio.Socket) { s.Cancel(why) }, why, 0},
		"Cancel of the call":   {func(_ *world, call *Call, _ okio.Socket) { call.Cancel() }, ErrCanceled, 1},
		"Close of the client":  {func(w *world, _ *Call, _ okio.Socket) { w.client.Close() }, ErrCanceled, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", switchAnd("", echoLines))
				call, resp, s := w.upgraded(t.Context(), WithReadTimeout(0))
				tell(t, s, "x")
				hear(t, s, "x")
				w.events = nil
				read := make(chan error)
				go func() {
					_, err := s.Source().ReadBuffer(new(okio.Buffer), 1)
					read <- err
				}()
				synctest.Wait()
				c.end(w, call, s)
				if err := <-read; !errors.Is(err, c.is) {
					t.Errorf("read %v", err)
				}
				if n := w.takeCanceled(); n != c.canceled {
					t.Errorf("%d canceled events, want %d", n, c.canceled)
				}
				w.wantEvents("responseFailed")
				var b okio.Buffer
				for range 2 {
					b.WriteString("x")
					if err := s.Sink().WriteBuffer(&b, 1); !errors.Is(err, c.is) {
						t.Errorf("write %v", err)
					}
				}
				if _, err := s.Source().ReadBuffer(&b, 1); !errors.Is(err, c.is) {
					t.Errorf("second read %v", err)
				}
				resp.Body.Close()
				w.wantEvents("requestFailed connectionReleased callFailed")
				w.holdsNothing()
			})
		})
	}
	t.Run("the peer", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var failure error
			client := w.with(WithEventListener(func(*Call) *EventListener {
				return &EventListener{CallFailed: func(f Failure) { failure = f.Err }}
			}))
			w.serve("server.test", "10.0.0.1", switchAnd("", func(p *peer) {
				time.Sleep(time.Second)
				p.Conn.(interface{ Reset() error }).Reset()
			}))
			resp, err := client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Upgrade("echo")))
			if err != nil {
				t.Fatal(err)
			}
			s, _ := resp.Socket()
			if _, err := s.Source().ReadBuffer(new(okio.Buffer), 1); err == nil || err == io.EOF {
				t.Errorf("read %v", err)
			}
			resp.Body.Close()
			var e *Error
			if !errors.As(failure, &e) || e.Phase != PhaseResponseBody || e.Route != "server.test at 10.0.0.1:80" || !e.Sent {
				t.Errorf("failure %v", failure)
			}
		})
	})
}

// The context that ends just as the switch comes is a failure of the call, not a socket that dies later.
func TestUpgradeAgainstTheContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("", echoLines))
		ctx, cancel := context.WithCancel(t.Context())
		client := w.with(WithEventListener(func(*Call) *EventListener {
			return &EventListener{ResponseHeadersEnd: func(ResponseHeadersEnd) { cancel(); synctest.Wait() }}
		}))
		if _, err := client.Do(ctx, mustRequest(t, "GET", "http://server.test/", Upgrade("echo"))); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		w.holdsNothing()
	})
}

func TestUpgradeCanceledByAnInterceptor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", switchAnd("", echoLines))
		if _, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Upgrade("echo"))); !errors.Is(err, ErrCanceled) {
			t.Errorf("error %v", err)
		}
		w.wantEvents(upgradeAccepted + "canceled connectionReleased callFailed")
		w.holdsNothing()
	}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := onward(ctx, c)
		c.Call().Cancel()
		return resp, err
	}))
}

// A socket that nobody closes is freed by the client's Close, and its peer sees the end.
func TestUpgradeThenClose(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ended := false
		w.serve("server.test", "10.0.0.1", switchAnd("", func(p *peer) {
			io.Copy(io.Discard, p.in)
			ended = true
		}))
		_, resp, _ := w.upgraded(t.Context())
		w.client.Close()
		synctest.Wait()
		if !ended {
			t.Error("the peer was not told")
		}
		resp.Body.Close() // which ends the call
	})
}

func TestUpgradeOverTLS(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", serverTLS, switchAnd("welcome", echoLines))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "wss://server.test/", Upgrade("echo")))
		if err != nil {
			t.Fatal(err)
		}
		s, ok := resp.Socket()
		if !ok || resp.Handshake() == nil {
			t.Fatalf("socket %v, handshake %v", ok, resp.Handshake())
		}
		hear(t, s, "welcome")
		tell(t, s, "hello")
		hear(t, s, "hello")
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}, WithTLSConfig(clientTLS))
}

func TestUpgradeOption(t *testing.T) {
	for _, protocol := range []string{"", "web socket", "a\r\nb", "ü"} {
		if _, err := NewRequest("GET", "http://h/", Upgrade(protocol)); err == nil {
			t.Errorf("Upgrade(%q) is no error", protocol)
		}
	}
	if got := mustRequest(t, "GET", "http://h/", Upgrade("HTTP/2.0")).Upgrade(); got != "HTTP/2.0" {
		t.Errorf("upgrade %q", got)
	}
	if _, ok := NewResponse(mustRequest(t, "GET", "http://h/"), 200).Connection(); ok {
		t.Error("a made response has a connection")
	}
	if _, ok := NewResponse(mustRequest(t, "GET", "http://h/"), 101).Socket(); ok {
		t.Error("a made response has a socket")
	}
}
