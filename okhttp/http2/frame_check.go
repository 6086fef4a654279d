package http2

import "fmt"

// A frameRule is what a type demands of the header of a frame (RFC 9113 sections 6.1 to 6.10).
type frameRule struct {
	scope    frameScope
	least    int  // shortest payload, without what flags add
	exact    bool // and the longest
	multiple int  // that the length must be of, 0 for none
}

type frameScope uint8

const (
	ofStream frameScope = iota
	ofConnection
	ofEither
)

var frameRules = [...]frameRule{
	FrameData:         {scope: ofStream},
	FrameHeaders:      {scope: ofStream},
	FramePriority:     {scope: ofStream, least: 5, exact: true},
	FrameRSTStream:    {scope: ofStream, least: 4, exact: true},
	FrameSettings:     {scope: ofConnection, multiple: 6},
	FramePushPromise:  {scope: ofStream, least: 4},
	FramePing:         {scope: ofConnection, least: 8, exact: true},
	FrameGoAway:       {scope: ofConnection, least: 8},
	FrameWindowUpdate: {scope: ofEither, least: 4, exact: true},
	FrameContinuation: {scope: ofStream},
}

// Check finds the faults that length, type, flags and stream show without the payload. maxFrame is the largest payload this side has
// announced. The error is a [*ConnectionError], or a [*StreamError] for a DATA or PRIORITY frame of a wrong length: those change nothing of the
// connection (RFC 9113 section 4.2), and their payload is still to be skipped, and for DATA to be counted. Types that are not known
// pass if they are not too long.
//
// What depends on the state of the stream or on the role of this side is not looked at.
func (h FrameHeader) Check(maxFrame int) error {
	if h.Length > maxFrame {
		return h.sizeError(fmt.Sprintf("at most %d", maxFrame))
	}
	if int(h.Type) >= len(frameRules) {
		return nil
	}
	rule := frameRules[h.Type]
	switch {
	case rule.scope == ofStream && h.Stream == 0:
		return connectionErrorf(ProtocolErrorCode, "%v frame on stream 0, expected one of a request", h.Type)
	case rule.scope == ofConnection && h.Stream != 0:
		return connectionErrorf(ProtocolErrorCode, "%v frame on stream %d, expected 0", h.Type, h.Stream)
	case h.Type == FrameData && h.Flags.Has(flagCompressed):
		return connectionErrorf(ProtocolErrorCode, "DATA frame with the flag 0x20 (compressed) on stream %d, which was not negotiated", h.Stream)
	case h.Type == FrameSettings && h.Flags.Has(FlagAck) && h.Length != 0:
		return h.sizeError("0 with ACK")
	case rule.exact && h.Length != rule.least:
		return h.sizeError(fmt.Sprint(rule.least))
	case rule.multiple != 0 && h.Length%rule.multiple != 0:
		return h.sizeError(fmt.Sprintf("a multiple of %d", rule.multiple))
	}
	least := rule.least
	if h.pads() {
		least++
	}
	if h.prioritizes() {
		least += priorityLen
	}
	if h.Length < least {
		return h.sizeError(fmt.Sprintf("at least %d", least))
	}
	return nil
}

// sizeError is the error of a length. It is the connection's if the frame could have changed the connection (RFC 9113 section 4.2), where a type
// that is not known counts among those that could.
func (h FrameHeader) sizeError(expected string) error {
	detail := fmt.Sprintf("%v frame of %d bytes, expected %s", h.Type, h.Length, expected)
	if h.Stream != 0 && (h.Type == FrameData || h.Type == FramePriority) {
		return &StreamError{Stream: h.Stream, Code: FrameSizeError, Detail: detail}
	}
	return &ConnectionError{Code: FrameSizeError, Detail: detail}
}
