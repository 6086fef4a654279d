package okcompress

import (
	"github.com/okhttp-go/ok/okio"
)

// Algorithm is a content coding (RFC 9110 section 8.4.1).
type Algorithm struct {
	// Token names the coding in headers. Case does not count.
	Token string
	// Decoder returns a source of what src decodes to, which closes src. It is called when the first byte of a body is asked for, and not for a body
	// without any. What the source or the function fails with becomes the Err of a [*DecodeError], unless it is src that fails. The source may
	// end before src does only if nothing follows. Calls of the function may run at the same time.
	Decoder func(src okio.Source) (okio.Source, error)
}

// Gzip is the coding "gzip" (RFC 1952): one member or several. "x-gzip" is taken for it.
func Gzip() Algorithm {
	return Algorithm{Token: "gzip", Decoder: func(src okio.Source) (okio.Source, error) { return okio.NewGzipSource(src), nil }}
}

// Deflate is the coding "deflate", the zlib format (RFC 1950). Data that does not begin with its header is taken for deflate without it (RFC
// 1951), which some servers send under that name. Such data has no checksum.
func Deflate() Algorithm {
	return Algorithm{Token: "deflate", Decoder: func(src okio.Source) (okio.Source, error) { return newZlibSource(src), nil }}
}

// Zstd is the coding "zstd" (RFC 8878): one frame or several, without dictionaries. A frame that needs a window of more than 8 MiB is refused
// (RFC 9659).
func Zstd() Algorithm {
	return Algorithm{Token: "zstd", Decoder: func(src okio.Source) (okio.Source, error) { return newZstdSource(src), nil }}
}
