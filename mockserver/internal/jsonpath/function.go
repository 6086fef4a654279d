package jsonpath

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kindOf arguments and results (RFC 9535 section 2.4.1).
type kindOf int

const (
	valueType kindOf = iota
	logicalType
	nodesType
)

type function struct {
	name   string
	args   []kindOf
	result kindOf
	run    func(c *call, args []any) any // an argument of nodesType is a []Node
}

// compileSteps is the work of compiling a pattern that comes from the value.
const compileSteps = 1000

// call is a function with its arguments.
type call struct {
	f    *function
	args []term
	re   *regexp.Regexp // of a pattern that is a literal
	ok   bool           // re is known, nil for a pattern that is malformed
}

var functions = map[string]*function{}

func init() {
	for _, f := range []*function{
		{"length", []kindOf{valueType}, valueType, length},
		{"count", []kindOf{nodesType}, valueType, func(_ *call, args []any) any { return number(len(args[0].([]Node))) }},
		{"value", []kindOf{nodesType}, valueType, func(_ *call, args []any) any {
			if nodes := args[0].([]Node); len(nodes) == 1 {
				return nodes[0].Value
			}
			return nothing{}
		}},
		{"match", []kindOf{valueType, valueType}, logicalType, matches},
		{"search", []kindOf{valueType, valueType}, logicalType, matches},
	} {
		functions[f.name] = f
	}
}

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

func length(_ *call, args []any) any {
	switch v := args[0].(type) {
	case string:
		return number(utf8.RuneCountInString(v))
	case []any:
		return number(len(v))
	case map[string]any:
		return number(len(v))
	}
	return nothing{}
}

func matches(c *call, args []any) any {
	text, ok := args[0].(string)
	pattern, ok2 := args[1].(string)
	if !ok || !ok2 {
		return false
	}
	re := c.re
	if !c.ok {
		re = c.expression(pattern)
	}
	return re != nil && re.MatchString(text)
}

// expression compiles a pattern (RFC 9485), nil if it is malformed or too long.
func (c *call) expression(pattern string) *regexp.Regexp {
	if len(pattern) > maxLength {
		return nil
	}
	pattern = dotted(pattern)
	re, err := regexp.Compile(pattern)
	if err == nil && c.f.name == "match" { // of the whole, if it is one by itself
		re, err = regexp.Compile(`\A(?:` + pattern + `)\z`)
	}
	if err != nil {
		return nil
	}
	return re
}

// dotted has the dots of a pattern match neither CR nor LF (RFC 9485 section 5.4): those of package regexp do match CR.
func dotted(pattern string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '.' && !class:
			b.WriteString(`[^\n\r]`)
			continue
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// compile prepares what is known before there is a value.
func (c *call) compile() {
	if c.f.result != logicalType {
		return
	}
	if l, ok := c.args[1].(literal); ok {
		if pattern, ok := l.of.(string); ok {
			c.re, c.ok = c.expression(pattern), true
		}
	}
}

func (c *call) value(e *evaluation, current Node) any {
	args := make([]any, len(c.args))
	for i, t := range c.args {
		if q, ok := t.(query); ok && c.f.args[i] == nodesType {
			args[i] = e.query(q, current)
		} else {
			args[i] = t.value(e, current)
		}
	}
	if c.f.result == logicalType && !c.ok {
		e.left -= compileSteps
	}
	return c.f.run(c, args)
}
