package okhttp

import (
	"mime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// CharsetError reports text in a charset that is not understood. Read the bytes and decode them with golang.org/x/text.
type CharsetError struct{ Charset string }

func (e *CharsetError) Error() string {
	return "okhttp: unknown charset " + fault.Quote(e.Charset) + ": expected UTF-8, UTF-16, UTF-32, ISO-8859-1 or US-ASCII"
}

// byteOrderMarks in the order they are tried: that of UTF-32LE begins with that of UTF-16LE.
var byteOrderMarks = []struct{ mark, charset string }{
	{"\xef\xbb\xbf", "utf-8"},
	{"\xff\xfe\x00\x00", "utf-32le"},
	{"\x00\x00\xfe\xff", "utf-32be"},
	{"\xfe\xff", "utf-16be"},
	{"\xff\xfe", "utf-16le"},
}

func decodeText(s, contentType string) (string, error) {
	for _, b := range byteOrderMarks {
		if rest, ok := strings.CutPrefix(s, b.mark); ok {
			return decodeCharset(rest, b.charset)
		}
	}
	charset := "utf-8"
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		charset = params["charset"]
	}
	return decodeCharset(s, charset)
}

func decodeCharset(s, charset string) (string, error) {
	switch strings.ToLower(charset) {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return s, nil
	case "iso-8859-1", "latin1", "iso8859-1":
		return decodeUnits(s, 1, func(u string) rune { return rune(u[0]) }), nil
	case "utf-16", "utf-16be":
		return decodeUTF16(s, func(u string) uint16 { return uint16(u[0])<<8 | uint16(u[1]) }), nil
	case "utf-16le":
		return decodeUTF16(s, func(u string) uint16 { return uint16(u[1])<<8 | uint16(u[0]) }), nil
	case "utf-32", "utf-32be":
		return decodeUnits(s, 4, func(u string) rune { return rune(u[0])<<24 | rune(u[1])<<16 | rune(u[2])<<8 | rune(u[3]) }), nil
	case "utf-32le":
		return decodeUnits(s, 4, func(u string) rune { return rune(u[3])<<24 | rune(u[2])<<16 | rune(u[1])<<8 | rune(u[0]) }), nil
	}
	return "", &CharsetError{charset}
}

// decodeUnits decodes fixed-size units, one character each. A unit cut short is U+FFFD.
func decodeUnits(s string, size int, decode func(string) rune) string {
	var b strings.Builder
	b.Grow(len(s))
	for ; len(s) >= size; s = s[size:] {
		b.WriteRune(decode(s[:size])) // writes U+FFFD for what is no character
	}
	if s != "" {
		b.WriteRune(utf8.RuneError)
	}
	return b.String()
}

func decodeUTF16(s string, decode func(string) uint16) string {
	units := make([]uint16, 0, len(s)/2+1)
	for ; len(s) >= 2; s = s[2:] {
		units = append(units, decode(s[:2]))
	}
	if s != "" {
		units = append(units, utf8.RuneError)
	}
	return string(utf16.Decode(units))
}
