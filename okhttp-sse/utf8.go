package oksse

import "unicode/utf8"

// appendText appends UTF-8, decoded as the encoding standard says: U+FFFD takes the place of each maximal part of what could have become a character
// (Unicode section 3.9, table 3-8).
func appendText(dst, p []byte) []byte {
	if utf8.Valid(p) {
		return append(dst, p...)
	}
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 {
			n = malformed(p)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, p[:n]...)
		}
		p = p[n:]
	}
	return dst
}

// malformed returns how many bytes one replacement stands for: the beginning of a character as far as it is one.
func malformed(p []byte) int {
	low, high, more := byte(0x80), byte(0xBF), 0
	switch c := p[0]; {
	case 0xC2 <= c && c <= 0xDF:
		more = 1
	case 0xE0 <= c && c <= 0xEF:
		more = 2
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			high = 0x9F
		}
	case 0xF0 <= c && c <= 0xF4:
		more = 3
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for ; n <= more && n < len(p) && low <= p[n] && p[n] <= high; n++ {
		low, high = 0x80, 0xBF
	}
	return n
}
