package okbrotli

import (
	"errors"
	"io"
	"sync"

	"github.com/andybalholm/brotli"

	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// Brotli is the coding "br" (RFC 7932).
func Brotli() okcompress.Algorithm {
	return okcompress.Algorithm{Token: "br", Decoder: func(src okio.Source) (okio.Source, error) { return newSource(src), nil }}
}

// New makes an interceptor for brotli and gzip, in this order of preference. c may be nil.
func New(c *okcompress.Config) *okcompress.Interceptor {
	return okcompress.New(c, Brotli(), okcompress.Gzip())
}

// largeWindow is how a stream begins, in its lowest seven bits, that needs a window as RFC 9841 section 4 has it. RFC 7932 section 9.1 leaves
// these bits unused.
const largeWindow = 0b001_0001

var errLargeWindow = errors.New("a window of more than 16 MiB is needed")

// readers are decoders of short streams that ended as they should. Making one costs several times what decoding a short stream does.
var readers = sync.Pool{New: func() any { return brotli.NewReader(nil) }}

// reusable is how much a stream may decode to, in bytes, for its decoder to be used again. What is announced by a stream that ends well also comes, so
// its window has less than twice that. Others would keep up to 16 MiB.
const reusable = 128 << 10

// source decodes a stream.
type source struct {
	src    *okio.BufferedSource
	reader *brotli.Reader // nil before the first read and after the end
	got    int64
	err    error // repeats
}

func newSource(src okio.Source) *source {
	return &source{src: okio.NewBufferedSource(src)}
}

func (s *source) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if s.err != nil || most == 0 {
		return 0, s.err
	}
	if s.reader == nil {
		if err := s.start(); err != nil {
			return 0, s.stop(err)
		}
	}
	p := dst.Reserve(1)
	p = p[:min(int64(len(p)), most)]
	for {
		n, err := s.reader.Read(p)
		s.got += int64(n)
		if err != nil {
			err = s.stop(err)
		}
		if n > 0 {
			dst.Commit(n)
			return int64(n), nil // an error comes again
		}
		if err != nil {
			return 0, err
		}
	}
}

// start looks at the size of the window, which the decoder would refuse with less to say.
func (s *source) start() error {
	some, err := s.src.Request(1)
	if err != nil {
		return err
	}
	if !some {
		return io.ErrUnexpectedEOF
	}
	first, err := s.src.PeekN(1)
	if err != nil {
		return err
	}
	if first[0]&0x7f == largeWindow {
		return errLargeWindow
	}
	s.reader = readers.Get().(*brotli.Reader)
	return s.reader.Reset(s.src)
}

// stop lets go of the decoder and its window.
func (s *source) stop(err error) error {
	s.err = err
	if s.reader != nil && err == io.EOF && s.got <= reusable && s.reader.Reset(nil) == nil {
		readers.Put(s.reader)
	}
	s.reader = nil
	return err
}

func (s *source) Close() error {
	if s.err == nil || s.err == io.EOF {
		_ = s.stop(okio.ErrClosed)
	}
	return s.src.Close()
}
