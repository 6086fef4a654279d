package okcompress

import (
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/okhttp-go/ok/okio"
)

// maxWindow is the largest window of the coding (RFC 9659 section 3), and so of a frame that is its own window.
const maxWindow = 8 << 20

// zstdDecoders are decoders without a stream. They start no goroutines, so they can be forgotten.
var zstdDecoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return err
	}
	return d
}}

// zstdSource decodes frames of Zstandard (RFC 8878).
type zstdSource struct {
	src     *okio.BufferedSource
	decoder *zstd.Decoder // nil before the first read and after the end
	err     error         // repeats
}

func newZstdSource(src okio.Source) *zstdSource {
	return &zstdSource{src: okio.NewBufferedSource(src)}
}

func (z *zstdSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if z.err != nil || most == 0 {
		return 0, z.err
	}
	if z.decoder == nil {
		if z.err = z.start(); z.err != nil {
			return 0, z.err
		}
	}
	p := dst.Reserve(1)
	p = p[:min(int64(len(p)), most)]
	for {
		n, err := z.decoder.Read(p)
		if err != nil {
			z.stop(err)
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

func (z *zstdSource) start() error {
	switch d := zstdDecoders.Get().(type) {
	case *zstd.Decoder:
		z.decoder = d
		// Only its method Read, so that the decoder does not look for what else the source can do.
		return d.Reset(struct{ io.Reader }{z.src})
	case error:
		return d
	}
	return nil
}

// stop gives the decoder back.
func (z *zstdSource) stop(err error) {
	if z.err == nil {
		z.err = err
	}
	d := z.decoder
	z.decoder = nil
	if d != nil && d.Reset(nil) == nil {
		zstdDecoders.Put(d)
	}
}

func (z *zstdSource) Close() error {
	if z.err == io.EOF {
		z.err = nil
	}
	z.stop(okio.ErrClosed)
	return z.src.Close()
}
