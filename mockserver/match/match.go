package match

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
)

// matcher is what all matchers of this package are.
type matcher struct {
	text   string
	err    error
	body   bool // it looks at the body or the trailers
	match  func(*mockserver.Request) []mockserver.Mismatch
	params func(*mockserver.Request) map[string]string // nil for none
	all    []mockserver.Matcher                        // what it is made of, if it is All
	any    []mockserver.Matcher                        // if it is Any
	open   bool                                        // what it says of a connection that was accepted depends on the connection, or is not known
}

func (m *matcher) String() string  { return m.text }
func (m *matcher) Err() error      { return m.err }
func (m *matcher) NeedsBody() bool { return m.body }

func (m *matcher) Match(r *mockserver.Request) []mockserver.Mismatch {
	if m.err != nil {
		return []mockserver.Mismatch{{What: m.text, Want: "a valid matcher", Got: m.err.Error(), Distance: 1}}
	}
	return m.match(r)
}

// Err returns what is wrong with a matcher, nil if nothing is known to be.
func Err(m mockserver.Matcher) error {
	if m == nil {
		return errors.New("match: expected a matcher but it is nil")
	}
	if wrong, ok := m.(interface{ Err() error }); ok {
		return wrong.Err()
	}
	return nil
}

// NeedsBody reports whether a matcher looks at more of a request than its head. One of another package that wants to be asked before the body was read
// has a method NeedsBody() bool that returns false.
func NeedsBody(m mockserver.Matcher) bool {
	asked, ok := m.(interface{ NeedsBody() bool })
	return !ok || asked.NeedsBody()
}

// Head returns what a matcher says of the head of a request, as far as it can be told apart: of [All] those parts that need no body.
func Head(m mockserver.Matcher) mockserver.Matcher {
	own, ok := m.(*matcher)
	switch {
	case Err(m) != nil || !NeedsBody(m):
		return m
	case !ok || own.all == nil:
		return Everything()
	}
	var parts []mockserver.Matcher
	for _, part := range own.all {
		parts = append(parts, Head(part))
	}
	return All(parts...)
}

// Params returns the values of the variables in the paths of a matcher ([Path], [Request]) for a request that it matches. The map is nil if it has none.
func Params(m mockserver.Matcher, r *mockserver.Request) map[string]string {
	if own, ok := m.(*matcher); ok && own.params != nil {
		return own.params(r)
	}
	return nil
}

// AtAccept reports whether a matcher may match a connection that was just accepted, of which nothing but its number and its addresses is known: [Connection],
// [Everything], and what is made of them. Only such a route can have an effect on connections at mockserver.RequestStart.
func AtAccept(m mockserver.Matcher) bool {
	if Err(m) != nil || NeedsBody(m) {
		return false
	}
	own, ok := m.(*matcher)
	switch {
	case !ok:
		return true
	case own.all != nil:
		return !slices.ContainsFunc(own.all, func(part mockserver.Matcher) bool { return !AtAccept(part) })
	case own.any != nil:
		return slices.ContainsFunc(own.any, AtAccept)
	}
	return own.open || len(own.Match(new(mockserver.Request))) == 0
}

// depends reports whether it is not known what a matcher says of a connection that was accepted.
func depends(m mockserver.Matcher) bool {
	own, ok := m.(*matcher)
	return !ok || own.open || slices.ContainsFunc(own.all, depends) || slices.ContainsFunc(own.any, depends)
}

// one makes the list of a single mismatch.
func one(what, want, got string, distance float64) []mockserver.Mismatch {
	return []mockserver.Mismatch{{What: what, Want: want, Got: got, Distance: distance}}
}

// Everything matches each request.
func Everything() mockserver.Matcher {
	return &matcher{text: "any request", match: func(*mockserver.Request) []mockserver.Mismatch { return nil }}
}

// All matches requests that all of the matchers match; without matchers, each request.
func All(matchers ...mockserver.Matcher) mockserver.Matcher {
	matchers = slices.Clone(matchers)
	m := composed(matchers, " and ")
	m.all = matchers
	if len(matchers) == 0 {
		m.text = "any request"
	}
	m.match = func(r *mockserver.Request) (list []mockserver.Mismatch) {
		for _, part := range matchers {
			list = append(list, part.Match(r)...)
		}
		return list
	}
	m.params = func(r *mockserver.Request) map[string]string {
		var all map[string]string
		for _, part := range matchers {
			for name, value := range Params(part, r) {
				if all == nil {
					all = map[string]string{}
				}
				all[name] = value
			}
		}
		return all
	}
	return m
}

// Any matches requests that one of the matchers matches. What it reports of others is how they differ from the closest.
func Any(matchers ...mockserver.Matcher) mockserver.Matcher {
	matchers = slices.Clone(matchers)
	m := composed(matchers, " or ")
	m.any = matchers
	if len(matchers) == 0 {
		m.text = "no request"
	}
	m.match = func(r *mockserver.Request) (closest []mockserver.Mismatch) {
		least := 0.0
		for i, part := range matchers {
			list, sum := part.Match(r), 0.0
			if len(list) == 0 {
				return nil
			}
			for _, mismatch := range list {
				sum += mismatch.Distance
			}
			if i == 0 || sum < least {
				closest, least = list, sum
			}
		}
		if len(matchers) == 0 {
			return one("request", "one of no alternatives", r.RequestLine(), 1)
		}
		return closest
	}
	m.params = func(r *mockserver.Request) map[string]string {
		for _, part := range matchers {
			if len(part.Match(r)) == 0 {
				return Params(part, r)
			}
		}
		return nil
	}
	return m
}

// Not matches requests that m does not match.
func Not(m mockserver.Matcher) mockserver.Matcher {
	err := Err(m)
	text := "not (nil)"
	if m != nil {
		text = "not (" + m.String() + ")"
	}
	return &matcher{text: text, err: err, body: m != nil && NeedsBody(m), open: m != nil && depends(m), match: func(r *mockserver.Request) []mockserver.Mismatch {
		if len(m.Match(r)) > 0 {
			return nil
		}
		return one("request", text, "one", 0.5)
	}}
}

// Func matches requests for which f returns true. It may look at all of the request, and has to be safe for concurrent use. The name is for reports.
func Func(name string, f func(*mockserver.Request) bool) mockserver.Matcher {
	m := &matcher{text: name, body: true}
	if f == nil {
		m.err = fmt.Errorf("match: Func(%q): expected a function", name)
	}
	m.match = func(r *mockserver.Request) []mockserver.Mismatch {
		if f(r) {
			return nil
		}
		return one(name, "true", "false", 1)
	}
	return m
}

func composed(matchers []mockserver.Matcher, word string) *matcher {
	m := new(matcher)
	var texts []string
	var errs []error
	for _, part := range matchers {
		errs = append(errs, Err(part))
		if part == nil {
			continue
		}
		m.body = m.body || NeedsBody(part)
		text := part.String()
		if word == " and " && strings.Contains(text, " or ") {
			text = "(" + text + ")"
		}
		texts = append(texts, text)
	}
	m.text, m.err = strings.Join(texts, word), errors.Join(errs...)
	return m
}
