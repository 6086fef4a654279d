package okws

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// A connection that ended while somebody was reading is forgotten by the context that was read with, which may live on: a ping found out, or CloseNow was called.
func TestContextForgets(t *testing.T) {
	for name, cfg := range map[string]*Config{"CloseNow": nil, "a missing pong": {PingInterval: time.Second}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, h := end(t, true, cfg, extensions{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				read := make(chan error, 1)
				go func() {
					for {
						if _, _, err := c.Read(ctx); err != nil { // after the second one the context is known
							read <- err
							return
						}
					}
				}()
				h.send("810161 810162 810163")
				synctest.Wait()
				if cfg == nil {
					_ = c.CloseNow()
				}
				if err := <-read; err == nil {
					t.Error("a message was read")
				}
				synctest.Wait()
				if c.readWatch.now.Load() != nil {
					t.Error("the context still knows of the connection")
				}
			})
		})
	}
}

// While Messages waits for the next message, others can have the memory of the one before.
func TestMessagesHoldsNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would give the memory up
	bubble(t, func(t *testing.T) {
		var first [2]*byte
		for i := range first {
			c, h := end(t, true, nil, extensions{})
			go func() {
				for m, err := range c.Messages(background()) {
					if err != nil {
						return // it is closed when the test is over
					}
					first[i] = &m.Data[0]
				}
			}()
			h.send("820161")
			synctest.Wait()
		}
		if first[0] == nil || first[0] != first[1] {
			t.Error("the second sequence got memory of its own while the first one waited")
		}
	})
}

// A message is for good if the loop is left with it.
func TestMessagesLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{})
		h.send("820161 820162")
		var kept []byte
		for m, err := range c.Messages(t.Context()) {
			must(t, err)
			kept = m.Data
			break
		}
		for m, err := range c.Messages(t.Context()) {
			must(t, err)
			if string(kept) != "a" || m.Text() != "b" {
				t.Errorf("%q, %q", kept, m.Data)
			}
			break
		}
	})
}

// Who stops in the middle of a compressed message and ends the connection leaves no inflater behind, whoever found out that it ended.
func TestInflaterEnds(t *testing.T) {
	for name, stop := range map[string]func(t *testing.T, c *Conn){
		"CloseNow":       func(_ *testing.T, c *Conn) { _ = c.CloseNow() },
		"a missing pong": func(_ *testing.T, c *Conn) { <-c.Done() },
		"a context": func(t *testing.T, c *Conn) {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := c.Bind(ctx, CodeGoingAway)
			must(t, err)
			cancel()
			<-c.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, h := end(t, true, &Config{PingInterval: time.Second}, extensions{deflate: true})
				h.send("4101 f2") // more is to come
				ctx, cancel := timeout(t, 100*ms)
				defer cancel()
				_, r, err := c.NextReader(ctx)
				must(t, err)
				if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("read %d, %v", n, err)
				}
				if !c.reading.try() { // it is looked at in turn, as an end can come at any time
					t.Fatal("somebody reads")
				}
				if c.stream == nil || c.stream.inflated == nil {
					t.Error("nothing is being inflated")
				}
				c.reading.give()
				stop(t, c)
				time.Sleep(2 * linger)
				synctest.Wait()
				if c.stream != nil {
					t.Error("an inflater is left")
				}
			})
		})
	}
}

// A peer that stops in the middle of a compressed message that is read as a stream runs into the limit.
func TestInflaterStalls(t *testing.T) {
	for _, client := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			c, h := end(t, client, &Config{FrameTimeout: time.Second}, extensions{deflate: true})
			if client {
				h.send("4107 f2")
			} else {
				h.send("4187 00000000 f2")
			}
			_, r, err := c.NextReader(t.Context())
			must(t, err)
			if _, err := r.Read(make([]byte, 100)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("read with %v", err)
			}
		})
	}
}

// A read of a compressed stream that its deadline ends loses nothing to the memory that it was for.
func TestInflaterGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{deflate: true})
		n := c.NetConn(Text)
		h.send("c107 f2")
		must(t, n.SetReadDeadline(time.Now().Add(time.Second)))
		first, second := make([]byte, 10), make([]byte, 2)
		if k, err := n.Read(first); k != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read %d, %v", k, err)
		}
		must(t, n.SetReadDeadline(time.Time{}))
		h.send("48cdc9c90700")
		got := ""
		for len(got) < 5 {
			k, err := n.Read(second)
			must(t, err)
			got += string(second[:k])
		}
		if got != "Hello" || first[0] != 0 {
			t.Errorf("read %q, and %q before", got, first)
		}
	})
}

// The context of a message that is written ends before the message does: nothing else waits for it any more. If a part of it was sent the connection ends, as
// the peer waits for the rest; if none was, the connection is as it was, and what the compressor knows of the message is forgotten.
func TestWriterContextEnds(t *testing.T) {
	enough := errors.New("enough")
	for name, test := range map[string]struct {
		deflate bool
		size    int
		sent    bool
	}{
		"nothing":                     {false, 0, false},
		"held":                        {false, 1000, false},
		"sent":                        {false, 2 * fragment, true},
		"compressed and held":         {true, 2 * fragment, false},
		"nothing, to be compressed":   {true, 0, false},
		"compressed, nothing flushed": {true, 1000, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				cfg := &Config{Compression: Compression{Off: !test.deflate, Threshold: -1}}
				c, s := pair(t, cfg, cfg)
				go echo(s)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				content := strings.Repeat("content that may be referred to, ", test.size/33+1)[:test.size]
				w, err := c.NextWriter(ctx, Text)
				must(t, err)
				_, err = io.WriteString(w, content)
				must(t, err)
				written := make(chan error, 1)
				go func() { written <- c.WriteText(t.Context(), content+"!") }() // waits for the end of the other
				synctest.Wait()
				cancel(enough)
				if err := w.Close(); !errors.Is(err, enough) {
					t.Errorf("closed with %v", err)
				}
				err = <-written
				if test.sent {
					if !errors.Is(err, enough) || !errors.Is(c.Err(), enough) {
						t.Errorf("written with %v, ended with %v", err, c.Err())
					}
					return
				}
				must(t, err)
				wantMessage(t, c, Text, content+"!")
				if _, err := w.Write([]byte("x")); err == nil {
					t.Error("the message goes on")
				}
				must(t, c.Close(CodeNormal, ""))
			})
		})
	}
}

// The context of a web socket ends when the handshake is just over: the listener is told.
func TestContextEndsWithHandshake(t *testing.T) {
	ended := errors.New("ended")
	var cancel context.CancelCauseFunc
	after := okhttp.WithInterceptor(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		resp, err := chain.Proceed(ctx, chain.Request())
		cancel(ended)
		return resp, err
	}))
	inSite(t, func(t *testing.T, w *site) {
		w.serve(w.accepting(nil, echo))
		req, err := NewRequest("ws://server.test/")
		must(t, err)
		for range 20 {
			var ctx context.Context
			ctx, cancel = context.WithCancelCause(t.Context())
			failed := make(chan error, 2)
			ws, err := NewWebSocket(ctx, w.client, req, Listener{OnFailure: func(_ *WebSocket, err error, _ *okhttp.Response) { failed <- err }}, nil)
			must(t, err)
			<-ws.Done()
			if err := <-failed; !errors.Is(err, ended) {
				t.Errorf("failed with %v", err)
			}
		}
	}, after)
}

// A listener that ends its goroutine, as FailNow of a test does, has ended the web socket.
func TestListenerExits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{})
		failed := make(chan error, 1)
		ws := &WebSocket{cfg: c.cfg, done: make(chan struct{}), decided: make(chan struct{}), conn: c, unbind: func() bool { return true }}
		ws.listener = Listener{
			OnMessage: func(*WebSocket, Type, []byte) { runtime.Goexit() },
			OnFailure: func(_ *WebSocket, err error, _ *okhttp.Response) { failed <- err },
		}
		tell(c, ws)
		go ws.run(c, nil)
		h.send("810161")
		synctest.Wait()
		select {
		case err := <-failed:
			if _, ok := errors.AsType[*okhttp.PanicError](err); !ok {
				t.Errorf("failed with %v", err)
			}
		default:
			t.Error("nobody was told")
		}
	})
}
