// Package jsonpath selects values within JSON (RFC 9535). Values are those of encoding/json with numbers as json.Number. Members of objects are
// visited in the order of their names.
package jsonpath

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// maxSteps bounds the work of one evaluation.
const maxSteps = 1 << 20

// ErrTooMuch is what an expression fails with that visits too many values.
var ErrTooMuch = errors.New("the JSON path visits too many values")

// A Node is a value that was selected.
type Node struct {
	Value  any
	Secret bool // it is that of a member that is called like a secret, or within one
}

// Select returns the values that the path selects within a value.
func (p *Path) Select(value any) ([]any, error) {
	found, err := p.Nodes(value)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(found))
	for i, node := range found {
		values[i] = node.Value
	}
	return values, nil
}

// Nodes is [Path.Select] with what is known of the values.
func (p *Path) Nodes(value any) ([]Node, error) {
	e := &evaluation{root: Node{Value: value}, left: maxSteps}
	found := e.query(p.root, e.root)
	if e.left < 0 {
		return nil, ErrTooMuch
	}
	return found, nil
}

type evaluation struct {
	root Node
	left int
}

// step counts a value that is visited, and reports whether to go on.
func (e *evaluation) step() bool {
	e.left--
	return e.left >= 0
}

type query struct {
	absolute bool
	singular bool // one value at the most
	segments []segment
}

type segment struct {
	deep      bool // of all descendants too
	selectors []selector
}

func (e *evaluation) query(q query, current Node) []Node {
	if q.absolute {
		current = e.root
	}
	nodes := []Node{current}
	for _, g := range q.segments {
		var next []Node
		for _, node := range nodes {
			if next = e.segment(g, node, next); e.left < 0 {
				return nil
			}
		}
		nodes = next
	}
	return nodes
}

func (e *evaluation) segment(g segment, node Node, found []Node) []Node {
	if !e.step() {
		return found
	}
	for _, sel := range g.selectors {
		found = sel.apply(e, node, found)
	}
	if g.deep {
		for child := range children(node) {
			found = e.segment(g, child, found)
		}
	}
	return found
}

// children are the elements of an array, or the members of an object in the order of their names.
func children(node Node) func(yield func(Node) bool) {
	return func(yield func(Node) bool) {
		switch value := node.Value.(type) {
		case []any:
			for _, child := range value {
				if !yield(Node{child, node.Secret}) {
					return
				}
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				if !yield(node.member(key, value[key])) {
					return
				}
			}
		}
	}
}

// member is a member of a node.
func (n Node) member(name string, value any) Node {
	return Node{value, n.Secret || target.Secret(name)}
}

// A selector picks children of a node.
type selector interface {
	apply(e *evaluation, node Node, found []Node) []Node
}

type (
	name     string
	wildcard struct{}
	index    int64
	slice    [3]*int64
	filter   struct {
		condition logical
		whole     bool // an object is asked itself, and not its members
	}
)

func (n name) apply(e *evaluation, node Node, found []Node) []Node {
	if object, ok := node.Value.(map[string]any); ok && e.step() {
		if child, ok := object[string(n)]; ok {
			found = append(found, node.member(string(n), child))
		}
	}
	return found
}

func (wildcard) apply(e *evaluation, node Node, found []Node) []Node {
	for child := range children(node) {
		if !e.step() {
			break
		}
		found = append(found, child)
	}
	return found
}

func (i index) apply(e *evaluation, node Node, found []Node) []Node {
	if array, ok := node.Value.([]any); ok && e.step() {
		at := int64(i)
		if at < 0 {
			at += int64(len(array))
		}
		if at >= 0 && at < int64(len(array)) {
			found = append(found, Node{array[at], node.Secret})
		}
	}
	return found
}

func (s slice) apply(e *evaluation, node Node, found []Node) []Node {
	array, ok := node.Value.([]any)
	if !ok {
		return found
	}
	length, step := int64(len(array)), int64(1)
	if s[2] != nil {
		step = *s[2]
	}
	bound := func(given *int64, missing, least, most int64) int64 {
		if given == nil {
			return missing
		}
		n := *given
		if n < 0 {
			n += length
		}
		return min(max(n, least), most)
	}
	switch {
	case step > 0:
		end := bound(s[1], length, 0, length)
		for i := bound(s[0], 0, 0, length); i < end && e.step(); i += step {
			found = append(found, Node{array[i], node.Secret})
		}
	case step < 0:
		end := bound(s[1], -1, -1, length-1)
		for i := bound(s[0], length-1, -1, length-1); i > end && e.step(); i += step {
			found = append(found, Node{array[i], node.Secret})
		}
	}
	return found
}

func (f filter) apply(e *evaluation, node Node, found []Node) []Node {
	if _, ok := node.Value.(map[string]any); ok && f.whole {
		if e.step() && f.condition.holds(e, node) {
			found = append(found, node)
		}
		return found
	}
	for child := range children(node) {
		if !e.step() {
			break
		}
		if f.condition.holds(e, child) {
			found = append(found, child)
		}
	}
	return found
}

// logical is a condition of a filter.
type logical interface {
	holds(e *evaluation, current Node) bool
}

type (
	anyOf      []logical
	allOf      []logical
	not        struct{ of logical }
	exists     struct{ of query }
	truth      struct{ of *call }
	comparison struct {
		op          string
		left, right term
	}
)

func (l anyOf) holds(e *evaluation, current Node) bool {
	return slices.ContainsFunc(l, func(part logical) bool { return part.holds(e, current) })
}

func (l allOf) holds(e *evaluation, current Node) bool {
	return !slices.ContainsFunc(l, func(part logical) bool { return !part.holds(e, current) })
}

func (n not) holds(e *evaluation, current Node) bool    { return !n.of.holds(e, current) }
func (x exists) holds(e *evaluation, current Node) bool { return len(e.query(x.of, current)) > 0 }
func (t truth) holds(e *evaluation, current Node) bool  { return t.of.value(e, current) == true }

func (c comparison) holds(e *evaluation, current Node) bool {
	a, b := c.left.value(e, current), c.right.value(e, current)
	switch c.op {
	case "==":
		return equal(a, b)
	case "!=":
		return !equal(a, b)
	case "<":
		return less(a, b)
	case ">":
		return less(b, a)
	case "<=":
		return less(a, b) || equal(a, b)
	}
	return less(b, a) || equal(a, b)
}

// nothing is the value of a query that selects none.
type nothing struct{}

func equal(a, b any) bool {
	if a == (nothing{}) || b == (nothing{}) {
		return a == b
	}
	return jsonvalue.Equal(a, b)
}

func less(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && jsonvalue.CompareNumbers(a, b) < 0
	case string:
		b, ok := b.(string)
		return ok && strings.Compare(a, b) < 0
	}
	return false
}

// term is what comparisons compare.
type term interface {
	value(e *evaluation, current Node) any
}

type literal struct{ of any }

func (l literal) value(*evaluation, Node) any { return l.of }

func (q query) value(e *evaluation, current Node) any {
	if nodes := e.query(q, current); len(nodes) == 1 {
		return nodes[0].Value
	}
	return nothing{}
}
