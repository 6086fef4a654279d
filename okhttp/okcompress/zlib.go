package okcompress

import (
	"errors"
	"fmt"
	"hash/adler32"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// zlibSource decodes the zlib format (RFC 1950): two bytes, a deflate stream, a checksum.
type zlibSource struct {
	src  *okio.BufferedSource
	data *okio.HashingSource // nil before the header was read
	raw  okio.Source         // in the place of data, if there is no header
	err  error               // repeats
}

func newZlibSource(src okio.Source) *zlibSource {
	return &zlibSource{src: okio.NewBufferedSource(src)}
}

func (z *zlibSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if z.err != nil || most == 0 {
		return 0, z.err
	}
	n, err := z.read(dst, most)
	z.err = err
	return n, err
}

func (z *zlibSource) read(dst *okio.Buffer, most int64) (int64, error) {
	if z.data == nil && z.raw == nil {
		if err := z.header(); err != nil {
			return 0, err
		}
	}
	if z.raw != nil {
		n, err := z.raw.ReadBuffer(dst, most)
		if err == io.EOF {
			err = z.end()
		}
		return n, err
	}
	n, err := z.data.ReadBuffer(dst, most)
	if err == io.EOF {
		err = z.trailer()
	}
	return n, err
}

// header consumes what section 2.2 defines. Where that is not what comes, the stream has none.
func (z *zlibSource) header() error {
	two, err := z.src.Request(2)
	if err != nil {
		return err
	}
	if !two {
		z.raw = okio.NewInflaterSource(z.src) // too short for that as well
		return nil
	}
	p, err := z.src.PeekN(2)
	if err != nil {
		return err
	}
	method, flags := p[0], p[1]
	if (int(method)<<8|int(flags))%31 != 0 || method&0xf != 8 || method>>4 > 7 {
		z.raw = okio.NewInflaterSource(z.src)
		return nil
	}
	if flags&0x20 != 0 {
		return errors.New("a preset dictionary is needed")
	}
	if err := z.src.Skip(2); err != nil {
		return err
	}
	z.data = okio.NewHashingSource(okio.NewInflaterSource(z.src), adler32.New())
	return nil
}

// trailer compares the checksums.
func (z *zlibSource) trailer() error {
	want, err := z.src.ReadByteString(4)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if got := z.data.Hash(); got != want {
		return fmt.Errorf("the checksum is %s, expected %s", got.Hex(), want.Hex())
	}
	return z.end()
}

// end returns io.EOF if the source ends where the data does.
func (z *zlibSource) end() error {
	ended, err := z.src.Exhausted()
	switch {
	case err != nil:
		return err
	case !ended:
		return errTrailing
	}
	return io.EOF
}

func (z *zlibSource) Close() error {
	if z.err == nil || z.err == io.EOF {
		z.err = okio.ErrClosed
	}
	if z.raw != nil {
		return z.raw.Close()
	}
	if z.data != nil {
		return z.data.Close() // and with it what it decodes
	}
	return z.src.Close()
}
