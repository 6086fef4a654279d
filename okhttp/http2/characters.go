package http2

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
