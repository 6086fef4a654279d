package okio

import (
	"fmt"
	"io"
)

// A LengthError reports a source that did not have the length it should have. It is io.ErrUnexpectedEOF if it was too
// short.
type LengthError struct {
	Expected, Got int64 // in bytes; what came beyond Expected may not have been counted to its end
}

// Error names both lengths.
func (e *LengthError) Error() string {
	return fmt.Sprintf("okio: expected %d bytes but got %d", e.Expected, e.Got)
}

// Unwrap returns io.ErrUnexpectedEOF if bytes were missing.
func (e *LengthError) Unwrap() error {
	if e.Got < e.Expected {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// NewLimitSource returns a source of the first n bytes of s. If s ends earlier it fails with a [*LengthError]. Unless exact
// it never reads past n. If exact, s must end after n bytes: the source reads on to see that, and fails with a LengthError
// if it does not. The error repeats. Closing it closes s. A negative n is taken as 0.
func NewLimitSource(s Source, n int64, exact bool) Source {
	return &limitSource{up: s, size: max(n, 0), exact: exact}
}

type limitSource struct {
	up     Source
	size   int64
	seen   int64 // bytes that came from up
	exact  bool
	closed bool
	spare  Buffer // what came and is not delivered yet
}

func (s *limitSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkRead(max, s.closed); err != nil || max == 0 {
		return 0, err
	}
	if s.seen > s.size {
		return 0, s.lengthError()
	}
	left := s.size - s.seen
	if !s.exact {
		if left == 0 {
			return 0, io.EOF
		}
		n, err := dst.refill(s.up, min(max, left))
		s.seen += n
		return n, s.ended(err)
	}
	// Through a buffer of our own, so that a surplus never gets to dst.
	n, err := s.spare.refill(s.up, max)
	s.seen += n
	if err != nil {
		return 0, s.ended(err)
	}
	n = min(n, left)
	_ = dst.WriteBuffer(&s.spare, n)
	if s.spare.head != nil {
		s.spare.Clear()
		if n == 0 {
			return 0, s.lengthError()
		}
	}
	return n, nil
}

// Read lets large reads of a BufferedSource bypass its buffer.
func (s *limitSource) Read(p []byte) (int, error) {
	if r, ok := s.up.(io.Reader); ok && !s.exact && !s.closed && s.seen < s.size {
		n, err := r.Read(p[:min(int64(len(p)), s.size-s.seen)])
		s.seen += int64(n)
		return n, s.ended(err)
	}
	var b Buffer
	n, err := s.ReadBuffer(&b, int64(len(p)))
	_, _ = b.Read(p)
	return int(n), err
}

// ended turns the end of the source into an error if it came too early.
func (s *limitSource) ended(err error) error {
	if err == io.EOF && s.seen < s.size {
		return s.lengthError()
	}
	return err
}

func (s *limitSource) lengthError() error { return &LengthError{Expected: s.size, Got: s.seen} }

func (s *limitSource) Timeout() *Timeout { return TimeoutOf(s.up) }

func (s *limitSource) Close() error {
	s.closed = true
	return s.up.Close()
}
