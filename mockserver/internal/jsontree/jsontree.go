// Package jsontree reads JSON into a tree that remembers where each value stood, so that who finds fault with a value can say where.
package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
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

// A SyntaxError is what is wrong with text that is no JSON.
type SyntaxError struct {
	Offset int
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
	if !utf8.Valid(text) {
		at := 0
		for r, size := utf8.DecodeRune(text); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(text[at:]) {
			at += size
		}
		return nil, &SyntaxError{at, "expected UTF-8"}
	}
	p := &parser{text: text, tokens: json.NewDecoder(bytes.NewReader(text))}
	p.tokens.UseNumber()
	root, err := p.value(0)
	if err == nil {
		// The decoder takes commas where another value may follow, so they have to be looked for here.
		rest := bytes.TrimLeft(text[p.tokens.InputOffset():], " \t\r\n")
		if start := len(text) - len(rest); start < len(text) {
			err = &SyntaxError{start, "expected the end behind the value"}
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
	if err == nil {
		return t, start, nil
	}
	wrong := &SyntaxError{start, strings.TrimPrefix(err.Error(), "json: ")}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		wrong.Offset, wrong.Detail = len(p.text), "unexpected end"
	}
	return nil, 0, wrong
}

func (p *parser) value(depth int) (*Node, error) {
	t, start, err := p.token()
	if err != nil {
		return nil, err
	}
	if p.nodes++; p.nodes > MaxNodes {
		return nil, &SyntaxError{start, fmt.Sprintf("expected at most %d values", MaxNodes)}
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
			return nil, &SyntaxError{start, fmt.Sprintf("expected at most %d levels", MaxDepth)}
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
		element, err := p.value(depth + 1)
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
			return &SyntaxError{start, "expected a name"}
		}
		if seen[name] {
			return &SyntaxError{start, fmt.Sprintf("name %q a second time", name)}
		}
		seen[name] = true
		value, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Members = append(n.Members, Member{name, value, start})
	}
	_, _, err := p.token()
	return err
}
