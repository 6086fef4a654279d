package okio

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// halfConn is what both ends of a ConnPair and TCP connections can do.
type halfConn interface {
	net.Conn
	CloseWrite() error
	CloseRead() error
}

// pairOf returns the ends with all that they can do.
func pairOf(limit int) (a, b *pairConn) {
	x, y := ConnPair(limit)
	return x.(*pairConn), y.(*pairConn)
}

func mustWrite(t *testing.T, c net.Conn, s string) {
	t.Helper()
	if n, err := c.Write([]byte(s)); n != len(s) || err != nil {
		t.Fatalf("Write(%q) = %d, %v", s, n, err)
	}
}

func wantRead(t *testing.T, c net.Conn, want string) {
	t.Helper()
	p := make([]byte, len(want))
	if _, err := io.ReadFull(c, p); err != nil || string(p) != want {
		t.Fatalf("read %q, %v; want %q", p, err, want)
	}
}

// wantReadErr requires a read that yields nothing but an error that is want.
func wantReadErr(t *testing.T, c net.Conn, want error) {
	t.Helper()
	if n, err := c.Read(make([]byte, 8)); n != 0 || !errors.Is(err, want) {
		t.Errorf("Read = %d, %v; want 0, %v", n, err, want)
	}
}

func wantWriteErr(t *testing.T, c net.Conn, want error) {
	t.Helper()
	if n, err := c.Write([]byte("x")); n != 0 || !errors.Is(err, want) {
		t.Errorf("Write = %d, %v; want 0, %v", n, err, want)
	}
}

func TestConnPairEnds(t *testing.T) {
	tests := []struct {
		name string
		run  func(t *testing.T, a, b *pairConn)
	}{
		{"both directions", func(t *testing.T, a, b *pairConn) {
			mustWrite(t, a, "ping")
			mustWrite(t, b, "pong")
			wantRead(t, b, "ping")
			wantRead(t, a, "pong")
		}},
		{"close: peer drains, then the end, and cannot write", func(t *testing.T, a, b *pairConn) {
			mustWrite(t, a, "last words")
			mustWrite(t, b, "unheard")
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			wantRead(t, b, "last words")
			wantReadErr(t, b, io.EOF)
			wantReadErr(t, b, io.EOF)
			wantWriteErr(t, b, syscall.EPIPE)
			wantReadErr(t, a, net.ErrClosed)
			wantWriteErr(t, a, net.ErrClosed)
		}},
		{"close twice", func(t *testing.T, a, b *pairConn) {
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			for name, err := range map[string]error{
				"Close": a.Close(), "CloseWrite": a.CloseWrite(), "CloseRead": a.CloseRead(), "Reset": a.Reset(),
				"SetDeadline": a.SetDeadline(time.Now()), "SetReadDeadline": a.SetReadDeadline(time.Now()),
				"SetWriteDeadline": a.SetWriteDeadline(time.Now()),
			} {
				if op := (*net.OpError)(nil); !errors.Is(err, net.ErrClosed) || !errors.As(err, &op) {
					t.Errorf("%s after Close: %v", name, err)
				}
			}
			if err := b.Close(); err != nil {
				t.Errorf("the peer's Close: %v", err)
			}
		}},
		{"half close", func(t *testing.T, a, b *pairConn) {
			mustWrite(t, a, "request")
			if err := errors.Join(a.CloseWrite(), a.CloseWrite()); err != nil {
				t.Fatal(err)
			}
			wantWriteErr(t, a, syscall.EPIPE)
			wantRead(t, b, "request")
			wantReadErr(t, b, io.EOF)
			mustWrite(t, b, "response")
			if err := b.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			wantRead(t, a, "response")
			wantReadErr(t, a, io.EOF)
		}},
		{"close read", func(t *testing.T, a, b *pairConn) {
			mustWrite(t, b, "unheard")
			if err := errors.Join(a.CloseRead(), a.CloseRead()); err != nil {
				t.Fatal(err)
			}
			wantReadErr(t, a, io.EOF)
			wantWriteErr(t, b, syscall.EPIPE)
			mustWrite(t, a, "still")
			wantRead(t, b, "still")
		}},
		{"reset", func(t *testing.T, a, b *pairConn) {
			mustWrite(t, a, "lost")
			mustWrite(t, b, "lost")
			if err := a.Reset(); err != nil {
				t.Fatal(err)
			}
			wantReadErr(t, b, syscall.ECONNRESET)
			wantWriteErr(t, b, syscall.ECONNRESET)
			wantReadErr(t, a, net.ErrClosed)
			wantWriteErr(t, a, net.ErrClosed)
			if err := b.Close(); err != nil {
				t.Errorf("the peer's Close: %v", err)
			}
		}},
		{"zero bytes", func(t *testing.T, a, b *pairConn) {
			past := time.Unix(1, 0)
			if n, err := a.Read(nil); n != 0 || err != nil {
				t.Errorf("Read of nothing = %d, %v", n, err)
			}
			mustWrite(t, a, "12345678") // full now
			if n, err := a.Write(nil); n != 0 || err != nil {
				t.Errorf("Write of nothing to a full pair = %d, %v", n, err)
			}
			_ = a.SetDeadline(past)
			if n, err := a.Read(nil); n != 0 || err != nil {
				t.Errorf("Read of nothing, too late = %d, %v", n, err)
			}
			if n, err := a.Write(nil); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Write of nothing, too late = %d, %v", n, err)
			}
			_ = a.SetDeadline(time.Time{})
			_ = a.CloseWrite()
			if n, err := a.Write(nil); n != 0 || !errors.Is(err, syscall.EPIPE) {
				t.Errorf("Write of nothing after CloseWrite = %d, %v", n, err)
			}
			_ = a.Close()
			if n, err := a.Read(nil); n != 0 || !errors.Is(err, net.ErrClosed) {
				t.Errorf("Read of nothing after Close = %d, %v", n, err)
			}
		}},
		{"a passed deadline counts although bytes are there", func(t *testing.T, a, b *pairConn) {
			mustWrite(t, b, "data")
			_ = a.SetReadDeadline(time.Unix(1, 0))
			_, err := a.Read(make([]byte, 4))
			checkTimeout(t, err, "")
			_ = a.SetReadDeadline(time.Time{})
			wantRead(t, a, "data")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := pairOf(8 + len("last words") + len("response"))
				if tt.name == "zero bytes" {
					a, b = pairOf(8)
				}
				tt.run(t, a, b)
			})
		})
	}
}

// Bytes beyond the limit wait for the reader, and a time-out tells how far the write came.
func TestConnPairLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pairOf(10)
		start := time.Now()
		_ = a.SetWriteDeadline(start.Add(time.Second))
		n, err := a.Write(make([]byte, 25))
		if n != 10 || time.Since(start) != time.Second {
			t.Errorf("Write = %d after %v, want 10 after 1s", n, time.Since(start))
		}
		checkTimeout(t, err, "")
		_ = a.SetWriteDeadline(time.Time{})
		go func() {
			time.Sleep(time.Second)
			_, _ = io.ReadFull(b, make([]byte, 10))
			time.Sleep(time.Second)
			_, _ = io.ReadFull(b, make([]byte, 10))
		}()
		start = time.Now()
		if n, err := a.Write(make([]byte, 15)); n != 15 || err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("Write = %d, %v after %v, want 15 after 2s", n, err, time.Since(start))
		}
	})
}

// Whatever happens to a connection frees what waits on it, with the right error.
func TestConnPairFreesWaiters(t *testing.T) {
	tests := []struct {
		name     string
		act      func(own, peer *pairConn)
		readErr  error
		writeErr error
	}{
		{"own close", func(own, peer *pairConn) { _ = own.Close() }, net.ErrClosed, net.ErrClosed},
		{"own reset", func(own, peer *pairConn) { _ = own.Reset() }, net.ErrClosed, net.ErrClosed},
		{"peer close", func(own, peer *pairConn) { _ = peer.Close() }, io.EOF, syscall.EPIPE},
		{"peer reset", func(own, peer *pairConn) { _ = peer.Reset() }, syscall.ECONNRESET, syscall.ECONNRESET},
		{"own half closes", func(own, peer *pairConn) { _ = own.CloseRead(); _ = own.CloseWrite() }, io.EOF, syscall.EPIPE},
		{"peer half closes", func(own, peer *pairConn) { _ = peer.CloseRead(); _ = peer.CloseWrite() }, io.EOF, syscall.EPIPE},
		{"deadline into the past", func(own, peer *pairConn) { _ = own.SetDeadline(time.Unix(1, 0)) },
			os.ErrDeadlineExceeded, os.ErrDeadlineExceeded},
		{"deadline passes", func(own, peer *pairConn) { _ = own.SetDeadline(time.Now().Add(time.Minute)) },
			os.ErrDeadlineExceeded, os.ErrDeadlineExceeded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				own, peer := pairOf(4)
				mustWrite(t, own, "full")
				var wg sync.WaitGroup
				for range 3 { // several waiters, as net.Conn allows
					wg.Go(func() { wantReadErr(t, own, tt.readErr) })
					wg.Go(func() { wantWriteErr(t, own, tt.writeErr) })
				}
				synctest.Wait()
				tt.act(own, peer)
				wg.Wait()
			})
		})
	}
}

func TestConnPairDeadlineMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pairOf(0)
		start := time.Now()
		_ = a.SetReadDeadline(start.Add(time.Second))
		done := make(chan error, 1)
		go func() {
			_, err := a.Read(make([]byte, 1))
			done <- err
		}()
		synctest.Wait()
		_ = a.SetReadDeadline(start.Add(3 * time.Second)) // later, while the read waits
		checkTimeout(t, <-done, "")
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("read ended after %v, want 3s", d)
		}
		// A connection outlives its time-outs.
		_ = a.SetReadDeadline(time.Time{})
		mustWrite(t, b, "x")
		wantRead(t, a, "x")

		_ = a.SetReadDeadline(time.Now().Add(time.Second))
		_ = a.Close() // leaves no timer behind that would touch anything
		time.Sleep(2 * time.Second)
	})
}

func TestConnPairAddresses(t *testing.T) {
	a, b := ConnPair(0)
	if a.LocalAddr() != b.RemoteAddr() || b.LocalAddr() != a.RemoteAddr() || a.LocalAddr() == b.LocalAddr() {
		t.Errorf("a is %v to %v, b is %v to %v", a.LocalAddr(), a.RemoteAddr(), b.LocalAddr(), b.RemoteAddr())
	}
	_, err := a.Write(nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Close()
	_, err = a.Write([]byte("x"))
	if want := "write pair a->b: use of closed network connection"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// What goes in on one end comes out on the other, whatever the pieces, in both directions at once.
func checkTransfer(t *testing.T, a, b halfConn, data []byte, seed uint64) {
	t.Helper()
	var wg sync.WaitGroup
	send := func(c halfConn, rnd *rand.Rand) {
		for rest := data; len(rest) > 0; {
			n := 1 + rnd.IntN(min(len(rest), 3*segmentSize))
			if k, err := c.Write(rest[:n]); k != n || err != nil {
				t.Errorf("Write of %d = %d, %v", n, k, err)
				break
			}
			rest = rest[n:]
		}
		if err := c.CloseWrite(); err != nil {
			t.Error(err)
		}
	}
	receive := func(c halfConn, rnd *rand.Rand) {
		var got []byte
		p := make([]byte, 3*segmentSize)
		for {
			n, err := c.Read(p[:1+rnd.IntN(len(p))])
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil || n == 0 {
				t.Errorf("Read = %d, %v", n, err)
				break
			}
		}
		if !bytes.Equal(got, data) {
			t.Errorf("%d bytes arrived, differing from the %d that were sent", len(got), len(data))
		}
	}
	for i, c := range []halfConn{a, b} {
		wg.Go(func() { send(c, rand.New(rand.NewPCG(seed, uint64(i)))) })
		wg.Go(func() { receive(c, rand.New(rand.NewPCG(seed, uint64(10+i)))) })
	}
	wg.Wait()
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

func TestConnPairTransfer(t *testing.T) {
	data := transferData(128<<10 - 1)
	for seed, limit := range []int{1, 7, 1000, segmentSize, 100_000} {
		synctest.Test(t, func(t *testing.T) {
			a, b := pairOf(limit)
			checkTransfer(t, a, b, data[:min(len(data), 2000*limit)], uint64(seed))
		})
	}
}

// transferData makes some bytes, at most 128 KiB, without a short period. Fuzz targets take a size instead of the bytes, because
// what the bytes are makes no difference.
func transferData(size uint32) []byte {
	data := make([]byte, size%(128<<10))
	for i := range data {
		data[i] = byte(uint32(i) * 2654435761 >> 24)
	}
	return data
}

func FuzzConnPair(f *testing.F) {
	f.Add(uint32(5), 1, uint64(1))
	f.Add(uint32(50_000), segmentSize, uint64(2))
	f.Add(uint32(0), 0, uint64(3))
	f.Fuzz(func(t *testing.T, size uint32, limit int, seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			a, b := pairOf(limit)
			checkTransfer(t, a, b, transferData(size), seed)
		})
	})
}

// Everything at once from many goroutines: nothing hangs, nothing races.
func TestConnPairStress(t *testing.T) {
	for seed := range uint64(30) {
		a, b := pairOf(64)
		var wg sync.WaitGroup
		for i, c := range []*pairConn{a, b, a, b} {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
			wg.Go(func() {
				for p := make([]byte, 100); ; {
					if _, err := c.Read(p[:1+rnd.IntN(99)]); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
						return
					}
				}
			})
			wg.Go(func() {
				for p := make([]byte, 50); ; {
					if _, err := c.Write(p); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
						return
					}
				}
			})
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(seed, uint64(100+i)))
				for range 100 {
					at := time.Now().Add(time.Duration(rnd.IntN(200)-100) * time.Microsecond)
					switch rnd.IntN(3) {
					case 0:
						_ = c.SetReadDeadline(at)
					case 1:
						_ = c.SetWriteDeadline(at)
					case 2:
						_ = c.SetDeadline(time.Time{})
					}
				}
				switch i {
				case 0:
					_ = c.CloseWrite()
				case 1:
					_ = c.CloseRead()
				case 2:
					_ = c.Close()
				case 3:
					_ = c.Reset()
				}
			})
		}
		wg.Wait()
		_, _ = a.Close(), b.Close()
	}
}

func TestConnPairDoesNotAllocate(t *testing.T) {
	a, b := pairOf(0)
	p := make([]byte, 1000)
	got := testing.AllocsPerRun(100, func() {
		_ = a.SetWriteDeadline(time.Now().Add(time.Hour))
		_ = b.SetReadDeadline(time.Now().Add(time.Hour))
		_, _ = a.Write(p)
		_, _ = b.Read(p)
	})
	if got >= 1 && !poison { // the race detector, which turns poison on, makes pools forget
		t.Errorf("%v allocations", got)
	}
}
