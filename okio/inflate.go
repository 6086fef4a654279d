package okio

import (
	"bufio"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A decoder is an inflater of the library with what it reads from, pooled together: some 50 KiB. The library is a third
// faster on a *bufio.Reader than on any other reader of bytes.
type decoder struct {
	flate io.ReadCloser
	bytes *bufio.Reader
	loan  loan
}

var decoders = sync.Pool{New: func() any {
	d := new(decoder)
	d.bytes = bufio.NewReader(&d.loan)
	d.flate = flate.NewReader(d.bytes)
	return d
}}

// A loan is a reader that hands out the buffered bytes of a source and consumes them only when it is asked for more, since
// a bufio.Reader asks when it has used all it got. So nothing beyond the compressed data is ever consumed.
type loan struct {
	src  *BufferedSource
	lent int64 // bytes handed out and not consumed
	at   int64 // the position of src when they were handed out
}

func (l *loan) Read(p []byte) (int, error) {
	l.settle(0)
	if err := l.src.fill(); err != nil {
		return 0, err
	}
	n := copy(p, l.src.buf.head.bytes())
	l.lent, l.at = int64(n), l.src.buf.start
	return n, nil
}

// settle consumes what was handed out except for unused bytes, unless somebody else has used or closed the source.
func (l *loan) settle(unused int) {
	if l.at == l.src.buf.start {
		l.src.buf.drop(l.lent - int64(unused))
	}
	l.lent = 0
}

// An inflater decodes one raw deflate stream (RFC 1951) from the front of a buffered source.
type inflater struct {
	format  string
	src     *BufferedSource
	own     BufferedSource // what src points to if the source was not buffered
	decoder *decoder       // nil before the first read and after the end
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

// read returns 1 or more bytes, or an error: io.EOF at the end of the deflate stream. After that, and not before, the bytes
// behind the stream are the next ones of src, and read begins another stream.
func (x *inflater) read(p []byte) (int, error) {
	if x.decoder == nil {
		d := decoders.Get().(*decoder)
		d.loan = loan{src: x.src}
		d.bytes.Reset(&d.loan)
		if err := d.flate.(flate.Resetter).Reset(d.bytes, nil); err != nil {
			return 0, err
		}
		x.decoder = d
	}
	for range emptyReads {
		n, err := x.decoder.flate.Read(p)
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

// stop settles with the source and gives the decoder back.
func (x *inflater) stop() {
	d := x.decoder
	if d == nil {
		return
	}
	x.decoder = nil
	d.loan.settle(d.bytes.Buffered())
	d.loan.src = nil // the pool must not keep the source alive
	decoders.Put(d)
}

// NewInflaterSource returns a source of what the raw deflate stream (RFC 1951) at the front of s decodes to. It ends where
// the stream ends; if s is a [*BufferedSource], the bytes after that are left in it. Damaged or truncated data fails with a
// [*FormatError]. Errors, also those of s, repeat on later reads. Closing it closes s.
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
