package okws

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// The connection as a stream: what one side writes the other reads, in whatever pieces, without a limit to a message.
func TestNetConn(t *testing.T) {
	for _, compression := range []Compression{{Off: true}, {Threshold: -1}} {
		bubble(t, func(t *testing.T) {
			cfg := &Config{Compression: compression, MaxMessage: 1000}
			c, s := pair(t, cfg, cfg)
			near, far := c.NetConn(Binary), s.NetConn(Binary)
			want := bytes.Repeat([]byte("a stream of bytes, "), 5000)
			closed := make(chan error, 1)
			go func() {
				if n, err := far.Write(want); n != len(want) || err != nil {
					t.Errorf("wrote %d, %v", n, err)
				}
				if n, err := far.Write(nil); n != 0 || err != nil {
					t.Errorf("wrote %d, %v", n, err)
				}
				must(t, s.Write(background(), Binary, nil)) // a message without bytes is nothing to read
				if _, err := far.Write([]byte("the end")); err != nil {
					t.Error(err)
				}
				closed <- far.Close()
			}()
			got, err := io.ReadAll(near)
			if err != nil || string(got) != string(want)+"the end" {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
			if n, err := near.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("after the end: %d, %v", n, err)
			}
			must(t, near.Close())
			must(t, <-closed)
			if _, err := near.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
				t.Errorf("written after the end: %v", err)
			}
			if near.LocalAddr().Network() != "websocket" || near.RemoteAddr().String() != "unknown" {
				t.Errorf("addresses %v, %v", near.LocalAddr(), near.RemoteAddr())
			}
		})
	}
}

// A deadline for reading ends a read, also one that is under way, and can be moved; nothing is lost.
func TestNetConnDeadlines(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{})
		n := c.NetConn(Text)
		p := make([]byte, 10)
		wantTimeout := func(wait time.Duration) {
			t.Helper()
			began := time.Now()
			_, err := n.Read(p)
			if timeout := net.Error(nil); !errors.As(err, &timeout) || !timeout.Timeout() || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != wait {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		}
		must(t, n.SetReadDeadline(time.Now().Add(time.Second)))
		h.send("8105 4865")
		if got, err := n.Read(p); got != 2 || err != nil {
			t.Errorf("read %d, %v", got, err)
		}
		wantTimeout(time.Second)
		wantTimeout(0)
		must(t, n.SetReadDeadline(time.Now().Add(-time.Second)))
		wantTimeout(0)
		must(t, n.SetDeadline(time.Now().Add(time.Second)))
		time.AfterFunc(500*ms, func() { must(t, n.SetReadDeadline(time.Now().Add(time.Second))) }) // while it waits
		wantTimeout(1500 * ms)
		must(t, n.SetDeadline(time.Time{}))
		h.send("6c6c6f")
		if got, err := n.Read(p); got != 3 || err != nil || string(p[:3]) != "llo" {
			t.Errorf("read %q, %v", p[:got], err)
		}
		if _, err := n.Write([]byte("late, but not too late")); err != nil {
			t.Error(err)
		}
	})
	bubble(t, func(t *testing.T) { // a write that does not end in time
		c, _ := end(t, true, nil, extensions{})
		n := c.NetConn(Binary)
		must(t, n.SetWriteDeadline(time.Now().Add(time.Second)))
		began := time.Now()
		if _, err := n.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if c.Err() == nil {
			t.Error("half a message was sent, and the connection goes on")
		}
	})
}

// A message of the other type ends the connection, and so does whatever is not the orderly end.
func TestNetConnFailures(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{})
		h.send("8105 48656c6c6f")
		_, err := c.NetConn(Binary).Read(make([]byte, 10))
		wantViolation(t, err, CodeUnsupportedData, "Expected a binary message but was text")
		h.wantFarewell(CodeUnsupportedData)
		h.Socket.Cancel(nil)
	})
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{})
		h.send("8802 03f3")
		_, err := c.NetConn(Binary).Read(make([]byte, 10))
		wantClose(t, err, CodeInternalError, "")
	})
}

// Close ends a read that is under way at once, and waits for the peer.
func TestNetConnClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, &Config{CloseTimeout: time.Minute}, extensions{})
		n := c.NetConn(Binary)
		read := make(chan error, 1)
		go func() {
			_, err := n.Read(make([]byte, 10))
			read <- err
		}()
		synctest.Wait()
		time.AfterFunc(10*time.Second, func() { h.send("8201 2a 8802 03e8") })
		began := time.Now()
		must(t, n.Close())
		if time.Since(began) != 10*time.Second {
			t.Errorf("closed after %v", time.Since(began))
		}
		if err := <-read; !errors.Is(err, net.ErrClosed) {
			t.Errorf("read: %v", err)
		}
		h.want8(8)
	})
}

// A reader that has had its time does no harm.
func TestStaleReader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{})
		h.send("8102 4865 8101 21 8101 2a")
		_, first, err := c.NextReader(t.Context())
		must(t, err)
		wantMessage(t, c, Text, "!")
		if n, err := first.Read(make([]byte, 1)); n != 0 || err != errStale || c.Err() != nil {
			t.Errorf("read %d, %v; the connection: %v", n, err, c.Err())
		}
		wantMessage(t, c, Text, "*")
	})
}

// A message that nobody reads on is still what later ones may refer to, whoever dropped it.
func TestDroppedContext(t *testing.T) {
	var text []byte // so much that it is compressed as it is written, and does not compress well on its own
	for r := rand.New(rand.NewPCG(7, 8)); len(text) < 60000; {
		text = strconv.AppendUint(text, r.Uint64(), 10)
	}
	for name, drop := range map[string]func(t *testing.T, c *Conn){
		"discard": func(t *testing.T, c *Conn) {
			ctx, cancel := timeout(t, time.Second)
			defer cancel()
			if err := c.Discard(ctx); err == nil {
				t.Error("it ended")
			}
		},
		"a reader": func(t *testing.T, c *Conn) {
			_, r, err := c.NextReader(t.Context())
			must(t, err)
			_, err = io.ReadFull(r, make([]byte, 10))
			must(t, err)
		},
		"a read that was interrupted": func(t *testing.T, c *Conn) {
			ctx, cancel := timeout(t, 500*ms)
			defer cancel()
			if _, _, err := c.Read(ctx); err == nil {
				t.Error("it ended")
			}
			_, _, err := c.NextReader(t.Context()) // of the message after it
			must(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a, b := okio.SocketPair(1 << 20)
				cfg := &Config{Compression: Compression{Threshold: -1}}
				c, s := pairOver(t, a, b, cfg, cfg)
				var sending sync.WaitGroup
				defer sending.Wait()
				sending.Go(func() {
					w, err := s.NextWriter(background(), Text) // in two pieces, so that a read can be interrupted
					must(t, err)
					_, err = w.Write(text)
					must(t, err)
					must(t, w.Flush())
					time.Sleep(700 * ms)
					must(t, w.Close())
					if name == "a read that was interrupted" {
						must(t, s.Write(background(), Text, text))
					}
					time.Sleep(time.Second)
					must(t, s.Write(background(), Text, text[:1000]))
				})
				drop(t, c)
				wantMessage(t, c, Text, string(text[:1000]))
			})
		})
	}
}
