// Package jsontree reads JSON into a tree that remembers where each value stood, so that who finds fault with a value can say where.
package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth bounds how deep arrays and objects may be within each other.
const MaxDepth = 200

// MaxNodes bounds how many values there may be, so that a text of nothing but small ones does not take a hundred times its own memory.
const MaxNodes = 1 << 20

// Kind is what a value is.
type Kind int

// The kinds of JSON.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the word for messages.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// A Node is a value.
type Node struct {
	Kind       Kind
	Text       string // of a string or a number
	True       bool
	Elements   []*Node  // of an array
	Members    []Member // of an object, in their order; each name is there once
	Start, End int      // offsets in the text
}

// A Member is a member of an object.
type Member struct {
	Name  string
	Value *Node
	Start int // of the name
}

// Get returns the member of a name, nil if there is none.
func (n *Node) Get(name string) *Node {
	for i := range n.Members {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Step returns the path of a member of the object at path.
func Step(path, name string) string {
	step := name
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$") != "" {
		step = strconv.Quote(name)
	}
	if path == "" {
		return step
	}
	return path + "." + step
}

// A SyntaxError is what is wrong with text that is no JSON.
type SyntaxError struct {
	Offset int
	Path   string // of the value in which it is, such as a.b[2]; "" for the whole
	Detail string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at offset %d", e.Detail, e.Offset) }

// Position returns the line and the column, in bytes, of an offset, both from 1.
func Position(text []byte, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// Parse reads one value. The error is a *SyntaxError.
func Parse(text []byte) (*Node, error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, &SyntaxError{Detail: "expected UTF-8 but it begins as UTF-16 does"}
	}
	if !utf8.Valid(text) {
		at := 0
		for r, size := utf8.DecodeRune(text); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(text[at:]) {
			at += size
		}
		return nil, &SyntaxError{Offset: at, Detail: "expected UTF-8"}
	}
	if rest, ok := bytes.CutPrefix(text, []byte("\ufeff")); ok { // a byte order mark, which may be ignored (RFC 8259 section 8.1); blanks keep the offsets
		text = append([]byte("   "), rest...)
	}
	p := &parser{text: text, tokens: json.NewDecoder(bytes.NewReader(text))}
	p.tokens.UseNumber()
	root, err := p.value(0)
	if err == nil {
		// The decoder takes commas where another value may follow, so they have to be looked for here.
		rest := bytes.TrimLeft(text[p.tokens.InputOffset():], " \t\r\n")
		if start := len(text) - len(rest); start < len(text) {
			err = p.fault(start, "expected the end behind the value")
		}
	}
	if err != nil {
		return nil, err
	}
	return root, nil
}

type parser struct {
	text   []byte
	tokens *json.Decoder
	nodes  int
	within []step // where the value under way is
}

// step leads to an element, or with a name to a member.
type step struct {
	name  string
	index int // -1 for a member
}

// fault is a fault in the value under way.
func (p *parser) fault(offset int, format string, args ...any) error {
	path := ""
	for _, s := range p.within {
		if s.index >= 0 {
			path += "[" + strconv.Itoa(s.index) + "]"
		} else {
			path = Step(path, s.name)
		}
	}
	return &SyntaxError{offset, path, fmt.Sprintf(format, args...)}
}

// inside reads a value a step further in.
func (p *parser) inside(s step, depth int) (*Node, error) {
	p.within = append(p.within, s)
	n, err := p.value(depth + 1)
	p.within = p.within[:len(p.within)-1]
	return n, err
}

// skip returns where the next token begins.
func (p *parser) skip() int {
	at := int(p.tokens.InputOffset())
	for at < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[at]) >= 0 {
		at++
	}
	return at
}

// token reads one, with the place where it begins.
func (p *parser) token() (json.Token, int, error) {
	start := p.skip()
	t, err := p.tokens.Token()
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, 0, p.fault(len(p.text), "unexpected end")
	case err != nil:
		return nil, 0, p.fault(start, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, ok := t.(string); ok {
		if at := loneSurrogate(p.text[start:p.tokens.InputOffset()]); at >= 0 {
			return nil, 0, p.fault(start+at, "%s: expected a character but it is half of a surrogate pair", p.text[start+at:start+at+6])
		}
	}
	return t, start, nil
}

// loneSurrogate returns where a valid string has an escape that is half a character (RFC 8259 section 8.2), which encoding/json would replace by
// U+FFFD; -1 if it has none.
func loneSurrogate(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		first, ok := unitAt(text, i)
		switch second, whole := unitAt(text, i+6); {
		case !ok: // an escape of one letter
			i++
		case !utf16.IsSurrogate(first):
			i += 5
		case !whole || utf16.DecodeRune(first, second) == utf8.RuneError:
			return i
		default:
			i += 11
		}
	}
	return -1
}

// unitAt reads an escape such as \ud83d.
func unitAt(text []byte, at int) (rune, bool) {
	if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[at+2:at+6]), 16, 16)
	return rune(n), err == nil
}

func (p *parser) value(depth int) (*Node, error) {
	t, start, err := p.token()
	if err != nil {
		return nil, err
	}
	if p.nodes++; p.nodes > MaxNodes {
		return nil, p.fault(start, "expected at most %d values", MaxNodes)
	}
	n := &Node{Start: start}
	switch t := t.(type) {
	case nil:
		n.Kind = Null
	case bool:
		n.Kind, n.True = Bool, t
	case json.Number:
		n.Kind, n.Text = Number, t.String()
	case string:
		n.Kind, n.Text = String, t
	case json.Delim:
		if depth >= MaxDepth {
			return nil, p.fault(start, "expected at most %d levels", MaxDepth)
		}
		if n.Kind = Array; t == '{' {
			n.Kind = Object
			err = p.members(n, depth)
		} else {
			err = p.elements(n, depth)
		}
		if err != nil {
			return nil, err
		}
	}
	n.End = int(p.tokens.InputOffset())
	return n, nil
}

func (p *parser) elements(n *Node, depth int) error {
	for p.tokens.More() {
		element, err := p.inside(step{index: len(n.Elements)}, depth)
		if err != nil {
			return err
		}
		n.Elements = append(n.Elements, element)
	}
	_, _, err := p.token()
	return err
}

func (p *parser) members(n *Node, depth int) error {
	seen := map[string]bool{}
	for p.tokens.More() {
		t, start, err := p.token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return p.fault(start, "expected a name")
		}
		if seen[name] {
			p.within = append(p.within, step{name, -1})
			return p.fault(start, "a second time in this object")
		}
		seen[name] = true
		value, err := p.inside(step{name, -1}, depth)
		if err != nil {
			return err
		}
		n.Members = append(n.Members, Member{name, value, start})
	}
	_, _, err := p.token()
	return err
}
