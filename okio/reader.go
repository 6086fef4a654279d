package okio

import "io"

// FromReader returns a source that reads from r straight into segments, one Read a call. Closing it closes r if r is an
// io.Closer. An r that is a [Source] already is returned as it is.
func FromReader(r io.Reader) Source {
	if s, ok := r.(Source); ok {
		return s
	}
	return &readerSource{r: r}
}

type readerSource struct {
	r      io.Reader
	err    error // came together with bytes, and is due
	closed bool
}

func (s *readerSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkRead(max, s.closed); err != nil || max == 0 {
		return 0, err
	}
	if err := s.pending(); err != nil {
		return 0, err
	}
	n, err := dst.readOnce(s.r, max)
	if n > 0 {
		s.err = err
		return int64(n), nil
	}
	return 0, err
}

// Read lets large reads of a BufferedSource bypass its buffer.
func (s *readerSource) Read(p []byte) (int, error) {
	if s.closed {
		return 0, ErrClosed
	}
	if err := s.pending(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

func (s *readerSource) pending() error {
	err := s.err
	s.err = nil
	return err
}

func (s *readerSource) Timeout() *Timeout { return TimeoutOf(s.r) }

func (s *readerSource) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if c, ok := s.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
