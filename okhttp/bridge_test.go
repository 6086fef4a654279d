package okhttp

import (
	"bytes"
	"compress/gzip"
)

// gz compresses with the standard library.
func gz(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}
