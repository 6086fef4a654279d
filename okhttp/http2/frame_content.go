package http2

// priorityLen is the length of the fields that the flag PRIORITY adds to HEADERS (RFC 9113 section 6.2).
const priorityLen = 5

// Content returns what a DATA, HEADERS or PUSH_PROMISE frame carries, which is a part of payload, and the number of padding bytes behind
// it: without the pad length, the padding, and in HEADERS the priority fields. The payloads of other types are returned as they are.
// Flow control counts the whole payload all the same (RFC 9113 section 6.1).
//
// Priority is deprecated (section 5.3.2) and means nothing here.
// The bytes of the padding are not looked at.
func (h FrameHeader) Content(payload []byte) (content []byte, padding int, err error) {
	h.Length = len(payload)
	content = payload
	if h.pads() {
		if len(content) == 0 {
			return nil, 0, h.sizeError("at least 1")
		}
		if padding, err = h.PadLength(content[0]); err != nil {
			return nil, 0, err
		}
		content = content[1:]
	}
	if h.prioritizes() {
		if len(content) < priorityLen {
			return nil, 0, h.sizeError("the priority fields")
		}
		content = content[priorityLen:]
	}
	if padding > len(content) {
		return nil, 0, h.padError(padding)
	}
	return content[:len(content)-padding], padding, nil
}

// PadLength reads the first byte of the payload, for DATA that is never in one slice: what follows it are Length-1-pad bytes of content and
// pad bytes of padding. It returns 0 for a frame without padding, whose first byte is content.
func (h FrameHeader) PadLength(first byte) (pad int, err error) {
	if !h.pads() {
		return 0, nil
	}
	if pad = int(first); pad >= h.Length {
		return 0, h.padError(pad)
	}
	return pad, nil
}

// padError is an error of the connection for all types, DATA too (RFC 9113 section 6.1).
func (h FrameHeader) padError(pad int) error {
	return connectionErrorf(ProtocolErrorCode, "%v frame of %d bytes on stream %d with %d bytes of padding, expected fewer",
		h.Type, h.Length, h.Stream, pad)
}

// dependsOnItself reports whether a HEADERS frame has the priority fields of a stream that depends on itself, which RFC 7540 section 5.3.1 made an
// error of the stream. RFC 9113 has dropped that with all of priority; peers that check their counterpart still want it.
func (h FrameHeader) dependsOnItself(payload []byte) bool {
	if h.pads() && len(payload) > 0 {
		payload = payload[1:]
	}
	return h.prioritizes() && len(payload) >= priorityLen && readStream(payload) == h.Stream
}
