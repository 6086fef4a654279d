package coding

import (
	"errors"
	"fmt"
	"hash/adler32"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// decoders are the subjects. HTTP's deflate is the zlib format (RFC 9110 section 8.4.1.2).
var decoders = map[string]Decoder{
	"gzip": func(r io.Reader) (io.Reader, error) {
		return okio.NewBufferedSource(okio.NewGzipSource(okio.FromReader(r))), nil
	},
	"deflate": func(r io.Reader) (io.Reader, error) {
		s := okio.NewBufferedSource(okio.FromReader(r))
		if err := zlibHeader(s); err != nil {
			return nil, err
		}
		z := &zlibSource{under: s, HashingSource: okio.NewHashingSource(okio.NewInflaterSource(s), adler32.New())}
		return okio.NewBufferedSource(z), nil
	},
}

// zlibHeader consumes the header of RFC 1950 section 2.2.
func zlibHeader(s *okio.BufferedSource) error {
	head, err := s.ReadUint16()
	switch {
	case err != nil:
		return err
	case head%31 != 0 || head>>8&0xf != 8:
		return fmt.Errorf("zlib: bad header 0x%04x", head)
	case head&0x20 != 0:
		return errors.New("zlib: a preset dictionary is needed")
	}
	return nil
}

// A zlibSource is what the pieces of okio make of the zlib format: deflate, hashed on the way, with the checksum behind it.
type zlibSource struct {
	*okio.HashingSource
	under *okio.BufferedSource
}

func (z *zlibSource) ReadBuffer(dst *okio.Buffer, max int64) (int64, error) {
	n, err := z.HashingSource.ReadBuffer(dst, max)
	if err != io.EOF {
		return n, err
	}
	want, err := z.under.ReadByteString(4)
	if err != nil {
		return 0, errors.Join(io.ErrUnexpectedEOF, err)
	}
	if got := z.Hash(); got != want {
		return 0, fmt.Errorf("zlib: checksum is %s, expected %s", got.Hex(), want.Hex())
	}
	if end, err := z.under.Exhausted(); err != nil || !end {
		return 0, errors.Join(errors.New("zlib: something follows the stream"), err)
	}
	return 0, io.EOF
}
