package http2

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

func TestFrameHeader(t *testing.T) {
	for _, tt := range []struct {
		wire  string
		want  FrameHeader
		again string // "" for wire
	}{
		{"000000000000000000", FrameHeader{}, ""},
		{"00000d010400000001", FrameHeader{13, FrameHeaders, FlagEndHeaders, 1}, ""},
		{"ffffffffff7fffffff", FrameHeader{MaxFrameSize, 0xff, 0xff, maxStream}, ""},
		{"0000080601ffffffff", FrameHeader{8, FramePing, FlagAck, maxStream}, "00000806017fffffff"}, // the reserved bit
		{"010203000080000000", FrameHeader{0x010203, FrameData, 0, 0}, "010203000000000000"},
	} {
		wire, _ := hex.DecodeString(tt.wire)
		if got := ParseFrameHeader(append(wire, "payload"...)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.wire, got, tt.want)
		}
		if tt.again == "" {
			tt.again = tt.wire
		}
		if got := tt.want.Append([]byte("x")); hex.EncodeToString(got[1:]) != tt.again || got[0] != 'x' {
			t.Errorf("%+v: %x, want %s", tt.want, got[1:], tt.again)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{FrameData.String(), "DATA"},
		{FrameHeaders.String(), "HEADERS"},
		{FramePriority.String(), "PRIORITY"},
		{FrameRSTStream.String(), "RST_STREAM"},
		{FrameSettings.String(), "SETTINGS"},
		{FramePushPromise.String(), "PUSH_PROMISE"},
		{FramePing.String(), "PING"},
		{FrameGoAway.String(), "GOAWAY"},
		{FrameWindowUpdate.String(), "WINDOW_UPDATE"},
		{FrameContinuation.String(), "CONTINUATION"},
		{FrameType(10).String(), "0x0a"},
		{FrameType(255).String(), "0xff"},
		{NoError.String(), "NO_ERROR"},
		{ProtocolErrorCode.String(), "PROTOCOL_ERROR"},
		{InternalError.String(), "INTERNAL_ERROR"},
		{FlowControlError.String(), "FLOW_CONTROL_ERROR"},
		{SettingsTimeout.String(), "SETTINGS_TIMEOUT"},
		{StreamClosed.String(), "STREAM_CLOSED"},
		{FrameSizeError.String(), "FRAME_SIZE_ERROR"},
		{RefusedStream.String(), "REFUSED_STREAM"},
		{Cancel.String(), "CANCEL"},
		{CompressionError.String(), "COMPRESSION_ERROR"},
		{ConnectError.String(), "CONNECT_ERROR"},
		{EnhanceYourCalm.String(), "ENHANCE_YOUR_CALM"},
		{InadequateSecurity.String(), "INADEQUATE_SECURITY"},
		{HTTP11Required.String(), "HTTP_1_1_REQUIRED"},
		{ErrorCode(14).String(), "0xe"},
		{ErrorCode(1<<32 - 1).String(), "0xffffffff"},
		{SettingMaxFrameSize.String(), "MAX_FRAME_SIZE"},
		{SettingEnableConnectProtocol.String(), "ENABLE_CONNECT_PROTOCOL"},
		{SettingID(0).String(), "0x0"},
		{SettingID(7).String(), "0x7"},
		{SettingID(0xffff).String(), "0xffff"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
	if HTTP11Required != 13 || FrameContinuation != 9 {
		t.Error("the numbers are not those of RFC 9113")
	}
}

// The bytes of every frame that can be written.
func TestAppend(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"DATA", AppendDataHeader(nil, 5, 16384, false), "004000 00 00 00000005"},
		{"DATA at the end", AppendDataHeader(nil, 5, 0, true), "000000 00 01 00000005"},
		{"HEADERS", AppendHeaders(nil, 3, []byte("abc"), false, 0), "000003 01 04 00000003 616263"},
		{"HEADERS at the end", AppendHeaders(nil, 3, []byte("abc"), true, 3), "000003 01 05 00000003 616263"},
		{"HEADERS, empty", AppendHeaders(nil, 3, nil, true, 0), "000000 01 05 00000003"},
		{"HEADERS in two", AppendHeaders(nil, 3, []byte("abc"), true, 2), "000002 01 01 00000003 6162 000001 09 04 00000003 63"},
		{"HEADERS in three", AppendHeaders(nil, 3, []byte("abc"), false, 1), "000001 01 00 00000003 61 000001 09 00 00000003 62 000001 09 04 00000003 63"},
		{"PUSH_PROMISE", AppendPushPromise(nil, 3, 2, []byte("abc"), 0), "000007 05 04 00000003 00000002 616263"},
		{"PUSH_PROMISE in two", AppendPushPromise(nil, 3, 2, []byte("abc"), 6), "000006 05 00 00000003 00000002 6162 000001 09 04 00000003 63"},
		{"PUSH_PROMISE with room for nothing", AppendPushPromise(nil, 3, 2, []byte("abc"), 3), "000004 05 00 00000003 00000002 000003 09 04 00000003 616263"},
		{"PRIORITY", AppendPriority(nil, 9, 11, false, 7), "000005 02 00 00000009 0000000b 07"},
		{"PRIORITY, exclusive", AppendPriority(nil, 9, 11, true, 7), "000005 02 00 00000009 8000000b 07"},
		{"RST_STREAM", AppendRSTStream(nil, 5, Cancel), "000004 03 00 00000005 00000008"},
		{"SETTINGS", AppendSettings(nil, Setting{SettingHeaderTableSize, 8192}, Setting{SettingMaxConcurrentStreams, 5000}),
			"00000c 04 00 00000000 0001 00002000 0003 00001388"},
		{"SETTINGS, empty", AppendSettings(nil), "000000 04 00 00000000"},
		{"SETTINGS ACK", AppendSettingsAck(nil), "000000 04 01 00000000"},
		{"PING", AppendPing(nil, false, [8]byte([]byte("deadbeef"))), "000008 06 00 00000000 6465616462656566"},
		{"PING ACK", AppendPing(nil, true, [8]byte{7: 1}), "000008 06 01 00000000 0000000000000001"},
		{"GOAWAY", AppendGoAway(nil, 30, CompressionError, []byte("no")), "00000a 07 00 00000000 0000001e 00000009 6e6f"},
		{"WINDOW_UPDATE", AppendWindowUpdate(nil, 50, 1000), "000004 08 00 00000032 000003e8"},
		{"WINDOW_UPDATE, highest", AppendWindowUpdate(nil, 0, 1<<31-1), "000004 08 00 00000000 7fffffff"},
	} {
		if want := strings.ReplaceAll(tt.want, " ", ""); hex.EncodeToString(tt.got) != want {
			t.Errorf("%s: %x, want %s", tt.name, tt.got, want)
		}
	}
	if got := AppendGoAway(nil, 0, NoError, make([]byte, 20000)); len(got) != FrameHeaderLen+MinMaxFrameSize {
		t.Errorf("GOAWAY with a lot to say has %d bytes", len(got))
	}
}

func TestParse(t *testing.T) {
	ping, err := ParsePing([]byte("deadbeef"))
	if string(ping[:]) != "deadbeef" || err != nil {
		t.Errorf("PING: %q, %v", ping, err)
	}
	last, code, debug, err := ParseGoAway([]byte("\x80\x00\x00\x1e\x00\x00\x12\x34late"))
	if last != 30 || code != 0x1234 || string(debug) != "late" || err != nil { // a code that is not known is not an error
		t.Errorf("GOAWAY: %d, %v, %q, %v", last, code, debug, err)
	}
	code, err = ParseRSTStream([]byte("\xff\xff\xff\xff"))
	if code != 0xffffffff || err != nil {
		t.Errorf("RST_STREAM: %v, %v", code, err)
	}
	n, err := ParseWindowUpdate(FrameHeader{4, FrameWindowUpdate, 0, 1}, []byte("\x80\x00\x00\x05"))
	if n != 5 || err != nil {
		t.Errorf("WINDOW_UPDATE: %d, %v", n, err)
	}
	h := FrameHeader{12, FramePushPromise, FlagPadded | FlagEndHeaders, 1}
	promised, fragment, err := ParsePushPromise(h, []byte("\x02\x80\x00\x00\x0cblock\x00\x00"))
	if promised != 12 || string(fragment) != "block" || err != nil {
		t.Errorf("PUSH_PROMISE: %d, %q, %v", promised, fragment, err)
	}
}

func TestParseFails(t *testing.T) {
	push := func(flags Flags, payload string) error {
		_, _, err := ParsePushPromise(FrameHeader{len(payload), FramePushPromise, flags, 1}, []byte(payload))
		return err
	}
	window := func(stream uint32, payload string) error {
		_, err := ParseWindowUpdate(FrameHeader{len(payload), FrameWindowUpdate, 0, stream}, []byte(payload))
		return err
	}
	settings := func(payload string) error {
		_, err := ParseSettings([]byte(payload))
		return err
	}
	_, ping := ParsePing([]byte("1234567"))
	_, _, _, goAway := ParseGoAway([]byte("1234567"))
	_, rst := ParseRSTStream([]byte("12345"))
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"PING of 7", ping, connFrameSize},
		{"GOAWAY of 7", goAway, connFrameSize},
		{"RST_STREAM of 5", rst, connFrameSize},
		{"WINDOW_UPDATE of 3", window(1, "123"), connFrameSize},
		{"WINDOW_UPDATE by 0 on a stream", window(1, "\x00\x00\x00\x00"), streamProtocol},
		{"WINDOW_UPDATE by the reserved bit", window(1, "\x80\x00\x00\x00"), streamProtocol},
		{"WINDOW_UPDATE by 0", window(0, "\x00\x00\x00\x00"), connProtocol},
		{"PUSH_PROMISE of 3", push(0, "123"), connFrameSize},
		{"PUSH_PROMISE of 0", push(0, ""), connFrameSize},
		{"PUSH_PROMISE, padding into the promise", push(FlagPadded, "\x01\x00\x00\x00\x02"), connProtocol},
		{"PUSH_PROMISE, padding beyond the payload", push(FlagPadded, "\x05\x00\x00\x00\x02"), connProtocol},
		{"PUSH_PROMISE of stream 0", push(0, "\x00\x00\x00\x00"), connProtocol},
		{"PUSH_PROMISE of an odd stream", push(0, "\x00\x00\x00\x03"), connProtocol},
		{"SETTINGS of 5", settings("12345"), connFrameSize},
		{"ENABLE_PUSH 2", settings("\x00\x02\x00\x00\x00\x02"), connProtocol},
		{"ENABLE_PUSH 1", settings("\x00\x02\x00\x00\x00\x01"), okFrame},
		{"INITIAL_WINDOW_SIZE 2^31", settings("\x00\x04\x80\x00\x00\x00"), "connection FLOW_CONTROL_ERROR"},
		{"INITIAL_WINDOW_SIZE 2^31-1", settings("\x00\x04\x7f\xff\xff\xff"), okFrame},
		{"MAX_FRAME_SIZE 16383", settings("\x00\x05\x00\x00\x3f\xff"), connProtocol},
		{"MAX_FRAME_SIZE 16384", settings("\x00\x05\x00\x00\x40\x00"), okFrame},
		{"MAX_FRAME_SIZE 2^24-1", settings("\x00\x05\x00\xff\xff\xff"), okFrame},
		{"MAX_FRAME_SIZE 2^24", settings("\x00\x05\x01\x00\x00\x00"), connProtocol},
		{"ENABLE_CONNECT_PROTOCOL 2", settings("\x00\x08\x00\x00\x00\x02"), connProtocol},
		{"HEADER_TABLE_SIZE 2^32-1", settings("\x00\x01\xff\xff\xff\xff"), okFrame},
		{"MAX_CONCURRENT_STREAMS 2^32-1", settings("\x00\x03\xff\xff\xff\xff"), okFrame},
		{"a setting that is not known", settings("\x0a\x0a\xff\xff\xff\xff"), okFrame},
		{"the second of two", settings("\x00\x05\x00\x00\x40\x00\x00\x05\x00\x00\x00\x00"), connProtocol},
	} {
		if got := failure(tt.err); got != tt.want {
			t.Errorf("%s: %s, want %s (%v)", tt.name, got, tt.want, tt.err)
		}
	}
}

func TestSettings(t *testing.T) {
	want := []Setting{{SettingInitialWindowSize, 1 << 24}, {9, 1}, {SettingInitialWindowSize, 5}}
	wire := AppendSettings(nil, want...)
	got, err := ParseSettings(wire[FrameHeaderLen:])
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := ParseSettings(nil); got != nil || err != nil {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

func TestFormatFrame(t *testing.T) {
	for _, tt := range []struct {
		inbound bool
		h       FrameHeader
		payload string
		want    string
	}{
		{true, FrameHeader{0, FrameSettings, FlagAck, 0}, "", "<< 0x00000000     0 SETTINGS      ACK"},
		{false, FrameHeader{13, FrameHeaders, FlagEndHeaders | FlagEndStream, 3}, "", ">> 0x00000003    13 HEADERS       END_STREAM|END_HEADERS"},
		{true, FrameHeader{35, FrameHeaders, 0x2c, 3}, "", "<< 0x00000003    35 HEADERS       END_HEADERS|PADDED|PRIORITY"},
		{true, FrameHeader{16384, FrameData, FlagEndStream | FlagPadded, 3}, "", "<< 0x00000003 16384 DATA          END_STREAM|PADDED"},
		{true, FrameHeader{5, FrameData, 0, 0x7fffffff}, "", "<< 0x7fffffff     5 DATA          "},
		{true, FrameHeader{5, FrameData, 0x21, 3}, "", "<< 0x00000003     5 DATA          00100001"},
		{true, FrameHeader{8, FramePing, 0, 0}, "", "<< 0x00000000     8 PING          "},
		{true, FrameHeader{8, FramePing, 0xff, 0}, "", "<< 0x00000000     8 PING          11111111"},
		{true, FrameHeader{8, FrameGoAway, 1, 0}, "", "<< 0x00000000     8 GOAWAY        00000001"},
		{true, FrameHeader{8, FramePushPromise, FlagEndHeaders, 1}, "", "<< 0x00000001     8 PUSH_PROMISE  END_HEADERS"},
		{true, FrameHeader{8, FrameContinuation, FlagEndHeaders, 1}, "", "<< 0x00000001     8 CONTINUATION  END_HEADERS"},
		{false, FrameHeader{4, FrameWindowUpdate, 0, 0}, "\x00\xfe\xff\xff", ">> 0x00000000     4 WINDOW_UPDATE 16711679"},
		{false, FrameHeader{4, FrameWindowUpdate, 0, 0}, "", ">> 0x00000000     4 WINDOW_UPDATE "},
		{false, FrameHeader{1 << 20, 0x0a, 5, 0}, "", ">> 0x00000000 1048576 0x0a          00000101"},
	} {
		if got := FormatFrame(tt.inbound, tt.h, []byte(tt.payload)); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.h, got, tt.want)
		}
	}
	if got, want := FormatPreface(false), ">> CONNECTION 505249202a20485454502f322e300d0a0d0a534d0d0a0d0a"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Nothing but dst is allocated.
func TestAppendAllocations(t *testing.T) {
	dst := make([]byte, 0, 1<<10)
	block := bytes.Repeat([]byte("b"), 100)
	if n := testing.AllocsPerRun(100, func() {
		b := AppendDataHeader(dst, 1, 5, true)
		b = AppendHeaders(b, 1, block, false, 30)
		b = AppendPushPromise(b, 1, 2, block, 30)
		b = AppendPriority(b, 1, 3, false, 5)
		b = AppendRSTStream(b, 1, Cancel)
		b = AppendSettings(b, Setting{SettingEnablePush, 0}, Setting{SettingInitialWindowSize, 1 << 24})
		b = AppendSettingsAck(b)
		b = AppendPing(b, true, [8]byte{1})
		b = AppendGoAway(b, 5, NoError, block)
		b = AppendWindowUpdate(b, 0, 5)
		if len(b) > cap(dst) {
			panic("dst is too small")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
