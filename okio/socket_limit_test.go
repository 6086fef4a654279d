package okio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scriptConn answers reads and writes from functions and counts what a socket does to its deadlines.
type scriptConn struct {
	net.Conn
	read           func(p []byte) (int, error)
	write          func(p []byte) (int, error)
	readDeadlines  []time.Time
	writeDeadlines []time.Time
}

func (c *scriptConn) Read(p []byte) (int, error)  { return c.read(p) }
func (c *scriptConn) Write(p []byte) (int, error) { return c.write(p) }
func (c *scriptConn) Close() error                { return nil }

func (c *scriptConn) SetReadDeadline(at time.Time) error {
	c.readDeadlines = append(c.readDeadlines, at)
	return nil
}

func (c *scriptConn) SetWriteDeadline(at time.Time) error {
	c.writeDeadlines = append(c.writeDeadlines, at)
	return nil
}

// Facts 104, 105 and the end of 120: limits fire on time, whichever is smaller, and are named.
func TestSocketLimits(t *testing.T) {
	tests := []struct {
		name     string
		limit    time.Duration
		deadline time.Duration // from the start
		want     time.Duration
		text     string
	}{
		{"250 ms", 250 * time.Millisecond, 0, 250 * time.Millisecond, "timeout after 250ms"},
		{"500 ms", 500 * time.Millisecond, 0, 500 * time.Millisecond, "timeout after 500ms"},
		{"750 ms", 750 * time.Millisecond, 0, 750 * time.Millisecond, "timeout after 750ms"},
		{"deadline", 0, time.Second, time.Second, "timeout: deadline reached"},
		{"deadline in the past", 0, -time.Second, 0, "timeout: deadline reached"},
		{"limit is smaller", 500 * time.Millisecond, time.Second, 500 * time.Millisecond, "timeout after 500ms"},
		{"deadline is smaller", time.Minute, time.Second, time.Second, "timeout: deadline reached"},
	}
	for _, tt := range tests {
		for _, kind := range connKinds {
			if !kind.memory {
				continue
			}
			t.Run(tt.name+"/"+kind.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x, _ := kind.pair(t)
					s := NewSocket(x)
					start := time.Now()
					for _, to := range []*Timeout{TimeoutOf(s.Source()), TimeoutOf(s.Sink())} {
						to.SetLimit(tt.limit)
						if tt.deadline != 0 {
							to.SetDeadline(start.Add(tt.deadline))
						}
					}
					var b Buffer
					n, err := s.Source().ReadBuffer(&b, 1)
					checkTimeout(t, err, "okio: read "+tt.text)
					if op := (*net.OpError)(nil); !errors.As(err, &op) || op.Op != "read" {
						t.Errorf("%v hides the connection's error", err)
					}
					if d := time.Since(start); n != 0 || d != tt.want {
						t.Errorf("read %d after %v, want 0 after %v", n, d, tt.want)
					}
					start = time.Now()
					if tt.deadline != 0 {
						TimeoutOf(s.Sink()).SetDeadline(start.Add(tt.deadline))
					}
					size := 1 << 20
					if tt.limit == 500*time.Millisecond {
						size = 16 << 20
					}
					_, _ = b.Write(make([]byte, size))
					defer b.Clear()
					checkTimeout(t, s.Sink().WriteBuffer(&b, b.Len()), "okio: write "+tt.text)
					if d := time.Since(start); d != tt.want {
						t.Errorf("write ended after %v, want %v", d, tt.want)
					}
				})
			})
		}
	}
}

// A limit that ends after the last instant there is never ends.
func TestSocketHugeLimits(t *testing.T) {
	for _, limit := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 / 2} {
		synctest.Test(t, func(t *testing.T) {
			x, y := ConnPair(0)
			a, b := NewSocket(x), NewSocket(y)
			time.Sleep(time.Second) // the clock of the sockets is past 0
			for _, to := range []*Timeout{TimeoutOf(a.Source()), TimeoutOf(a.Sink())} {
				to.SetLimit(limit)
			}
			for range 3 {
				go func() {
					time.Sleep(time.Hour)
					_ = sinkWrite(b.Sink(), "late")
				}()
				wantSource(t, a.Source(), "late")
				mustSinkWrite(t, a.Sink(), "prompt")
				wantSource(t, b.Source(), "prompt")
			}
			_, _ = x.Close(), y.Close()
		})
	}
}

// A time-out leaves a plain connection usable, with the bytes that were not sent still there.
func TestSocketGoesOnAfterTimeout(t *testing.T) {
	for _, kind := range connKinds[:3] {
		t.Run(kind.name, func(t *testing.T) {
			x, y := kind.pair(t)
			a, b := NewSocket(x), NewSocket(y)
			TimeoutOf(a.Source()).SetLimit(time.Millisecond)
			_, err := a.Source().ReadBuffer(new(Buffer), 1)
			checkTimeout(t, err, "okio: read timeout after 1ms")
			TimeoutOf(a.Source()).SetLimit(0)
			mustSinkWrite(t, b.Sink(), "late")
			wantSource(t, a.Source(), "late")

			data := make([]byte, 4<<20)
			for i := range data {
				data[i] = byte(i >> 8)
			}
			var src Buffer
			_, _ = src.Write(data)
			TimeoutOf(a.Sink()).SetLimit(time.Millisecond)
			checkTimeout(t, a.Sink().WriteBuffer(&src, src.Len()), "okio: write timeout after 1ms")
			TimeoutOf(a.Sink()).SetLimit(0)
			done := make(chan error)
			go func() { done <- errors.Join(a.Sink().WriteBuffer(&src, src.Len()), a.Sink().Close()) }()
			got, err := io.ReadAll(b.Source().(io.Reader))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d of %d bytes arrived: %v", len(got), len(data), err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// A link that is slow but moves does not hit the limit of one operation.
func TestSocketSlowLink(t *testing.T) {
	for _, kind := range connKinds {
		if !kind.memory {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, y := kind.pair(t)
				s := NewSocket(x)
				TimeoutOf(s.Sink()).SetLimit(time.Second)
				var wg sync.WaitGroup
				wg.Go(func() {
					p := make([]byte, 16<<10)
					for {
						time.Sleep(400 * time.Millisecond)
						if _, err := io.ReadFull(y, p); err != nil {
							return
						}
					}
				})
				var b Buffer
				_, _ = b.Write(make([]byte, 1<<20))
				start := time.Now()
				if err := s.Sink().WriteBuffer(&b, b.Len()); err != nil {
					t.Error(err)
				}
				if d := time.Since(start); d < 20*time.Second {
					t.Errorf("the link was not slow: %v", d)
				}
				_ = y.Close()
				wg.Wait()
			})
		})
	}
}

// Limits cost calls only when they are set, and a deadline that stands is not set again.
func TestSocketSetsDeadlinesSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &scriptConn{
			read:  func(p []byte) (int, error) { return 1, nil },
			write: func(p []byte) (int, error) { return len(p), nil },
		}
		s := NewSocket(c)
		use := func() {
			t.Helper()
			if _, err := s.Source().ReadBuffer(new(Buffer), 1); err != nil {
				t.Fatal(err)
			}
			mustSinkWrite(t, s.Sink(), "x")
		}
		check := func(what string, got, want []time.Time) {
			t.Helper()
			if !slices.EqualFunc(got, want, time.Time.Equal) {
				t.Errorf("%s: deadlines %v, want %v", what, got, want)
			}
		}
		want := func(what string, instants ...time.Time) {
			t.Helper()
			check(what+", read", c.readDeadlines, instants)
			check(what+", write", c.writeDeadlines, instants)
			c.readDeadlines, c.writeDeadlines = nil, nil
		}
		set := func(limit time.Duration, deadline time.Time) {
			for _, to := range []*Timeout{TimeoutOf(s.Source()), TimeoutOf(s.Sink())} {
				to.SetLimit(limit)
				to.SetDeadline(deadline)
			}
		}
		start := time.Now()
		use()
		use()
		want("no limits")
		set(0, start.Add(time.Hour))
		use()
		use()
		want("deadline", start.Add(time.Hour))
		set(time.Second, time.Time{})
		use()
		time.Sleep(100 * time.Millisecond)
		use()
		// A read may run under the deadline of an earlier one. This connection's writes may not: they could not go on after it.
		check("limit, write", c.writeDeadlines, []time.Time{start.Add(time.Second), start.Add(1100 * time.Millisecond)})
		c.writeDeadlines = c.readDeadlines
		want("limit", start.Add(time.Second))
		set(time.Second, start.Add(500*time.Millisecond))
		use()
		use()
		want("both", start.Add(500*time.Millisecond))
		set(0, time.Time{})
		use()
		use()
		want("none again", time.Time{})
	})
}

// A read that starts under an earlier read's deadline still has its whole limit.
func TestSocketLimitOfALaterRead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after time.Duration // from the second read's start to its data, 0 for none
	}{
		{"data after the earlier deadline", 900 * time.Millisecond},
		{"no data", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, y := ConnPair(0)
				defer y.Close()
				s := NewSocket(x)
				defer s.Cancel(nil)
				TimeoutOf(s.Source()).SetLimit(time.Second)
				time.AfterFunc(400*time.Millisecond, func() { _, _ = y.Write([]byte("a")) })
				var b Buffer
				if _, err := s.Source().ReadBuffer(&b, 1); err != nil {
					t.Fatal(err)
				}
				if tt.after > 0 {
					time.AfterFunc(tt.after, func() { _, _ = y.Write([]byte("b")) })
				}
				start := time.Now()
				_, err := s.Source().ReadBuffer(&b, 1)
				want := tt.after
				if want == 0 {
					want = time.Second
					checkTimeout(t, err, "okio: read timeout after 1s")
				} else if err != nil {
					t.Error(err)
				}
				if got := time.Since(start); got != want {
					t.Errorf("the read took %v, want %v", got, want)
				}
			})
		})
	}
}

// A large write is cut, and each piece has a deadline of its own.
func TestSocketPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		c := &scriptConn{write: func(p []byte) (int, error) {
			sizes = append(sizes, len(p))
			time.Sleep(900 * time.Millisecond)
			return len(p), nil
		}}
		s := NewSocket(c)
		TimeoutOf(s.Sink()).SetLimit(time.Second)
		var b, body Buffer
		_, _ = b.Write(make([]byte, 300))
		_, _ = body.Write(make([]byte, 2*segmentSize))
		_ = b.WriteBuffer(&body, body.Len())
		mustEqual(t, "segments before", b.head.level(), 300) // so that joining is what happens
		if err := s.Sink().WriteBuffer(&b, b.Len()); err != nil {
			t.Fatal(err)
		}
		want := []int{segmentSize, segmentSize, 300}
		if len(sizes) != 3 || sizes[0] != want[0] || sizes[1] != want[1] || sizes[2] != want[2] {
			t.Errorf("writes of %v, want %v", sizes, want)
		}
		if len(c.writeDeadlines) != 3 {
			t.Errorf("%d deadlines", len(c.writeDeadlines))
		}
	})
}

func mustEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// Facts 107 and the contract of Source and Sink against connections of every temper.
func TestSocketOddConnections(t *testing.T) {
	broken := errors.New("broken")
	t.Run("a failure in time is the failure itself", func(t *testing.T) {
		s := NewSocket(&scriptConn{
			read:  func([]byte) (int, error) { return 0, broken },
			write: func([]byte) (int, error) { return 0, broken },
		})
		TimeoutOf(s.Source()).SetLimit(time.Hour)
		TimeoutOf(s.Sink()).SetLimit(time.Hour)
		if _, err := s.Source().ReadBuffer(new(Buffer), 1); err != broken {
			t.Errorf("read: %v", err)
		}
		if err := sinkWrite(s.Sink(), "x"); err != broken {
			t.Errorf("write: %v", err)
		}
	})
	t.Run("a deadline that the user set on the connection", func(t *testing.T) {
		s := NewSocket(&scriptConn{read: func([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }})
		if _, err := s.Source().ReadBuffer(new(Buffer), 1); err != os.ErrDeadlineExceeded {
			t.Errorf("read: %v", err)
		}
	})
	t.Run("bytes and an error together", func(t *testing.T) {
		for _, end := range []error{io.EOF, broken} {
			s := NewSocket(&scriptConn{read: func(p []byte) (int, error) { return copy(p, "last"), end }})
			wantSource(t, s.Source(), "last")
			wantSourceErr(t, s.Source(), end)
			n, err := s.Source().(io.Reader).Read(make([]byte, 10))
			if n != 4 || err != nil {
				t.Errorf("Read = %d, %v", n, err)
			}
			wantSourceErr(t, s.Source(), end)
		}
	})
	t.Run("no progress", func(t *testing.T) {
		s := NewSocket(&scriptConn{read: func([]byte) (int, error) { return 0, nil }})
		wantSourceErr(t, s.Source(), io.ErrNoProgress)
	})
	t.Run("short writes", func(t *testing.T) {
		s := NewSocket(&scriptConn{write: func(p []byte) (int, error) { return 2, nil }})
		b := NewBufferString("abcdef")
		wantErr(t, "write", s.Sink().WriteBuffer(b, 6), io.ErrShortWrite)
		if got := content(b); got != "cdef" {
			t.Errorf("%q left, want what was not written", got)
		}
	})
	t.Run("impossible counts", func(t *testing.T) {
		for _, over := range []int{-1, math.MinInt, 1, math.MaxInt} {
			count := func(p []byte) int {
				if over == 1 {
					return len(p) + 1
				}
				return over
			}
			s := NewSocket(&scriptConn{
				read:  func(p []byte) (int, error) { return count(p), nil },
				write: func(p []byte) (int, error) { return count(p), nil },
			})
			dst := NewBufferString("ab")
			want := fmt.Sprintf("okio: *okio.scriptConn returned a count of %d from Read of 4 bytes", count(make([]byte, 4)))
			for range 2 {
				if n, err := s.Source().ReadBuffer(dst, 4); n != 0 || err == nil || err.Error() != want {
					t.Errorf("ReadBuffer = %d, %v, want %s", n, err, want)
				}
				if n, err := s.Source().(io.Reader).Read(make([]byte, 4)); n != 0 || err == nil || err.Error() != want {
					t.Errorf("Read = %d, %v, want %s", n, err, want)
				}
			}
			src := NewBufferString("ab")
			_ = NewBufferString("cd").CopyTo(src, 0, 2)
			want = fmt.Sprintf("okio: *okio.scriptConn returned a count of %d from Write of 4 bytes", count(make([]byte, 4)))
			if err := s.Sink().WriteBuffer(src, 4); err == nil || err.Error() != want {
				t.Errorf("WriteBuffer: %v, want %s", err, want)
			}
			if content(dst) != "ab" || content(src) != "abcd" {
				t.Errorf("%q and %q left", content(dst), content(src))
			}
			checkRing(t, dst)
			checkRing(t, src)
		}
	})
	t.Run("failing midway", func(t *testing.T) {
		s := NewSocket(&scriptConn{write: func(p []byte) (int, error) { return 2, broken }})
		b := NewBufferString("abcdef")
		wantErr(t, "write", s.Sink().WriteBuffer(b, 4), broken)
		if got := content(b); got != "cdef" {
			t.Errorf("%q left, want what was not written", got)
		}
	})
}

// In the steady state neither reading nor writing allocates, with or without limits, in one segment or in several.
func TestSocketDoesNotAllocate(t *testing.T) {
	if poison {
		t.Skip("the race detector makes pools forget")
	}
	for _, limit := range []time.Duration{0, time.Hour} {
		for _, size := range []int{32, 40_000} {
			x, y := tcpPair(t)
			a, b := NewSocket(x), NewSocket(y)
			for _, s := range []any{a.Sink(), b.Source()} {
				TimeoutOf(s).SetLimit(limit)
			}
			data := make([]byte, size)
			src, dst := new(Buffer), new(Buffer)
			sink, source := a.Sink(), b.Source()
			got := testing.AllocsPerRun(200, func() {
				_, _ = src.Write(data)
				if err := sink.WriteBuffer(src, src.Len()); err != nil {
					t.Fatal(err)
				}
				for left := int64(size); left > 0; {
					n, err := source.ReadBuffer(dst, left)
					if err != nil {
						t.Fatal(err)
					}
					left -= n
					dst.Clear()
				}
			})
			if got != 0 {
				t.Errorf("limit %v, %d bytes: %v allocations", limit, size, got)
			}
		}
	}
}
