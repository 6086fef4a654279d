package okio

import (
	"io"
	"unicode/utf8"
	"unsafe"
)

// ReadN consumes n bytes and returns them in a slice of their own. An n that is negative or above 2 GiB - 1 is an error.
func (b *Buffer) ReadN(n int64) ([]byte, error) {
	if err := b.checkDemand(n); err != nil {
		return nil, err
	}
	p := make([]byte, n)
	_, _ = b.Read(p)
	return p, nil
}

// ReadText consumes n bytes and returns them as a string, unchanged even if they are not valid UTF-8. It allocates once.
func (b *Buffer) ReadText(n int64) (string, error) {
	if err := b.checkDemand(n); err != nil {
		return "", err
	}
	if n == 0 {
		return "", nil
	}
	if h := b.head; int64(h.level()) >= n {
		text := string(h.data[h.pos : h.pos+int(n)])
		b.drop(n)
		return text, nil
	}
	p := make([]byte, n)
	_, _ = b.Read(p)
	return unsafe.String(&p[0], len(p)), nil // p is referred to by nothing else
}

// ReadByteString consumes n bytes and returns them as a ByteString. It allocates once.
func (b *Buffer) ReadByteString(n int64) (ByteString, error) {
	text, err := b.ReadText(n)
	return ByteString(text), err
}

func (b *Buffer) checkDemand(n int64) error {
	if err := checkAllocation(n); err != nil {
		return err
	}
	if have := b.Len(); have < n {
		return shortErr(have)
	}
	return nil
}

// runeWidth is how many bytes the lead byte c announces; 1 for bytes that can start nothing longer.
func runeWidth(c byte) int {
	switch {
	case c < 0xc0 || c >= 0xf8:
		return 1
	case c < 0xe0:
		return 2
	case c < 0xf0:
		return 3
	default:
		return 4
	}
}

// ReadRune consumes one UTF-8 sequence. A malformed one yields U+FFFD and consumes the lead byte and the continuation bytes
// that belong to it, so that the byte after them is looked at afresh; the size is the number of bytes consumed. A sequence
// that the end of the buffer cuts off is io.ErrUnexpectedEOF and consumes nothing.
func (b *Buffer) ReadRune() (rune, int, error) {
	h := b.head
	if h == nil {
		return 0, 0, io.EOF
	}
	width := runeWidth(h.data[h.pos])
	var seq [utf8.UTFMax]byte
	if have := b.peekInto(seq[:width]); have < width {
		return 0, 0, io.ErrUnexpectedEOF
	}
	r, size := utf8.DecodeRune(seq[:width])
	if r == utf8.RuneError && size == 1 {
		for size < width && seq[size]&0xc0 == 0x80 {
			size++
		}
	}
	b.drop(int64(size))
	b.unread = seq
	b.unreadAt = b.start
	b.unreadWidth = int8(size)
	return r, size, nil
}

// peekInto copies the front to p without consuming it and returns how much there was.
func (b *Buffer) peekInto(p []byte) int {
	total := 0
	for s := b.head; s != nil && total < len(p); {
		total += copy(p[total:], s.data[s.pos:s.limit])
		if s = s.next; s == b.head {
			break
		}
	}
	return total
}

// WriteRune appends r in UTF-8 and returns its width. A surrogate or a value that is no code point is written as U+FFFD,
// the bytes EF BF BD, as utf8.AppendRune does. The error is always nil.
func (b *Buffer) WriteRune(r rune) (int, error) {
	s := b.room(utf8.UTFMax)
	n := len(utf8.AppendRune(s.data[s.limit:s.limit], r))
	b.grow(s, n)
	return n, nil
}
