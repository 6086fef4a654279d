package http2

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A peer that makes us answer and takes no answer is let go of, and what waits for it is bounded.
func TestFloodsOfAPeerThatReadsNothing(t *testing.T) {
	for name, frame := range map[string][]byte{
		"PING":             AppendPing(nil, false, [8]byte{1}),
		"SETTINGS":         AppendSettings(nil, Setting{SettingMaxConcurrentStreams, 5}),
		"wrong increments": AppendWindowUpdate(nil, 3, 0),
	} {
		t.Run(name, func(t *testing.T) {
			inStuckBubble(t, Config{}, func(t *testing.T, p *tester, first *Stream, _ <-chan error) {
				if name == "wrong increments" {
					p.send(AppendWindowUpdate(nil, 3, 0))
					for range 2 * maxControl {
						frame = AppendWindowUpdate(frame, mustOpen(t, p.conn).ID(), 0)
					}
				}
				go func() {
					flood := bytes.Repeat(frame, 10)
					for {
						if _, err := p.Write(flood); err != nil {
							return
						}
					}
				}()
				time.Sleep(time.Second)
				var e *ConnectionError
				if err := p.conn.Err(); !errors.As(err, &e) || e.Code != EnhanceYourCalm {
					t.Fatalf("the connection: %v", err)
				}
				if n := p.conn.out.Len(); n > 64<<10 {
					t.Errorf("%d bytes wait to be sent", n)
				}
			})
		})
	}
}

// Pings are free for a peer that takes the answers, at any rate.
func TestManyPings(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		for range 5000 {
			p.settle()
		}
	})
}

// Frames that carry nothing are few among those that do.
func TestFloodsOfNothing(t *testing.T) {
	for name, frame := range map[string]func() []byte{
		"DATA":     func() []byte { return AppendDataHeader(nil, 3, 0, false) },
		"SETTINGS": func() []byte { return AppendSettings(nil) },
		"PRIORITY": func() []byte { return AppendPriority(nil, 3, 0, false, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				p.responding()
				for range 3 {
					for range maxEmpty / 2 {
						p.send(frame())
					}
					time.Sleep(emptyTime)
				}
				if err := p.conn.Err(); err != nil {
					t.Fatalf("it ended with %v", err)
				}
				p.Write(bytes.Repeat(frame(), maxEmpty+2))
				p.wantEnd(EnhanceYourCalm)
			})
		})
	}
	t.Run("CONTINUATION", func(t *testing.T) {
		inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
			p.greetClient()
			p.open(true)
			p.send(raw(FrameHeaders, 0, 3, 0x88))
			p.Write(bytes.Repeat(raw(FrameContinuation, 0, 3), maxEmpty+1))
			p.wantEnd(EnhanceYourCalm)
		})
	})
	t.Run("CONTINUATION with something", func(t *testing.T) {
		inBubble(t, false, Config{MaxHeaderBytes: 1 << 16}, func(t *testing.T, p *tester) {
			p.greetClient()
			p.open(true)
			p.send(raw(FrameHeaders, 0, 3, 0x88))
			part := p.encode("a", strings.Repeat("~", 10000))
			go func() {
				for {
					if _, err := p.Write(raw(FrameContinuation, 0, 3, part...)); err != nil {
						return
					}
				}
			}()
			p.wantEnd(EnhanceYourCalm)
		})
	})
	t.Run("DATA among others", func(t *testing.T) {
		inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
			p.greetClient()
			s := p.responding()
			for range 3 * maxEmpty {
				p.send(AppendDataHeader(nil, 3, 0, false))
				p.data(3, false, "x")
			}
			p.data(3, true, "")
			if got, err := text(s); len(got) != 3*maxEmpty || err != nil {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	})
}

// Fact 74: the limit of streams follows the settings; those that are open stay.
func TestStreamLimitChanges(t *testing.T) {
	var told int
	inBubble(t, false, Config{Changed: func() { told++ }}, func(t *testing.T, p *tester) {
		p.greetClient()
		if told != 1 || p.conn.MaxStreams() != maxWindow {
			t.Errorf("told %d times, limit %d", told, p.conn.MaxStreams())
		}
		first, _ := p.open(true), p.open(true)
		p.send(AppendSettings(nil, Setting{SettingMaxConcurrentStreams, 1}))
		p.want("SETTINGS 0 ACK")
		synctest.Wait()
		if told != 2 || p.conn.MaxStreams() != 1 {
			t.Errorf("told %d times, limit %d", told, p.conn.MaxStreams())
		}
		for range 2 {
			if _, err := p.conn.Open(getRequest, nil, true); err != ErrTooManyStreams {
				t.Errorf("error %v", err)
			}
			first.Cancel(Cancel, errClosed)
		}
		p.want("RST_STREAM 3")
		p.headers(5, true, ":status", "200")
		p.settle()
		p.open(true)
		p.send(AppendSettings(nil, Setting{SettingMaxConcurrentStreams, 1 << 31})) // no limit, in effect
		p.want("SETTINGS 0 ACK")
		p.open(true)
		p.send(AppendSettings(nil, Setting{SettingEnableConnectProtocol, 1}))
		p.want("SETTINGS 0 ACK")
		if allowed, known := p.conn.TakesConnect(); !allowed || !known {
			t.Errorf("extended CONNECT %v, %v", allowed, known)
		}
	})
}

// The table with which headers are compressed follows the settings before they are acknowledged.
func TestSendingTableFollows(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		p.open(true, "a", "b")
		for _, n := range []uint32{0, 100, 1 << 20, 4096} {
			p.dec.SetTableSize(n)
			p.send(AppendSettings(nil, Setting{SettingHeaderTableSize, 0}, Setting{SettingHeaderTableSize, n}))
			p.want("SETTINGS 0 ACK")
			for range 3 {
				p.open(true, "a", "b", "c", fmt.Sprint(n))
			}
		}
	})
}

// A smaller table for what is received is demanded once it was acknowledged, a larger one is allowed at once.
func TestReceivingTable(t *testing.T) {
	head := []string{":status", "200", "a", "b"}
	t.Run("smaller", func(t *testing.T) {
		inBubble(t, false, Config{HeaderTableSize: 100}, func(t *testing.T, p *tester) {
			p.conn.Flush()
			p.Read(make([]byte, 4096))
			p.send(AppendSettings(nil))
			p.want("SETTINGS 0 ACK")
			p.open(true)
			p.open(true)
			p.headers(3, true, head...) // the acknowledgement is on its way
			p.send(AppendSettingsAck(nil))
			p.enc.SetMaxDynamicTableSize(100)
			p.headers(5, true, head...)
			p.settle()
			s := p.open(true)
			p.headers(7, true, head...)
			if _, _, err := s.ReadHead(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("smaller, and not done", func(t *testing.T) {
		inBubble(t, false, Config{HeaderTableSize: 100}, func(t *testing.T, p *tester) {
			p.greetClient()
			p.open(true)
			p.headers(3, true, head...)
			p.wantEnd(CompressionError)
		})
	})
	t.Run("larger", func(t *testing.T) {
		inBubble(t, false, Config{HeaderTableSize: 8192}, func(t *testing.T, p *tester) {
			p.greetClient()
			s := p.open(true)
			p.enc.SetMaxDynamicTableSizeLimit(8192)
			p.enc.SetMaxDynamicTableSize(8192)
			p.headers(3, true, head...)
			if _, _, err := s.ReadHead(); err != nil {
				t.Error(err)
			}
		})
	})
}
