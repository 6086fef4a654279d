package http2

import (
	"errors"
	"strings"
	"testing"
)

// failure describes an error by what it ends: "connection PROTOCOL_ERROR", "stream FRAME_SIZE_ERROR".
func failure(err error) string {
	var (
		c *ConnectionError
		s *StreamError
	)
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &c):
		return "connection " + c.Code.String()
	case errors.As(err, &s):
		return "stream " + s.Code.String()
	}
	return err.Error()
}

const (
	okFrame        = "ok"
	connProtocol   = "connection PROTOCOL_ERROR"
	connFrameSize  = "connection FRAME_SIZE_ERROR"
	streamSize     = "stream FRAME_SIZE_ERROR"
	streamProtocol = "stream PROTOCOL_ERROR"
)

func TestCheck(t *testing.T) {
	const most = MinMaxFrameSize
	for _, tt := range []struct {
		name string
		h    FrameHeader
		want string
	}{
		// RFC 9113 section 4.2: the longest payload
		{"DATA of the limit", FrameHeader{most, FrameData, 0, 1}, okFrame},
		{"DATA too long", FrameHeader{most + 1, FrameData, 0, 1}, streamSize},
		{"DATA too long, stream 0", FrameHeader{most + 1, FrameData, 0, 0}, connFrameSize},
		{"HEADERS too long", FrameHeader{most + 1, FrameHeaders, 0, 1}, connFrameSize},
		{"PUSH_PROMISE too long", FrameHeader{most + 1, FramePushPromise, 0, 1}, connFrameSize},
		{"CONTINUATION too long", FrameHeader{most + 1, FrameContinuation, 0, 1}, connFrameSize},
		{"SETTINGS too long", FrameHeader{MaxFrameSize / 6 * 6, FrameSettings, 0, 0}, connFrameSize},
		{"GOAWAY too long", FrameHeader{most + 1, FrameGoAway, 0, 0}, connFrameSize},
		{"PRIORITY too long", FrameHeader{most + 1, FramePriority, 0, 1}, streamSize},
		{"unknown too long", FrameHeader{MaxFrameSize, 0x0b, 0, 1}, connFrameSize},
		{"unknown of the limit", FrameHeader{most, 0x0b, 0xff, 0}, okFrame},
		{"unknown, highest", FrameHeader{0, 0xff, 0xff, maxStream}, okFrame},

		// 6.1
		{"DATA empty", FrameHeader{0, FrameData, FlagEndStream, 1}, okFrame},
		{"DATA on stream 0", FrameHeader{1, FrameData, 0, 0}, connProtocol},
		{"DATA compressed", FrameHeader{1, FrameData, 0x20, 1}, connProtocol},
		{"DATA padded without pad length", FrameHeader{0, FrameData, FlagPadded, 1}, streamSize},
		{"DATA padded", FrameHeader{1, FrameData, FlagPadded, 1}, okFrame},
		{"DATA with flags of no meaning", FrameHeader{1, FrameData, 0xd6, 1}, okFrame},
		// 6.2
		{"HEADERS empty", FrameHeader{0, FrameHeaders, FlagEndHeaders, 1}, okFrame},
		{"HEADERS on stream 0", FrameHeader{1, FrameHeaders, FlagEndHeaders, 0}, connProtocol},
		{"HEADERS padded without pad length", FrameHeader{0, FrameHeaders, FlagPadded, 1}, connFrameSize},
		{"HEADERS with half a priority", FrameHeader{4, FrameHeaders, FlagPriority, 1}, connFrameSize},
		{"HEADERS with priority and no fragment", FrameHeader{5, FrameHeaders, FlagPriority, 1}, okFrame},
		{"HEADERS padded with half a priority", FrameHeader{5, FrameHeaders, FlagPriority | FlagPadded, 1}, connFrameSize},
		{"HEADERS padded with priority", FrameHeader{6, FrameHeaders, FlagPriority | FlagPadded, 1}, okFrame},
		// 6.3
		{"PRIORITY", FrameHeader{5, FramePriority, 0, 1}, okFrame},
		{"PRIORITY with flags of no meaning", FrameHeader{5, FramePriority, 0xff, 1}, okFrame},
		{"PRIORITY on stream 0", FrameHeader{5, FramePriority, 0, 0}, connProtocol},
		{"PRIORITY of 4", FrameHeader{4, FramePriority, 0, 1}, streamSize},
		{"PRIORITY of 6", FrameHeader{6, FramePriority, 0, 1}, streamSize},
		// 6.4
		{"RST_STREAM", FrameHeader{4, FrameRSTStream, 0, 1}, okFrame},
		{"RST_STREAM on stream 0", FrameHeader{4, FrameRSTStream, 0, 0}, connProtocol},
		{"RST_STREAM of 3", FrameHeader{3, FrameRSTStream, 0, 1}, connFrameSize},
		{"RST_STREAM of 5", FrameHeader{5, FrameRSTStream, 0, 1}, connFrameSize},
		// 6.5
		{"SETTINGS empty", FrameHeader{0, FrameSettings, 0, 0}, okFrame},
		{"SETTINGS of two", FrameHeader{12, FrameSettings, 0, 0}, okFrame},
		{"SETTINGS on a stream", FrameHeader{6, FrameSettings, 0, 1}, connProtocol},
		{"SETTINGS of 7", FrameHeader{7, FrameSettings, 0, 0}, connFrameSize},
		{"SETTINGS ACK", FrameHeader{0, FrameSettings, FlagAck, 0}, okFrame},
		{"SETTINGS ACK with a payload", FrameHeader{6, FrameSettings, FlagAck, 0}, connFrameSize},
		// 6.6
		{"PUSH_PROMISE without a fragment", FrameHeader{4, FramePushPromise, FlagEndHeaders, 1}, okFrame},
		{"PUSH_PROMISE on stream 0", FrameHeader{4, FramePushPromise, 0, 0}, connProtocol},
		{"PUSH_PROMISE of 3", FrameHeader{3, FramePushPromise, 0, 1}, connFrameSize},
		{"PUSH_PROMISE padded of 4", FrameHeader{4, FramePushPromise, FlagPadded, 1}, connFrameSize},
		{"PUSH_PROMISE padded of 5", FrameHeader{5, FramePushPromise, FlagPadded, 1}, okFrame},
		{"PUSH_PROMISE has no priority", FrameHeader{4, FramePushPromise, FlagPriority, 1}, okFrame},
		// 6.7
		{"PING", FrameHeader{8, FramePing, FlagAck, 0}, okFrame},
		{"PING on a stream", FrameHeader{8, FramePing, 0, 1}, connProtocol},
		{"PING of 7", FrameHeader{7, FramePing, 0, 0}, connFrameSize},
		{"PING of 9", FrameHeader{9, FramePing, FlagAck, 0}, connFrameSize},
		{"PING with flags of no meaning", FrameHeader{8, FramePing, 0xff, 0}, okFrame},
		// 6.8
		{"GOAWAY", FrameHeader{8, FrameGoAway, 0, 0}, okFrame},
		{"GOAWAY with debug data", FrameHeader{most, FrameGoAway, 0, 0}, okFrame},
		{"GOAWAY on a stream", FrameHeader{8, FrameGoAway, 0, 1}, connProtocol},
		{"GOAWAY of 7", FrameHeader{7, FrameGoAway, 0, 0}, connFrameSize},
		// 6.9
		{"WINDOW_UPDATE of the connection", FrameHeader{4, FrameWindowUpdate, 0, 0}, okFrame},
		{"WINDOW_UPDATE of a stream", FrameHeader{4, FrameWindowUpdate, 0, 1}, okFrame},
		{"WINDOW_UPDATE of 3", FrameHeader{3, FrameWindowUpdate, 0, 1}, connFrameSize},
		{"WINDOW_UPDATE of 5", FrameHeader{5, FrameWindowUpdate, 0, 0}, connFrameSize},
		// 6.10
		{"CONTINUATION empty", FrameHeader{0, FrameContinuation, 0, 1}, okFrame},
		{"CONTINUATION has no padding", FrameHeader{0, FrameContinuation, FlagPadded, 1}, okFrame},
		{"CONTINUATION on stream 0", FrameHeader{0, FrameContinuation, FlagEndHeaders, 0}, connProtocol},
	} {
		err := tt.h.Check(most)
		if got := failure(err); got != tt.want {
			t.Errorf("%s: %s, want %s (%v)", tt.name, got, tt.want, err)
		}
		var s *StreamError
		if errors.As(err, &s) && s.Stream != tt.h.Stream {
			t.Errorf("%s: the error is of stream %d", tt.name, s.Stream)
		}
		if err != nil && !strings.Contains(err.Error(), tt.h.Type.String()) {
			t.Errorf("%s: %q does not name the frame", tt.name, err)
		}
	}
	if err := (FrameHeader{1 << 20, FrameData, 0, 1}).Check(1 << 20); err != nil {
		t.Errorf("a larger limit: %v", err)
	}
}

func TestContent(t *testing.T) {
	priority := "\x00\x00\x00\x03\x10" // of stream 3
	for _, tt := range []struct {
		name    string
		typ     FrameType
		flags   Flags
		payload string
		content string
		padding int
		fails   string
	}{
		{"DATA", FrameData, 0, "hello", "hello", 0, ""},
		{"DATA, empty", FrameData, FlagEndStream, "", "", 0, ""},
		{"DATA, padded", FrameData, FlagPadded, "\x02hello\x00\x00", "hello", 2, ""},
		{"DATA, padded with none", FrameData, FlagPadded, "\x00hello", "hello", 0, ""},
		{"DATA, nothing but padding", FrameData, FlagPadded, "\x02\x00\x00", "", 2, ""},
		{"DATA, nothing but a pad length", FrameData, FlagPadded, "\x00", "", 0, ""},
		{"DATA, padding that is not zero", FrameData, FlagPadded, "\x01a\x07", "a", 1, ""},
		{"DATA, as much padding as payload", FrameData, FlagPadded, "\x03ab", "", 0, connProtocol},
		{"DATA, padding beyond the payload", FrameData, FlagPadded, "\xffab", "", 0, connProtocol},
		{"DATA, without pad length", FrameData, FlagPadded, "", "", 0, streamSize},
		{"HEADERS", FrameHeaders, FlagEndHeaders, "block", "block", 0, ""},
		{"HEADERS, padded", FrameHeaders, FlagPadded, "\x01block\x00", "block", 1, ""},
		{"HEADERS, priority", FrameHeaders, FlagPriority, priority + "block", "block", 0, ""},
		{"HEADERS, depends on itself", FrameHeaders, FlagPriority, "\x80\x00\x00\x01\x10block", "block", 0, ""},
		{"HEADERS, padded, priority", FrameHeaders, FlagPadded | FlagPriority, "\x03" + priority + "block\x00\x00\x00", "block", 3, ""},
		{"HEADERS, no fragment", FrameHeaders, FlagPadded | FlagPriority, "\x03" + priority + "\x00\x00\x00", "", 3, ""},
		{"HEADERS, padding into the priority", FrameHeaders, FlagPadded | FlagPriority, "\x03" + priority + "\x00\x00", "", 0, connProtocol},
		{"HEADERS, half a priority", FrameHeaders, FlagPriority, priority[:4], "", 0, connFrameSize},
		{"HEADERS, without pad length", FrameHeaders, FlagPadded, "", "", 0, connFrameSize},
		{"PUSH_PROMISE, padded", FramePushPromise, FlagPadded, "\x01\x00\x00\x00\x02block\x00", "\x00\x00\x00\x02block", 1, ""},
		{"PUSH_PROMISE has no priority", FramePushPromise, FlagPriority, "\x00\x00\x00\x02block", "\x00\x00\x00\x02block", 0, ""},
		{"CONTINUATION has neither", FrameContinuation, FlagPadded | FlagPriority, "\x05block", "\x05block", 0, ""},
	} {
		h := FrameHeader{len(tt.payload), tt.typ, tt.flags, 1}
		content, padding, err := h.Content([]byte(tt.payload))
		if want := tt.fails; want != "" {
			if got := failure(err); got != want || content != nil || padding != 0 {
				t.Errorf("%s: %q, %d, %s, want %s", tt.name, content, padding, got, want)
			}
			continue
		}
		if err != nil || string(content) != tt.content || padding != tt.padding {
			t.Errorf("%s: %q, %d, %v, want %q, %d", tt.name, content, padding, err, tt.content, tt.padding)
		}
	}
}

func TestPadLength(t *testing.T) {
	for _, tt := range []struct {
		length int
		flags  Flags
		first  byte
		want   int
		fails  string
	}{
		{10, 0, 200, 0, okFrame}, // content
		{10, FlagPadded, 0, 0, okFrame},
		{10, FlagPadded, 9, 9, okFrame},
		{10, FlagPadded, 10, 0, connProtocol},
		{1, FlagPadded, 0, 0, okFrame},
		{1, FlagPadded, 1, 0, connProtocol},
		{256, FlagPadded, 255, 255, okFrame},
	} {
		h := FrameHeader{tt.length, FrameData, tt.flags, 1}
		if got, err := h.PadLength(tt.first); got != tt.want || failure(err) != tt.fails {
			t.Errorf("%+v, %d: %d, %v, want %d, %s", h, tt.first, got, err, tt.want, tt.fails)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{FrameHeader{20000, FrameData, 0, 3}.Check(16384), "http2: stream 3 error FRAME_SIZE_ERROR: DATA frame of 20000 bytes, expected at most 16384"},
		{FrameHeader{4, FrameSettings, 0, 0}.Check(16384), "http2: connection error FRAME_SIZE_ERROR: SETTINGS frame of 4 bytes, expected a multiple of 6"},
		{FrameHeader{8, FramePing, 0, 5}.Check(16384), "http2: connection error PROTOCOL_ERROR: PING frame on stream 5, expected 0"},
		{&StreamError{Code: Cancel, Detail: "x"}, "http2: stream error CANCEL: x"},
		{&ConnectionError{Code: 0x2a, Detail: "x"}, "http2: connection error 0x2a: x"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
