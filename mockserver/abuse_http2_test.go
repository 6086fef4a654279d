package mockserver_test

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// raw2 makes a frame, right or wrong.
func raw2(kind http2.FrameType, flags http2.Flags, stream uint32, payload string) string {
	h := http2.FrameHeader{Length: len(payload), Type: kind, Flags: flags, Stream: stream}
	return string(h.Append(nil)) + payload
}

// literal is a field of HPACK that refers to nothing (RFC 7541 section 6.2.2), name and value of less than 127 bytes.
func literal(fields ...string) string {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		b.WriteByte(0)
		for _, s := range fields[i : i+2] {
			b.WriteByte(byte(len(s)))
			b.WriteString(s)
		}
	}
	return b.String()
}

// verdict returns how the first stream that was reset, and the connection, were ended by the server.
func verdict(got []byte) string {
	reset, bye := "", ""
	for len(got) >= 9 {
		length := int(got[0])<<16 | int(got[1])<<8 | int(got[2])
		payload := got[9:min(9+length, len(got))]
		switch http2.FrameType(got[3]) {
		case http2.FrameRSTStream:
			if reset == "" && len(payload) == 4 {
				reset = "stream " + http2.ErrorCode(binary.BigEndian.Uint32(payload)).String()
			}
		case http2.FrameGoAway:
			if len(payload) >= 8 {
				bye = "connection " + http2.ErrorCode(binary.BigEndian.Uint32(payload[4:])).String()
			}
		}
		got = got[9+len(payload):]
	}
	return strings.TrimSpace(reset + " " + bye)
}

// TestAbuseHTTP2 sends what RFC 9113 forbids, and floods that it warns of in section 10.5.
func TestAbuseHTTP2(t *testing.T) {
	get := literal(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a")
	post := literal(":method", "POST", ":scheme", "http", ":path", "/", ":authority", "a", "content-length", "3")
	open := func(stream uint32, block string) string {
		return raw2(http2.FrameHeaders, http2.FlagEndHeaders, stream, block)
	}
	whole := func(stream uint32, block string) string {
		return raw2(http2.FrameHeaders, http2.FlagEndHeaders|http2.FlagEndStream, stream, block)
	}
	data := func(stream uint32, flags http2.Flags, content string) string {
		return raw2(http2.FrameData, flags, stream, content)
	}
	window := func(stream, by uint32) string {
		return raw2(http2.FrameWindowUpdate, 0, stream, string(binary.BigEndian.AppendUint32(nil, by)))
	}
	var rapid strings.Builder
	for i := range uint32(20_000) {
		rapid.WriteString(open(2*i+1, post) + raw2(http2.FrameRSTStream, 0, 2*i+1, "\x00\x00\x00\x08"))
	}
	var many strings.Builder
	for i := range uint32(300) {
		many.WriteString(open(2*i+1, post))
	}
	bomb := "\x40\x01x\x7e" + strings.Repeat("v", 126) + strings.Repeat("\xbe", 1<<20) // one field into the table, and a million references to it
	var cookies strings.Builder
	cookies.WriteString("\x40\x06cookie\x01v")
	for range 200_000 {
		cookies.WriteByte(0xbe)
	}
	split := func(block string) string {
		var b strings.Builder
		kind, flags := http2.FrameHeaders, http2.FlagEndStream
		for len(block) > 16384 {
			b.WriteString(raw2(kind, flags, 1, block[:16384]))
			kind, flags, block = http2.FrameContinuation, 0, block[16384:]
		}
		return b.String() + raw2(kind, flags|http2.FlagEndHeaders, 1, block)
	}
	for _, tt := range []struct{ name, want, sent string }{
		{"rapid reset", "connection ENHANCE_YOUR_CALM", rapid.String()},
		{"CONTINUATION without end", "connection ENHANCE_YOUR_CALM", raw2(http2.FrameHeaders, 0, 1, get) + strings.Repeat(raw2(http2.FrameContinuation, 0, 1, ""), 100_000)},
		{"CONTINUATION without end that carries fields", "connection ENHANCE_YOUR_CALM", raw2(http2.FrameHeaders, 0, 1, get) + strings.Repeat(raw2(http2.FrameContinuation, 0, 1, strings.Repeat("\x00\x01x\x01y", 3000)), 200)},
		{"SETTINGS flood", "connection ENHANCE_YOUR_CALM or connection NO_ERROR", strings.Repeat(raw2(http2.FrameSettings, 0, 0, ""), 50_000)},
		{"PING flood", "connection ENHANCE_YOUR_CALM or connection NO_ERROR", strings.Repeat(raw2(http2.FramePing, 0, 0, "12345678"), 50_000)},
		{"empty DATA flood", "connection ENHANCE_YOUR_CALM", open(1, post) + strings.Repeat(data(1, 0, ""), 50_000)},
		{"PRIORITY flood", "connection ENHANCE_YOUR_CALM", strings.Repeat(raw2(http2.FramePriority, 0, 1, "\x00\x00\x00\x00\x10"), 50_000)},
		{"window overflow of the connection", "connection FLOW_CONTROL_ERROR", window(0, 1<<31-1)},
		{"window overflow of a stream", "stream FLOW_CONTROL_ERROR connection NO_ERROR", open(1, post) + window(1, 1<<31-1)},
		{"window by nothing", "stream PROTOCOL_ERROR connection NO_ERROR", open(1, post) + window(1, 0)},
		{"initial window too large", "connection FLOW_CONTROL_ERROR", raw2(http2.FrameSettings, 0, 0, "\x00\x04\xff\xff\xff\xff")},
		{"HPACK bomb", "connection ENHANCE_YOUR_CALM", split(get + bomb)},
		{"a bomb of cookies", "stream PROTOCOL_ERROR connection NO_ERROR", split(get + cookies.String())},
		{"HPACK table too large", "connection COMPRESSION_ERROR", open(1, "\x3f\xff\xff\xff\x7f"+get)},
		{"HPACK index of nothing", "connection COMPRESSION_ERROR", whole(1, "\xff\xff\xff\xff\x0f")},
		{"streams beyond the limit", "stream REFUSED_STREAM connection NO_ERROR", many.String()},
		{"DATA on a stream that is not open", "connection PROTOCOL_ERROR", data(1, 0, "x")},
		{"DATA after the end", "stream STREAM_CLOSED connection NO_ERROR", whole(1, get) + data(1, 0, "x")},
		{"HEADERS after the end", "stream STREAM_CLOSED connection NO_ERROR", whole(1, get) + whole(1, get)},
		{"HEADERS on an even stream", "connection PROTOCOL_ERROR", whole(2, get)},
		{"a stream number that goes back", "connection STREAM_CLOSED", whole(5, get) + whole(3, get)},
		{"too much content", "stream PROTOCOL_ERROR connection NO_ERROR", open(1, post) + data(1, http2.FlagEndStream, "four")},
		{"too little content", "stream PROTOCOL_ERROR connection NO_ERROR", open(1, post) + data(1, http2.FlagEndStream, "1")},
		{"padding beyond the frame", "connection PROTOCOL_ERROR", open(1, post) + data(1, http2.FlagPadded, "\xff")},
		{"a frame too large", "connection FRAME_SIZE_ERROR", raw2(http2.FrameData, 0, 1, strings.Repeat("x", 1<<17))},
		{"no path", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, literal(":method", "GET", ":scheme", "http"))},
		{"an empty path", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, literal(":method", "GET", ":scheme", "http", ":path", ""))},
		{"a path twice", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, get+literal(":path", "/"))},
		{"a pseudo-header late", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, literal(":method", "GET", "x", "y", ":scheme", "http", ":path", "/"))},
		{"a pseudo-header unknown", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, get+literal(":x", "y"))},
		{"a status in a request", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, get+literal(":status", "200"))},
		{"a name with capitals", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, get+literal("X", "y"))},
		{"a field of the connection", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, get+literal("connection", "close"))},
		{"a line break in a value", "stream PROTOCOL_ERROR connection NO_ERROR", whole(1, get+literal("x", "a\r\nb"))},
		{"PUSH_PROMISE of a client", "connection PROTOCOL_ERROR", raw2(http2.FramePushPromise, http2.FlagEndHeaders, 1, "\x00\x00\x00\x02"+get)},
		{"RST_STREAM of an idle stream", "connection PROTOCOL_ERROR", raw2(http2.FrameRSTStream, 0, 7, "\x00\x00\x00\x08")},
		{"a head that is cut", "connection NO_ERROR", raw2(http2.FrameHeaders, 0, 1, get)},
		{"a body that is cut", "connection NO_ERROR", open(1, post) + data(1, 0, "x")},
		{"a frame header that is cut", "connection NO_ERROR", "\x00\x00\x09"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := cleartext(t, mockserver.WithDispatcher(answer(mockserver.Reply(200).HeadDelay(time.Second).Text("ok")))) // what follows comes before the answer
				w := dial(t, s)
				w.conn.SetDeadline(time.Now().Add(time.Minute))
				read := make(chan []byte)
				go func() {
					got, _ := io.ReadAll(w.conn)
					read <- got
				}()
				_, _ = io.WriteString(w.conn, http2.ClientPreface+raw2(http2.FrameSettings, 0, 0, "")+tt.sent) // which the server may end
				w.conn.(interface{ CloseWrite() error }).CloseWrite()
				begun := time.Now()
				got := <-read
				if took := time.Since(begun); took > 30*time.Second {
					t.Errorf("the server kept the connection for %v", took)
				}
				if len(got) > 4<<20 {
					t.Errorf("answered %d bytes", len(got))
				}
				if said := verdict(got); !slices.Contains(strings.Split(tt.want, " or "), said) { // whoever takes the answers as fast as they come may go on
					t.Errorf("answered %q, want %q", said, tt.want)
				}
				for r, ok := s.TryTakeRequest(); ok; r, ok = s.TryTakeRequest() {
					if r.Method == "POST" && r.Failure == nil {
						t.Errorf("%v was recorded without its failure", r)
					}
				}
				again := dial2(t, s)
				again.want(again.open("GET", "/", ""), []string{":status 200 content-length 2"}, "ok")
			})
		})
	}
}
