package okio

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Fact 106, for each wait that there is: an operation under way is disarmed, one that begins later is not, and one that has
// run out of time stays so.
func TestDisarm(t *testing.T) {
	const limit = time.Second
	// Each returns an operation that waits for ever, and what lets it go.
	waits := []struct {
		name string
		make func(t *testing.T) (stream any, operate func() error, release func())
	}{
		{"pipe source", func(t *testing.T) (any, func() error, func()) {
			p := NewPipe(10)
			return p.Source(), func() error {
				_, err := p.Source().ReadBuffer(new(Buffer), 1)
				return err
			}, func() { mustSinkWrite(t, p.Sink(), "x") }
		}},
		{"pipe sink", func(t *testing.T) (any, func() error, func()) {
			p := NewPipe(10)
			mustSinkWrite(t, p.Sink(), "0123456789")
			return p.Sink(), func() error { return sinkWrite(p.Sink(), "x") }, func() { wantSource(t, p.Source(), "0") }
		}},
		{"socket source", func(t *testing.T) (any, func() error, func()) {
			a, b := SocketPair(10)
			return a.Source(), func() error {
				_, err := a.Source().ReadBuffer(new(Buffer), 1)
				return err
			}, func() { mustSinkWrite(t, b.Sink(), "x") }
		}},
		{"socket source as reader", func(t *testing.T) (any, func() error, func()) {
			a, b := SocketPair(10)
			return a.Source(), func() error {
				_, err := a.Source().(io.Reader).Read(make([]byte, 1))
				return err
			}, func() { mustSinkWrite(t, b.Sink(), "x") }
		}},
		{"socket sink", func(t *testing.T) (any, func() error, func()) {
			a, b := SocketPair(10)
			mustSinkWrite(t, a.Sink(), "0123456789")
			return a.Sink(), func() error { return sinkWrite(a.Sink(), "x") }, func() { wantSource(t, b.Source(), "0") }
		}},
		{"wrapped", func(t *testing.T) (any, func() error, func()) {
			a, b := SocketPair(10)
			s := NewBufferedSource(a.Source())
			return s, func() error {
				_, err := s.ReadByte()
				return err
			}, func() { mustSinkWrite(t, b.Sink(), "x") }
		}},
		{"throttled", func(t *testing.T) (any, func() error, func()) {
			x := throttlerOf(t, 1, 1000, 1000)
			wantTake(t, x, 1000, 1000)
			k := x.Sink(new(Buffer))
			return k, func() error { return sinkWrite(k, "0123456789") }, func() { _ = x.Set(0, 0, 0) }
		}},
	}
	for _, w := range waits {
		run := func(name string, test func(t *testing.T, to *Timeout, operate func() error, release func())) {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					stream, operate, release := w.make(t)
					to := TimeoutOf(stream)
					to.SetLimit(limit)
					test(t, to, operate, release)
					if to.Limit() != limit || !to.Deadline().IsZero() {
						t.Errorf("the limits changed to %v, %v", to.Limit(), to.Deadline())
					}
				})
			})
		}
		run("enter, disarm, sleep, exit", func(t *testing.T, to *Timeout, operate func() error, release func()) {
			c := startClock()
			time.AfterFunc(limit/2, to.Disarm)
			time.AfterFunc(3*limit, release)
			if err := operate(); err != nil {
				t.Errorf("failed after it was disarmed: %v", err)
			}
			c.want(t, "the operation", 3*limit)
		})
		run("disarm, enter, sleep, exit", func(t *testing.T, to *Timeout, operate func() error, _ func()) {
			to.Disarm()
			c := startClock()
			checkTimedOut(t, operate())
			c.want(t, "the operation", limit)
		})
		run("enter, sleep, disarm, exit", func(t *testing.T, to *Timeout, operate func() error, _ func()) {
			time.AfterFunc(limit+1, to.Disarm)
			checkTimedOut(t, operate())
			time.Sleep(limit)
		})
		run("disarmed twice, then a later one", func(t *testing.T, to *Timeout, operate func() error, release func()) {
			time.AfterFunc(limit/2, to.Disarm)
			time.AfterFunc(limit/2, to.Disarm)
			time.AfterFunc(2*limit, release)
			if err := operate(); err != nil {
				t.Error(err)
			}
			if _, ok := to.Next(time.Now()); !ok {
				t.Error("the limit is gone")
			}
		})
		run("deadline", func(t *testing.T, to *Timeout, operate func() error, release func()) {
			at := time.Now().Add(limit / 2)
			to.SetDeadline(at)
			time.AfterFunc(limit/4, to.Disarm)
			time.AfterFunc(5*limit, release)
			if err := operate(); err != nil {
				t.Error(err)
			}
			if !to.Deadline().Equal(at) {
				t.Errorf("the deadline changed to %v", to.Deadline())
			}
			to.SetDeadline(time.Time{})
		})
	}
}

func checkTimedOut(t *testing.T, err error) {
	t.Helper()
	if timed := net.Error(nil); !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timed) || !timed.Timeout() {
		t.Errorf("%v, want a timeout", err)
	}
}

// After a disarmed operation the next one runs out of time as ever, also when the former deadline would still do for it.
func TestDisarmLaterOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, pipe := range []bool{true, false} {
			for _, at := range []time.Duration{200 * time.Millisecond, 5 * time.Second} {
				a, b := SocketPair(10)
				s, k := a.Source(), b.Sink()
				if pipe {
					p := NewPipe(10)
					s, k = p.Source(), p.Sink()
				}
				TimeoutOf(s).SetLimit(time.Second)
				time.AfterFunc(100*time.Millisecond, TimeoutOf(s).Disarm)
				time.AfterFunc(at, func() { mustSinkWrite(t, k, "x") })
				wantSource(t, s, "x")
				c := startClock()
				time.AfterFunc(time.Hour, func() { _ = k.Close() }) // or it would wait for ever
				_, err := s.ReadBuffer(new(Buffer), 1)
				checkTimeout(t, err, "okio: read timeout after 1s")
				c.want(t, "the next read", time.Second)
			}
		}
	})
}

// A deadline that fires just when it is disarmed does not count: what it broke off goes on.
func TestDisarmWhileFiring(t *testing.T) {
	c := new(scriptConn)
	s := NewSocket(c)
	calls := 0
	c.read = func(p []byte) (int, error) {
		if calls++; calls == 1 {
			TimeoutOf(s.Source()).Disarm()
			return 0, os.ErrDeadlineExceeded
		}
		return copy(p, "late"), nil
	}
	c.write = func(p []byte) (int, error) {
		if calls++; calls == 3 {
			TimeoutOf(s.Sink()).Disarm()
			return 2, os.ErrDeadlineExceeded
		}
		return len(p), nil
	}
	TimeoutOf(s.Source()).SetLimit(time.Second)
	TimeoutOf(s.Sink()).SetLimit(time.Second)
	wantSource(t, s.Source(), "late")
	mustSinkWrite(t, s.Sink(), "late too")
	if last := c.readDeadlines[len(c.readDeadlines)-1]; calls != 4 || !last.IsZero() {
		t.Errorf("%d calls, the last deadline is %v", calls, last)
	}
}

// A write in several pieces is one operation: disarmed in one of them, it is for all that follow.
func TestDisarmLongWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := SocketPair(socketPiece)
		TimeoutOf(a.Sink()).SetLimit(time.Second)
		time.AfterFunc(time.Second/2, TimeoutOf(a.Sink()).Disarm)
		go func() {
			for range 5 {
				time.Sleep(10 * time.Second)
				for left := int64(socketPiece); left > 0; {
					n, err := b.Source().ReadBuffer(new(Buffer), left)
					if err != nil {
						t.Error(err)
						return
					}
					left -= n
				}
			}
		}()
		if err := a.Sink().WriteBuffer(filled('x', 5*socketPiece), 5*socketPiece); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

// Over TLS a write that runs out of time breaks the connection for good, so the deadline has to be taken away before it
// fires.
func TestDisarmTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, y := ConnPair(1 << 10)
		client, server := secured(t, x, y)
		a, b := NewSocket(client), NewSocket(server)
		defer a.Cancel(nil)
		defer b.Cancel(nil)
		TimeoutOf(a.Sink()).SetLimit(time.Second)
		time.AfterFunc(time.Second/2, TimeoutOf(a.Sink()).Disarm)
		var reader sync.WaitGroup
		reader.Go(func() {
			time.Sleep(time.Minute)
			if _, err := NewBufferedSource(b.Source()).ReadN(64<<10 + 7); err != nil {
				t.Error(err)
			}
		})
		if err := a.Sink().WriteBuffer(filled('x', 64<<10), 64<<10); err != nil {
			t.Error(err)
		}
		if err := sinkWrite(a.Sink(), "goes on"); err != nil {
			t.Error(err)
		}
		reader.Wait()
	})
}

// On the sockets of the system, with the race detector looking: a Disarm at any moment does no harm, and one in the middle
// helps.
func TestDisarmRace(t *testing.T) {
	for _, kind := range connKinds[:3] {
		t.Run(kind.name, func(t *testing.T) {
			x, y := kind.pair(t)
			a, b := NewSocket(x), NewSocket(y)
			to := TimeoutOf(a.Source())
			to.SetLimit(50 * time.Microsecond)
			stop := make(chan struct{})
			var all sync.WaitGroup
			all.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						to.Disarm()
						time.Sleep(20 * time.Microsecond)
					}
				}
			})
			all.Go(func() {
				for range 200 {
					mustSinkWrite(t, b.Sink(), "x")
					time.Sleep(100 * time.Microsecond)
				}
			})
			for got := int64(0); got < 200; {
				n, err := a.Source().ReadBuffer(new(Buffer), 1)
				if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal(err)
				}
				got += n
			}
			close(stop)
			all.Wait()

			// An operation that was disarmed once is not, in the end, the next one.
			to.SetLimit(time.Millisecond)
			_, err := a.Source().ReadBuffer(new(Buffer), 1)
			checkTimeout(t, err, "okio: read timeout after 1ms")
		})
	}
}

func TestDisarmNothing(t *testing.T) {
	TimeoutOf(nil).Disarm() // the shared one is left alone
	if noTimeout.disarms.Load() != 0 {
		t.Error("the shared Timeout counts")
	}
	new(Timeout).Disarm()
}
