package jsonpath

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner goes through an expression. It panics with a *SyntaxError.
type scanner struct {
	text  string
	at    int
	depth int
}

func (s *scanner) fail(format string, args ...any) {
	panic(&SyntaxError{s.text, s.at, fmt.Sprintf(format, args...)})
}

// nested counts what is within each other.
func (s *scanner) nested() func() {
	if s.depth++; s.depth > maxDepth {
		s.fail("expected at most %d levels", maxDepth)
	}
	return func() { s.depth-- }
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) blank() {
	for s.at < len(s.text) && strings.IndexByte(" \t\n\r", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) take(word string) bool {
	if strings.HasPrefix(s.text[s.at:], word) {
		s.at += len(word)
		return true
	}
	return false
}

func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.fail("expected %q", string(c))
	}
	s.at++
}

// maxSafe is the largest integer of I-JSON (RFC 7493 section 2.2).
const maxSafe = 1<<53 - 1

func (s *scanner) integer() int64 {
	start := s.at
	s.take("-")
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	word := s.text[start:s.at]
	n, err := strconv.ParseInt(word, 10, 64)
	digits := strings.TrimPrefix(word, "-")
	if err != nil || n > maxSafe || n < -maxSafe || digits[0] == '0' && word != "0" {
		s.fail("expected an integer but got %q", word)
	}
	return n
}

// quoted reads a string in single or double quotes.
func (s *scanner) quoted() string {
	quote := s.peek()
	s.at++
	var b strings.Builder
	for {
		c := s.peek()
		switch {
		case s.at == len(s.text):
			s.fail("expected %q at the end of the string", string(quote))
		case c == quote:
			s.at++
			return b.String()
		case c < ' ':
			s.fail("expected no control character in a string")
		case c != '\\':
			b.WriteByte(c)
			s.at++
		default:
			s.at++
			b.WriteString(s.escape(quote))
		}
	}
}

func (s *scanner) escape(quote byte) string {
	c := s.peek()
	s.at++
	switch c {
	case 'b':
		return "\b"
	case 'f':
		return "\f"
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '/', '\\', quote:
		return string(rune(c))
	case 'u':
		first := s.hex()
		if !utf16.IsSurrogate(first) {
			return string(first)
		}
		if s.take(`\u`) {
			if r := utf16.DecodeRune(first, s.hex()); r != utf8.RuneError {
				return string(r)
			}
		}
		s.fail("expected a pair of surrogates")
	}
	s.at--
	s.fail("expected an escape")
	return ""
}

func (s *scanner) hex() rune {
	if s.at+4 > len(s.text) {
		s.fail("expected four hexadecimal digits")
	}
	n, err := strconv.ParseUint(s.text[s.at:s.at+4], 16, 16)
	if err != nil || s.text[s.at] == '+' {
		s.fail("expected four hexadecimal digits")
	}
	s.at += 4
	return rune(n)
}

var numberForm = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)

func (s *scanner) number() json.Number {
	word := numberForm.FindString(s.text[s.at:])
	if word == "" {
		s.fail("expected a number")
	}
	s.at += len(word)
	return json.Number(word)
}
