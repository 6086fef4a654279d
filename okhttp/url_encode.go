package okhttp

import (
	"strings"
	"unicode/utf8"
)

// Classes of a byte in a URL. The encode sets are those of the WHATWG URL Standard, section 1.3, for text that may
// already be encoded ("%" stays). The raw sets are for text that is not: they add "%" and whatever would be read as
// structure.
const (
	encodeFragment uint16 = 1 << iota
	encodeQuery
	encodePath
	encodeUserinfo
	rawPath      // one segment
	rawQuery     // a whole query
	rawParameter // a name or value in a query
	rawFragment
	rawUserinfo
	plainHost     // needs no canonicalisation in a host name
	forbiddenHost // in no host name (the forbidden domain code points)
)

var urlClass = func() (table [256]uint16) {
	const always = encodeFragment | encodeQuery | encodePath | encodeUserinfo | rawPath | rawQuery | rawParameter | rawFragment | rawUserinfo
	for c := range table {
		if c <= ' ' || c >= 0x7f {
			table[c] = always
		}
		if c <= ' ' || c == 0x7f {
			table[c] |= forbiddenHost
		}
	}
	for set, chars := range map[uint16]string{
		encodeFragment: "\"<>`",
		encodeQuery:    "\"#<>'",
		encodePath:     "\"#<>?^`{}\\/",
		encodeUserinfo: "\"#<>?^`{}\\/:;=@[]|",
		rawPath:        "\"#<>?^`{}\\/%|",
		rawQuery:       "\"#<>'%+",
		rawParameter:   "!\"#$&'(),/:;<=>?@[]\\^`{|}~%+",
		rawFragment:    "\"<>`%",
		rawUserinfo:    "%'",
		plainHost:      "abcdefghijklmnopqrstuvwxyz0123456789-._",
		forbiddenHost:  "#/:<>?@[\\]^|%",
	} {
		for _, c := range []byte(chars) {
			table[c] |= set
		}
	}
	return table
}()

const upperHex = "0123456789ABCDEF"

// appendEncoded appends s with every byte of the set percent-encoded.
func appendEncoded(dst []byte, s string, set uint16) []byte {
	start := 0
	for i := range len(s) {
		if c := s[i]; urlClass[c]&set != 0 {
			dst = append(append(dst, s[start:i]...), '%', upperHex[c>>4], upperHex[c&15])
			start = i + 1
		}
	}
	return append(dst, s[start:]...)
}

// percentDecode decodes well-formed escapes, leaves malformed ones as they are, and replaces what is not UTF-8 then.
func percentDecode(s string, plusIsSpace bool) string {
	if !strings.Contains(s, "%") && !(plusIsSpace && strings.Contains(s, "+")) {
		return s
	}
	return replaceInvalid(string(appendDecoded(make([]byte, 0, len(s)), s, plusIsSpace)))
}

// appendDecoded appends s with its well-formed escapes decoded to bytes.
func appendDecoded(dst []byte, s string, plusIsSpace bool) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			dst = append(dst, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		case c == '+' && plusIsSpace:
			dst = append(dst, ' ')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// replaceInvalid replaces each maximal subpart of an ill-formed sequence by U+FFFD (WHATWG Encoding Standard, UTF-8
// decode), unlike strings.ToValidUTF8, which makes one U+FFFD of a run.
func replaceInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			for n < len(s) && !utf8.FullRuneInString(s[:n+1]) {
				n++ // more bytes could have made it well-formed
			}
		}
		out = utf8.AppendRune(out, r)
		s = s[n:]
	}
	return string(out)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
