package okws

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
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
