package http2

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/okio"
)

var fullFrame = strings.Repeat("x", minMaxFrame)

// responding opens a stream and answers its head.
func (p *tester) responding(more ...string) *Stream {
	p.t.Helper()
	s := p.open(true)
	p.headers(s.ID(), false, append([]string{":status", "200"}, more...)...)
	if _, _, err := s.ReadHead(); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// fill sends frames of content that come to n bytes.
func (p *tester) fill(stream uint32, n int) {
	p.t.Helper()
	for ; n > 0; n -= minMaxFrame {
		p.data(stream, false, fullFrame[:min(n, minMaxFrame)])
	}
}

// padded sends a frame of content with padding.
func (p *tester) padded(stream uint32, text string, padding int) {
	p.t.Helper()
	frame := FrameHeader{Length: 1 + len(text) + padding, Type: FrameData, Flags: FlagPadded, Stream: stream}.Append(nil)
	frame = append(append(frame, byte(padding)), text...)
	p.send(append(frame, make([]byte, padding)...))
}

// settle lets the connection take what was sent to it.
func (p *tester) settle() {
	p.t.Helper()
	p.send(AppendPing(nil, false, [8]byte{9}))
	p.want("PING 0 ACK [9")
	synctest.Wait() // the answer may be under way before listeners are told
}

// Section 10.6: on the connection content is credited when a quarter of the window has come, whether or not anybody reads it; on a stream it is not.
func TestConnectionIsCreditedOnArrival(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		for i := range 4 {
			s := p.responding()
			n := 1 << 20
			if i == 3 {
				n -= minMaxFrame
			}
			p.fill(s.ID(), n)
			if i == 3 {
				p.settle()
				p.data(s.ID(), false, fullFrame)
			}
		}
		p.want("WINDOW_UPDATE 0 4194304")
		p.settle()
	})
}

// Padding counts, and is given back without anybody reading it (RFC 9113 section 6.9.1).
func TestPaddingIsCredited(t *testing.T) {
	inBubble(t, false, Config{ConnectionWindow: 1 << 20}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.responding()
		for range 1024 - 1 {
			p.padded(s.ID(), "", 255)
		}
		p.settle()
		p.padded(s.ID(), "", 255)
		p.want("WINDOW_UPDATE 0 262144")
		p.want("WINDOW_UPDATE 3 1310720")
		p.padded(s.ID(), "abc", 10)
		var b okio.Buffer
		if n, err := s.Source().ReadBuffer(&b, 100); n != 3 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		if c := p.conn; c.uncredited != 14 || s.uncredited != 14 || c.unread != 0 {
			t.Errorf("%d and %d bytes to be credited, %d unread", c.uncredited, s.uncredited, c.unread)
		}
	})
}

// A frame that is too long is the fault of its stream, and counts like any other.
func TestTooLongContentIsCredited(t *testing.T) {
	inBubble(t, false, Config{ConnectionWindow: 1 << 20}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.responding()
		p.data(s.ID(), false, strings.Repeat("x", 1<<19))
		p.want("WINDOW_UPDATE 0 524288")
		p.want("RST_STREAM 3 FRAME_SIZE_ERROR")
		var e *StreamError
		if _, err := text(s); !errors.As(err, &e) || e.Code != FrameSizeError {
			t.Errorf("error %v", err)
		}
		p.settle()
	})
}

func TestReceiveOverflow(t *testing.T) {
	t.Run("stream", func(t *testing.T) {
		inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
			p.greetClient()
			s := p.responding()
			p.fill(s.ID(), 1<<20)
			p.settle()
			p.data(s.ID(), false, "x")
			p.want("RST_STREAM 3 FLOW_CONTROL_ERROR")
			p.settle()
			got, err := text(s)
			if e := (*StreamError)(nil); len(got) != 1<<20 || !errors.As(err, &e) || e.Code != FlowControlError {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	})
	t.Run("connection", func(t *testing.T) {
		inBubble(t, false, Config{ConnectionWindow: 1 << 17}, func(t *testing.T, p *tester) {
			p.greetClient()
			p.responding()
			p.conn.mu.Lock()
			p.conn.room = 10 // it never gets there by itself: what comes is credited
			p.conn.mu.Unlock()
			p.data(3, false, "elevenbytes")
			p.wantEnd(FlowControlError)
		})
	})
}

// The content that nobody reads is bounded over all streams.
func TestMaxUnread(t *testing.T) {
	inBubble(t, false, Config{MaxUnread: 1 << 20}, func(t *testing.T, p *tester) {
		p.greetClient()
		small, large := p.responding(), p.responding()
		p.fill(small.ID(), 400<<10)
		p.fill(large.ID(), 624<<10)
		p.settle()
		p.fill(small.ID(), 16<<10) // below its share
		p.settle()
		p.data(large.ID(), false, fullFrame)
		p.want("RST_STREAM 5 ENHANCE_YOUR_CALM")
		got, err := text(large)
		if e := (*StreamError)(nil); len(got) != 624<<10 || !errors.As(err, &e) || e.Code != EnhanceYourCalm {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if want := 416 << 10; p.conn.unread != want {
			t.Errorf("%d bytes unread, want %d", p.conn.unread, want)
		}
	})
}

// Responses that came whole and are not read do not let the others grow without end.
func TestMaxUnreadOfWholeResponses(t *testing.T) {
	inBubble(t, false, Config{MaxUnread: 1 << 20}, func(t *testing.T, p *tester) {
		p.greetClient()
		for range 4 {
			s := p.responding()
			p.fill(s.ID(), 512<<10)
			p.data(s.ID(), true, "")
		}
		p.settle()
		s := p.responding()
		p.data(s.ID(), false, "xx")
		p.want("RST_STREAM 11 ENHANCE_YOUR_CALM")
	})
}

// Fact 79: a response that nobody reads gives its room back once it is closed or cancelled.
func TestUnreadIsForgotten(t *testing.T) {
	for name, end := range map[string]func(s *Stream){
		"close":   func(s *Stream) { s.Source().Close() },
		"cancel":  func(s *Stream) { s.Cancel(Cancel, errors.New("not wanted any more")) },
		"discard": func(s *Stream) { s.Discard(); s.Source().Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				s := p.responding()
				p.fill(s.ID(), 1<<20)
				p.settle()
				end(s)
				p.want("RST_STREAM 3 CANCEL")
				if p.conn.unread != 0 || s.in.Len() != 0 {
					t.Errorf("%d bytes unread, the stream holds %d", p.conn.unread, s.in.Len())
				}
				other := p.responding()
				p.data(5, true, "all")
				if got, err := text(other); got != "all" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			})
		})
	}
}

// A response that is not wanted while the request goes on does not stop a server that answers as it reads.
func TestUnwantedResponseIsCredited(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(false)
		p.headers(3, false, ":status", "200")
		if _, _, err := s.ReadHead(); err != nil {
			t.Fatal(err)
		}
		p.fill(3, 128<<10)
		p.settle()
		s.Source().Close()
		p.fill(3, 128<<10)
		p.want("WINDOW_UPDATE 3 262144")
		if _, err := s.Source().ReadBuffer(new(okio.Buffer), 1); err != okio.ErrClosed {
			t.Errorf("read after the close: %v", err)
		}
		if err := <-sending(s, 3); err != nil {
			t.Error(err)
		}
		p.want("DATA 3")
		s.Sink().Close()
		p.want("DATA 3 END")
		p.want("RST_STREAM 3 CANCEL") // 10.5: the reset waits for the end of the request
	})
}

func TestSendWindowOverflow(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s, other := p.open(false), p.open(true)
		p.send(AppendWindowUpdate(nil, 3, maxWindow))
		p.want("RST_STREAM 3 FLOW_CONTROL_ERROR")
		if err := <-sending(s, 1); err == nil {
			t.Error("content was sent")
		}
		p.headers(other.ID(), true, ":status", "200")
		if _, _, err := other.ReadHead(); err != nil {
			t.Error(err)
		}
		p.send(AppendWindowUpdate(nil, 0, maxWindow-defaultWindow))
		p.settle()
		p.send(AppendWindowUpdate(nil, 0, 1))
		p.wantEnd(FlowControlError)
	})
}

// Section 6.9.2: a change of the initial window changes those of open streams, below zero if need be, and never that of the connection.
func TestInitialWindowChanges(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingInitialWindowSize, 10})
		s := p.open(false)
		done := make(chan error)
		go func() {
			var b okio.Buffer
			b.WriteString("0123456789abcdefghij")
			done <- s.Sink().WriteBuffer(&b, b.Len())
		}()
		p.want(`DATA 3 "0123456789"`)
		p.send(AppendSettings(nil, Setting{SettingInitialWindowSize, 3})) // -7
		p.want("SETTINGS 0 ACK")
		p.send(AppendWindowUpdate(nil, 3, 7))
		p.wantNothing()
		p.send(AppendWindowUpdate(nil, 3, 1))
		p.want(`DATA 3 "a"`)
		p.send(AppendSettings(nil, Setting{SettingInitialWindowSize, 5}))
		p.want("SETTINGS 0 ACK")
		p.want(`DATA 3 "bc"`)
		p.send(AppendSettings(nil, Setting{SettingInitialWindowSize, 0}, Setting{SettingInitialWindowSize, 100}))
		p.want("SETTINGS 0 ACK")
		p.want(`DATA 3 "defghij"`)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want := int64(defaultWindow - 20); p.conn.sendWindow != want {
			t.Errorf("window of the connection %d, want %d", p.conn.sendWindow, want)
		}
		p.send(AppendWindowUpdate(nil, 3, maxWindow-100))
		p.send(AppendSettings(nil, Setting{SettingInitialWindowSize, 200}))
		p.wantEnd(FlowControlError)
	})
}

// Frames are as large as the peer allows at the time.
func TestFrameSizeChanges(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingInitialWindowSize, 1 << 20})
		p.send(AppendWindowUpdate(nil, 0, 1<<20))
		s := p.open(false)
		length := func(want ...int) {
			t.Helper()
			for _, n := range want {
				if h, _, err := p.frame(); err != nil || h.Type != FrameData || h.Length != n {
					t.Fatalf("frame %+v, %v, want %d bytes", h, err, n)
				}
			}
		}
		sent := sending(s, 20000)
		length(16384, 3616)
		<-sent
		p.send(AppendSettings(nil, Setting{SettingMaxFrameSize, 30000}))
		p.want("SETTINGS 0 ACK")
		sent = sending(s, 20000)
		length(20000)
		<-sent
		large, err := p.conn.Open(getRequest, []string{"a", strings.Repeat("~", 20000)}, true) // 30000 bytes compressed: more than a frame
		if err != nil {
			t.Fatal(err)
		}
		p.conn.Flush()
		if h, _, err := p.frame(); err != nil || h.Type != FrameHeaders || h.Length > 30000 || h.Stream != large.ID() {
			t.Errorf("frame %+v, %v", h, err)
		}
		synctest.Wait()
	})
}

// A window grows for a reader that keeps up, to its bound, and for no other.
func TestWindowGrowth(t *testing.T) {
	inBubble(t, false, Config{MaxStreamWindow: 3 << 20}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.responding()
		var b okio.Buffer
		read := func(n int64) {
			t.Helper()
			for n > 0 {
				got, err := s.Source().ReadBuffer(&b, n)
				if err != nil {
					t.Fatal(err)
				}
				n -= got
			}
			b.Clear()
		}
		p.fill(3, 1<<19) // more than a quarter before anybody reads
		p.settle()
		read(1 << 18)
		p.want("WINDOW_UPDATE 3 262144")
		read(1 << 18)
		p.want("WINDOW_UPDATE 3 1310720") // 256 KiB, and the window goes from 1 to 2 MiB
		p.fill(3, 1<<19)
		read(1 << 19)
		p.want("WINDOW_UPDATE 3 1572864") // to 3 MiB
		p.fill(3, 3<<18)
		read(3 << 18)
		p.want("WINDOW_UPDATE 3 786432") // it has come to its bound
		if s.window != 3<<20 || s.room != 3<<20 {
			t.Errorf("window %d, room %d", s.window, s.room)
		}
	})
}

// Section 8.9: a listener is told of windows as they fill and are credited, and without a lock held.
func TestWindowsAreTold(t *testing.T) {
	var conn *Conn
	var told []Window
	inBubble(t, false, Config{ConnectionWindow: 1 << 20, MaxStreamWindow: 1 << 16, Window: func(w Window) {
		conn.MaxStreams() // takes the lock
		told = append(told, w)
	}}, func(t *testing.T, p *tester) {
		conn = p.conn
		p.greetClient()
		s := p.responding()
		want := func(conn, stream Window) {
			t.Helper()
			p.settle()
			last := map[uint32]Window{}
			for _, w := range told {
				last[w.Stream] = w
			}
			if last[0] != conn || last[s.ID()] != stream || len(last) != 2 {
				t.Errorf("told %+v\nwant %+v and %+v", last, conn, stream)
			}
		}
		const whole, window = 1 << 20, 1 << 16
		p.fill(s.ID(), 1000)
		want(Window{0, whole, 1000, 0, 1000}, Window{s.ID(), window, 1000, 0, 1000})
		p.padded(s.ID(), "abc", 6)
		want(Window{0, whole, 1010, 0, 1003}, Window{s.ID(), window, 1010, 0, 1003})
		p.fill(s.ID(), 40000)
		want(Window{0, whole, 41010, 0, 41003}, Window{s.ID(), window, 41010, 0, 41003})
		var b okio.Buffer
		if n, err := s.Source().ReadBuffer(&b, 40000); n != 40000 || err != nil {
			t.Errorf("read %d, %v", n, err)
		}
		p.want(fmt.Sprint("WINDOW_UPDATE ", s.ID(), " 40007"))
		want(Window{0, whole, 41010, 0, 41003}, Window{s.ID(), window, 41010, 40007, 1003})
	})
}
