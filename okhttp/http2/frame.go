package http2

import "fmt"

// ClientPreface is what a client sends before its first frame (RFC 9113 section 3.4).
const ClientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Sizes of frames (RFC 9113 sections 4.1 and 4.2), in bytes.
const (
	// FrameHeaderLen is the length of the header of every frame.
	FrameHeaderLen = 9
	// MinMaxFrameSize is the payload that every endpoint takes, and the value of [SettingMaxFrameSize] until a peer sends another.
	MinMaxFrameSize = 1 << 14
	// MaxFrameSize is the longest payload that a frame can announce.
	MaxFrameSize = 1<<24 - 1
)

// maxStream is the largest identifier of a stream, and without the reserved bit every one is at most that.
const maxStream = 1<<31 - 1

// FrameType is the type of a frame (RFC 9113 section 6). Types that are not listed are of extensions and are skipped.
type FrameType uint8

// The types of frames.
const (
	FrameData         FrameType = 0x0
	FrameHeaders      FrameType = 0x1
	FramePriority     FrameType = 0x2 // deprecated: checked and otherwise ignored (RFC 9113 section 5.3.2)
	FrameRSTStream    FrameType = 0x3
	FrameSettings     FrameType = 0x4
	FramePushPromise  FrameType = 0x5
	FramePing         FrameType = 0x6
	FrameGoAway       FrameType = 0x7
	FrameWindowUpdate FrameType = 0x8
	FrameContinuation FrameType = 0x9
)

var frameNames = [...]string{
	"DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE", "CONTINUATION",
}

// String returns the name as RFC 9113 writes it, "DATA", or "0x0b" for a type that it does not know.
func (t FrameType) String() string {
	if int(t) < len(frameNames) {
		return frameNames[t]
	}
	return fmt.Sprintf("0x%02x", uint8(t))
}

// Flags are the flags of a frame. What a bit means depends on the type; bits without a meaning are ignored (RFC 9113 section 4.1).
type Flags uint8

// The flags.
const (
	FlagEndStream  Flags = 0x01 // of DATA and HEADERS
	FlagAck        Flags = 0x01 // of SETTINGS and PING
	FlagEndHeaders Flags = 0x04 // of HEADERS, PUSH_PROMISE and CONTINUATION
	FlagPadded     Flags = 0x08 // of DATA, HEADERS and PUSH_PROMISE
	FlagPriority   Flags = 0x20 // of HEADERS
)

// flagCompressed is of an extension that never became a standard. A peer that sets it on DATA sends something else than content.
const flagCompressed Flags = 0x20

// Has reports whether all bits of x are set.
func (f Flags) Has(x Flags) bool { return f&x == x }

// FrameHeader is what every frame begins with (RFC 9113 section 4.1).
type FrameHeader struct {
	Length int // of the payload, at most MaxFrameSize
	Type   FrameType
	Flags  Flags
	Stream uint32 // 0 is the connection; at most 2^31-1
}

// ParseFrameHeader reads the first [FrameHeaderLen] bytes of b, which must be there. The reserved bit is dropped. Nothing is checked: see
// [FrameHeader.Check].
func ParseFrameHeader(b []byte) FrameHeader {
	_ = b[FrameHeaderLen-1]
	return FrameHeader{
		Length: int(b[0])<<16 | int(b[1])<<8 | int(b[2]),
		Type:   FrameType(b[3]),
		Flags:  Flags(b[4]),
		Stream: readStream(b[5:]),
	}
}

// Append writes the header. Bits of Length and Stream beyond what fits are dropped.
func (h FrameHeader) Append(dst []byte) []byte {
	s := h.Stream & maxStream
	return append(dst, byte(h.Length>>16), byte(h.Length>>8), byte(h.Length), byte(h.Type), byte(h.Flags),
		byte(s>>24), byte(s>>16), byte(s>>8), byte(s))
}

// pads reports whether the flag PADDED is set and has a meaning.
func (h FrameHeader) pads() bool {
	return h.Flags.Has(FlagPadded) && (h.Type == FrameData || h.Type == FrameHeaders || h.Type == FramePushPromise)
}

// prioritizes reports whether the flag PRIORITY is set and has a meaning.
func (h FrameHeader) prioritizes() bool {
	return h.Flags.Has(FlagPriority) && h.Type == FrameHeaders
}
