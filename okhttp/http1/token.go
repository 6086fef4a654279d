package http1

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
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != b[i] {
			return false
		}
	}
	return true
}

// HasToken reports whether the comma-separated lists in the fields of that name contain the token. Both the name and the token
// are given in lower case and compared without case (RFC 9110 section 5.6.1).
func HasToken(fields []string, name, token string) bool {
	for i := 0; i+1 < len(fields); i += 2 {
		if equalFold(fields[i], name) && listHas(fields[i+1], token) {
			return true
		}
	}
	return false
}

func listHas(list, token string) bool {
	for more := true; more; {
		var item string
		item, list, more = strings.Cut(list, ",")
		if equalFold(trimOWS(item), token) {
			return true
		}
	}
	return false
}
