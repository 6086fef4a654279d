// Package ascii has what HTTP asks of its text, field names and tokens above all: which characters a token may have, what is blank around a value, and
// whether two names are the same. All of it looks at bytes; what is beyond ASCII is part of no token and equal to itself alone.
package ascii

// tchar marks the characters of a token (RFC 9110 section 5.6.2).
var tchar = func() (t [256]bool) {
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		t[c] = true
	}
	return t
}()

// IsTokenByte reports whether a token may have c.
func IsTokenByte(c byte) bool { return tchar[c] }

// IsToken reports whether s is a token, which is not empty.
func IsToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if !tchar[s[i]] {
			return false
		}
	}
	return s != ""
}

// EqualFold compares without regard to case. strings.EqualFold would take "K" (KELVIN SIGN) for "k".
func EqualFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if a[i] != b[i] && lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if IsUpper(c) {
		return c | 0x20
	}
	return c
}

// IsUpper reports whether c is an upper case letter.
func IsUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// TrimOWS removes the optional white space that may stand around a value (RFC 9110 section 5.6.3).
func TrimOWS(s string) string {
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
