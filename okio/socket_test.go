package okio

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// acceptPair dials l and returns both ends.
func acceptPair(t *testing.T, l net.Listener, err error) (a, b net.Conn) {
	t.Helper()
	if err != nil {
		t.Skipf("cannot listen: %v", err)
	}
	defer func() { _ = l.Close() }()
	a, err = net.Dial(l.Addr().Network(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	for _, c := range []net.Conn{a, b} { // so that a few MiB are certain to be too much
		system := c.(interface {
			SetReadBuffer(int) error
			SetWriteBuffer(int) error
		})
		if err := errors.Join(system.SetReadBuffer(64<<10), system.SetWriteBuffer(64<<10)); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

func tcpPair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	return acceptPair(t, l, err)
}

func unixPair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	return acceptPair(t, l, err)
}

// secured puts TLS onto both ends and shakes hands.
func secured(t *testing.T, a, b net.Conn) (net.Conn, net.Conn) {
	t.Helper()
	serverTLS, clientTLS := tlsConfigs()
	client, server := tls.Client(a, clientTLS), tls.Server(b, serverTLS)
	done := make(chan error, 1)
	go func() { done <- server.Handshake() }()
	if err := errors.Join(client.Handshake(), <-done); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// connKinds are the kinds of connection that a socket treats differently.
var connKinds = []struct {
	name     string
	pair     func(t *testing.T) (a, b net.Conn)
	memory   bool // can be in a synctest bubble
	halfRead bool // has CloseRead
}{
	{"tcp", tcpPair, false, true},
	{"unix", unixPair, false, true},
	{"memory", func(*testing.T) (a, b net.Conn) { return ConnPair(0) }, true, true},
	{"tls over tcp", func(t *testing.T) (a, b net.Conn) { x, y := tcpPair(t); return secured(t, x, y) }, false, false},
	{"tls over memory", func(t *testing.T) (a, b net.Conn) { x, y := ConnPair(0); return secured(t, x, y) }, true, false},
}

// eachKind runs a test on a fresh pair of every kind, in a bubble where that is possible.
func eachKind(t *testing.T, run func(t *testing.T, a, b Socket, rawA, rawB net.Conn)) {
	t.Helper()
	for _, kind := range connKinds {
		body := func(t *testing.T) {
			x, y := kind.pair(t)
			run(t, NewSocket(x), NewSocket(y), x, y)
		}
		t.Run(kind.name, func(t *testing.T) {
			if kind.memory {
				synctest.Test(t, body)
			} else {
				body(t)
			}
		})
	}
}

func TestSocketSidesStayTheSame(t *testing.T) {
	a, _ := SocketPair(0)
	if a.Source() != a.Source() || a.Sink() != a.Sink() {
		t.Error("sides change")
	}
	if TimeoutOf(a.Source()) == TimeoutOf(a.Sink()) {
		t.Error("sides share one Timeout")
	}
}

func TestSocketTransfer(t *testing.T) {
	data := make([]byte, 1_500_000)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	send := func(t *testing.T, k Sink, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var b Buffer
		for rest := data; len(rest) > 0; {
			n := 1 + rnd.IntN(min(len(rest), 1<<rnd.IntN(18)))
			_, _ = b.Write(rest[:n])
			rest = rest[n:]
			if err := k.WriteBuffer(&b, rnd.Int64N(b.Len()+1)); err != nil {
				t.Error(err)
				return
			}
		}
		if err := errors.Join(k.WriteBuffer(&b, b.Len()), k.Flush(), k.Close()); err != nil {
			t.Error(err)
		}
	}
	receive := func(t *testing.T, s Source, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var got []byte
		var b Buffer
		p := make([]byte, segmentSize)
		for {
			var n int
			var err error
			if rnd.IntN(2) == 0 {
				n, err = s.(io.Reader).Read(p[:1+rnd.IntN(len(p))])
				got = append(got, p[:n]...)
			} else {
				limit := 1 + rnd.Int64N(2*segmentSize)
				var moved int64
				moved, err = s.ReadBuffer(&b, limit)
				n = int(moved)
				if moved > limit || moved != b.Len() {
					t.Errorf("read %d of at most %d, buffer has %d", moved, limit, b.Len())
				}
				part, _ := b.ReadN(b.Len())
				got = append(got, part...)
			}
			if err == io.EOF && n == 0 {
				break
			}
			if err != nil || n == 0 {
				t.Errorf("read = %d, %v", n, err)
				break
			}
		}
		if !bytes.Equal(got, data) {
			t.Errorf("%d bytes arrived, differing from the %d that were sent", len(got), len(data))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	eachKind(t, func(t *testing.T, a, b Socket, rawA, rawB net.Conn) {
		var wg sync.WaitGroup
		for i, s := range []Socket{a, b} {
			wg.Go(func() { send(t, s.Sink(), uint64(i)) })
			wg.Go(func() { receive(t, s.Source(), uint64(10+i)) })
		}
		wg.Wait()
		for _, c := range []net.Conn{rawA, rawB} {
			if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
				t.Errorf("both sides are closed, writing to the connection: %v", err)
			}
		}
	})
}

// Fact 121 and the first part of 120.
func TestSocketHalfClose(t *testing.T) {
	eachKind(t, func(t *testing.T, a, b Socket, rawA, rawB net.Conn) {
		mustSinkWrite(t, a.Sink(), "request")
		if err := errors.Join(a.Sink().Close(), a.Sink().Close()); err != nil {
			t.Fatal(err)
		}
		wantErr(t, "write", sinkWrite(a.Sink(), "x"), ErrClosed)
		wantErr(t, "flush", a.Sink().Flush(), ErrClosed)
		wantSource(t, b.Source(), "request")
		wantSourceErr(t, b.Source(), io.EOF)
		mustSinkWrite(t, b.Sink(), "response")
		wantSource(t, a.Source(), "response")

		if err := errors.Join(a.Source().Close(), a.Source().Close()); err != nil {
			t.Fatal(err)
		}
		wantSourceErr(t, a.Source(), ErrClosed)
		if _, err := a.Source().(io.Reader).Read(make([]byte, 1)); !errors.Is(err, ErrClosed) {
			t.Errorf("Read: %v", err)
		}
		wantWriteErr(t, rawA, net.ErrClosed)
	})
}

func TestSocketSourceClosedFirst(t *testing.T) {
	for _, kind := range connKinds {
		t.Run(kind.name, func(t *testing.T) {
			x, y := kind.pair(t)
			a, b := NewSocket(x), NewSocket(y)
			if err := errors.Join(a.Source().Close(), a.Source().Close()); err != nil {
				t.Fatal(err)
			}
			wantSourceErr(t, a.Source(), ErrClosed)
			mustSinkWrite(t, a.Sink(), "still")
			wantSource(t, b.Source(), "still")
			if err := a.Sink().Close(); err != nil {
				t.Fatal(err)
			}
			wantSourceErr(t, b.Source(), io.EOF)
			wantWriteErr(t, x, net.ErrClosed)
			if err := errors.Join(b.Source().Close(), b.Sink().Close()); err != nil {
				t.Errorf("closing the peer: %v", err)
			}
		})
	}
}

// net.Pipe can close no half: closing a side concerns the user alone, until both are closed.
func TestSocketWithoutHalfClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, y := net.Pipe()
		a, b := NewSocket(x), NewSocket(y)
		_ = a.Sink().Close()
		go func() { _ = sinkWrite(b.Sink(), "response") }()
		wantSource(t, a.Source(), "response")
		_ = a.Source().Close()
		wantSourceErr(t, b.Source(), io.EOF)
	})
}

func TestSocketOverClosedConn(t *testing.T) {
	eachKind(t, func(t *testing.T, _, _ Socket, c, peer net.Conn) {
		_ = c.Close()
		s := NewSocket(c)
		wantSourceErr(t, s.Source(), net.ErrClosed)
		wantErr(t, "write", sinkWrite(s.Sink(), "x"), net.ErrClosed)
		TimeoutOf(s.Source()).SetLimit(time.Second)
		wantSourceErr(t, s.Source(), net.ErrClosed)
		if err := errors.Join(s.Sink().Close(), s.Source().Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
}

func TestSocketArguments(t *testing.T) {
	eachKind(t, func(t *testing.T, a, _ Socket, _, _ net.Conn) {
		b := NewBufferString("ab")
		if n, err := a.Source().ReadBuffer(b, -1); n != 0 || err == nil {
			t.Errorf("read of -1 = %d, %v", n, err)
		}
		if n, err := a.Source().ReadBuffer(b, 0); n != 0 || err != nil {
			t.Errorf("read of 0 = %d, %v", n, err)
		}
		if n, err := a.Source().(io.Reader).Read(nil); n != 0 || err != nil {
			t.Errorf("Read of nothing = %d, %v", n, err)
		}
		for _, n := range []int64{-1, 3} {
			if err := a.Sink().WriteBuffer(b, n); err == nil || b.Len() != 2 {
				t.Errorf("write of %d out of 2: %v, %d left", n, err, b.Len())
			}
		}
		if err := a.Sink().WriteBuffer(b, 0); err != nil {
			t.Errorf("write of 0: %v", err)
		}
	})
}

// The second part of fact 120.
func TestSocketPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := SocketPair(1024)
		_ = a.Source().Close()
		wantErr(t, "write to a closed source", sinkWrite(b.Sink(), "x"), syscall.EPIPE)
		mustSinkWrite(t, a.Sink(), "works")
		wantSource(t, b.Source(), "works")

		a, b = SocketPair(1024)
		mustSinkWrite(t, a.Sink(), "x")
		a.Cancel(nil)
		for name, s := range map[string]Socket{"own": a, "peer's": b} {
			if n, err := s.Source().ReadBuffer(new(Buffer), 1); n != 0 || err == nil || err == io.EOF {
				t.Errorf("%s read = %d, %v", name, n, err)
			}
			if err := sinkWrite(s.Sink(), "x"); err == nil {
				t.Errorf("%s write succeeded", name)
			}
		}
	})
}

func TestSocketCancel(t *testing.T) {
	reason := errors.New("reason")
	big := bytes.Repeat([]byte("x"), 4<<20)
	stages := []struct {
		name string
		run  func(t *testing.T, a, b Socket)
	}{
		{"before", func(t *testing.T, a, b Socket) { a.Cancel(reason) }},
		{"while reading", func(t *testing.T, a, b Socket) {
			done := make(chan struct{})
			go func() { wantSourceErr(t, a.Source(), reason); close(done) }()
			a.Cancel(reason)
			<-done
		}},
		{"while reading into memory", func(t *testing.T, a, b Socket) {
			TimeoutOf(a.Source()).SetLimit(time.Hour)
			done := make(chan error)
			go func() { _, err := a.Source().(io.Reader).Read(make([]byte, 1)); done <- err }()
			a.Cancel(reason)
			wantErr(t, "Read", <-done, reason)
		}},
		{"while writing to a peer that does not read", func(t *testing.T, a, b Socket) {
			TimeoutOf(a.Sink()).SetLimit(time.Hour)
			var src Buffer
			_, _ = src.Write(big)
			defer src.Clear()
			started := make(chan struct{})
			done := make(chan error)
			go func() { close(started); done <- a.Sink().WriteBuffer(&src, src.Len()) }()
			<-started
			a.Cancel(reason)
			wantErr(t, "write", <-done, reason)
		}},
		{"after a half was closed", func(t *testing.T, a, b Socket) {
			_ = a.Source().Close()
			a.Cancel(reason)
		}},
		{"after both were closed", func(t *testing.T, a, b Socket) {
			_, _ = a.Source().Close(), a.Sink().Close()
			a.Cancel(reason)
		}},
		{"from everywhere", func(t *testing.T, a, b Socket) {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { a.Cancel(reason) })
			}
			wg.Wait()
		}},
	}
	for _, stage := range stages {
		t.Run(stage.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, a, b Socket, rawA, rawB net.Conn) {
				stage.run(t, a, b)
				a.Cancel(errors.New("too late"))
				wantSourceErr(t, a.Source(), reason)
				wantErr(t, "write", sinkWrite(a.Sink(), "x"), reason)
				wantErr(t, "flush", a.Sink().Flush(), reason)
				if err := errors.Join(a.Sink().Close(), a.Source().Close(), a.Sink().Close()); err != nil {
					t.Errorf("closing: %v", err)
				}
				if n, err := b.Source().ReadBuffer(new(Buffer), 1); stage.name == "before" && (n != 0 || err == nil) {
					t.Errorf("the peer reads %d, %v", n, err)
				}
			})
		})
	}
}

// A TLS connection whose peer takes nothing: an alert could not be sent, so Cancel must not try. The bubble's clock shows
// whether anything waited.
func TestSocketCancelDoesNotWaitForTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, y := ConnPair(1 << 20)
		client, _ := secured(t, x, y)
		_ = x.SetWriteDeadline(time.Now())
		_ = x.SetWriteDeadline(time.Time{})
		fill := make([]byte, 1<<20)
		_ = x.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = x.Write(fill) // below TLS: nothing fits any more
		_ = x.SetWriteDeadline(time.Time{})

		s := NewSocket(client)
		done := make(chan error)
		go func() { done <- sinkWrite(s.Sink(), "stuck") }()
		synctest.Wait()
		start := time.Now()
		s.Cancel(nil)
		wantErr(t, "write", <-done, ErrCanceled)
		if err := errors.Join(s.Source().Close(), s.Sink().Close()); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("took %v", d)
		}
	})
}

func TestBindContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("reason")

		a, _ := SocketPair(0)
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := BindContext(ctx, a)
		time.AfterFunc(time.Second, func() { cancel(reason) })
		wantSourceErr(t, a.Source(), reason)
		if stop() {
			t.Error("stop says that the socket was not touched")
		}

		a, b := SocketPair(0)
		ctx, cancel = context.WithCancelCause(t.Context())
		stop = BindContext(ctx, a)
		if !stop() {
			t.Error("stop says that the socket is or will be canceled")
		}
		cancel(reason)
		synctest.Wait()
		mustSinkWrite(t, a.Sink(), "works")
		wantSource(t, b.Source(), "works")

		ctx, cancelTimeout := context.WithTimeout(t.Context(), time.Second)
		defer cancelTimeout()
		BindContext(ctx, b)
		wantSourceErr(t, b.Source(), context.DeadlineExceeded)

		a, _ = SocketPair(0)
		ctx, cancel = context.WithCancelCause(t.Context())
		cancel(nil)
		stop = BindContext(ctx, a)
		synctest.Wait()
		if stop() {
			t.Error("stop says that the socket was not touched by a context that had ended")
		}
		wantSourceErr(t, a.Source(), context.Canceled)
	})
}
