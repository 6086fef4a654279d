package okws

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// heap returns the bytes in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A peer that announces much and sends little takes little.
func TestAnnouncedMemory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		before := heap()
		var hands []*hand
		for range 100 {
			c, h := end(t, true, nil, extensions{})
			go func() { _, _, _ = c.Read(background()) }()
			h.send("827f0000000001ffffff")
			h.write(make([]byte, 100))
			hands = append(hands, h)
		}
		synctest.Wait()
		if took := int64(heap() - before); took > 100*100<<10 {
			t.Errorf("100 announcements of 32 MiB took %d bytes", took)
		}
		for _, h := range hands {
			h.Socket.Cancel(nil)
		}
	})
}

// The memory for a message grows with what came of it.
func TestMakeRoom(t *testing.T) {
	for _, c := range []struct {
		have, want int64
		room       int64
	}{
		{0, 10, 10}, {0, 64 << 10, 64 << 10}, {0, 1 << 40, 64 << 10}, {64 << 10, 1 << 40, 1 << 20}, {1 << 20, 1 << 40, 16 << 20},
		{64 << 10, 1000, 128 << 10}, {10 << 20, 1, 11 << 20}, {100, 1, 200},
	} {
		if got := cap(makeRoom(make([]byte, c.have), c.want)); int64(got) != c.room {
			t.Errorf("%d more than %d: room for %d, want %d", c.want, c.have, got, c.room)
		}
	}
}

// Fragments without end come up against the limit, and those without content take no memory.
func TestEndlessFragments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		conn, h := end(t, true, &Config{MaxMessage: 100 << 10}, extensions{})
		c := attach(t, conn, nil)
		before := heap()
		h.send("0200")
		fragments := 100000
		if underRace {
			fragments /= 4
		}
		for range fragments {
			if h.push([]byte{0, 0}) != nil {
				break
			}
		}
		synctest.Wait()
		c.wantNone()
		if took := int64(heap() - before); took > 1<<20 {
			t.Errorf("fragments without content took %d bytes", took)
		}
		heard := make(chan bool)
		go func() {
			h.wantFarewell(CodeTooBig)
			close(heard)
		}()
		piece := append([]byte{0, 100}, make([]byte, 100)...)
		for h.push(piece) == nil {
			time.Sleep(ms)
		}
		c.want("failure okws: protocol error: message is larger than the limit of 102400 bytes")
		<-heard
		c.wantNone()
	})
}

// wantFarewell wants a client's close frame, and nothing after it.
func (h *hand) wantFarewell(code Code) {
	h.t.Helper()
	var b okio.Buffer
	for {
		if _, err := h.Source().ReadBuffer(&b, 1<<20); err != nil {
			break
		}
	}
	p, _ := b.ReadN(b.Len())
	if len(p) < 8 || p[len(p)-8] != 0x88 {
		h.t.Errorf("it got %x", p)
		return
	}
	p = p[len(p)-8:]
	if got := Code(p[6]^p[2])<<8 | Code(p[7]^p[3]); got != code {
		h.t.Errorf("closed with %d, want %d", got, code)
	}
}

// A flood of pings that nobody collects the answers of takes little memory, and the newest are answered.
func TestPingFlood(t *testing.T) {
	bubble(t, func(t *testing.T) {
		conn, h := end(t, false, nil, extensions{})
		okio.TimeoutOf(conn.sink).SetLimit(0)
		c := attach(t, conn, nil)
		before := heap()
		pings := 100000
		if underRace {
			pings /= 4 // still three times the memory that they may take
		}
		ping := append([]byte{0x89, 0xfd, 0, 0, 0, 0}, make([]byte, 125)...)
		for i := range pings {
			ping[6], ping[7], ping[8] = byte(i>>16), byte(i>>8), byte(i)
			h.write(ping)
		}
		synctest.Wait()
		c.wantNone()
		if took := int64(heap() - before); took > 1<<20 {
			t.Errorf("the pings took %d bytes", took)
		}
		var b okio.Buffer
		for last := -1; last != pings-1; {
			for b.Len() < 127 {
				if _, err := h.Source().ReadBuffer(&b, 1<<20); err != nil {
					t.Fatal(err)
				}
			}
			p, _ := b.ReadN(127)
			n := int(p[2])<<16 | int(p[3])<<8 | int(p[4])
			if p[0] != 0x8a || n <= last {
				t.Fatalf("%x after the answer to %d", p[:5], last)
			}
			last = n
		}
	})
}

// One byte at a time is as good as all at once.
func TestByteByByte(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{deflate: true})
		sent := make(chan bool)
		go func() {
			defer close(sent)
			for _, b := range unhex(t, "8105 48656c6c6f 8900 c107 f248cdc9c90700 817e0005 48656c6c6f 0103 48656c 8002 6c6f 8805 03e8 627965") {
				h.write([]byte{b})
				time.Sleep(time.Second)
			}
		}()
		for range 4 {
			wantMessage(t, c, Text, "Hello")
		}
		_, _, err := c.Read(t.Context())
		wantClose(t, err, 1000, "bye")
		<-sent
	})
}

// A peer that reads nothing and one that stops in the middle of a frame run into limits, and the listener is told once.
func TestHalfDeadPeers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		conn, h := end(t, true, &Config{WriteTimeout: 5 * time.Second}, extensions{})
		c := attach(t, conn, nil)
		began := time.Now()
		c.ws.Send(Binary, make([]byte, 1<<20))
		c.want("failure …")
		if time.Since(began) != 5*time.Second {
			t.Errorf("after %v", time.Since(began))
		}
		h.Socket.Cancel(nil)
		time.Sleep(time.Minute)
		c.wantNone()
	})
	bubble(t, func(t *testing.T) { // its reading side is open, and it sends no more
		conn, h := end(t, true, nil, extensions{})
		c := attach(t, conn, nil)
		must(t, h.Sink().Close())
		c.want("failure okws: the connection ended without a close frame: EOF")
		h.Socket.Cancel(nil)
		time.Sleep(time.Minute)
		c.wantNone()
	})
}

// A violation in the middle of a flood is told: what the peer still sends is read and dropped for a while, so that the close frame is not lost.
func TestFarewellInFlood(t *testing.T) {
	bubble(t, func(t *testing.T) {
		conn, h := end(t, true, nil, extensions{})
		c := attach(t, conn, nil)
		began := time.Now()
		h.send("8300")
		ended := make(chan bool)
		go func() {
			defer close(ended)
			for h.push(make([]byte, 1000)) == nil {
				time.Sleep(ms)
			}
		}()
		c.want("failure okws: protocol error: Unknown opcode: 3")
		h.wantFarewell(CodeProtocolError)
		<-ended
		if took := time.Since(began); took > linger+10*ms {
			t.Errorf("it took %v", took)
		}
	})
}

// CloseNow, which most callers defer, takes neither the close frame nor what came before it from a peer that is still sending.
func TestFarewellOutlivesCloseNow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		conn, h := end(t, false, nil, extensions{})
		must(t, conn.Write(t.Context(), Text, []byte("hi")))
		h.send("8780 00000000") // an opcode that does not exist
		if _, _, err := conn.Read(t.Context()); !strings.Contains(err.Error(), "Unknown opcode: 7") {
			t.Errorf("read: %v", err)
		}
		began := time.Now()
		must(t, conn.CloseNow())
		synctest.Wait()
		h.send("8980 00000000") // it cannot know yet
		h.want("8102 6869 8802 03ea")
		if rest := h.rest(); rest != "" || time.Since(began) > 0 {
			t.Errorf("after %v there came %q", time.Since(began), rest)
		}
		must(t, h.Sink().Close())
		synctest.Wait()
		if time.Since(began) > 0 {
			t.Errorf("it took %v", time.Since(began))
		}
	})
}

// The end of a Write's context ends the connection when the frame was begun, and changes nothing before.
func TestWriteCanceled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, &Config{WriteTimeout: -1}, extensions{})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		blocked := make(chan error, 1)
		go func() { blocked <- c.Write(t.Context(), Binary, make([]byte, 1<<20)) }()
		synctest.Wait()
		if err := c.Write(ctx, Text, nil); err == nil || err.Error() != "enough" {
			t.Errorf("waiting for the turn: %v", err)
		}
		go func() { _, _ = io.Copy(io.Discard, h.Source().(io.Reader)) }()
		must(t, <-blocked)
		must(t, c.WriteText(t.Context(), "still good"))
	})
	bubble(t, func(t *testing.T) {
		c, _ := end(t, true, &Config{WriteTimeout: -1}, extensions{})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		if err := c.Write(ctx, Binary, make([]byte, 1<<20)); err == nil || err.Error() != "enough" {
			t.Errorf("in the middle of a frame: %v", err)
		}
		if err := c.WriteText(t.Context(), "x"); err == nil {
			t.Error("the connection goes on")
		}
	})
}

// Everything may be called at once.
func TestConcurrentUse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cfg := &Config{Compression: Compression{Threshold: -1}, PingInterval: 10 * ms}
		c, s := pair(t, cfg, cfg)
		go echo(s)
		done := make(chan bool)
		const writers, each = 8, 50
		for i := range writers {
			go func() {
				for n := range each {
					switch (i + n) % 4 {
					case 0:
						w, err := c.NextWriter(background(), Binary)
						if err != nil {
							t.Error(err)
							break
						}
						_, _ = w.Write(bytes.Repeat([]byte{byte(i)}, 40000))
						must(t, w.Close())
					case 1:
						if _, err := c.Ping(background()); err != nil {
							t.Error(err)
						}
						must(t, c.WriteText(background(), "after a ping"))
					default:
						must(t, c.Write(background(), Binary, bytes.Repeat([]byte{byte(i)}, 100*n)))
					}
				}
				done <- true
			}()
		}
		got := make(chan int)
		var back sync.WaitGroup
		back.Add(writers * each)
		for range 3 { // readers
			go func() {
				n := 0
				for {
					_, p, err := c.Read(background())
					if err != nil {
						wantClose(t, err, 1000, "")
						got <- n
						return
					}
					for _, b := range p {
						if len(p) != 12 && b != p[0] {
							t.Error("a message was mixed up")
							break
						}
					}
					n++
					back.Done()
				}
			}()
		}
		for range writers {
			<-done
		}
		back.Wait() // Close takes turns with those who read, and drops what it reads
		must(t, c.Close(1000, ""))
		total := 0
		for range 3 {
			total += <-got
		}
		if total != writers*each {
			t.Errorf("%d of %d messages came back", total, writers*each)
		}
		if c.RoundTrip() < 0 {
			t.Error("no round trip")
		}
	})
}
