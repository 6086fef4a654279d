package okws

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// Whoever asked to be told that a message was written is told when it never will be, because there is no connection or none for it.
func TestQueuedBeforeRefusal(t *testing.T) {
	for name, answer := range map[string]func(p *rawPeer){
		"refused":          func(p *rawPeer) { p.request(); p.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") },
		"broken":           func(p *rawPeer) { p.request() },
		"wrong extensions": func(p *rawPeer) { p.upgrade("Sec-WebSocket-Extensions", "x-snappy"); p.send("\x88\x00") },
	} {
		t.Run(name, func(t *testing.T) {
			inSite(t, func(t *testing.T, w *site) {
				w.serveRaw(func(p *rawPeer) {
					time.Sleep(time.Second)
					answer(p)
				})
				written := make(chan error, 2)
				ws := w.open(Listener{OnClosing: func(ws *WebSocket, _ Code, _ string) { _ = ws.Close(CodeNormal, "") }}, nil)
				must(t, ws.SendContext(t.Context(), Text, []byte("early"), func(err error) { written <- err }))
				<-ws.Done()
				select {
				case err := <-written:
					if err == nil {
						t.Error("it was written, one hears")
					}
				default:
					t.Error("nobody was told")
				}
			})
		})
	}
}

// A web socket that ended with the handshake is not opened afterwards: OnFailure is the last that a listener is told.
func TestNotOpenedAfterFailure(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serve(func(rw http.ResponseWriter, r *http.Request) {
			if c, err := Accept(rw, r, nil); err == nil {
				_ = c.Discard(background())
			}
		})
		c, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r := newRecorder(t)
		ws := &WebSocket{cfg: c.cfg, listener: r.listener(), done: make(chan struct{}), decided: make(chan struct{}), conn: c, unbind: func() bool { return true }}
		tell(c, ws)
		ws.Cancel() // as the end of the context does while the listener's goroutine begins
		ws.run(c, c.Response())
		r.want("failure okws: canceled")
		r.wantNone()
	})
}

// Flush waits for what was queued before, also where there is always something in the queue.
func TestFlushEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cc, sc := pair(t, &Config{Compression: Compression{Off: true}}, nil)
		read := make(chan struct{})
		go func() { // slowly
			defer close(read)
			for sc.Err() == nil {
				_, _, _ = sc.Read(background())
				time.Sleep(ms)
			}
		}()
		c := attach(t, cc, nil)
		message := make([]byte, 100<<10) // one is one write
		var again func(error)
		again = func(err error) {
			if err == nil && time.Now().Before(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)) {
				_ = c.ws.SendContext(background(), Binary, message, again)
			}
		}
		for range 4 {
			must(t, c.ws.SendContext(t.Context(), Binary, message, again))
		}
		ctx, cancel := timeout(t, time.Second)
		defer cancel()
		if err := c.ws.Flush(ctx); err != nil {
			t.Errorf("flushed with %v", err)
		}
		if c.ws.QueueSize() == 0 {
			t.Error("the queue was empty, which shows nothing")
		}
		c.ws.Cancel()
		_ = sc.CloseNow()
		<-read
	})
}

// What could not be written is not flushed, and stays in the size of the queue.
func TestFlushFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		conn, h := end(t, true, &Config{WriteTimeout: -1}, extensions{})
		c := attach(t, conn, nil)
		flushed := make(chan error, 1)
		c.ws.Send(Binary, make([]byte, 1<<20))
		go func() { flushed <- c.ws.Flush(background()) }()
		time.Sleep(time.Second)
		cause := errors.New("enough")
		h.Socket.Cancel(cause)
		if err := <-flushed; err == nil {
			t.Error("it was flushed")
		}
		c.want("failure …")
		if n := c.ws.QueueSize(); n != 1<<20 {
			t.Errorf("%d bytes are queued", n)
		}
	})
}
