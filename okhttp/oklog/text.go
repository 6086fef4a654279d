package oklog

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// sniffed is how many characters tell text from other content, and sniffedBytes how long they are at the most.
const (
	sniffed      = 16
	sniffedBytes = sniffed * utf8.UTFMax
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

// isText reports whether content begins as text does: with UTF-8 in which nothing controls a device. The last character may be cut short.
func isText(p []byte) bool {
	for range sniffed {
		if len(p) == 0 {
			return true
		}
		r, n := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(p)
		case isControl(r) && r != '\t' && r != '\n' && r != '\v' && r != '\f' && r != '\r' && (r < 0x1c || r > 0x1f):
			return false
		}
		p = p[n:]
	}
	return true
}

// isControl reports whether r is an ISO control character.
func isControl(r rune) bool { return r < ' ' || 0x7f <= r && r <= 0x9f }

// decode makes text of content, in the charset of its type; one that is not known counts as UTF-8.
func decode(p []byte, contentType string) string {
	var b okio.Buffer
	_, _ = b.Write(p) // a buffer takes all
	resp := okhttp.NewResponse(nil, 200, okhttp.ResponseBodyFrom(contentType, -1, &b))
	text, err := resp.Body.Text()
	if err != nil {
		return string(p)
	}
	return text
}

// whole cuts off the beginning of a character at the end of content that goes on.
func whole(p []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if tail := p[len(p)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return p[:len(p)-i]
			}
			break
		}
	}
	return p
}

// printable makes text fit for a terminal: characters that would control it become escapes, what is no text U+FFFD. Ends of lines and tabs stay.
func printable(s string) string {
	clean := true
	for i, r := range s {
		if r == utf8.RuneError || isControl(r) && !harmless(s, i) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if isControl(r) && !harmless(s, i) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// harmless reports whether a control character is part of plain text. A carriage return alone would let a line overwrite itself.
func harmless(s string, i int) bool {
	return s[i] == '\t' || s[i] == '\n' || s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n'
}
