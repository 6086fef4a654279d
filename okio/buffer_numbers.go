package okio

import (
	"encoding/binary"
	"strconv"
)

// front returns the next n bytes, n <= 8, as a slice that is valid until the next call, and consumes them.
func (b *Buffer) front(n int, scratch *[8]byte) ([]byte, error) {
	if h := b.head; h != nil && h.limit-h.pos > n {
		p := h.data[h.pos : h.pos+n]
		h.pos += n
		b.start += int64(n)
		return p, nil
	}
	if have := b.Len(); have < int64(n) {
		return nil, shortErr(have)
	}
	_, _ = b.Read(scratch[:n])
	return scratch[:n], nil
}

// ReadUint16 consumes 2 bytes, big-endian.
func (b *Buffer) ReadUint16() (uint16, error) {
	var scratch [8]byte
	p, err := b.front(2, &scratch)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint16(p), nil
}

// ReadUint32 consumes 4 bytes, big-endian.
func (b *Buffer) ReadUint32() (uint32, error) {
	if h := b.head; h != nil && h.limit-h.pos > 4 {
		v := binary.BigEndian.Uint32(h.data[h.pos:])
		h.pos += 4
		b.start += 4
		return v, nil
	}
	var scratch [8]byte
	p, err := b.front(4, &scratch)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(p), nil
}

// ReadUint64 consumes 8 bytes, big-endian.
func (b *Buffer) ReadUint64() (uint64, error) {
	var scratch [8]byte
	p, err := b.front(8, &scratch)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(p), nil
}

// ReadUint16LE consumes 2 bytes, little-endian.
func (b *Buffer) ReadUint16LE() (uint16, error) {
	var scratch [8]byte
	p, err := b.front(2, &scratch)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint16(p), nil
}

// ReadUint32LE consumes 4 bytes, little-endian.
func (b *Buffer) ReadUint32LE() (uint32, error) {
	var scratch [8]byte
	p, err := b.front(4, &scratch)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(p), nil
}

// ReadUint64LE consumes 8 bytes, little-endian.
func (b *Buffer) ReadUint64LE() (uint64, error) {
	var scratch [8]byte
	p, err := b.front(8, &scratch)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(p), nil
}

// WriteUint16 appends v, big-endian. Fixed-width values are never split across segments.
func (b *Buffer) WriteUint16(v uint16) {
	s := b.room(2)
	binary.BigEndian.PutUint16(s.data[s.limit:], v)
	b.grow(s, 2)
}

// WriteUint32 appends v, big-endian.
func (b *Buffer) WriteUint32(v uint32) {
	s := b.room(4)
	binary.BigEndian.PutUint32(s.data[s.limit:], v)
	b.grow(s, 4)
}

// WriteUint64 appends v, big-endian.
func (b *Buffer) WriteUint64(v uint64) {
	s := b.room(8)
	binary.BigEndian.PutUint64(s.data[s.limit:], v)
	b.grow(s, 8)
}

// WriteUint16LE appends v, little-endian.
func (b *Buffer) WriteUint16LE(v uint16) {
	s := b.room(2)
	binary.LittleEndian.PutUint16(s.data[s.limit:], v)
	b.grow(s, 2)
}

// WriteUint32LE appends v, little-endian.
func (b *Buffer) WriteUint32LE(v uint32) {
	s := b.room(4)
	binary.LittleEndian.PutUint32(s.data[s.limit:], v)
	b.grow(s, 4)
}

// WriteUint64LE appends v, little-endian.
func (b *Buffer) WriteUint64LE(v uint64) {
	s := b.room(8)
	binary.LittleEndian.PutUint64(s.data[s.limit:], v)
	b.grow(s, 8)
}

// WriteDecimal appends v in decimal digits, with a '-' when negative.
func (b *Buffer) WriteDecimal(v int64) {
	var scratch [20]byte
	_, _ = b.Write(strconv.AppendInt(scratch[:0], v, 10))
}

// WriteHex appends v in lower-case hexadecimal digits without leading zeros.
func (b *Buffer) WriteHex(v uint64) {
	var scratch [16]byte
	_, _ = b.Write(strconv.AppendUint(scratch[:0], v, 16))
}

// ReadDecimal consumes an optional '-' and one or more decimal digits, up to the first byte that does not fit, which stays.
// A number that is malformed or outside int64 fails with a [*NumberError], and nothing is consumed.
func (b *Buffer) ReadDecimal() (int64, error) {
	var d decimalScan
	b.feed(0, d.feed)
	v, n, err := d.finish()
	if err != nil {
		return 0, err
	}
	b.drop(n)
	return v, nil
}

// ReadHex consumes one or more hexadecimal digits of either case, up to the first byte that does not fit, which stays. A
// number that is malformed or wider than 64 bits fails with a [*NumberError], and nothing is consumed.
func (b *Buffer) ReadHex() (uint64, error) {
	var x hexScan
	b.feed(0, x.feed)
	v, n, err := x.finish()
	if err != nil {
		return 0, err
	}
	b.drop(n)
	return v, nil
}

// feed hands the bytes from offset off on to scan, a segment at a time, until scan has seen enough.
func (b *Buffer) feed(off int64, scan func([]byte) bool) bool {
	if off >= b.Len() {
		return false
	}
	s, at := b.seek(off)
	for {
		if scan(s.data[s.pos+int(off-at) : s.limit]) {
			return true
		}
		at += int64(s.level())
		off = at
		s = s.next
		if s == b.head {
			return false
		}
	}
}
