package cli

import (
	"errors"
	"strings"

	"github.com/okhttp-go/ok/okhttp-brotli"
	"github.com/okhttp-go/ok/okhttp/okcompress"
)

// compression asks for all codings there are and unpacks them. What comes goes to a file or a pipe and not into memory, so as with curl there is no limit
// to how much it is.
func compression() *okcompress.Interceptor {
	return okcompress.New(&okcompress.Config{MaxDecoded: -1}, okbrotli.Brotli(), okcompress.Zstd(), okcompress.Gzip(), okcompress.Deflate())
}

// unpackText renders why a response could not be unpacked, "" if the failure is another.
func unpackText(err error) string {
	d, ok := errors.AsType[*okcompress.DecodeError](err)
	if !ok {
		return ""
	}
	text := libraryText(d.Err)
	for _, name := range []string{d.Coding + ": ", "brotli: "} { // said already
		text = strings.TrimPrefix(text, name)
	}
	return "cannot unpack the response: " + d.Coding + ": " + text
}
