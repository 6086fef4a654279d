package okws

import (
	"encoding/binary"
	"math"
)

// opcode says what a frame is (RFC 6455 section 5.2).
type opcode byte

const (
	opContinuation opcode = 0
	opText         opcode = 1
	opBinary       opcode = 2
	opClose        opcode = 8
	opPing         opcode = 9
	opPong         opcode = 10
)

func (o opcode) control() bool { return o&8 != 0 }

// Bits of the first two bytes of a frame.
const (
	bitFin  = 0x80
	bitRSV1 = 0x40
	bitRSV2 = 0x20
	bitRSV3 = 0x10
	bitMask = 0x80
)

const (
	maxControl = 125 // bytes in the payload of a control frame
	maxHeader  = 14  // bytes in the header of a frame
)

// header is the head of a frame.
type header struct {
	op     opcode
	fin    bool
	rsv1   bool
	masked bool
	key    maskKey
	length int64
	size   int // of the header itself
}

// headerSize returns the length of a header from its second byte.
func headerSize(second byte) int {
	n := 2
	switch second &^ bitMask {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if second&bitMask != 0 {
		n += 4
	}
	return n
}

// checkHeader finds what is wrong with the first two bytes of a frame, for a reader that knows what may come next.
func (r *reader) checkHeader(first, second byte) error {
	op := opcode(first & 0xf)
	switch {
	case op.control() && first&bitFin == 0:
		return violation("Control frames must be final.")
	case first&bitRSV1 != 0 && (!r.deflated || op != opText && op != opBinary):
		return violation("Unexpected rsv1 flag")
	case first&bitRSV2 != 0:
		return violation("Unexpected rsv2 flag")
	case first&bitRSV3 != 0:
		return violation("Unexpected rsv3 flag")
	case r.client && second&bitMask != 0:
		return violation("Server-sent frames must not be masked.")
	case !r.client && second&bitMask == 0:
		return violation("Client-sent frames must be masked.")
	case op.control() && second&^bitMask > maxControl:
		return violation("Control frame must be less than 125B.")
	}
	switch {
	case op == opClose, op == opPing, op == opPong:
	case op.control():
		return violation("Unknown control opcode: %x", op)
	case op > opBinary, op == opContinuation && !r.within:
		return violation("Unknown opcode: %x", op)
	case op != opContinuation && r.within:
		return violation("Expected continuation opcode. Got: %x", op)
	}
	return nil
}

// parseHeader takes a header apart whose first two bytes were checked. p holds it whole.
func parseHeader(p []byte) (header, error) {
	h := header{op: opcode(p[0] & 0xf), fin: p[0]&bitFin != 0, rsv1: p[0]&bitRSV1 != 0, masked: p[1]&bitMask != 0, size: headerSize(p[1])}
	rest := p[2:h.size]
	switch n := p[1] &^ bitMask; n {
	case 126:
		h.length = int64(binary.BigEndian.Uint16(rest))
		rest = rest[2:]
	case 127:
		length := binary.BigEndian.Uint64(rest)
		if length > math.MaxInt64 {
			return h, violation("Frame length 0x%016x > 0x7FFFFFFFFFFFFFFF", length)
		}
		h.length = int64(length)
		rest = rest[8:]
	default:
		h.length = int64(n)
	}
	if h.masked {
		h.key = maskKey(binary.LittleEndian.Uint32(rest))
	}
	return h, nil
}

// appendHeader appends the header of a frame, with the shortest form of its length.
func appendHeader(dst []byte, h header) []byte {
	first, second := byte(h.op), byte(0)
	if h.fin {
		first |= bitFin
	}
	if h.rsv1 {
		first |= bitRSV1
	}
	if h.masked {
		second = bitMask
	}
	switch {
	case h.length < 126:
		dst = append(dst, first, second|byte(h.length))
	case h.length <= math.MaxUint16:
		dst = append(dst, first, second|126)
		dst = binary.BigEndian.AppendUint16(dst, uint16(h.length))
	default:
		dst = append(dst, first, second|127)
		dst = binary.BigEndian.AppendUint64(dst, uint64(h.length))
	}
	if h.masked {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(h.key))
	}
	return dst
}
