package jsonpath

import (
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// Secret reports whether all that the path selects is a secret: a step of it has the name of one.
func (p *Path) Secret() bool {
	for _, g := range p.root.segments {
		for _, sel := range g.selectors {
			if n, ok := sel.(name); ok && target.Secret(string(n)) {
				return true
			}
		}
	}
	return false
}

// Shown returns an expression, which may be malformed, as reports show it: if anything in it is called like a secret, then without the literals that its filters
// compare with.
func Shown(text string) string {
	tokens := tokensOf(text)
	secret := false
	for _, t := range tokens {
		secret = secret || target.Secret(t.name)
	}
	if !secret {
		return text
	}
	var b strings.Builder
	done := 0
	for _, t := range tokens {
		if t.literal {
			b.WriteString(text[done:t.start] + target.Redacted)
			done = t.end
		}
	}
	return b.String() + text[done:]
}

// token is a name of an expression, or a literal in a filter.
type token struct {
	start, end int
	name       string
	literal    bool
}

// tokensOf finds the names and the literals of an expression by what stands before them. Literals are also those that other dialects have: lists and regular expressions.
func tokensOf(text string) (list []token) {
	var within []byte // what is open: ( or [, or { for a list of literals
	before := byte(0) // the last byte that is no blank
	for i := 0; i < len(text); {
		c, start := text[i], i
		step := before == '[' || before == ',' // a name or an index may stand here
		if len(within) > 0 && within[len(within)-1] != '[' {
			step = false
		}
		switch {
		case c == '"' || c == '\'' || c == '/':
			i = end(text, i)
			list = append(list, token{start, i, unquoted(text[start:i]), !step || c == '/'})
		case part(c):
			for i < len(text) && (part(text[i]) || text[i] == '.' && digit(c)) {
				i++
			}
			literal := digit(c) && !step && before != '.' && before != ':' || strings.IndexByte("=<>~", before) >= 0
			list = append(list, token{start, i, text[start:i], literal})
		case c == '[' && (i == 0 || strings.IndexByte(" \t\r\n=(,{", text[i-1]) >= 0):
			within = append(within, '{')
			i++
		case c == '[' || c == '(':
			within = append(within, c)
			i++
		case (c == ']' || c == ')') && len(within) > 0:
			within = within[:len(within)-1]
			i++
		default:
			i++
		}
		if strings.IndexByte(" \t\r\n", c) < 0 {
			before = text[i-1]
		}
	}
	return list
}

// end returns where what is between quotes, or slashes, ends.
func end(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(text))
}

func digit(c byte) bool { return c >= '0' && c <= '9' || c == '-' }

// part reports whether a byte may be one of a name or a number.
func part(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || c == '_' || c >= 0x80
}

// unquoted is what a quoted string says, or its text where it does not end or is malformed.
func unquoted(text string) (name string) {
	name = strings.Trim(text, `"'/`)
	defer func() {
		if thrown := recover(); thrown != nil {
			if _, ok := thrown.(*SyntaxError); !ok {
				panic(thrown)
			}
		}
	}()
	return (&scanner{text: text}).quoted()
}
