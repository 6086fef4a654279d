package okws

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

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
