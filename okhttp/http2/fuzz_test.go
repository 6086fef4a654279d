package http2

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// again writes a frame that was found good with the Append function of its type, without padding, priority and flags of no meaning. ok is false for
// types that are not written.
func again(t *testing.T, h FrameHeader, payload []byte) (wire []byte, ok bool) {
	t.Helper()
	content, _, err := h.Content(payload)
	if err != nil {
		return nil, false
	}
	switch h.Type {
	case FrameData:
		return append(AppendDataHeader(nil, h.Stream, len(content), h.Flags.Has(FlagEndStream)), content...), true
	case FrameHeaders:
		if h.Flags.Has(FlagEndHeaders) {
			return AppendHeaders(nil, h.Stream, content, h.Flags.Has(FlagEndStream), 0), true
		}
	case FrameRSTStream:
		code, err := ParseRSTStream(payload)
		return AppendRSTStream(nil, h.Stream, code), err == nil
	case FrameSettings:
		if h.Flags.Has(FlagAck) {
			return AppendSettingsAck(nil), true
		}
		list, err := ParseSettings(payload)
		return AppendSettings(nil, list...), err == nil
	case FramePushPromise:
		promised, fragment, err := ParsePushPromise(h, payload)
		if h.Flags.Has(FlagEndHeaders) {
			return AppendPushPromise(nil, h.Stream, promised, fragment, 0), err == nil
		}
	case FramePing:
		data, err := ParsePing(payload)
		return AppendPing(nil, h.Flags.Has(FlagAck), data), err == nil
	case FrameGoAway:
		last, code, debug, err := ParseGoAway(payload)
		return AppendGoAway(nil, last, code, debug), err == nil
	case FrameWindowUpdate:
		n, err := ParseWindowUpdate(h, payload)
		return AppendWindowUpdate(nil, h.Stream, n), err == nil
	}
	return nil, false
}

// A frame that is accepted is written so that it reads the same again, and is then written the same.
func FuzzFrame(f *testing.F) {
	for _, seed := range [][]byte{
		AppendHeaders(nil, 1, []byte("block"), true, 0),
		AppendPushPromise(nil, 1, 2, []byte("block"), 0),
		append(AppendDataHeader(nil, 1, 5, true), "hello"...),
		append(FrameHeader{8, FrameData, FlagPadded, 1}.Append(nil), "\x02hello\x00\x00"...),
		append(FrameHeader{8, FrameHeaders, FlagPadded | FlagPriority | FlagEndHeaders, 1}.Append(nil), "\x01\x00\x00\x00\x01\x10x\x00"...),
		AppendPriority(nil, 1, 3, true, 5),
		AppendRSTStream(nil, 1, Cancel),
		AppendSettings(nil, Setting{SettingEnablePush, 0}, Setting{SettingInitialWindowSize, 1 << 24}),
		AppendSettingsAck(nil),
		AppendPing(nil, true, [8]byte{1}),
		AppendGoAway(nil, 5, EnhanceYourCalm, []byte("too_many_pings")),
		AppendWindowUpdate(nil, 1, 65535),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < FrameHeaderLen {
			return
		}
		h, payload := ParseFrameHeader(in), in[FrameHeaderLen:]
		// The parsers have to stand payloads of any length, whatever Check would have said.
		again(t, h, payload)
		ParsePing(payload)
		ParseGoAway(payload)
		ParseSettings(payload)
		ParseRSTStream(payload)
		ParseWindowUpdate(h, payload)
		ParsePushPromise(h, payload)
		FormatFrame(true, h, payload)
		if len(payload) > 0 {
			if pad, err := h.PadLength(payload[0]); err == nil && h.pads() && 1+pad > h.Length {
				t.Errorf("%+v: %d bytes of padding", h, pad)
			}
		}
		if len(payload) < h.Length || h.Check(MinMaxFrameSize) != nil {
			return
		}
		wire, ok := again(t, h, payload[:h.Length])
		if !ok {
			return
		}
		h2 := ParseFrameHeader(wire)
		if h2.Type != h.Type || h2.Stream != h.Stream || h2.Flags&^h.Flags != 0 || h2.Length != len(wire)-FrameHeaderLen || h2.Length > h.Length {
			t.Errorf("read %+v, written %+v", h, h2)
		}
		if err := h2.Check(MinMaxFrameSize); err != nil {
			t.Errorf("%+v: %v", h2, err)
		}
		if twice, ok := again(t, h2, wire[FrameHeaderLen:]); !ok || !bytes.Equal(twice, wire) {
			t.Errorf("written %x, read and written again %x", wire, twice)
		}
	})
}

// oracle decodes blocks with hpack alone.
func oracle(d *hpack.Decoder, block []byte) (fields []string, err error) {
	list, err := d.DecodeFull(block)
	for _, f := range list {
		fields = append(fields, f.Name, f.Value)
	}
	return fields, err
}

// What blocks say does not depend on where they are cut, and it is what hpack alone makes of them, apart from the limits and from changes of the
// size of the table.
func FuzzHeaderDecoder(f *testing.F) {
	e := NewHeaderEncoder()
	request, _ := e.AppendRequest(nil, typicalHead, typical[:8])
	repeat, _ := e.AppendRequest(nil, typicalHead, typical[:8])
	f.Add(request, repeat, uint8(5))
	f.Add([]byte("\x3f\x09\x3f\xe1\x1f\x40\x01a\x01b"), []byte("\x20\xbe"), uint8(1))
	f.Add([]byte("\x40\x01a\x01b"), []byte("\x3f\x09\x3f\xe1\x1f\xbe"), uint8(2))
	f.Add(bytes.Repeat([]byte{0x82}, 30), []byte("\x82\x40\x81\x07\x01b"), uint8(3))
	f.Add(literals("a", strings.Repeat("b", 250)), []byte("\xbe"), uint8(9))
	f.Fuzz(func(t *testing.T, first, second []byte, step uint8) {
		if len(first)+len(second) > 100*int(max(step, 1)) { // so that fragments do not end the decoder
			return
		}
		limits := HeaderLimits{MaxBytes: 200, MaxFields: 20}
		whole, cut := NewHeaderDecoder(limits), NewHeaderDecoder(limits)
		alone := hpack.NewDecoder(initialTableSize, nil)
		for _, block := range [][]byte{first, second} {
			a, errA := decodeBlock(whole, block)
			b, errB := decodeBlock(cut, slices.Collect(slices.Chunk(block, int(max(step, 1))))...)
			if !slices.Equal(a, b) || failure(errA) != failure(errB) {
				t.Fatalf("at once %q, %v, in pieces %q, %v", a, errA, b, errB)
			}
			var large *TooLargeError
			want, err := oracle(alone, block)
			switch {
			case err != nil && strings.Contains(err.Error(), "dynamic table size update"):
				return
			case errors.As(errA, &large):
				if err == nil && len(want) <= 2*limits.MaxFields && len(strings.Join(want, "")) <= limits.MaxBytes {
					t.Fatalf("%v, hpack %q", errA, want)
				}
			case (errA == nil) != (err == nil):
				t.Fatalf("%q, %v, hpack %q, %v", a, errA, want, err)
			case errA == nil && !slices.Equal(a, want):
				t.Fatalf("%q, hpack %q", a, want)
			}
			if errA != nil && large == nil || err != nil {
				return
			}
			if bytes := len(strings.Join(a, "")); len(a) > 2*limits.MaxFields || bytes > limits.MaxBytes {
				t.Fatalf("%d fields of %d bytes", len(a)/2, bytes)
			}
			ValidRequest(a)
			ValidResponse(a)
			ValidTrailers(a)
			ContentLength(a)
		}
	})
}

// What is written reads as it was given, less what HTTP/2 does not have, and a peer finds nothing wrong with the fields.
func FuzzHeaderEncoder(f *testing.F) {
	f.Add("GET", "/", "h", strings.Join(typical, "\x1f"), uint32(4096))
	f.Add("CONNECT", "", "h:443", "TE\x1ftrailers\x1fte\x1fgzip", uint32(0))
	f.Add("PUT", "/x", "h", "A\x1f b \x1f\x1f", uint32(100))
	f.Fuzz(func(t *testing.T, method, path, authority, list string, size uint32) {
		fields := strings.Split(list, "\x1f")
		e, d := NewHeaderEncoder(), NewHeaderDecoder(HeaderLimits{MaxBytes: 1 << 20, MaxFields: 1 << 20})
		d.SetTableSize(maxTableSize)
		for range 2 {
			block, err := e.AppendRequest(nil, RequestHead{Method: method, Path: path, Authority: authority, Scheme: "https"}, fields)
			if err != nil {
				if len(block) != 0 {
					t.Errorf("%v, and %x", err, block)
				}
				return
			}
			got, err := decodeBlock(d, block)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i := 0; i < len(fields); i += 2 {
				if !dropped(fields[i], ascii.TrimOWS(fields[i+1])) {
					want = append(want, strings.ToLower(fields[i]), ascii.TrimOWS(fields[i+1]))
				}
			}
			pseudo, rest := SplitPseudo(got)
			if !slices.Equal(rest, want) || pseudo[1] != method {
				t.Errorf("%q %q, want %q", pseudo, rest, want)
			}
			if err := ValidTrailers(rest); err != nil && !strings.Contains(err.Error(), "content-length") {
				t.Error(err)
			}
			e.SetTableSize(size)
		}
	})
}
