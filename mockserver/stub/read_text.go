package stub

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/mockserver/match"
)

func (v value) textRef() *Text { t := v.text(); return &t }

// text reads what a text has to be.
func (v value) text() (t Text) {
	if v.Kind == jsontree.String {
		return Text{Equal: &v.Text}
	}
	if v.Kind != jsontree.Object {
		v.fail("expected a string or an object but it is %v", v.Kind)
		return t
	}
	v.keys(t.keys())
	if len(v.Members) == 0 {
		v.fail("expected a condition, such as equal or present")
	}
	return t
}

// keys are the members of a text.
func (t *Text) keys() map[string]func(value) {
	words := func(to **string) func(value) {
		return func(v value) { s := v.str(); *to = &s }
	}
	return map[string]func(value){
		"equal": words(&t.Equal), "equalFold": words(&t.EqualFold), "contains": words(&t.Contains), "prefix": words(&t.Prefix), "suffix": words(&t.Suffix),
		"regexp": func(v value) {
			s := v.str()
			t.Regexp = &s
			v.valid(match.Regexp(s).Err())
		},
		"present": func(v value) { b := v.boolean(); t.Present = &b },
		"not":     func(v value) { t.Not = v.textRef() },
		"all":     func(v value) { t.All = v.texts() },
		"any":     func(v value) { t.Any = v.texts() },
	}
}

func (v value) texts() (list []Text) {
	for _, one := range v.list() {
		list = append(list, one.text())
	}
	if v.Kind == jsontree.Array && len(list) == 0 {
		v.fail("expected a list of texts")
	}
	return list
}

// textMap reads what texts have to be by name.
func (v value) textMap() map[string]Text {
	all := map[string]Text{}
	v.each(func(name string, member value) { all[name] = member.text() })
	return all
}

// Pattern returns the text as package match takes it. A text of which nothing is said has to be there.
func (t Text) Pattern() match.Pattern {
	var parts []match.Pattern
	for _, part := range []struct {
		text *string
		make func(string) match.Pattern
	}{{t.Equal, match.Is}, {t.EqualFold, match.IsFold}, {t.Contains, match.Contains}, {t.Prefix, match.HasPrefix}, {t.Suffix, match.HasSuffix}, {t.Regexp, match.Regexp}} {
		if part.text != nil {
			parts = append(parts, part.make(*part.text))
		}
	}
	if t.Present != nil && *t.Present {
		parts = append(parts, match.Present())
	} else if t.Present != nil {
		parts = append(parts, match.Absent())
	}
	if t.Not != nil {
		parts = append(parts, match.IsNot(t.Not.Pattern()))
	}
	for _, one := range t.All {
		parts = append(parts, one.Pattern())
	}
	if len(t.Any) > 0 {
		var either []match.Pattern
		for _, one := range t.Any {
			either = append(either, one.Pattern())
		}
		parts = append(parts, match.Either(either...))
	}
	switch len(parts) {
	case 0:
		return match.Present()
	case 1:
		return parts[0]
	}
	return match.Both(parts...)
}

// sorted returns the names of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (v value) duration() Duration {
	s := v.str()
	d, err := time.ParseDuration(s)
	if v.Kind == jsontree.String && (err != nil || d < 0) {
		v.fail("expected a time such as \"200ms\" or \"1.5s\" but it is %q", s)
		return 0
	}
	return Duration(d)
}

// delay reads a time, or one at random.
func (v value) delay() (d Delay) {
	if v.Kind != jsontree.Object {
		d.Fixed = v.duration()
		return d
	}
	v.keys(map[string]func(value){
		"from":   func(v value) { d.From = v.duration() },
		"to":     func(v value) { d.To = v.duration() },
		"median": func(v value) { d.Median = v.duration() },
		"sigma":  func(v value) { d.Sigma = v.float() },
		"max":    func(v value) { d.Max = v.duration() },
	})
	between, around := v.Get("from") != nil || v.Get("to") != nil, v.Get("median") != nil || v.Get("sigma") != nil || v.Get("max") != nil
	switch {
	case between == around:
		v.fail("expected from and to, or median and sigma")
	case between && d.To <= d.From:
		v.fail("expected a time \"to\" above \"from\"")
	case around && (d.Median <= 0 || d.Sigma < 0 || d.Sigma > 3):
		v.fail("expected a time as median and a sigma from 0 to 3")
	case around && v.Get("max") != nil && d.Max <= 0:
		v.fail("expected a time as max above 0")
	}
	return d
}

func (v value) float() float64 {
	if !v.is(jsontree.Number) {
		return 0
	}
	var f float64
	if err := json.Unmarshal(v.raw(), &f); err != nil || math.IsInf(f, 0) {
		v.fail("expected a number but it is %s", v.Text)
	}
	return f
}
