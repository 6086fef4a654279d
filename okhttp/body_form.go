package okhttp

import "strings"

// Form is a body of type "application/x-www-form-urlencoded", made of alternating names and values (WHATWG URL, section 5.2). A name
// without a value, at the end, gets an empty one.
func Form(pairs ...string) *Body {
	var b strings.Builder
	for i, s := range pairs {
		switch {
		case i == 0:
		case i%2 == 0:
			b.WriteByte('&')
		default:
			b.WriteByte('=')
		}
		writeFormField(&b, s)
	}
	if len(pairs)%2 == 1 {
		b.WriteByte('=')
	}
	return Bytes("application/x-www-form-urlencoded", []byte(b.String()))
}

// writeFormField leaves letters, digits and *-._ as they are, writes a space as + and everything else as the percent-encoded bytes
// of its UTF-8 form.
func writeFormField(b *strings.Builder, s string) {
	const upperHex = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '*', c == '-', c == '.', c == '_':
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteByte(upperHex[c>>4])
			b.WriteByte(upperHex[c&15])
		}
	}
}
