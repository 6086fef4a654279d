package http2

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// sending sends n bytes of content in the background.
func sending(s *Stream, n int) <-chan error {
	done := make(chan error, 1)
	go func() {
		var b okio.Buffer
		b.Write(make([]byte, n))
		done <- s.Sink().WriteBuffer(&b, b.Len())
	}()
	synctest.Wait()
	return done
}

// inStuckBubble runs a test where the peer gives all room, and takes nothing any more once a first stream has filled the socket.
func inStuckBubble(t *testing.T, cfg Config, test func(t *testing.T, p *tester, first *Stream, sent <-chan error)) {
	t.Helper()
	inTightBubble(t, false, cfg, 20000, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingInitialWindowSize, 1 << 30})
		p.send(AppendWindowUpdate(nil, 0, 1<<30))
		s := p.open(false)
		test(t, p, s, sending(s, 1<<20))
	})
}

// took checks how long something took that began then.
func took(t *testing.T, began time.Time, want time.Duration) {
	t.Helper()
	if got := time.Since(began); got != want {
		t.Errorf("it took %v, want %v", got, want)
	}
}

func TestWriteTimeout(t *testing.T) {
	inStuckBubble(t, Config{WriteTimeout: 10 * time.Second}, func(t *testing.T, p *tester, first *Stream, sent <-chan error) {
		began := time.Now()
		second := sending(mustOpen(t, p.conn), 10)
		for _, failed := range []<-chan error{sent, second} {
			if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("error %v, want a timeout", err)
			}
			took(t, began, 10*time.Second)
		}
		if err := p.conn.Err(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the connection ended with %v", err)
		}
		if _, _, err := first.ReadHead(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the stream ended with %v", err)
		}
	})
}

func mustOpen(t *testing.T, c *Conn) *Stream {
	t.Helper()
	head := getRequest
	head.Method = "POST"
	s, err := c.Open(head, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Cancel never waits. The stream that holds the place of the writer ends the connection if the peer takes nothing for a second more.
func TestCancelWhileTheSocketIsFull(t *testing.T) {
	inStuckBubble(t, Config{}, func(t *testing.T, p *tester, first *Stream, sent <-chan error) {
		waiting := mustOpen(t, p.conn)
		second := sending(waiting, 1<<20)
		cause := errors.New("not wanted any more")
		began := time.Now()
		room := p.conn.sendWindow
		waiting.Cancel(Cancel, cause)
		if err := <-second; err != cause {
			t.Errorf("error %v of the one that waits for the place", err)
		}
		took(t, began, 0)
		if p.conn.sendWindow != room || p.conn.Err() != nil {
			t.Errorf("room %d, was %d; %v", p.conn.sendWindow, room, p.conn.Err())
		}
		first.Cancel(Cancel, cause)
		if err := first.Err(); err != cause {
			t.Errorf("error %v", err)
		}
		took(t, began, 0)
		if err := <-sent; err != cause {
			t.Errorf("error %v of the one that writes", err)
		}
		if p.conn.Err() != errStuck {
			t.Errorf("the connection ended with %v", p.conn.Err())
		}
	})
}

// A peer that takes something again within the second keeps the connection.
func TestCancelThenTheSocketMoves(t *testing.T) {
	inStuckBubble(t, Config{}, func(t *testing.T, p *tester, first *Stream, sent <-chan error) {
		cause := errors.New("not wanted any more")
		first.Cancel(Cancel, cause)
		time.Sleep(stuckTime / 2)
		p.want("DATA 3")
		p.want("DATA 3")
		p.want("RST_STREAM 3 CANCEL")
		if err := <-sent; err != cause {
			t.Errorf("error %v", err)
		}
		time.Sleep(2 * stuckTime)
		if err := p.conn.Err(); err != nil {
			t.Errorf("the connection ended with %v", err)
		}
	})
}

// The limit of a stream bounds its wait for the place of the writer, and harms nobody else.
func TestLimitOnThePlace(t *testing.T) {
	inStuckBubble(t, Config{}, func(t *testing.T, p *tester, first *Stream, sent <-chan error) {
		s := mustOpen(t, p.conn)
		s.SetLimits(0, 2*time.Second, time.Time{})
		began := time.Now()
		room := p.conn.sendWindow
		if err := <-sending(s, 10); err != os.ErrDeadlineExceeded {
			t.Errorf("error %v", err)
		}
		took(t, began, 2*time.Second)
		if p.conn.sendWindow != room || p.conn.Err() != nil {
			t.Errorf("room %d, was %d; %v", p.conn.sendWindow, room, p.conn.Err())
		}
		go func() {
			for {
				if _, _, err := p.frame(); err != nil {
					return
				}
			}
		}()
		if err := <-sent; err != nil {
			t.Errorf("error %v of the other", err)
		}
	})
}

// The limit of a stream bounds its wait for windows too, and the peer is asked whether it is there.
func TestLimitOnTheWindow(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingInitialWindowSize, 0})
		s := p.open(false)
		s.SetLimits(0, 2*time.Second, time.Time{})
		began := time.Now()
		if err := <-sending(s, 10); err != os.ErrDeadlineExceeded {
			t.Errorf("error %v", err)
		}
		took(t, began, 2*time.Second)
		p.want("PING 0 [0 0 0 2")
		p.send(AppendWindowUpdate(nil, 3, 100))
		if err := <-sending(s, 10); err != nil {
			t.Errorf("%v, once there is room", err)
		}
	})
}

// To open a stream, to close its content early and to cancel it wait for nothing.
func TestOpenWhileTheSocketIsFull(t *testing.T) {
	inStuckBubble(t, Config{}, func(t *testing.T, p *tester, first *Stream, sent <-chan error) {
		began := time.Now()
		s, err := p.conn.Open(getRequest, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		if s.Sent() {
			t.Error("it counts as sent")
		}
		s.Source().Close()
		took(t, began, 0)
		if !isReset(s.Err(), Cancel, false) {
			t.Errorf("error %v", s.Err())
		}
	})
}

// A connection is closed at once if its socket takes the goodbye, and within two tenths of a second if not, whatever the limit of writes is.
func TestCloseWhileTheSocketIsFull(t *testing.T) {
	inStuckBubble(t, Config{WriteTimeout: time.Hour}, func(t *testing.T, p *tester, first *Stream, sent <-chan error) {
		waiting := sending(mustOpen(t, p.conn), 100)
		read := make(chan error)
		go func() {
			_, _, err := first.ReadHead()
			read <- err
		}()
		synctest.Wait()
		began := time.Now()
		p.conn.Close()
		took(t, began, farewellTime)
		for _, failed := range []<-chan error{sent, waiting, read} {
			if err := <-failed; !isReset(err, Cancel, false) {
				t.Errorf("error %v", err)
			}
		}
		if err := p.conn.Err(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the connection ended with %v", err)
		}
		if _, err := p.conn.Open(getRequest, nil, true); !errors.Is(err, net.ErrClosed) {
			t.Errorf("opened after that: %v", err)
		}
	})
}

// The goodbye is bounded also where nobody was writing when the socket was full.
func TestGoodbyeThatDoesNotFit(t *testing.T) {
	inTightBubble(t, false, Config{WriteTimeout: time.Hour}, 10, func(t *testing.T, p *tester) {
		began := time.Now()
		p.conn.Close() // the preface alone is longer
		took(t, began, farewellTime)
	})
}

// What the socket takes late is nothing that the limit of the connection minds: each write has its own.
func TestSlowPeer(t *testing.T) {
	inTightBubble(t, false, Config{WriteTimeout: time.Second}, 4096, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingInitialWindowSize, 1 << 30})
		p.send(AppendWindowUpdate(nil, 0, 1<<30))
		sent := sending(p.open(false), 1<<20)
		got := 0
		for got < 1<<20 {
			time.Sleep(100 * time.Millisecond)
			h, _, err := p.frame()
			if err != nil {
				t.Fatal(err)
			}
			got += h.Length
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
	})
}

func TestSinkMisuse(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(false)
		var b okio.Buffer
		b.WriteString("abc")
		for _, n := range []int64{4, -1} {
			if err := s.Sink().WriteBuffer(&b, n); err == nil || b.Len() != 3 {
				t.Errorf("%d bytes of 3: %v, %d left", n, err, b.Len())
			}
		}
		p.wantNothing()
		for range 2 {
			if err := s.Sink().Close(); err != nil {
				t.Error(err)
			}
		}
		p.want(`DATA 3 END ""`)
		if err := s.Sink().WriteBuffer(&b, 3); err != okio.ErrClosed {
			t.Errorf("content after the end: %v", err)
		}
		if err := s.SendTrailers(nil); err != okio.ErrClosed {
			t.Errorf("trailers after the end: %v", err)
		}
		p.wantNothing()
	})
}

// Who waits for the place of the writer is not asked to read, so that the place of the reader goes to one who takes it.
func TestHandOverBesideWaitingWriters(t *testing.T) {
	inTightBubble(t, false, Config{}, 20000, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingInitialWindowSize, 1 << 30})
		p.send(AppendWindowUpdate(nil, 0, 1<<30))
		leader, follower := p.open(true), p.open(true)
		first, second, third := p.open(false), p.open(false), p.open(false)
		led := reading(leader)
		sent := []<-chan error{sending(first, 1<<20), sending(second, 10), sending(third, 10)} // the peer takes nothing
		followed := reading(follower)
		for _, s := range []struct {
			stream *Stream
			done   <-chan error
		}{{leader, led}, {follower, followed}} {
			p.headers(s.stream.ID(), true, ":status", "200")
			synctest.Wait()
			select {
			case err := <-s.done:
				if err != nil {
					t.Errorf("stream %d: %v", s.stream.ID(), err)
				}
			default:
				t.Fatalf("nobody reads for stream %d", s.stream.ID())
			}
		}
		p.conn.Close()
		for _, done := range sent {
			<-done
		}
	})
}
