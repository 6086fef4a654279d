package okio

import (
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// flateReaders recycles inflaters, whose window and tables are some 50 KiB.
var flateReaders = sync.Pool{New: func() any { return flate.NewReader(noInput) }}

// noInput stands in for a source in decoders that are not in use; it is never read.
var noInput = new(Buffer)

// An inflater decodes one raw deflate stream (RFC 1951) from the front of a buffered source. The decoder takes single bytes from an
// io.ByteReader, so it never reads beyond the end of its data.
type inflater struct {
	format string
	src    *BufferedSource
	own    BufferedSource // what src points to if the source was not buffered
	flate  io.ReadCloser  // nil before the first read and after the end
}

func (x *inflater) init(format string, s Source) {
	x.format = format
	if b, ok := s.(*BufferedSource); ok {
		x.src = b
		return
	}
	x.own.up = s
	x.own.direct, _ = s.(io.Reader)
	x.src = &x.own
}

// read returns 1 or more bytes, or an error: io.EOF at the end of the deflate stream. It must not be called after an error.
func (x *inflater) read(p []byte) (int, error) {
	if x.flate == nil {
		x.flate = flateReaders.Get().(io.ReadCloser)
		if err := x.flate.(flate.Resetter).Reset(x.src, nil); err != nil {
			return 0, err
		}
	}
	for range emptyReads {
		n, err := x.flate.Read(p)
		if n > 0 {
			return n, nil // an error comes again
		}
		if err != nil {
			x.stop()
			return 0, formatErr(x.format, err)
		}
	}
	x.stop()
	return 0, io.ErrNoProgress
}

// stop gives the decoder back.
func (x *inflater) stop() {
	if x.flate == nil {
		return
	}
	// The pool must not keep the source alive.
	if x.flate.(flate.Resetter).Reset(noInput, nil) == nil {
		flateReaders.Put(x.flate)
	}
	x.flate = nil
}

// NewInflaterSource returns a source of what the raw deflate stream (RFC 1951) at the front of s decodes to. It ends where the stream ends;
// if s is a [*BufferedSource], the bytes after that are left in it. Damaged or truncated data fails with a [*FormatError]. Errors, also those
// of s, repeat on later reads. Closing it closes s.
func NewInflaterSource(s Source) Source {
	x := new(inflaterSource)
	x.inflater.init("deflate", s)
	return x
}

type inflaterSource struct {
	inflater inflater
	err      error // repeats
	closed   bool
}

func (s *inflaterSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkCount(max); err != nil {
		return 0, err
	}
	if max == 0 && !s.closed {
		return 0, nil
	}
	n, err := dst.readOnce(s, max)
	return int64(n), err
}

// Read lets large reads of a BufferedSource bypass its buffer. It never returns bytes together with an error.
func (s *inflaterSource) Read(p []byte) (int, error) {
	if s.closed {
		return 0, ErrClosed
	}
	if s.err != nil || len(p) == 0 {
		return 0, s.err
	}
	n, err := s.inflater.read(p)
	s.err = err
	return n, err
}

func (s *inflaterSource) Timeout() *Timeout { return s.inflater.src.Timeout() }

func (s *inflaterSource) Close() error {
	s.closed = true
	s.inflater.stop()
	return s.inflater.src.Close()
}
