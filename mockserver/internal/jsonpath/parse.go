package jsonpath

import (
	"fmt"
	"strings"
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
	path, detail := Shown(e.Path), e.Detail
	if path != e.Path {
		detail, _, _ = strings.Cut(detail, " but got ")
	}
	return fmt.Sprintf("JSON path %q: %s at offset %d", path, detail, e.Offset)
}

// Parse reads an expression (RFC 9535). Beyond the RFC [??…] is a filter that asks an object itself and not its members; of an array it asks the elements, as [?…] does.
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
		whole := s.take("?")
		s.blank()
		return filter{s.or(), whole}
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
