package okhttp

import (
	"strings"
	"unicode/utf8"
)

// A URLError reports text that is not a usable http or https URL.
type URLError struct {
	Input  string // the text, abridged, without anything that could be user info or a query; "" if there is none
	Part   string // what is wrong: "scheme", "userinfo", "host", "port", "path", "query" or "length"
	Detail string // what came and what was expected
}

func (e *URLError) Error() string {
	if e.Input == "" {
		return "okhttp: " + e.Detail
	}
	return "okhttp: " + e.Detail + " in " + e.Input
}

// redactInput makes text that failed to parse printable. Where it cannot tell a secret from the rest it hides both:
// everything up to the last "@" may be user info, because passwords are pasted without encoding.
func redactInput(s string) string {
	prefix := ""
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		if scheme := strings.Index(s[:at], "://"); scheme >= 0 && scheme < 20 && !strings.Contains(s[:scheme], ":") {
			prefix = s[:scheme+3]
		}
		prefix, s = prefix+"██", s[at:]
	}
	start := len(s) - len(strings.TrimLeft(s, `/\`))
	if i := strings.Index(s, "://"); i >= 0 && i < 20 {
		start = i + 3
	}
	if i := strings.IndexAny(s[start:], "/\\?#"); i >= 0 && s[start+i:] != "/" {
		s = s[:start+i] + "/..."
	}
	s = prefix + abridge(s, 100)
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return '\uFFFD'
		}
		return r
	}, s)
}

// abridge cuts s after n characters.
func abridge(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "..."
		}
		n--
	}
	return s
}
