package coding

import (
	"io"

	"github.com/okhttp-go/ok/okhttp-brotli"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// decoders are the subjects: gzip is that of okio.
var decoders = map[string]Decoder{
	"gzip":    of(okcompress.Gzip()),
	"deflate": of(okcompress.Deflate()),
	"zstd":    of(okcompress.Zstd()),
	"br":      of(okbrotli.Brotli()),
}

func of(a okcompress.Algorithm) Decoder {
	return func(r io.Reader) (io.Reader, error) {
		s, err := a.Decoder(okio.FromReader(r))
		if err != nil {
			return nil, err
		}
		return okio.NewBufferedSource(s), nil
	}
}
