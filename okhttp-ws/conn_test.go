package okws

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// Messages of every size class of section 5.2 go both ways, with and without compression.
func TestEcho(t *testing.T) {
	for name, cfg := range map[string]*Config{
		"plain":      {Compression: Compression{Off: true}},
		"compressed": {Compression: Compression{Threshold: -1}},
		"no context": {Compression: Compression{Threshold: -1, NoContextTakeover: true, PeerNoContextTakeover: true}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, s := pair(t, cfg, cfg)
				go func() {
					for m, err := range s.Messages(background()) {
						if err != nil {
							t.Error(err)
							return
						}
						if err := s.Write(background(), m.Type, m.Data); err != nil {
							t.Error(err)
						}
					}
				}()
				for _, n := range []int{0, 1, 125, 126, 127, 128, 65535, 65536, 65537, 1 << 20} {
					text := strings.Repeat("abcdefghij", n/10+1)[:n]
					done := make(chan error, 1)
					go func() { done <- c.WriteText(t.Context(), text) }()
					wantMessage(t, c, Text, text)
					if err := <-done; err != nil {
						t.Fatal(err)
					}
					go func() { done <- c.Write(t.Context(), Binary, []byte(text)) }()
					wantMessage(t, c, Binary, text)
					if err := <-done; err != nil {
						t.Fatal(err)
					}
				}
				if err := c.Close(CodeNormal, "bye"); err != nil {
					t.Error(err)
				}
				wantClose(t, c.Err(), CodeNormal, "")
				<-s.Done()
				wantClose(t, s.Err(), CodeNormal, "bye")
				for what, err := range map[string]error{"write": c.Write(t.Context(), Text, nil), "close": c.Close(CodeNormal, "")} {
					if what == "close" && err != nil || what == "write" && err == nil {
						t.Errorf("%s after the end: %v", what, err)
					}
				}
			})
		})
	}
}

// The end of the context of a Read leaves the connection, and what has come of a message, as they were.
func TestReadCanceled(t *testing.T) {
	for _, compressed := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			c, h := end(t, true, nil, extensions{deflate: compressed})
			frame := "8105 48656c6c6f"
			if compressed {
				frame = "c107 f248cdc9c90700"
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, _, err := c.Read(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("read: %v", err)
			}
			cancel()
			for i, b := range unhex(t, frame) {
				ctx, cancel := context.WithCancelCause(t.Context())
				cause := errors.New("enough")
				time.AfterFunc(time.Second, func() { cancel(cause) })
				h.write([]byte{b})
				if i == len(unhex(t, frame))-1 {
					wantMessage(t, c, Text, "Hello")
					break
				}
				if _, _, err := c.Read(ctx); err != cause {
					t.Errorf("read: %v", err)
				}
			}
			h.send(frame)
			_, r, err := c.NextReader(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if p, err := io.ReadAll(r); err != nil || string(p) != "Hello" {
				t.Errorf("read %q, %v", p, err)
			}
		})
	}
}

// The same for a message that is read as a stream.
func TestNextReaderCanceled(t *testing.T) {
	for _, compressed := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			c, h := end(t, true, nil, extensions{deflate: compressed})
			first, second := "0102 4865", "8003 6c6c6f"
			if compressed {
				first, second = "4103 f248cd", "8004 c9c90700"
			}
			h.send(first)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, r, err := c.NextReader(ctx)
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 10)
			n, err := r.Read(p)
			if !compressed && (n != 2 || err != nil) {
				t.Errorf("read %d, %v", n, err)
			}
			if _, err = r.Read(p); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("read: %v", err)
			}
			h.send(second)
			h.send("8101 21")
			wantMessage(t, c, Text, "!")
			if n, err := r.Read(p); n != 0 || err == nil {
				t.Errorf("read %d, %v of a message that was skipped", n, err)
			}
		})
	}
}

// What is compressed as a stream is inflated as it comes, also when the context of the sender goes on.
func TestStreams(t *testing.T) {
	for _, threshold := range []int{0, -1} {
		bubble(t, func(t *testing.T) {
			cfg := &Config{Compression: Compression{Threshold: threshold}}
			c, s := pair(t, cfg, cfg)
			want := bytes.Repeat([]byte("what is said over and over "), 20000)
			go func() {
				for range 3 {
					w, err := c.NextWriter(background(), Binary)
					if err != nil {
						t.Error(err)
						return
					}
					for p := want; len(p) > 0; {
						n := min(len(p), 10000)
						if _, err := w.Write(p[:n]); err != nil {
							t.Error(err)
						}
						p = p[n:]
						if len(p)%3 == 0 {
							if err := w.Flush(); err != nil {
								t.Error(err)
							}
						}
					}
					if err := w.Close(); err != nil {
						t.Error(err)
					}
					if err := c.Write(background(), Text, []byte("between")); err != nil {
						t.Error(err)
					}
				}
			}()
			for i := range 3 {
				if i == 1 {
					wantMessage(t, s, Binary, string(want))
				} else {
					kind, r, err := s.NextReader(t.Context())
					if err != nil || kind != Binary {
						t.Fatal(kind, err)
					}
					got, err := io.ReadAll(r)
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("read %d bytes, %v", len(got), err)
					}
				}
				wantMessage(t, s, Text, "between")
			}
		})
	}
}

func TestCloseNow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, s := pair(t, nil, nil)
		done := make(chan error, 1)
		go func() {
			_, _, err := c.Read(background())
			done <- err
		}()
		time.Sleep(time.Second)
		_ = c.CloseNow()
		if err := <-done; !errors.Is(err, net.ErrClosed) {
			t.Errorf("read: %v", err)
		}
		if _, _, err := s.Read(t.Context()); err == nil {
			t.Error("the peer did not notice")
		}
	})
}
