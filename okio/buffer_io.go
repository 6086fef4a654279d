package okio

import (
	"errors"
	"io"
)

// Read fills p from as many segments as it takes. It returns 0, io.EOF when the buffer is empty and p is not.
func (b *Buffer) Read(p []byte) (int, error) {
	if b.head == nil {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	total := 0
	for len(p) > 0 && b.head != nil {
		h := b.head
		n := copy(p, h.data[h.pos:h.limit])
		h.pos += n
		if h.pos == h.limit {
			b.popHead()
		}
		p = p[n:]
		total += n
	}
	b.start += int64(total)
	return total, nil
}

// Write appends a copy of p. The error is always nil.
func (b *Buffer) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > 0 {
		s := b.room(1)
		n := copy(s.data[s.limit:], p)
		b.grow(s, n)
		p = p[n:]
	}
	return total, nil
}

// WriteString appends a copy of s. The error is always nil.
func (b *Buffer) WriteString(str string) (int, error) {
	total := len(str)
	for len(str) > 0 {
		s := b.room(1)
		n := copy(s.data[s.limit:], str)
		b.grow(s, n)
		str = str[n:]
	}
	return total, nil
}

// ReadByte consumes one byte, or returns io.EOF.
func (b *Buffer) ReadByte() (byte, error) {
	h := b.head
	if h == nil {
		return 0, io.EOF
	}
	c := h.data[h.pos]
	h.pos++
	b.start++
	b.unread[0] = c
	b.unreadAt = b.start
	b.unreadWidth = -1
	if h.pos == h.limit {
		b.popHead()
	}
	return c, nil
}

var (
	errUnreadByte = errors.New("okio: UnreadByte: the last reading call was not a successful ReadByte or ReadRune")
	errUnreadRune = errors.New("okio: UnreadRune: the last reading call was not a successful ReadRune")
)

// UnreadByte puts back the byte that the last ReadByte returned, or the last byte of the rune that the last ReadRune
// returned. It fails if anything was read in between.
func (b *Buffer) UnreadByte() error {
	if b.unreadWidth == 0 || b.unreadAt != b.start {
		return errUnreadByte
	}
	last := 0
	if b.unreadWidth > 0 {
		last = int(b.unreadWidth) - 1
	}
	b.unreadWidth = 0
	b.pushFront(b.unread[last : last+1])
	return nil
}

// UnreadRune puts back what the last ReadRune consumed. It fails if anything was read in between.
func (b *Buffer) UnreadRune() error {
	if b.unreadWidth <= 0 || b.unreadAt != b.start {
		return errUnreadRune
	}
	width := int(b.unreadWidth)
	b.unreadWidth = 0
	b.pushFront(b.unread[:width])
	return nil
}

// pushFront puts p, which was just read, back before the first byte.
func (b *Buffer) pushFront(p []byte) {
	b.dropReserve() // what was read may have taken the tail with it, and start returns to where it was
	b.start -= int64(len(p))
	if h := b.head; h != nil && h.pos >= len(p) {
		before := h.data[h.pos-len(p) : h.pos]
		if string(before) == string(p) {
			h.pos -= len(p)
			return
		}
		if h.exclusive() {
			copy(before, p)
			h.pos -= len(p)
			return
		}
	}
	s := takeSegment()
	// At the end of the array, so that more can be put back in front of it and nothing is appended to the crumb.
	s.pos, s.limit = segmentSize-len(p), segmentSize
	copy(s.data[s.pos:], p)
	b.linkFront(s)
}

// WriteByte appends c. The error is always nil.
func (b *Buffer) WriteByte(c byte) error {
	s := b.room(1)
	s.data[s.limit] = c
	b.grow(s, 1)
	return nil
}

// minRead is the least room that a read from outside is given, if it asked for so much.
const minRead = segmentSize / 8

// ReadFrom appends everything that r has, until io.EOF, which is not reported. It reads straight into segments; from a
// reader that is a [Source] it moves segments instead. Memory grows with what r delivers.
func (b *Buffer) ReadFrom(r io.Reader) (int64, error) {
	if s, ok := r.(Source); ok {
		return readAllFrom(b, s)
	}
	before := b.end
	for {
		_, err := b.readOnce(r, segmentSize)
		if err == io.EOF {
			return b.end - before, nil
		}
		if err != nil {
			return b.end - before, err
		}
	}
}

func readAllFrom(b *Buffer, s Source) (int64, error) {
	before := b.end
	for {
		_, err := b.refill(s, segmentSize)
		if err == io.EOF {
			return b.end - before, nil
		}
		if err != nil {
			return b.end - before, err
		}
	}
}

// readOnce makes one successful read of at most max bytes, max > 0, into the room behind the tail. The count may be
// positive together with an error, as io.Reader has it.
func (b *Buffer) readOnce(r io.Reader, max int64) (int, error) {
	s := b.room(int(min(max, minRead)))
	room := s.data[s.limit:]
	if int64(len(room)) > max {
		room = room[:max]
	}
	for range emptyReads {
		n, err := r.Read(room)
		if n < 0 || n > len(room) {
			b.grow(s, 0)
			return 0, countErr(r, "Read", n, len(room))
		}
		if n > 0 || err != nil {
			b.grow(s, n)
			return n, err
		}
	}
	b.grow(s, 0)
	return 0, io.ErrNoProgress
}

// refill makes one successful read of at most max bytes, max > 0, from s. It believes the buffer rather than the count, and
// never reports both progress and an error.
func (b *Buffer) refill(s Source, max int64) (int64, error) {
	before := b.end
	for range emptyReads {
		_, err := s.ReadBuffer(b, max)
		if n := b.end - before; n > 0 {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}

// WriteTo writes everything to w and consumes what w took. A w that is a [Sink] takes the segments without copying, and a
// TCP or Unix connection takes all of them in one system call.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	size := b.Len()
	if k, ok := w.(Sink); ok {
		if size == 0 {
			return 0, nil
		}
		err := k.WriteBuffer(b, size)
		return size - b.Len(), err
	}
	if size > 0 && b.head.next != b.head && isVectored(w) {
		err := (&writerSink{w: w, vectored: true}).WriteBuffer(b, size)
		return size - b.Len(), err
	}
	for b.head != nil {
		if err := b.writeOnce(w, b.head.bytes()); err != nil {
			return size - b.Len(), err
		}
	}
	return size, nil
}

// writeOnce writes p, a view of the front, and consumes what w took.
func (b *Buffer) writeOnce(w io.Writer, p []byte) error {
	n, err := w.Write(p)
	if n < 0 || n > len(p) {
		return countErr(w, "Write", n, len(p))
	}
	b.drop(int64(n))
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

var (
	_ io.Reader       = (*Buffer)(nil)
	_ io.Writer       = (*Buffer)(nil)
	_ io.ByteScanner  = (*Buffer)(nil)
	_ io.ByteWriter   = (*Buffer)(nil)
	_ io.RuneScanner  = (*Buffer)(nil)
	_ io.StringWriter = (*Buffer)(nil)
	_ io.ReaderFrom   = (*Buffer)(nil)
	_ io.WriterTo     = (*Buffer)(nil)
	_ Source          = (*Buffer)(nil)
	_ Sink            = (*Buffer)(nil)
)
