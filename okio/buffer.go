package okio

import (
	"fmt"
	"unicode/utf8"
)

// A Buffer is a queue of bytes held in pooled segments: written at the end, read from the front, moved to another Buffer
// without copying. It is a [Source], a [Sink] and most of what package io defines at once.
//
// The zero value is empty and ready. Writing cannot fail. A Buffer must not be copied after first use and is not
// safe for concurrent use, but different buffers may be used by different goroutines even while they share bytes through
// [Buffer.Clone] or [Buffer.CopyTo].
//
// Slices returned by PeekN, Chunks and Reserve are views of pooled memory: they are valid until the next call on the
// buffer.
//
// Methods that demand a number of bytes fail with io.EOF when the buffer is empty and io.ErrUnexpectedEOF when it holds too
// few, and consume nothing then.
type Buffer struct {
	head       *segment // the tail is head.prev
	start, end int64    // offsets since creation of the first readable byte and of the first byte to be written

	// What UnreadByte and UnreadRune may put back: the bytes of the last ReadByte or ReadRune, as long as start is still
	// where that call left it. unreadWidth is 0 for nothing, -1 for a byte and the width of a rune.
	unreadAt    int64
	unread      [utf8.UTFMax]byte
	unreadWidth int8

	// What Reserve handed out, as long as start and end are still the same: the tail or a fresh segment. Whoever makes
	// start smaller, or relinks the tail without moving either, has to call dropReserve.
	reserved                *segment
	reservedFresh           bool
	reservedAt, reservedEnd int64
}

// NewBufferString returns a Buffer that holds a copy of s.
func NewBufferString(s string) *Buffer {
	b := new(Buffer)
	_, _ = b.WriteString(s)
	return b
}

// Len is the number of bytes to read.
func (b *Buffer) Len() int64 { return b.end - b.start }

// Clear drops everything and returns the segments that nobody shares to the pool. Call it on buffers that are let go with
// bytes in them: the collector would get the segments otherwise, which is safe but slow.
func (b *Buffer) Clear() {
	b.dropReserve()
	b.drop(b.Len())
}

// Close does nothing: a buffer stays usable.
func (b *Buffer) Close() error { return nil }

// Flush does nothing: a buffer is the final destination.
func (b *Buffer) Flush() error { return nil }

// Skip drops n bytes. If there are fewer it drops them all and returns io.EOF or io.ErrUnexpectedEOF.
func (b *Buffer) Skip(n int64) error {
	if err := checkCount(n); err != nil {
		return err
	}
	have := b.Len()
	if n > have {
		b.drop(have)
		return shortErr(have)
	}
	b.drop(n)
	return nil
}

// drop consumes n bytes that are there.
func (b *Buffer) drop(n int64) {
	b.start += n
	for n > 0 {
		h := b.head
		level := int64(h.level())
		if n < level {
			h.pos += int(n)
			return
		}
		n -= level
		b.popHead()
	}
}

// popHead unlinks and releases the head; the caller accounts for its bytes.
func (b *Buffer) popHead() {
	h := b.head
	b.head = h.unlink()
	h.release()
}

// tail is the last segment, nil when empty.
func (b *Buffer) tail() *segment {
	if b.head == nil {
		return nil
	}
	return b.head.prev
}

// room returns the segment that the next bytes go to, with at least min bytes free behind its limit: the tail, or a fresh
// one that is not linked yet. The caller fills some of data[limit:] and calls grow.
func (b *Buffer) room(min int) *segment {
	if b.head != nil {
		if t := b.head.prev; t.root == nil && segmentSize-t.limit >= min {
			return t
		}
	}
	return takeSegment()
}

// grow accounts for n bytes that were put behind the limit of a segment that room returned, and links it if it is fresh. No
// empty segment is ever linked.
func (b *Buffer) grow(s *segment, n int) {
	if n == 0 {
		if s.next == nil {
			s.release()
		}
		return
	}
	s.limit += n
	b.end += int64(n)
	if s.next == nil {
		b.link(s)
	}
}

// link appends an unlinked segment to the ring.
func (b *Buffer) link(s *segment) {
	if b.head == nil {
		b.head = s
		s.next, s.prev = s, s
		return
	}
	s.pushAfter(b.head.prev)
}

// linkFront puts an unlinked segment before the head.
func (b *Buffer) linkFront(s *segment) {
	b.link(s) // the place before the head is the place behind the tail
	b.head = s
}

// seek returns the segment that holds the byte at offset i, which must exist, and the offset of the segment's first byte.
// It walks from the nearer end.
func (b *Buffer) seek(i int64) (*segment, int64) {
	s := b.head
	if level := int64(s.level()); i < level {
		return s, 0
	}
	if size := b.Len(); size-i < i {
		at := size
		for at > i {
			s = s.prev
			at -= int64(s.level())
		}
		return s, at
	}
	var at int64
	for {
		level := int64(s.level())
		if i < at+level {
			return s, at
		}
		at += level
		s = s.next
	}
}

// At returns the byte at offset i from the front, without consuming it. It panics if i is not in [0, Len).
func (b *Buffer) At(i int64) byte {
	if h := b.head; h != nil && uint64(i) < uint64(h.limit-h.pos) {
		return h.data[h.pos+int(i)]
	}
	return b.atSlow(i)
}

func (b *Buffer) atSlow(i int64) byte {
	if i < 0 || i >= b.Len() {
		panic(fmt.Sprintf("okio: index %d out of range of a buffer of %d bytes", i, b.Len()))
	}
	s, at := b.seek(i)
	return s.data[s.pos+int(i-at)]
}

// checkRange rejects a range that is not inside the buffer.
func (b *Buffer) checkRange(off, n int64) error {
	if size := b.Len(); off < 0 || n < 0 || off > size || size-off < n {
		return fmt.Errorf("okio: range of %d bytes at %d is outside a buffer of %d bytes", n, off, size)
	}
	return nil
}

// completeBytes is how many bytes lie in segments that will not be appended to.
func (b *Buffer) completeBytes() int64 {
	t := b.tail()
	if t == nil {
		return 0
	}
	if t.root == nil && t.limit < segmentSize {
		return b.Len() - int64(t.level())
	}
	return b.Len()
}
