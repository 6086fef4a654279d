package okio

import (
	"io"
	"math"
)

// A BufferedSource reads values, text and lines from a [Source] through a [Buffer] of its own. It reads upstream only when
// it has to, and at most one segment's worth at a time. It is itself a Source and an io.Reader.
//
// A BufferedSource is not safe for concurrent use. Methods that demand a number of bytes fail with io.EOF when the source
// ends before the first one and with io.ErrUnexpectedEOF when it ends in between; unless they say otherwise they consume
// nothing then. Errors of the source are returned as they are and not remembered, so that a later call tries again. After
// Close everything fails with [ErrClosed].
type BufferedSource struct {
	up     Source
	direct io.Reader // up, if it is a reader as well
	buf    Buffer
	closed bool
	line   []byte // what LineView returned, if that was not one piece
}

// NewBufferedSource returns a BufferedSource that reads from s and owns it.
func NewBufferedSource(s Source) *BufferedSource {
	r, _ := s.(io.Reader)
	return &BufferedSource{up: s, direct: r}
}

// Buffer returns the buffer between the source and the reader. Reading from it directly sees what is buffered and never
// blocks.
func (s *BufferedSource) Buffer() *Buffer { return &s.buf }

// Timeout returns the time limits of the source beneath.
func (s *BufferedSource) Timeout() *Timeout { return TimeoutOf(s.up) }

// Close closes the source beneath and drops what is buffered. A second call does nothing.
func (s *BufferedSource) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.line = nil
	err := s.up.Close()
	s.buf.Clear()
	return err
}

// refill gets more bytes into the buffer.
func (s *BufferedSource) refill() error {
	if s.closed {
		return ErrClosed
	}
	_, err := s.buf.refill(s.up, segmentSize)
	return err
}

// fill gets at least one byte into an empty buffer.
func (s *BufferedSource) fill() error {
	if s.buf.head != nil {
		return nil
	}
	return s.refill()
}

// Exhausted reports whether the source has ended and everything was read. It may block to find out.
func (s *BufferedSource) Exhausted() (bool, error) {
	err := s.fill()
	if err == io.EOF {
		return true, nil
	}
	return false, err
}

// Request gets at least n bytes into the buffer and returns true, or returns false if the source ends before that. The
// bytes that came stay buffered in any case.
func (s *BufferedSource) Request(n int64) (bool, error) {
	if err := checkCount(n); err != nil {
		return false, err
	}
	if s.closed {
		return false, ErrClosed
	}
	for s.buf.Len() < n {
		if err := s.refill(); err != nil {
			if err == io.EOF {
				return false, nil
			}
			return false, err
		}
	}
	return true, nil
}

// Require gets at least n bytes into the buffer, or fails.
func (s *BufferedSource) Require(n int64) error {
	if s.buf.Len() >= n && n > 0 {
		return nil
	}
	ok, err := s.Request(n)
	if err == nil && !ok {
		err = shortErr(s.buf.Len())
	}
	return err
}

// ReadBuffer moves up to max bytes to the end of dst, reading from the source once if nothing is buffered. It implements
// [Source].
func (s *BufferedSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkRead(max, s.closed); err != nil || max == 0 {
		return 0, err
	}
	if err := s.fill(); err != nil {
		return 0, err
	}
	return s.buf.ReadBuffer(dst, max)
}

// Read fills p from what is buffered, after one read from the source if that is nothing. A large p is then filled by the
// source directly, if it is an io.Reader too.
func (s *BufferedSource) Read(p []byte) (int, error) {
	if s.buf.head == nil {
		if s.closed {
			return 0, ErrClosed
		}
		if len(p) == 0 {
			return 0, nil
		}
		if s.direct != nil && len(p) >= segmentSize {
			n, err := s.direct.Read(p)
			if n < 0 || n > len(p) {
				return 0, countErr(s.direct, "Read", n, len(p))
			}
			s.passed(int64(n))
			return n, err
		}
		if err := s.refill(); err != nil {
			return 0, err
		}
	}
	return s.buf.Read(p)
}

// passed accounts for bytes that went past the buffer, so that peeks notice.
func (s *BufferedSource) passed(n int64) {
	s.buf.start += n
	s.buf.end += n
}

// ReadByte consumes one byte.
func (s *BufferedSource) ReadByte() (byte, error) {
	if s.buf.head == nil {
		if err := s.refill(); err != nil {
			return 0, err
		}
	}
	return s.buf.ReadByte()
}

// UnreadByte puts back the byte that the last reading call, a ReadByte or ReadRune, consumed last.
func (s *BufferedSource) UnreadByte() error {
	if s.closed {
		return ErrClosed
	}
	return s.buf.UnreadByte()
}

// Skip drops n bytes. If the source ends before that, what there was is gone and the error is io.EOF or
// io.ErrUnexpectedEOF.
func (s *BufferedSource) Skip(n int64) error {
	if err := checkCount(n); err != nil {
		return err
	}
	if s.closed {
		return ErrClosed
	}
	for left := n; left > 0; {
		if err := s.fill(); err != nil {
			if err == io.EOF {
				err = shortErr(n - left)
			}
			return err
		}
		take := min(left, s.buf.Len())
		s.buf.drop(take)
		left -= take
	}
	return nil
}

// ReadFull moves exactly n bytes to the end of dst. If it fails, with io.EOF or io.ErrUnexpectedEOF when the source ends
// early, dst has what came until then.
func (s *BufferedSource) ReadFull(dst *Buffer, n int64) error {
	if err := checkCount(n); err != nil {
		return err
	}
	if s.closed {
		return ErrClosed
	}
	if dst == &s.buf {
		return errSelfMove
	}
	left := n - min(n, s.buf.Len())
	_ = dst.WriteBuffer(&s.buf, n-left)
	for left > 0 {
		k, err := dst.refill(s.up, left)
		if err != nil {
			if err == io.EOF {
				err = shortErr(n - left)
			}
			return err
		}
		s.passed(k)
		left -= k
	}
	return nil
}

// ReadAllTo moves everything until the end of the source to k and returns how much that was. It hands over complete
// segments as they come, and the remainder at the end; at most about one segment is held back. It does not flush k.
func (s *BufferedSource) ReadAllTo(k Sink) (int64, error) {
	if s.closed {
		return 0, ErrClosed
	}
	var total int64
	hand := func(n int64) error {
		if n == 0 {
			return nil
		}
		before := s.buf.Len()
		err := k.WriteBuffer(&s.buf, n)
		total += before - s.buf.Len()
		return err
	}
	for {
		err := s.refill()
		if err == io.EOF {
			return total, hand(s.buf.Len())
		}
		if err != nil {
			return total, err
		}
		if err := hand(s.buf.completeBytes()); err != nil {
			return total, err
		}
	}
}

// WriteTo writes everything until the end of the source to w, as soon as it comes. A w that is a [Sink] takes segments as
// ReadAllTo hands them.
func (s *BufferedSource) WriteTo(w io.Writer) (int64, error) {
	if k, ok := w.(Sink); ok {
		return s.ReadAllTo(k)
	}
	var total int64
	for {
		n, err := s.buf.WriteTo(w)
		total += n
		if err != nil {
			return total, err
		}
		if err := s.refill(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return total, err
		}
	}
}

// unlimited is the end of a search that only the end of the source bounds.
const unlimited = math.MaxInt64

var (
	_ io.Reader      = (*BufferedSource)(nil)
	_ io.ByteScanner = (*BufferedSource)(nil)
	_ io.RuneScanner = (*BufferedSource)(nil)
	_ io.WriterTo    = (*BufferedSource)(nil)
	_ Source         = (*BufferedSource)(nil)
	_ Limited        = (*BufferedSource)(nil)
)
