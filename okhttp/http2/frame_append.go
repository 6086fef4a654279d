package http2

import "encoding/binary"

// The functions of this file write whole frames, and nothing is checked: numbers are of the caller, and a test may want wrong ones. Bits beyond
// what a field holds are dropped. Nothing is allocated but what dst needs to grow.

// AppendDataHeader writes the header of a DATA frame of n bytes of content without padding to dst (RFC 9113 section 6.1). The content is to follow.
func AppendDataHeader(dst []byte, stream uint32, n int, endStream bool) []byte {
	return FrameHeader{Length: n, Type: FrameData, Flags: endFlag(endStream), Stream: stream}.Append(dst)
}

// AppendHeaders writes a header block: a HEADERS frame and as many CONTINUATION frames as it takes for no payload to be longer than maxFrame bytes
// (RFC 9113 sections 6.2 and 6.10). Less than 1 means [MinMaxFrameSize].
func AppendHeaders(dst []byte, stream uint32, block []byte, endStream bool, maxFrame int) []byte {
	maxFrame = frameLimit(maxFrame)
	n := min(len(block), maxFrame)
	h := FrameHeader{Length: n, Type: FrameHeaders, Flags: endFlag(endStream), Stream: stream}
	if n == len(block) {
		h.Flags |= FlagEndHeaders
	}
	dst = append(h.Append(dst), block[:n]...)
	return appendContinuations(dst, stream, block[n:], maxFrame)
}

// AppendPushPromise writes the header block of a promised request, as [AppendHeaders] does (RFC 9113 section 6.6). stream is the one that the promise comes with.
func AppendPushPromise(dst []byte, stream, promised uint32, block []byte, maxFrame int) []byte {
	maxFrame = frameLimit(maxFrame)
	n := min(len(block), max(maxFrame-4, 0))
	h := FrameHeader{Length: 4 + n, Type: FramePushPromise, Stream: stream}
	if n == len(block) {
		h.Flags = FlagEndHeaders
	}
	dst = binary.BigEndian.AppendUint32(h.Append(dst), promised&maxStream)
	return appendContinuations(append(dst, block[:n]...), stream, block[n:], maxFrame)
}

// appendContinuations writes the rest of a block, if there is one.
func appendContinuations(dst []byte, stream uint32, block []byte, maxFrame int) []byte {
	for len(block) > 0 {
		n := min(len(block), maxFrame)
		h := FrameHeader{Length: n, Type: FrameContinuation, Stream: stream}
		if n == len(block) {
			h.Flags = FlagEndHeaders
		}
		dst = append(h.Append(dst), block[:n]...)
		block = block[n:]
	}
	return dst
}

// AppendPriority writes a PRIORITY frame, which RFC 9113 section 5.3.2 deprecates. weight is the number on the wire, one less than what it means.
func AppendPriority(dst []byte, stream, dependency uint32, exclusive bool, weight uint8) []byte {
	dependency &= maxStream
	if exclusive {
		dependency |= 1 << 31
	}
	dst = FrameHeader{Length: priorityLen, Type: FramePriority, Stream: stream}.Append(dst)
	return append(binary.BigEndian.AppendUint32(dst, dependency), weight)
}

// AppendRSTStream writes an RST_STREAM frame (RFC 9113 section 6.4).
func AppendRSTStream(dst []byte, stream uint32, code ErrorCode) []byte {
	dst = FrameHeader{Length: 4, Type: FrameRSTStream, Stream: stream}.Append(dst)
	return binary.BigEndian.AppendUint32(dst, uint32(code))
}

// AppendPing writes a PING frame, or the answer to one (RFC 9113 section 6.7).
func AppendPing(dst []byte, ack bool, data [8]byte) []byte {
	h := FrameHeader{Length: len(data), Type: FramePing}
	if ack {
		h.Flags = FlagAck
	}
	return append(h.Append(dst), data[:]...)
}

// AppendGoAway writes a GOAWAY frame (RFC 9113 section 6.8). Debug data that would make the payload longer than [MinMaxFrameSize] is cut short.
func AppendGoAway(dst []byte, last uint32, code ErrorCode, debug []byte) []byte {
	debug = debug[:min(len(debug), MinMaxFrameSize-8)]
	dst = FrameHeader{Length: 8 + len(debug), Type: FrameGoAway}.Append(dst)
	dst = binary.BigEndian.AppendUint32(dst, last&maxStream)
	dst = binary.BigEndian.AppendUint32(dst, uint32(code))
	return append(dst, debug...)
}

// AppendWindowUpdate writes a WINDOW_UPDATE frame. The increment is 1 to 2^31-1 bytes; stream 0 is the connection (RFC 9113 section 6.9).
func AppendWindowUpdate(dst []byte, stream, n uint32) []byte {
	dst = FrameHeader{Length: 4, Type: FrameWindowUpdate, Stream: stream}.Append(dst)
	return binary.BigEndian.AppendUint32(dst, n&maxStream)
}

func endFlag(end bool) Flags {
	if end {
		return FlagEndStream
	}
	return 0
}

func frameLimit(maxFrame int) int {
	if maxFrame < 1 {
		return MinMaxFrameSize
	}
	return min(maxFrame, MaxFrameSize)
}
