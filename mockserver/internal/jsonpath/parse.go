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

// Bounds of expressions.
const (
	maxLength = 4 << 10
	maxDepth  = 64
)

// A Path is a parsed expression.
type Path struct {
	text string
	root query
}

// String returns the expression as it was given.
func (p *Path) String() string { return p.text }

// A SyntaxError says what is wrong with an expression and where.
type SyntaxError struct {
	Path   string
	Offset int // in bytes
	Detail string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("JSON path %q: %s at offset %d", e.Path, e.Detail, e.Offset)
}

// Parse reads an expression (RFC 9535).
func Parse(text string) (p *Path, err error) {
	if len(text) > maxLength {
		return nil, &SyntaxError{text[:32] + "…", maxLength, fmt.Sprintf("expected at most %d bytes", maxLength)}
	}
	if !utf8.ValidString(text) {
		return nil, &SyntaxError{text, 0, "expected UTF-8"}
	}
	s := &scanner{text: text}
	defer func() {
		if thrown := recover(); thrown != nil {
			wrong, ok := thrown.(*SyntaxError)
			if !ok {
				panic(thrown)
			}
			p, err = nil, wrong
		}
	}()
	s.expect('$')
	root := s.query(true)
	if s.at != len(text) {
		s.fail("expected a segment, . or [")
	}
	return &Path{text, root}, nil
}

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

// query reads the segments after $ or @.
func (s *scanner) query(absolute bool) query {
	q := query{absolute: absolute, singular: true}
	for {
		start := s.at
		s.blank()
		switch {
		case s.take(".."):
			g := segment{deep: true}
			switch {
			case s.take("*"):
				g.selectors = []selector{wildcard{}}
			case s.peek() == '[':
				g.selectors = s.bracket()
			default:
				g.selectors = []selector{name(s.shorthand())}
			}
			q.segments, q.singular = append(q.segments, g), false
		case s.take("."):
			if s.take("*") {
				q.segments, q.singular = append(q.segments, segment{selectors: []selector{wildcard{}}}), false
				continue
			}
			q.segments = append(q.segments, segment{selectors: []selector{name(s.shorthand())}})
		case s.peek() == '[':
			g := segment{selectors: s.bracket()}
			if len(g.selectors) != 1 || !single(g.selectors[0]) {
				q.singular = false
			}
			q.segments = append(q.segments, g)
		default:
			s.at = start
			return q
		}
	}
}

func single(sel selector) bool {
	switch sel.(type) {
	case name, index:
		return true
	}
	return false
}

// shorthand reads a name after a dot. Beyond the RFC it may contain a dash, which no filter can mean there.
func (s *scanner) shorthand() string {
	start := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
		if !letter && (s.at == start || c != '-' && (c < '0' || c > '9')) {
			break
		}
		s.at++
	}
	if s.at == start {
		s.fail("expected a name")
	}
	return s.text[start:s.at]
}

// bracket reads selectors in brackets.
func (s *scanner) bracket() (list []selector) {
	defer s.nested()()
	s.expect('[')
	for {
		s.blank()
		list = append(list, s.selector())
		s.blank()
		if s.take("]") {
			return list
		}
		s.expect(',')
	}
}

func (s *scanner) selector() selector {
	switch c := s.peek(); {
	case c == '*':
		s.at++
		return wildcard{}
	case c == '?':
		s.at++
		s.blank()
		return filter{s.or()}
	case c == '"' || c == '\'':
		return name(s.quoted())
	case c == ':' || c == '-' || c >= '0' && c <= '9':
		return s.indexOrSlice()
	}
	s.fail("expected a name, an index, a slice, * or ?")
	return nil
}

func (s *scanner) indexOrSlice() selector {
	var bounds [3]*int64
	for i := 0; ; i++ {
		if c := s.peek(); c == '-' || c >= '0' && c <= '9' {
			n := s.integer()
			bounds[i] = &n
		}
		end := s.at
		s.blank()
		if i == 2 || s.peek() != ':' {
			if s.at = end; i == 0 {
				return index(*bounds[0])
			}
			return slice(bounds)
		}
		s.at++
		s.blank()
	}
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

func (s *scanner) or() logical {
	defer s.nested()()
	list := []logical{s.and()}
	for s.blank(); s.take("||"); s.blank() {
		s.blank()
		list = append(list, s.and())
	}
	if len(list) == 1 {
		return list[0]
	}
	return anyOf(list)
}

func (s *scanner) and() logical {
	list := []logical{s.basic()}
	for s.blank(); s.take("&&"); s.blank() {
		s.blank()
		list = append(list, s.basic())
	}
	if len(list) == 1 {
		return list[0]
	}
	return allOf(list)
}

func (s *scanner) basic() logical {
	if s.peek() == '!' {
		s.at++
		s.blank()
		if s.peek() == '(' {
			return not{s.parenthesis()}
		}
		start := s.at
		return not{s.test(s.term(), start)}
	}
	if s.peek() == '(' {
		return s.parenthesis()
	}
	start := s.at
	left := s.term()
	after := s.at
	s.blank()
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if s.take(op) {
			s.comparable(left, start)
			s.blank()
			start = s.at
			right := s.term()
			s.comparable(right, start)
			return comparison{op, left, right}
		}
	}
	s.at = after
	return s.test(left, start)
}

func (s *scanner) parenthesis() logical {
	defer s.nested()()
	s.expect('(')
	s.blank()
	l := s.or()
	s.blank()
	s.expect(')')
	return l
}

// test is a term by itself, which stands at that place: does it exist, or is it true.
func (s *scanner) test(t term, at int) logical {
	switch t := t.(type) {
	case query:
		return exists{t}
	case *call:
		if t.f.result == logicalType {
			return truth{t}
		}
		s.at = at
		s.fail("expected a comparison with what %s() returns", t.f.name)
	}
	s.at = at
	s.fail("expected a comparison with the literal")
	return nil
}

// comparable wants a term to have one value.
func (s *scanner) comparable(t term, at int) {
	switch t := t.(type) {
	case query:
		if !t.singular {
			s.at = at
			s.fail("expected a query of one value")
		}
	case *call:
		if t.f.result != valueType {
			s.at = at
			s.fail("expected a value, which %s() does not return", t.f.name)
		}
	}
}

func (s *scanner) term() term {
	switch c := s.peek(); {
	case c == '@' || c == '$':
		defer s.nested()()
		s.at++
		return s.query(c == '$')
	case c == '"' || c == '\'':
		return literal{s.quoted()}
	case c == '-' || c >= '0' && c <= '9':
		return literal{s.number()}
	}
	start := s.at
	for c := s.peek(); c >= 'a' && c <= 'z' || s.at > start && (c == '_' || c >= '0' && c <= '9'); c = s.peek() {
		s.at++
	}
	switch word := s.text[start:s.at]; word {
	case "true", "false":
		return literal{word == "true"}
	case "null":
		return literal{nil}
	case "":
		s.fail("expected @, $, a literal or a function")
	default:
		if s.peek() == '(' {
			return s.call(word, start)
		}
		s.at = start
		s.fail("expected a literal or a function but got %q", word)
	}
	return nil
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

// call reads the arguments of a function.
func (s *scanner) call(word string, start int) term {
	defer s.nested()()
	f, ok := functions[word]
	if !ok {
		s.at = start
		s.fail("expected length, count, value, match or search but got function %q", word)
	}
	s.expect('(')
	c := &call{f: f}
	for i, kind := range f.args {
		if i > 0 {
			s.blank()
			s.expect(',')
		}
		s.blank()
		at := s.at
		t := s.term()
		if q, ok := t.(query); kind == nodesType && !ok || kind == valueType && ok && !q.singular {
			s.at = at
			s.fail("expected another kind of argument for %s()", word)
		}
		if inner, ok := t.(*call); ok && inner.f.result != kind {
			s.at = at
			s.fail("expected another kind of argument for %s()", word)
		}
		c.args = append(c.args, t)
	}
	s.blank()
	s.expect(')')
	c.compile()
	return c
}
