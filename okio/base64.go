package okio

import (
	"fmt"
	"strings"
)

// base64Values maps the characters of both alphabets to their values plus one.
var base64Values = func() (table [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range len(alphabet) {
		table[alphabet[i]] = byte(i) + 1
	}
	table['-'], table['_'] = table['+'], table['/']
	return table
}()

// DecodeBase64 decodes Base64 (RFC 4648) leniently: either alphabet, even mixed; LF, CR, space and tab are skipped
// anywhere; padding may be missing or too long; unused low bits are ignored. Any other character, '=' before the end, and a
// single character left over are errors.
func DecodeBase64(s string) (ByteString, error) {
	s = strings.TrimRight(s, "=\n\r \t")
	out := make([]byte, 0, len(s)/4*3+3)
	var word uint32
	count := 0
	for i := range len(s) {
		c := s[i]
		switch c {
		case '\n', '\r', ' ', '\t':
			continue
		}
		v := base64Values[c]
		if v == 0 {
			return "", fmt.Errorf("okio: unexpected base64 character %q at %d", s[i:i+1], i)
		}
		word = word<<6 | uint32(v-1)
		if count++; count%4 == 0 {
			out = append(out, byte(word>>16), byte(word>>8), byte(word))
		}
	}
	switch count % 4 {
	case 1:
		return "", fmt.Errorf("okio: base64 of %d characters ends with an incomplete byte", count)
	case 2:
		out = append(out, byte(word>>4))
	case 3:
		out = append(out, byte(word>>10), byte(word>>2))
	}
	return ByteString(out), nil
}
