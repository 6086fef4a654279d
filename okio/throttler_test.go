package okio

import (
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A clock tells how much of the bubble's time has passed since it was last asked.
type clock struct{ at time.Time }

func startClock() *clock { return &clock{time.Now()} }

func (c *clock) want(t *testing.T, what string, want time.Duration) {
	t.Helper()
	now := time.Now()
	if d := now.Sub(c.at); d != want {
		t.Errorf("%s took %v, want %v", what, d, want)
	}
	c.at = now
}

func throttlerOf(t *testing.T, rate, wait, most int64) *Throttler {
	t.Helper()
	x := new(Throttler)
	if err := x.Set(rate, wait, most); err != nil {
		t.Fatal(err)
	}
	return x
}

// take asks for a grant as a stream does.
func take(t *testing.T, x *Throttler, n int64) int64 {
	t.Helper()
	var w throttled
	w.init(x, nil)
	granted, err := w.take("read", n)
	if err != nil {
		t.Fatal(err)
	}
	return granted
}

func wantTake(t *testing.T, x *Throttler, n, want int64) {
	t.Helper()
	if got := take(t, x, n); got != want {
		t.Errorf("asked for %d and got %d, want %d", n, got, want)
	}
}

// Fact 117.
func TestThrottlerGrants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 20, 5, 10)
		c := startClock()
		wantTake(t, x, 100, 10)
		c.want(t, "the first grant", 0)
		for range 2 {
			wantTake(t, x, 100, 5)
			c.want(t, "a later grant", 250*time.Millisecond)
		}
		time.Sleep(750 * time.Millisecond)
		c.at = time.Now()
		wantTake(t, x, 100, 10)
		c.want(t, "a grant after a pause", 0)
	})
}

// What is asked for less than the least is waited for exactly, and what is there is not waited for.
func TestThrottlerSmallGrants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 20, 5, 10)
		c := startClock()
		wantTake(t, x, 2, 2)
		wantTake(t, x, 8, 8)
		c.want(t, "what was saved up", 0)
		wantTake(t, x, 2, 2)
		c.want(t, "2 bytes", 100*time.Millisecond)
		time.Sleep(350 * time.Millisecond) // 7 bytes
		c.at = time.Now()
		wantTake(t, x, 100, 7)
		c.want(t, "more than the least", 0)
	})
}

// Fact 118.
func TestThrottlerRates(t *testing.T) {
	for _, tt := range []struct {
		name             string
		rate, wait, most int64
		saturated        bool
		bytes            int64
		want             time.Duration
	}{
		{"R=400, W=5, M=10", 400, 5, 10, true, 100, 250 * time.Millisecond},
		{"R=3, W=M=4", 3, 4, 4, false, 7, time.Second},
		{"R=0", 0, 5, 10, false, 1 << 40, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := throttlerOf(t, tt.rate, tt.wait, tt.most)
				if tt.saturated {
					wantTake(t, x, tt.most, tt.most)
				}
				c := startClock()
				for left := tt.bytes; left > 0; {
					left -= take(t, x, left)
				}
				c.want(t, "all", tt.want)
			})
		})
	}
}

// Fact 119: 80 KiB at four times as much a second. What was saved up is used up first.
func TestThrottledStreams(t *testing.T) {
	const size = 80 << 10
	saturated := func(t *testing.T) *Throttler {
		x := throttlerOf(t, 4*size, 4096, 8192)
		wantTake(t, x, 8192, 8192)
		return x
	}
	read := func(t *testing.T, s Source) {
		t.Helper()
		for left := int64(size); left > 0; {
			n, err := s.ReadBuffer(new(Buffer), left)
			if err != nil {
				t.Fatal(err)
			}
			left -= n
		}
	}
	write := func(t *testing.T, k Sink) {
		t.Helper()
		if err := k.WriteBuffer(filled('x', size), size); err != nil {
			t.Fatal(err)
		}
	}
	quarter := 250 * time.Millisecond
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, x *Throttler)
		want time.Duration
	}{
		{"source", func(t *testing.T, x *Throttler) { read(t, x.Source(filled('x', size))) }, quarter},
		{"sink", func(t *testing.T, x *Throttler) { write(t, x.Sink(Discard())) }, quarter},
		{"source twice", func(t *testing.T, x *Throttler) { read(t, x.Source(x.Source(filled('x', size)))) }, 2 * quarter},
		{"sink twice", func(t *testing.T, x *Throttler) { write(t, x.Sink(x.Sink(Discard()))) }, 2 * quarter},
		{"slower one counts", func(t *testing.T, x *Throttler) {
			slow := throttlerOf(t, size, 4096, 4096)
			wantTake(t, slow, 4096, 4096)
			read(t, slow.Source(x.Source(filled('x', size))))
		}, 4 * quarter},
		{"four sources", func(t *testing.T, x *Throttler) {
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { read(t, x.Source(filled('x', size))) })
			}
			all.Wait()
		}, 4 * quarter},
		{"sources and sinks", func(t *testing.T, x *Throttler) {
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() { read(t, x.Source(filled('x', size))) })
				all.Go(func() { write(t, x.Sink(Discard())) })
			}
			all.Wait()
		}, 4 * quarter},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := saturated(t)
				start := time.Now()
				tt.run(t, x)
				// Grants are reckoned in whole nanoseconds, rounded down.
				if d := time.Since(start); d > tt.want || d < tt.want-time.Microsecond {
					t.Errorf("took %v, want %v", d, tt.want)
				}
			})
		})
	}
}

// A short read uses up what was granted for it.
func TestThrottledShortReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 100, 50, 100)
		s := x.Source(drip("abc"))
		c := startClock()
		for range 3 {
			if n, err := s.ReadBuffer(new(Buffer), 100); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		c.want(t, "three reads of 100, 50 and 50", time.Second)
	})
}

func TestThrottlerSetErrors(t *testing.T) {
	for _, c := range []struct {
		rate, wait, most int64
		want             string
	}{
		{-1, 5, 10, "okio: throttle at -1 bytes a second by 5 to 10 bytes: negative"},
		{1, -1, 10, "okio: throttle at 1 bytes a second by -1 to 10 bytes: negative"},
		{1, 5, -1, "okio: throttle at 1 bytes a second by 5 to -1 bytes: negative"},
		{1, 5, 4, "okio: throttle by 5 to 4 bytes: the most is less than the least"},
	} {
		x := throttlerOf(t, 20, 5, 10)
		if err := x.Set(c.rate, c.wait, c.most); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
		if x.rate != 20 || x.wait != 5 || x.max != 10 {
			t.Errorf("a refused Set changed %v", []int64{x.rate, x.wait, x.max})
		}
	}
	for _, c := range []struct{ wait, most, wantWait, wantMost int64 }{
		{0, 0, 8 << 10, 256 << 10}, {0, 100, 100, 100}, {100, 0, 100, 256 << 10}, {1 << 20, 0, 1 << 20, 1 << 20},
	} {
		x := throttlerOf(t, 1, c.wait, c.most)
		if x.wait != c.wantWait || x.max != c.wantMost {
			t.Errorf("%d, %d: %d, %d", c.wait, c.most, x.wait, x.max)
		}
	}
}

// Set takes effect at once on who waits, and what was spent stays spent: 90 of 100 bytes are owed when it is called.
func TestThrottlerSetWhileWaiting(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to int64
		want     time.Duration // after the change
	}{
		{"unlimited", 10, 0, 0},
		{"ten times as slow", 10, 1, 90 * time.Second},
		{"ten times as fast", 10, 100, 900 * time.Millisecond},
		{"the same", 10, 10, 9 * time.Second},
		{"no overflow", 10, math.MaxInt64, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := throttlerOf(t, tt.from, 100, 100)
				wantTake(t, x, 100, 100)
				granted := make(chan time.Time)
				go func() {
					wantTake(t, x, 100, 100)
					granted <- time.Now()
				}()
				time.Sleep(10 * time.Second / time.Duration(tt.from))
				now := time.Now()
				if err := x.Set(tt.to, 100, 100); err != nil {
					t.Fatal(err)
				}
				if d := (<-granted).Sub(now); d != tt.want {
					t.Errorf("granted %v after the change, want %v", d, tt.want)
				}
			})
		})
	}
}

// What can be owed is never more than what can be saved up.
func TestThrottlerSetLowersTheMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 10, 100, 1000)
		wantTake(t, x, 1000, 1000)
		if err := x.Set(10, 100, 100); err != nil {
			t.Fatal(err)
		}
		c := startClock()
		wantTake(t, x, 100, 100)
		c.want(t, "100 bytes", 10*time.Second)
	})
}

// A Set that helps nobody does not cut the wait short, nor does it prolong it.
func TestThrottlerSetWhileTimeRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 1, 100, 100)
		wantTake(t, x, 100, 100)
		k := x.Sink(Discard())
		TimeoutOf(k).SetLimit(5 * time.Second)
		for i := range 4 {
			time.AfterFunc(time.Duration(i)*time.Second, func() {
				if err := x.Set(1+int64(i%2), 100, 100); err != nil {
					t.Error(err)
				}
			})
		}
		c := startClock()
		checkTimeout(t, k.WriteBuffer(filled('x', 100), 100), "okio: write timeout after 5s")
		c.want(t, "the wait", 5*time.Second)
	})
}

// The largest numbers neither overflow nor let anything through at once.
func TestThrottlerExtremes(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct{ rate, wait, most int64 }{
		{1, 1, most}, {1, most, most}, {most, 1, 1}, {most, most, most}, {1 << 40, 1 << 20, 1 << 50},
	} {
		x := throttlerOf(t, c.rate, c.wait, c.most)
		now := time.Now()
		var spent time.Duration
		for range 5 {
			for _, n := range []int64{1, 1 << 33, most} {
				granted, wait, _ := x.grant(n)
				if b := x.backlog(now); b < spent {
					t.Errorf("%v: a grant of %d makes the backlog %v, after %v", c, granted, b, spent)
				} else {
					spent = b
				}
				if granted < 0 || granted > min(n, c.most) || wait < 0 || (granted == 0) == (wait == 0) {
					t.Errorf("%v: asked for %d: %d, %v", c, n, granted, wait)
				}
			}
		}
	}
	for _, c := range []struct{ a, b, c, want int64 }{
		{0, 5, 7, 0}, {7, 3, 2, 10}, {most, most, most, most}, {most, 2, 1, most}, {most, most, 1, most}, {1, 1, 0, 0}, {most, 1e9, 1e9, most}, {1 << 62, 8, 2, most},
	} {
		if got := mulDiv(c.a, c.b, c.c); got != c.want {
			t.Errorf("%d*%d/%d = %d, want %d", c.a, c.b, c.c, got, c.want)
		}
	}
}

// Waits obey the limits of the stream beneath, or own ones if that has none.
func TestThrottledLimits(t *testing.T) {
	for _, tt := range []struct {
		name     string
		limit    time.Duration
		deadline time.Duration
		want     time.Duration
		text     string
	}{
		{"limit", 3 * time.Second, 0, 3 * time.Second, "after 3s"},
		{"deadline", 0, 2 * time.Second, 2 * time.Second, ": deadline reached"},
		{"both", 3 * time.Second, time.Second, time.Second, ": deadline reached"},
		{"past", 0, -time.Second, 0, ": deadline reached"},
	} {
		for _, own := range []bool{true, false} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x := throttlerOf(t, 10, 100, 100)
					var down Buffer
					var k Sink = &down
					var s Source = filled('x', 1000)
					if !own {
						p := NewPipe(1 << 20)
						q := NewPipe(1 << 20)
						mustSinkWrite(t, q.Sink(), "something")
						k, s = p.Sink(), q.Source()
					}
					throttledK, throttledS := x.Sink(k), x.Source(s)
					if same := TimeoutOf(throttledK) == TimeoutOf(k); same == own {
						t.Errorf("the Timeout is that beneath: %v", same)
					}
					src := filled('y', 150)
					for _, stream := range []any{throttledK, throttledS} {
						TimeoutOf(stream).SetLimit(tt.limit)
						if tt.deadline != 0 {
							TimeoutOf(stream).SetDeadline(time.Now().Add(tt.deadline))
						}
					}
					start := time.Now()
					checkTimeout(t, throttledK.WriteBuffer(src, 150), "okio: write timeout"+space(tt.text))
					if d := time.Since(start); d != tt.want || src.Len() != 50 {
						t.Errorf("after %v, %d bytes left; want %v and 50", d, src.Len(), tt.want)
					}
					if tt.deadline != 0 {
						TimeoutOf(throttledS).SetDeadline(time.Now().Add(tt.deadline))
					}
					start = time.Now()
					n, err := throttledS.ReadBuffer(new(Buffer), 1000)
					checkTimeout(t, err, "okio: read timeout"+space(tt.text))
					if d := time.Since(start); n != 0 || d != tt.want {
						t.Errorf("%d bytes after %v, want %v", n, d, tt.want)
					}
				})
			})
		}
	}
}

func space(text string) string {
	if text[0] == ':' {
		return text
	}
	return " " + text
}

// A limit that leaves time for the grant does not fire, and begins anew with each grant.
func TestThrottledWithinLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 10, 10, 10)
		k := x.Sink(Discard())
		TimeoutOf(k).SetLimit(1500 * time.Millisecond)
		c := startClock()
		if err := k.WriteBuffer(filled('x', 50), 50); err != nil {
			t.Fatal(err)
		}
		c.want(t, "40 bytes after 10", 4*time.Second)
	})
}

// Canceling what is beneath ends the wait for a grant, through whatever lies between.
func TestThrottledCancel(t *testing.T) {
	cause := errors.New("the user went away")
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, x *Throttler) (wait func() error, cancel func(error))
	}{
		{"socket sink", func(t *testing.T, x *Throttler) (func() error, func(error)) {
			a, _ := SocketPair(1 << 20)
			k := NewBufferedSink(x.Sink(a.Sink()))
			return func() error {
				_, _ = k.Write(make([]byte, 300))
				return k.Flush()
			}, a.Cancel
		}},
		{"socket source", func(t *testing.T, x *Throttler) (func() error, func(error)) {
			a, b := SocketPair(1 << 20)
			mustSinkWrite(t, b.Sink(), "something")
			s := x.Source(NewBufferedSource(a.Source()))
			return func() error {
				_, err := s.ReadBuffer(new(Buffer), 300)
				if err == nil {
					_, err = s.ReadBuffer(new(Buffer), 300)
				}
				return err
			}, a.Cancel
		}},
		{"pipe sink", func(t *testing.T, x *Throttler) (func() error, func(error)) {
			p := NewPipe(1 << 20)
			k := x.Sink(x.Sink(p.Sink()))
			return func() error { return k.WriteBuffer(filled('x', 300), 300) }, p.Cancel
		}},
		{"pipe source", func(t *testing.T, x *Throttler) (func() error, func(error)) {
			p := NewPipe(1 << 20)
			mustSinkWrite(t, p.Sink(), "something")
			s := x.Source(p.Source())
			return func() error {
				_, err := s.ReadBuffer(new(Buffer), 300)
				if err == nil {
					_, err = s.ReadBuffer(new(Buffer), 300)
				}
				return err
			}, p.Cancel
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := throttlerOf(t, 1, 100, 100)
				wait, cancel := tt.run(t, x)
				time.AfterFunc(7*time.Second, func() { cancel(cause) })
				c := startClock()
				if err := wait(); err != cause {
					t.Errorf("%v, want %v", err, cause)
				}
				c.want(t, "the wait", 7*time.Second)
				cancel(nil) // only the first counts
			})
		})
	}
}

func TestThrottledEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 10, 10, 10)
		wantTake(t, x, 10, 10)
		c := startClock()
		down := new(errSink)
		k := x.Sink(down)
		if err := k.WriteBuffer(new(Buffer), 0); err != nil {
			t.Error(err)
		}
		src := filled('x', 5)
		for _, n := range []int64{-1, 6} {
			if err := k.WriteBuffer(src, n); err == nil || src.Len() != 5 {
				t.Errorf("%d: %v", n, err)
			}
		}
		s := x.Source(filled('x', 5))
		if n, err := s.ReadBuffer(src, 0); n != 0 || err != nil {
			t.Error(n, err)
		}
		if _, err := s.ReadBuffer(src, -1); err == nil {
			t.Error("a negative count passes")
		}
		_ = k.Flush()
		_ = k.Close()
		if want := "[write flush close]"; len(down.calls) != 3 || down.calls[1] != "flush" || down.calls[2] != "close" {
			t.Errorf("%v, want %s", down.calls, want)
		}
		p := NewPipe(10)
		k, s = x.Sink(p.Sink()), x.Source(p.Source())
		if err := errors.Join(k.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		if err := k.WriteBuffer(src, 5); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if _, err := s.ReadBuffer(src, 5); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		c.want(t, "all of that", 0)
		broken := errors.New("broken")
		k = x.Sink(&errSink{write: broken})
		if err := k.WriteBuffer(src, 5); err != broken {
			t.Error(err)
		}
	})
}

// Streams and Set from all sides, for the race detector.
func TestThrottlerConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 1000, 100, 1000)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				k := x.Sink(Discard())
				for range 10 {
					if err := k.WriteBuffer(filled('x', 500*(i+1)), int64(500*(i+1))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Go(func() {
			for i := range 100 {
				time.Sleep(time.Millisecond * 100)
				if err := x.Set(int64(1000*(i%7+1)), 100, 1000); err != nil {
					t.Error(err)
				}
			}
		})
		all.Wait()
	})
}

func TestThrottledDoesNotAllocate(t *testing.T) {
	if poison {
		t.Skip("the pool drops segments at random under the race detector")
	}
	synctest.Test(t, func(t *testing.T) {
		x := throttlerOf(t, 1e9, 0, 0)
		var a, b Buffer
		_, _ = a.Write(make([]byte, 5000))
		k, s := x.Sink(&b), x.Source(&b)
		if n := testing.AllocsPerRun(100, func() {
			_ = k.WriteBuffer(&a, a.Len())
			_, _ = s.ReadBuffer(&a, b.Len())
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
