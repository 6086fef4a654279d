package http2

import "encoding/binary"

// readStream reads an identifier of a stream without its reserved bit.
func readStream(b []byte) uint32 { return binary.BigEndian.Uint32(b) & maxStream }

// ParsePing returns the opaque data of a PING frame (RFC 9113 section 6.7).
func ParsePing(payload []byte) (data [8]byte, err error) {
	if len(payload) != len(data) {
		return data, FrameHeader{Type: FramePing, Length: len(payload)}.sizeError("8")
	}
	return [8]byte(payload), nil
}

// ParseGoAway returns the highest stream that the sender of a GOAWAY frame may have acted on, its error code, which can be one that is not
// known, and its debug data, a part of payload that may be long and hold anything (RFC 9113 section 6.8).
func ParseGoAway(payload []byte) (last uint32, code ErrorCode, debug []byte, err error) {
	if len(payload) < 8 {
		return 0, 0, nil, FrameHeader{Type: FrameGoAway, Length: len(payload)}.sizeError("at least 8")
	}
	return readStream(payload), ErrorCode(binary.BigEndian.Uint32(payload[4:])), payload[8:], nil
}

// ParseWindowUpdate returns the increment of a WINDOW_UPDATE frame, 1 to 2^31-1. An increment of 0 is an error of the stream, and on
// stream 0 of the connection (RFC 9113 section 6.9).
func ParseWindowUpdate(h FrameHeader, payload []byte) (increment uint32, err error) {
	if len(payload) != 4 {
		h.Length = len(payload)
		return 0, h.sizeError("4")
	}
	increment = readStream(payload)
	if increment == 0 {
		const detail = "WINDOW_UPDATE frame with an increment of 0, expected 1 to 2147483647"
		if h.Stream == 0 {
			return 0, &ConnectionError{Code: ProtocolErrorCode, Detail: detail}
		}
		return 0, &StreamError{Stream: h.Stream, Code: ProtocolErrorCode, Detail: detail}
	}
	return increment, nil
}

// ParseRSTStream returns the error code of an RST_STREAM frame, which can be one that is not known (RFC 9113 section 6.4).
func ParseRSTStream(payload []byte) (ErrorCode, error) {
	if len(payload) != 4 {
		return 0, FrameHeader{Type: FrameRSTStream, Length: len(payload)}.sizeError("4")
	}
	return ErrorCode(binary.BigEndian.Uint32(payload)), nil
}

// ParsePushPromise returns the stream that a PUSH_PROMISE frame reserves, an even number, and the first fragment of its header block, a part of
// payload (RFC 9113 section 6.6). Whether the stream is idle is not known here.
func ParsePushPromise(h FrameHeader, payload []byte) (promised uint32, fragment []byte, err error) {
	content, padding, err := h.Content(payload)
	if err != nil {
		return 0, nil, err
	}
	h.Length = len(payload)
	if len(content) < 4 {
		if padding > 0 {
			return 0, nil, h.padError(padding)
		}
		return 0, nil, h.sizeError("a promised stream")
	}
	promised = readStream(content)
	if promised == 0 || promised%2 != 0 {
		return 0, nil, connectionErrorf(ProtocolErrorCode, "PUSH_PROMISE frame on stream %d promises stream %d, expected an even number", h.Stream, promised)
	}
	return promised, content[4:], nil
}
