package http2

import "strings"

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

func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if !tchar[s[i]] {
			return false
		}
	}
	return s != ""
}

// equalFold compares ASCII text without case. b is in lower case.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		c := a[i]
		if isUpper(c) {
			c += 'a' - 'A'
		}
		if c != b[i] {
			return false
		}
	}
	return true
}

// trim removes the white space that may stand around a value (RFC 9110 section 5.6.3).
func trim(s string) string {
	if s == "" || !isBlank(s[0]) && !isBlank(s[len(s)-1]) {
		return s // nearly all
	}
	return strings.Trim(s, " \t")
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// blankOrControl returns where the first character is that separates things, or -1.
func blankOrControl(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] == 0x7f {
			return i
		}
	}
	return -1
}

// lineEnd returns where the first CR, LF or NUL is, which no value has (RFC 9113 section 8.2.1), or -1.
func lineEnd(s string) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= '\r' && (c == '\r' || c == '\n' || c == 0) {
			return i
		}
	}
	return -1
}
