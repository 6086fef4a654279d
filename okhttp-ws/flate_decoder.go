package okws

import (
	"encoding/binary"
	"errors"
	"io"
)

// decoder inflates (RFC 1951) what comes piece by piece: it stops wherever its input ends and goes on when there is more, which the readers of the libraries cannot do. So a
// message can be looked at as it comes, and one that is interrupted goes on later, without a goroutine. What it refers back to is what it wrote before, with no copy in between.
type decoder struct {
	stage  stage
	final  bool   // the block is the last one
	bits   uint64 // taken from the input and not used, fewer than 8
	have   uint   // how many
	stored int    // bytes left in a block that is not compressed
	length int    // left of a copy for which there was no room
	back   int    // how far back it is
	codes  *codes // of the block
	own    codes
}

// stage is where a decoder is.
type stage uint8

const (
	stageHeader stage = iota
	stageStored
	stageCodes
	stageEnd
)

func (d *decoder) reset() {
	d.stage, d.final, d.bits, d.have, d.stored, d.length = stageHeader, false, 0, 0, 0, 0
}

// between reports whether a block has ended with the last bit of the input so far.
func (d *decoder) between() bool { return d.stage == stageHeader && d.have == 0 }

// What decode returns when it can go on later.
var (
	errHungry = errors.New("more input is needed")
	errFull   = errors.New("more room is needed")
)

var (
	errBlockType = errors.New("a block has a type that does not exist")
	errStored    = errors.New("the length of a block is damaged")
	errSymbol    = errors.New("a code stands for nothing")
	errTooFar    = errors.New("a copy is from before the beginning")
	errCounts    = errors.New("a block has too many codes")
	errRepeat    = errors.New("the lengths of codes repeat what is not there")
	errNoEnd     = errors.New("a block has no code for its end")
)

// decode inflates from in to the end of dst, in its capacity: what is before start there is not part of what can be referred to, while the end of past is what came before. It
// returns dst and how much of in it has used, with errHungry, with errFull, with io.EOF after the final block (where a stream that follows begins with the next byte, after reset), or with what is wrong. To errHungry belongs up to a block's
// description that is left in in; it has to be there again with what follows it.
func (d *decoder) decode(dst []byte, start int, past, in []byte) (out []byte, used int, err error) {
	r := bitReader{in: in, bits: d.bits, have: d.have}
	for err == nil {
		switch d.stage {
		case stageHeader:
			before := r
			if err = d.header(&r); err == errHungry {
				r = before
			}
		case stageStored:
			n := copy(dst[len(dst):cap(dst)], r.in[r.at:min(len(r.in), r.at+d.stored)])
			dst = dst[:len(dst)+n]
			r.at += n
			switch d.stored -= n; {
			case d.stored == 0:
				d.endBlock()
			case r.at == len(r.in):
				err = errHungry
			default:
				err = errFull
			}
		case stageCodes:
			dst, err = d.symbols(dst, start, past, &r)
		case stageEnd:
			err = io.EOF
		}
	}
	r.giveBack()
	d.bits, d.have = r.bits, r.have
	return dst, r.at, err
}

func (d *decoder) endBlock() {
	d.stage = stageHeader
	if d.final {
		d.stage = stageEnd
	}
}

// header reads what is before the data of a block.
func (d *decoder) header(r *bitReader) error {
	if !r.need(3) {
		return errHungry
	}
	final, kind := r.take(1) == 1, r.take(2)
	switch kind {
	case 0:
		r.take(r.have & 7)
		if !r.need(32) {
			return errHungry
		}
		n, inverse := r.take(16), r.take(16)
		if n != inverse^0xffff {
			return errStored
		}
		r.giveBack()
		d.stage, d.stored = stageStored, int(n)
	case 1:
		d.stage, d.codes = stageCodes, fixedCodes()
	case 2:
		if err := d.readCodes(r); err != nil {
			return err
		}
		d.stage, d.codes = stageCodes, &d.own
	default:
		return errBlockType
	}
	d.final = final
	return nil
}

// codeOrder is the order of the lengths of the codes for lengths.
var codeOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the codes of a block (RFC 1951 section 3.2.7).
func (d *decoder) readCodes(r *bitReader) error {
	if !r.need(14) {
		return errHungry
	}
	literals, distances, orders := int(r.take(5))+257, int(r.take(5))+1, int(r.take(4))+4
	if literals > 286 || distances > 30 {
		return errCounts
	}
	var lengths [286 + 30]uint8
	for _, at := range codeOrder[:orders] {
		if !r.need(3) {
			return errHungry
		}
		lengths[at] = uint8(r.take(3))
	}
	const orderBits = 7
	var table [1 << orderBits]uint32
	if err := fillTable(table[:], orderBits, lengths[:19], orderEntries[:]); err != nil {
		return err
	}
	clear(lengths[:19])
	all := literals + distances
	for i := 0; i < all; {
		r.fill()
		e := table[r.bits&(1<<orderBits-1)]
		n := uint(e & 15)
		if n > r.have {
			return errHungry
		}
		if e&entryOther != 0 {
			return errSymbol
		}
		symbol := uint8(e >> entryValue)
		if symbol < 16 {
			r.take(n)
			lengths[i] = symbol
			i++
			continue
		}
		extra, least := uint(2), 3
		switch symbol {
		case 17:
			extra = 3
		case 18:
			extra, least = 7, 11
		}
		var value uint8
		if symbol == 16 {
			if i == 0 {
				return errRepeat
			}
			value = lengths[i-1]
		}
		if n+extra > r.have {
			return errHungry
		}
		r.take(n)
		repeat := least + int(r.take(extra))
		if repeat > all-i {
			return errRepeat
		}
		for range repeat {
			lengths[i] = value
			i++
		}
	}
	if lengths[256] == 0 {
		return errNoEnd
	}
	if err := fillTable(d.own.literals[:], literalBits, lengths[:literals], literalEntries[:]); err != nil {
		return err
	}
	return fillTable(d.own.distances[:], distanceBits, lengths[literals:all], distanceEntries[:])
}

// symbols inflates the data of a block up to its end, which it returns as no error.
func (d *decoder) symbols(dst []byte, start int, past []byte, r *bitReader) ([]byte, error) {
	for {
		if d.length > 0 {
			var err error
			if dst, err = d.copy(dst, start, past); err != nil {
				return dst, err
			}
			if d.length > 0 {
				return dst, errFull
			}
		}
		var err error
		if dst, err = d.quickly(dst, start, r); err != nil || d.stage != stageCodes {
			return dst, err
		}
		if d.length > 0 {
			continue
		}
		if dst, err = d.one(dst, r); err != nil || d.stage != stageCodes {
			return dst, err
		}
	}
}

// one inflates a literal, or the description of a copy, where little is left of the input or of the room.
func (d *decoder) one(dst []byte, r *bitReader) ([]byte, error) {
	r.fill()
	b, have := r.bits, r.have
	e := look(d.codes.literals[:], literalBits, b)
	n := uint(e & 15)
	if n > have {
		return dst, errHungry
	}
	switch {
	case e&entryLiteral != 0:
		if len(dst) == cap(dst) {
			return dst, errFull
		}
		r.take(n)
		return append(dst, byte(e>>entryValue)), nil
	case e&entryOther != 0:
		if e>>entryValue != 0 {
			return dst, errSymbol
		}
		r.take(n)
		d.endBlock()
		return dst, nil
	}
	b, have = b>>n, have-n
	extra := uint(e>>entryExtra) & 15
	if extra > have {
		return dst, errHungry
	}
	length := int(e>>entryValue) + int(b&(1<<extra-1))
	b, have = b>>extra, have-extra
	e = look(d.codes.distances[:], distanceBits, b)
	if n = uint(e & 15); n > have {
		return dst, errHungry
	}
	if e&entryOther != 0 {
		return dst, errSymbol
	}
	b, have = b>>n, have-n
	if extra = uint(e>>entryExtra) & 15; extra > have {
		return dst, errHungry
	}
	d.length, d.back = length, int(e>>entryValue)+int(b&(1<<extra-1))
	r.bits, r.have = b>>extra, have-extra
	return dst, nil
}

// copy goes on with a copy, as far as there is room.
func (d *decoder) copy(dst []byte, start int, past []byte) ([]byte, error) {
	for d.length > 0 && len(dst) < cap(dst) {
		before := d.back - (len(dst) - start)
		if before <= 0 {
			break
		}
		if before > len(past) {
			return dst, errTooFar
		}
		n := min(d.length, cap(dst)-len(dst), before)
		dst = append(dst, past[len(past)-before:][:n]...)
		d.length -= n
	}
	for from := len(dst) - d.back; d.length > 0 && len(dst) < cap(dst); {
		n := min(d.length, cap(dst)-len(dst), len(dst)-from) // what it writes may be part of what it copies
		dst = append(dst, dst[from:from+n]...)
		d.length -= n
	}
	return dst, nil
}

func look(table []uint32, root uint, b uint64) uint32 {
	e := table[b&(1<<root-1)]
	if e&entryMore != 0 {
		e = table[uint64(e>>entryValue)+(b>>root)&(1<<(e>>entryExtra&15)-1)]
	}
	return e
}

// quickly does most of the work, as long as there is room for some literals and input for the longest description of a copy. It leaves copies that begin before dst does, or for
// which there is no room, to others. Behind what it returns, dst is no longer what it was.
func (d *decoder) quickly(dst []byte, start int, r *bitReader) ([]byte, error) {
	out, n := dst[:cap(dst)], len(dst)
	in, at := r.in, r.at
	last, lastIn := len(out)-4, len(in)-8
	literals, distances := &d.codes.literals, &d.codes.distances
	b, have := r.bits, r.have
	var err error
	for n <= last && at <= lastIn {
		b |= binary.LittleEndian.Uint64(in[at:]) << have
		at += int((63 - have) >> 3)
		have |= 56
		e := literals[b&(1<<literalBits-1)]
		for i := 0; i < 3 && e&entryLiteral != 0; i++ {
			b >>= e & 15
			have -= uint(e & 15)
			out[n] = byte(e >> entryValue)
			n++
			e = literals[b&(1<<literalBits-1)]
		}
		if have < 48 { // which a description can need
			continue
		}
		if e&entryMore != 0 {
			e = literals[uint64(e>>entryValue)+(b>>literalBits)&(1<<(e>>entryExtra&15)-1)]
		}
		b >>= e & 15
		have -= uint(e & 15)
		if e&entryLiteral != 0 {
			out[n] = byte(e >> entryValue)
			n++
			continue
		}
		if e&entryOther != 0 {
			if e>>entryValue != 0 {
				err = errSymbol
			} else {
				d.endBlock()
			}
			break
		}
		extra := e >> entryExtra & 15
		length := int(e>>entryValue) + int(b&(1<<extra-1))
		b >>= extra
		have -= uint(extra)
		e = distances[b&(1<<distanceBits-1)]
		if e&entryMore != 0 {
			e = distances[uint64(e>>entryValue)+(b>>distanceBits)&(1<<(e>>entryExtra&15)-1)]
		}
		if e&entryOther != 0 {
			err = errSymbol
			break
		}
		b >>= e & 15
		extra = e >> entryExtra & 15
		back := int(e>>entryValue) + int(b&(1<<extra-1))
		b >>= extra
		have -= uint(e&15 + extra)
		switch {
		case back > n-start || length > len(out)-n:
			d.length, d.back = length, back
		case length <= 16 && back >= 16 && len(out)-n >= 16: // faster than a copy that is as long as it should be
			binary.LittleEndian.PutUint64(out[n:], binary.LittleEndian.Uint64(out[n-back:]))
			binary.LittleEndian.PutUint64(out[n+8:], binary.LittleEndian.Uint64(out[n-back+8:]))
			n += length
		case back >= length:
			n += copy(out[n:n+length], out[n-back:])
		default: // what it writes is part of what it copies
			for from := n - back; length > 0; {
				k := copy(out[n:n+length], out[from:n])
				n += k
				length -= k
			}
		}
		if d.length > 0 {
			break
		}
	}
	r.bits, r.have, r.at = b&(1<<have-1), have, at
	return out[:n], err
}
