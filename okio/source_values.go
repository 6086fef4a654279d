package okio

import (
	"io"
	"unicode/utf8"
)

// ReadUint16 consumes 2 bytes, big-endian.
func (s *BufferedSource) ReadUint16() (uint16, error) {
	if err := s.Require(2); err != nil {
		return 0, err
	}
	return s.buf.ReadUint16()
}

// ReadUint32 consumes 4 bytes, big-endian.
func (s *BufferedSource) ReadUint32() (uint32, error) {
	if err := s.Require(4); err != nil {
		return 0, err
	}
	return s.buf.ReadUint32()
}

// ReadUint64 consumes 8 bytes, big-endian.
func (s *BufferedSource) ReadUint64() (uint64, error) {
	if err := s.Require(8); err != nil {
		return 0, err
	}
	return s.buf.ReadUint64()
}

// ReadUint16LE consumes 2 bytes, little-endian.
func (s *BufferedSource) ReadUint16LE() (uint16, error) {
	if err := s.Require(2); err != nil {
		return 0, err
	}
	return s.buf.ReadUint16LE()
}

// ReadUint32LE consumes 4 bytes, little-endian.
func (s *BufferedSource) ReadUint32LE() (uint32, error) {
	if err := s.Require(4); err != nil {
		return 0, err
	}
	return s.buf.ReadUint32LE()
}

// ReadUint64LE consumes 8 bytes, little-endian.
func (s *BufferedSource) ReadUint64LE() (uint64, error) {
	if err := s.Require(8); err != nil {
		return 0, err
	}
	return s.buf.ReadUint64LE()
}

// scan feeds the buffered bytes and those to come to feed until it has seen enough or the source ends.
func (s *BufferedSource) scan(feed func([]byte) bool) error {
	if err := s.fill(); err != nil {
		return err
	}
	for seen := int64(0); ; {
		if s.buf.feed(seen, feed) {
			return nil
		}
		seen = s.buf.Len()
		if err := s.refill(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// ReadDecimal consumes a decimal number as [Buffer.ReadDecimal] does. It reads up to the byte that ends the number.
func (s *BufferedSource) ReadDecimal() (int64, error) {
	var d decimalScan
	if err := s.scan(d.feed); err != nil {
		return 0, err
	}
	v, n, err := d.finish()
	if err != nil {
		return 0, err
	}
	s.buf.drop(n)
	return v, nil
}

// ReadHex consumes a hexadecimal number as [Buffer.ReadHex] does. It reads up to the byte that ends the number.
func (s *BufferedSource) ReadHex() (uint64, error) {
	var x hexScan
	if err := s.scan(x.feed); err != nil {
		return 0, err
	}
	v, n, err := x.finish()
	if err != nil {
		return 0, err
	}
	s.buf.drop(n)
	return v, nil
}

// ReadN consumes n bytes and returns them in a slice of their own, which is made when they have come. An n that is negative
// or above 2 GiB - 1 is an error.
func (s *BufferedSource) ReadN(n int64) ([]byte, error) {
	if err := s.demand(n); err != nil {
		return nil, err
	}
	return s.buf.ReadN(n)
}

// ReadText consumes n bytes and returns them as a string, unchanged even if they are not valid UTF-8. It allocates once,
// when they have come.
func (s *BufferedSource) ReadText(n int64) (string, error) {
	if err := s.demand(n); err != nil {
		return "", err
	}
	return s.buf.ReadText(n)
}

// ReadByteString consumes n bytes and returns them as a ByteString.
func (s *BufferedSource) ReadByteString(n int64) (ByteString, error) {
	if err := s.demand(n); err != nil {
		return "", err
	}
	return s.buf.ReadByteString(n)
}

func (s *BufferedSource) demand(n int64) error {
	if err := checkAllocation(n); err != nil {
		return err
	}
	return s.Require(n)
}

// PeekN returns a view of the first n bytes in one piece, without consuming them. It must not be written to and is valid
// until the next call. An n above 16 KiB is an error.
func (s *BufferedSource) PeekN(n int) ([]byte, error) {
	if n > 0 && n <= segmentSize {
		if err := s.Require(int64(n)); err != nil {
			return nil, err
		}
	}
	if s.closed {
		return nil, ErrClosed
	}
	return s.buf.PeekN(n)
}

// ReadRune consumes one UTF-8 sequence as [Buffer.ReadRune] does.
func (s *BufferedSource) ReadRune() (rune, int, error) {
	if err := s.fill(); err != nil {
		return 0, 0, err
	}
	h := s.buf.head
	if c := h.data[h.pos]; c >= utf8.RuneSelf {
		if err := s.Require(int64(runeWidth(c))); err != nil {
			return 0, 0, err
		}
	}
	return s.buf.ReadRune()
}

// UnreadRune puts back what the last ReadRune consumed, if nothing was read since.
func (s *BufferedSource) UnreadRune() error {
	if s.closed {
		return ErrClosed
	}
	return s.buf.UnreadRune()
}
