package okws

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// side is one end with a listener.
type side struct {
	*recorder
	ws *WebSocket
}

// tell has a connection tell ws of its end. NewWebSocket does so before pings are scheduled; here they are already, and the timer's goroutine sees it by the lock.
func tell(c *Conn, ws *WebSocket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.manual, c.onFailure = true, ws.broken
}

// attach gives a connection a listener, as NewWebSocket does once the handshake is over. The goroutine that reads waits for begin, unless that is nil.
func attach(t *testing.T, c *Conn, begin <-chan struct{}) *side {
	r := newRecorder(t)
	ws := &WebSocket{cfg: c.cfg, listener: r.listener(), done: make(chan struct{}), decided: make(chan struct{}), conn: c, unbind: func() bool { return true }}
	close(ws.decided)
	tell(c, ws)
	go func() {
		if begin != nil {
			<-begin
		}
		ws.run(c, nil)
	}()
	r.want("open")
	return &side{r, ws}
}

// faceToFace runs a test with two engines that have listeners.
func faceToFace(t *testing.T, client, server *Config, test func(t *testing.T, c, s *side)) {
	bubble(t, func(t *testing.T) {
		cc, sc := pair(t, client, server)
		c, s := attach(t, cc, nil), attach(t, sc, nil)
		test(t, c, s)
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// Facts 1 to 3: the client closes first.
func TestClientCloses(t *testing.T) {
	faceToFace(t, nil, nil, func(t *testing.T, c, s *side) {
		must(t, c.ws.Close(1000, "Hello!"))
		if err := c.ws.Close(1000, "Again"); !errors.Is(err, ErrClosed) {
			t.Errorf("closed again: %v", err)
		}
		if c.ws.SendText("late") {
			t.Error("sent")
		}
		if err := c.ws.Close(0, ""); err == nil || err.Error() != "okws: Code must be in range [1000,5000): 0" {
			t.Errorf("closed with 0: %v", err)
		}
		s.want("closing 1000 Hello!")
		must(t, s.ws.Close(1000, "Goodbye!"))
		c.want("closing 1000 Goodbye!", "closed 1000 Goodbye!")
		s.want("closed 1000 Hello!")
	})
}

// Facts 5, 6, 12: the server closes first, after a message; the client can go on until it closes too.
func TestServerCloses(t *testing.T) {
	faceToFace(t, nil, nil, func(t *testing.T, c, s *side) {
		s.ws.SendText("last")
		must(t, s.ws.Close(1000, "Hello!"))
		c.want("text last", "closing 1000 Hello!")
		if !c.ws.SendText("one more") {
			t.Error("not sent")
		}
		s.want("text one more")
		time.Sleep(time.Second)
		c.wantNone()
		must(t, c.ws.Close(1000, "Bye!"))
		c.want("closed 1000 Hello!")
		s.want("closing 1000 Bye!", "closed 1000 Bye!")
	})
}

// Fact 11: both close at once.
func TestBothClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var frames atomic.Int32
		count := &Config{OnFrame: func(f Frame) {
			if f.Sent && f.Opcode == byte(opClose) {
				frames.Add(1)
			}
		}}
		cc, sc := pair(t, count, count)
		begin := make(chan struct{})
		c, s := attachLater(t, cc, begin), attachLater(t, sc, begin)
		must(t, c.ws.Close(1000, "from the client"))
		must(t, s.ws.Close(1000, "from the server"))
		synctest.Wait()
		close(begin)
		c.want("open", "closing 1000 from the server", "closed 1000 from the server")
		s.want("open", "closing 1000 from the client", "closed 1000 from the client")
		if frames.Load() != 2 {
			t.Errorf("%d close frames", frames.Load())
		}
	})
}

// attachLater is attach without waiting for the listener to be told.
func attachLater(t *testing.T, c *Conn, begin <-chan struct{}) *side {
	r := newRecorder(t)
	ws := &WebSocket{cfg: c.cfg, listener: r.listener(), done: make(chan struct{}), decided: make(chan struct{}), conn: c, unbind: func() bool { return true }}
	close(ws.decided)
	tell(c, ws)
	go func() {
		<-begin
		ws.run(c, nil)
	}()
	return &side{r, ws}
}

// byHand runs a test with a client's engine and a server that is written by hand.
func byHand(t *testing.T, cfg *Config, test func(t *testing.T, c *side, h *hand)) {
	bubble(t, func(t *testing.T) {
		conn, h := end(t, true, cfg, extensions{})
		defer h.Socket.Cancel(nil)
		test(t, attach(t, conn, nil), h)
	})
}

// Fact 4: the peer reads no more.
func TestSendToClosedPeer(t *testing.T) {
	byHand(t, nil, func(t *testing.T, c *side, h *hand) {
		must(t, h.Source().Close())
		if !c.ws.SendText("x") {
			t.Error("not sent")
		}
		<-c.ws.Done()
		c.want("failure …")
		if !errors.Is(c.err, syscall.EPIPE) {
			t.Errorf("failed with %v", c.err)
		}
		if c.ws.SendText("y") || c.ws.Close(1000, "") == nil {
			t.Error("it can be used after the failure")
		}
	})
}

// Fact 7: a close frame without a code.
func TestEmptyClose(t *testing.T) {
	byHand(t, nil, func(t *testing.T, c *side, h *hand) {
		h.send("8800")
		c.want("closing 1005")
		must(t, c.ws.Close(1000, ""))
		c.want("closed 1005")
	})
}

// Fact 8: the connection stays open until the peer has closed.
func TestOpenUntilPeerCloses(t *testing.T) {
	byHand(t, nil, func(t *testing.T, c *side, h *hand) {
		must(t, c.ws.Close(1000, ""))
		h.want("88 82")
		time.Sleep(time.Second)
		c.wantNone()
		h.send("8102 6869 8802 03e9")
		c.want("text hi", "closing 1001", "closed 1001")
		if rest := h.rest(); len(rest) != 2*6 { // the mask and the code
			t.Errorf("the server got %s", rest)
		}
	})
}

// Facts 9, 10, 45: a close frame that is not answered.
func TestCloseTimeout(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: time.Minute, 5 * time.Second: 5 * time.Second, 500 * ms: 500 * ms} {
		byHand(t, &Config{CloseTimeout: limit}, func(t *testing.T, c *side, _ *hand) {
			var failure error
			c.do.OnFailure = func(_ *WebSocket, err error, _ *okhttp.Response) { failure = err }
			began := time.Now()
			must(t, c.ws.Close(1000, ""))
			time.Sleep(want - ms)
			c.wantNone()
			<-c.ws.Done()
			if time.Since(began) != want || !errors.Is(failure, ErrCanceled) || !strings.Contains(failure.Error(), "canceled") {
				t.Errorf("after %v: %v", time.Since(began), failure)
			}
		})
	}
	byHand(t, &Config{CloseTimeout: -1}, func(t *testing.T, c *side, h *hand) {
		must(t, c.ws.Close(1000, ""))
		time.Sleep(1000 * time.Hour)
		c.wantNone()
		h.send("8800")
		c.want("closing 1005", "closed 1005")
	})
	bubble(t, func(t *testing.T) { // Conn.Close
		conn, _ := end(t, true, &Config{CloseTimeout: time.Second}, extensions{})
		began := time.Now()
		err := conn.Close(1000, "")
		if timeout := interface{ Timeout() bool }(nil); time.Since(began) != time.Second || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// Fact 13, and section 7: a violation is told to the peer.
func TestViolationIsTold(t *testing.T) {
	byHand(t, nil, func(t *testing.T, c *side, h *hand) {
		h.send("0a00")
		c.want("failure okws: protocol error: Control frames must be final.")
		h.want("8882")
		if rest := h.rest(); len(rest) != 2*6 {
			t.Errorf("the server got %s", rest)
		}
		h.Socket.Cancel(nil)
		if c.ws.SendText("x") {
			t.Error("sent")
		}
	})
}

// Facts 14, 15: after our close frame there is no second one.
func TestViolationAfterClose(t *testing.T) {
	for frame, want := range map[string]string{
		"888760b420bb635c68de0cd84f": "Server-sent frames must not be masked.",
		"0a00":                       "Control frames must be final.",
	} {
		byHand(t, nil, func(t *testing.T, c *side, h *hand) {
			must(t, c.ws.Close(1000, ""))
			h.want("8882")
			h.send(frame)
			c.want("failure okws: protocol error: " + want)
			if rest := h.rest(); len(rest) > 2*6 {
				t.Errorf("the server got %s", rest)
			}
		})
	}
}

// Facts 16, 17: the peer goes without a word.
func TestPeerGoes(t *testing.T) {
	byHand(t, nil, func(t *testing.T, c *side, h *hand) {
		must(t, h.Sink().Close())
		c.want("failure okws: the connection ended without a close frame: EOF")
	})
	byHand(t, nil, func(t *testing.T, c *side, h *hand) {
		must(t, h.Source().Close()) // it goes on listening, so that sending finds out
		must(t, c.ws.Close(1000, ""))
		<-c.ws.Done()
		c.want("failure …")
		c.wantNone()
		if !errors.Is(c.err, syscall.EPIPE) {
			t.Errorf("failed with %v", c.err)
		}
		if rest := h.rest(); rest != "" || c.ws.Close(1000, "") == nil {
			t.Errorf("the server got %q, and the client can be closed: the streams are open", rest)
		}
	})
	byHand(t, nil, func(t *testing.T, c *side, h *hand) {
		h.Socket.Cancel(nil)
		<-c.ws.Done()
		c.want("failure …")
		c.wantNone()
	})
}

// Facts 18 and 42: pings at each interval, which are answered.
func TestPings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		pongs := 0
		mine := func([]byte) { t.Error("the server pings too") }
		cc, sc := pair(t, &Config{PingInterval: 500 * ms, OnPing: mine, OnPong: func([]byte, time.Duration) { pongs++ }},
			&Config{OnPing: func([]byte) { at = append(at, time.Since(began)) }})
		c, s := attach(t, cc, nil), attach(t, sc, nil)
		time.Sleep(1750 * ms)
		synctest.Wait()
		if len(at) != 3 || at[0] != 500*ms || at[1] != 1000*ms || at[2] != 1500*ms || pongs != 3 {
			t.Errorf("pings at %v, %d pongs", at, pongs)
		}
		c.wantNone()
		s.wantNone()
	})
}

// Facts 19, 20: a pong that does not come.
func TestMissingPong(t *testing.T) {
	byHand(t, &Config{PingInterval: 500 * ms}, func(t *testing.T, c *side, h *hand) {
		began := time.Now()
		c.want("failure okws: sent ping but didn't receive pong within 500ms (after 0 successful ping/pongs)")
		if time.Since(began) != 1000*ms {
			t.Errorf("after %v", time.Since(began))
		}
	})
	byHand(t, &Config{PingInterval: 500 * ms}, func(t *testing.T, c *side, h *hand) {
		began := time.Now()
		h.send("8a00 8a00 8a00")
		h.want("8980")
		h.want8(4)
		h.send("8a00")
		c.want("failure okws: sent ping but didn't receive pong within 500ms (after 1 successful ping/pongs)")
		if time.Since(began) != 1500*ms || !errors.Is(c.err, os.ErrDeadlineExceeded) {
			t.Errorf("after %v: %v", time.Since(began), c.err)
		}
	})
}

// want8 reads n bytes, whatever they are.
func (h *hand) want8(n int64) {
	var b okio.Buffer
	for b.Len() < n {
		if _, err := h.Source().ReadBuffer(&b, n-b.Len()); err != nil {
			h.t.Error(err)
			return
		}
	}
}

// A limit for pongs that is shorter than the interval, and one that is longer.
func TestPongTimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{100 * ms: 600 * ms, 1200 * ms: 1700 * ms} {
		byHand(t, &Config{PingInterval: 500 * ms, PongTimeout: timeout}, func(t *testing.T, c *side, _ *hand) {
			began := time.Now()
			<-c.ws.Done()
			if time.Since(began) != want {
				t.Errorf("after %v, want %v", time.Since(began), want)
			}
		})
	}
	bubble(t, func(t *testing.T) { // a short one does not shorten the interval
		began := time.Now()
		var last time.Duration
		n := 0
		cc, sc := pair(t, &Config{PingInterval: 500 * ms, PongTimeout: 100 * ms}, &Config{OnPing: func([]byte) { n, last = n+1, time.Since(began) }})
		attach(t, cc, nil)
		attach(t, sc, nil)
		time.Sleep(2100 * ms)
		synctest.Wait()
		if n != 4 || last != 2000*ms {
			t.Errorf("%d pings, the last at %v", n, last)
		}
	})
}

// Jitter shortens intervals.
func TestPingJitter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		cc, sc := pair(t, &Config{PingInterval: time.Second, PingJitter: 0.9}, &Config{OnPing: func([]byte) { n++ }})
		attach(t, cc, nil)
		attach(t, sc, nil)
		time.Sleep(100 * time.Second)
		synctest.Wait()
		if n < 110 || n > 1000 {
			t.Errorf("%d pings", n)
		}
	})
}

// Fact 43: there are no pings unless they are asked for.
func TestNoPingsByDefault(t *testing.T) {
	bubble(t, func(t *testing.T) {
		pings := 0
		cc, sc := pair(t, nil, &Config{OnPing: func([]byte) { pings++ }})
		attach(t, cc, nil)
		attach(t, sc, nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if pings != 0 {
			t.Errorf("%d pings", pings)
		}
	})
}

// Fact 44: a server whose listener blocks answers no pings.
func TestBlockedListener(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cc, sc := pair(t, &Config{PingInterval: 500 * ms}, nil)
		began := time.Now()
		begin := make(chan struct{})
		attachLater(t, sc, begin)
		defer close(begin)
		c := attach(t, cc, nil)
		c.want("failure okws: sent ping but didn't receive pong within 500ms (after 0 successful ping/pongs)")
		if time.Since(began) != time.Second {
			t.Errorf("after %v", time.Since(began))
		}
	})
}
