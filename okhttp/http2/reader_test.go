package http2

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// raw is a frame with any header.
func raw(kind FrameType, flags Flags, stream uint32, payload ...byte) []byte {
	return append(FrameHeader{Length: len(payload), Type: kind, Flags: flags, Stream: stream}.Append(nil), payload...)
}

// The rows of section 10.2, with the codes of RFC 9113. Stream 3 is open, 5 is where content is under way.
func TestReaderValidation(t *testing.T) {
	zeros := func(n int) []byte { return make([]byte, n) }
	for _, test := range []struct {
		name   string
		frames []byte
		code   ErrorCode
		stream uint32 // that is reset; 0: the connection ends
	}{
		{"HEADERS too long", raw(FrameHeaders, FlagEndHeaders, 3, zeros(16385)...), FrameSizeError, 0},
		{"unknown type too long", raw(0x42, 0, 3, zeros(16385)...), FrameSizeError, 0},
		{"SETTINGS too long", raw(FrameSettings, 0, 0, zeros(16386)...), FrameSizeError, 0},
		{"DATA too long", raw(FrameData, 0, 5, zeros(16385)...), FrameSizeError, 5},
		{"DATA on stream 0", raw(FrameData, 0, 0, 'x'), ProtocolErrorCode, 0},
		{"DATA compressed", raw(FrameData, 0x20, 5, 'x'), ProtocolErrorCode, 0},
		{"DATA padding as long as the payload", raw(FrameData, FlagPadded, 5, 1), ProtocolErrorCode, 0},
		{"DATA padding longer", raw(FrameData, FlagPadded, 5, 200, 0), ProtocolErrorCode, 0},
		{"DATA padded and empty", raw(FrameData, FlagPadded, 5), FrameSizeError, 5},
		{"HEADERS on stream 0", raw(FrameHeaders, FlagEndHeaders, 0, 0x88), ProtocolErrorCode, 0},
		{"HEADERS padding", raw(FrameHeaders, FlagEndHeaders|FlagPadded, 3, 2, 0x88), ProtocolErrorCode, 0},
		{"HEADERS padded and empty", raw(FrameHeaders, FlagEndHeaders|FlagPadded, 3), FrameSizeError, 0},
		{"HEADERS shorter than priority", raw(FrameHeaders, FlagEndHeaders|FlagPriority, 3, 0, 0, 0, 0), FrameSizeError, 0},
		{"PRIORITY of 4", raw(FramePriority, 0, 3, zeros(4)...), FrameSizeError, 3},
		{"PRIORITY on stream 0", raw(FramePriority, 0, 0, zeros(5)...), ProtocolErrorCode, 0},
		{"RST_STREAM of 3", raw(FrameRSTStream, 0, 3, zeros(3)...), FrameSizeError, 0},
		{"RST_STREAM on stream 0", raw(FrameRSTStream, 0, 0, zeros(4)...), ProtocolErrorCode, 0},
		{"SETTINGS on a stream", raw(FrameSettings, 0, 3, zeros(6)...), ProtocolErrorCode, 0},
		{"SETTINGS ACK with payload", raw(FrameSettings, FlagAck, 0, zeros(6)...), FrameSizeError, 0},
		{"SETTINGS of 5", raw(FrameSettings, 0, 0, zeros(5)...), FrameSizeError, 0},
		{"ENABLE_PUSH 2", AppendSettings(nil, Setting{SettingEnablePush, 2}), ProtocolErrorCode, 0},
		{"ENABLE_PUSH 1", AppendSettings(nil, Setting{SettingEnablePush, 1}), ProtocolErrorCode, 0},
		{"INITIAL_WINDOW_SIZE", AppendSettings(nil, Setting{SettingInitialWindowSize, 1 << 31}), FlowControlError, 0},
		{"MAX_FRAME_SIZE small", AppendSettings(nil, Setting{SettingMaxFrameSize, 16383}), ProtocolErrorCode, 0},
		{"MAX_FRAME_SIZE large", AppendSettings(nil, Setting{SettingMaxFrameSize, 1 << 24}), ProtocolErrorCode, 0},
		{"PUSH_PROMISE on stream 0", AppendPushPromise(nil, 0, 2, []byte{0x82}, 0), ProtocolErrorCode, 0},
		{"PUSH_PROMISE padding", raw(FramePushPromise, FlagEndHeaders|FlagPadded, 3, 9, 0, 0, 0, 2), ProtocolErrorCode, 0},
		{"PUSH_PROMISE of 3", raw(FramePushPromise, FlagEndHeaders, 3, 0, 0, 2), FrameSizeError, 0},
		{"PUSH_PROMISE that was not allowed", AppendPushPromise(nil, 3, 2, []byte{0x82}, 0), ProtocolErrorCode, 0},
		{"PING of 7", raw(FramePing, 0, 0, zeros(7)...), FrameSizeError, 0},
		{"PING on a stream", raw(FramePing, 0, 3, zeros(8)...), ProtocolErrorCode, 0},
		{"GOAWAY of 7", raw(FrameGoAway, 0, 0, zeros(7)...), FrameSizeError, 0},
		{"GOAWAY on a stream", raw(FrameGoAway, 0, 3, zeros(8)...), ProtocolErrorCode, 0},
		{"WINDOW_UPDATE of 3", raw(FrameWindowUpdate, 0, 3, zeros(3)...), FrameSizeError, 0},
		{"WINDOW_UPDATE of 0 on stream 0", AppendWindowUpdate(nil, 0, 0), ProtocolErrorCode, 0},
		{"WINDOW_UPDATE of 0", AppendWindowUpdate(nil, 3, 0), ProtocolErrorCode, 3},
		{"CONTINUATION alone", raw(FrameContinuation, FlagEndHeaders, 3, 0x88), ProtocolErrorCode, 0},
		{"CONTINUATION on stream 0", raw(FrameContinuation, FlagEndHeaders, 0, 0x88), ProtocolErrorCode, 0},
		{"CONTINUATION of another stream", append(raw(FrameHeaders, 0, 3, 0x88), raw(FrameContinuation, FlagEndHeaders, 5)...), ProtocolErrorCode, 0},
		{"PING within a block", append(raw(FrameHeaders, 0, 3, 0x88), AppendPing(nil, false, [8]byte{})...), ProtocolErrorCode, 0},
		{"unknown type within a block", append(raw(FrameHeaders, 0, 3, 0x88), raw(0x42, 0, 3)...), ProtocolErrorCode, 0},
		{"HEADERS within a block", append(raw(FrameHeaders, 0, 3, 0x88), raw(FrameHeaders, FlagEndHeaders, 3, 0x88)...), ProtocolErrorCode, 0},
		{"field in no table", raw(FrameHeaders, FlagEndHeaders, 3, 0xff, 0x7f), CompressionError, 0},
		{"index 0", raw(FrameHeaders, FlagEndHeaders, 3, 0x80), CompressionError, 0},
		{"table above what is allowed", raw(FrameHeaders, FlagEndHeaders, 3, 0x3f, 0xe2, 0x1f, 0x88), CompressionError, 0},
		{"block that ends within a field", raw(FrameHeaders, FlagEndHeaders, 3, 0x88, 0x40), CompressionError, 0},
		{"broken block of a stream that was cancelled", raw(FrameHeaders, FlagEndHeaders, 7, 0x80), CompressionError, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				p.open(true)
				p.responding()
				p.open(true).Cancel(Cancel, errClosed)
				p.want("RST_STREAM 7")
				p.send(test.frames)
				if test.stream == 0 {
					p.wantEnd(test.code)
					return
				}
				p.want(fmt.Sprintf("RST_STREAM %d %v", test.stream, test.code))
				p.responding()
			})
		})
	}
}

// What is not known or means nothing is passed over.
func TestReaderTolerance(t *testing.T) {
	for name, frames := range map[string][]byte{
		"unknown type":              raw(0x42, 0xff, 3, 1, 2, 3),
		"unknown type on stream 0":  raw(0xfe, 0, 0),
		"reserved bit":              {0, 0, 8, byte(FramePing), byte(FlagAck), 0x80, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8},
		"unknown setting":           AppendSettings(nil, Setting{0xf000, 7}, Setting{0x7, 9}),
		"unknown flags":             raw(FrameWindowUpdate, 0xff, 3, 0, 0, 0, 1),
		"answer to no ping":         AppendPing(nil, true, [8]byte{1, 2, 3}),
		"acknowledgement too many":  AppendSettingsAck(nil),
		"unknown code of a reset":   AppendRSTStream(nil, 7, 0x12345),
		"empty DATA":                AppendDataHeader(nil, 5, 0, false),
		"padding of everything":     raw(FrameData, FlagPadded, 5, 3, 0, 0, 0),
		"block in many parts":       bytes.Join([][]byte{raw(FrameHeaders, 0, 3, 0x88), raw(FrameContinuation, 0, 3), raw(FrameContinuation, FlagEndHeaders, 3)}, nil),
		"padding, priority, a part": bytes.Join([][]byte{raw(FrameHeaders, FlagPadded|FlagPriority, 3, 2, 0, 0, 0, 1, 9, 0, 0), raw(FrameContinuation, FlagEndHeaders, 3, 0x88)}, nil),
		"priority":                  AppendPriority(nil, 3, 5, true, 7),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				p.open(true)
				p.responding()
				p.open(true).Cancel(Cancel, errClosed)
				p.want("RST_STREAM 7")
				p.send(frames)
				p.settleAfter(name == "unknown setting")
				p.responding()
			})
		})
	}
}

func (p *tester) settleAfter(settings bool) {
	p.t.Helper()
	if settings {
		p.want("SETTINGS 0 ACK")
	}
	p.settle()
}

// Section 10.1: the first frame is SETTINGS, and not the acknowledgement of ours.
func TestFirstFrame(t *testing.T) {
	for name, test := range map[string]struct {
		first []byte
		text  string
	}{
		"PING":            {AppendPing(nil, false, [8]byte{}), "expected a SETTINGS frame but was PING"},
		"acknowledgement": {AppendSettingsAck(nil), "expected a SETTINGS frame but was SETTINGS"},
		"HTTP/1.1":        {[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), "expected a SETTINGS frame"},
		"nothing":         {nil, "required SETTINGS preface not received"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				s, err := p.conn.Open(getRequest, nil, true)
				if err != nil {
					t.Fatal(err)
				}
				p.conn.Flush()
				if p.send(test.first); test.first == nil {
					p.Close()
				}
				if _, _, err := s.ReadHead(); err == nil || !strings.Contains(err.Error(), test.text) {
					t.Errorf("error %v, want %s", err, test.text)
				}
			})
		})
	}
}

// A reader's time limit may pass anywhere within a frame; the next wait goes on where the last one was.
func TestFramesInPieces(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		s.SetLimits(time.Second, 0, time.Time{})
		frames := AppendHeaders(nil, 3, p.encode(":status", "200", "a", "b"), false, 0)
		frames = append(frames, raw(FrameData, FlagPadded|FlagEndStream, 3, 3, 'a', 'l', 'l', 0, 0, 0)...)
		go func() {
			for i := range frames {
				time.Sleep(1500 * time.Millisecond)
				p.send(frames[i : i+1])
			}
		}()
		failures := 0
		for {
			if _, _, err := s.ReadHead(); err == nil {
				break
			} else if failures++; failures > 100 {
				t.Fatal(err)
			}
		}
		for got := ""; got != "all" || !s.Ended(); {
			more, err := text(s)
			if got += more; err != nil {
				if failures++; failures > 100 {
					t.Fatalf("%q, %v", got, err)
				}
			}
		}
		if failures < 20 {
			t.Errorf("%d time limits passed", failures)
		}
		synctest.Wait()
	})
}
