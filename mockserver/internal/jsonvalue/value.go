// Package jsonvalue compares values of JSON. They are those of encoding/json with numbers as json.Number.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// MaxDepth bounds how deep arrays and objects may be within each other.
const MaxDepth = 1000

// Parse reads one value and nothing after it.
func Parse(text []byte) (any, error) {
	if err := checkDepth(text); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, errors.New("JSON that ends too early")
		}
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

// MoreThan reports whether a text of JSON has more values than most, counted by what begins and separates them, and so without the memory that they take.
func MoreThan(text []byte, most int) bool {
	values, quoted := 1, false
	for i := 0; i < len(text) && values <= most; i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{' || c == ',':
			values++
		}
	}
	return values > most
}

// checkDepth goes over the text before memory is spent on it.
func checkDepth(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return fmt.Errorf("JSON of more than %d levels", MaxDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// Equal reports whether two values are the same. Numbers are compared by their value: 1, 1.0 and 10e-1 are equal.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && CompareNumbers(a, b) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, Equal)
	case nil, bool, string:
		return reflect.TypeOf(a) == reflect.TypeOf(b) && a == b
	}
	return false
}

// A Difference is where a value is not as it was expected.
type Difference struct {
	Path      string // such as $.items[0].name
	Want, Got string // in JSON, cut short
	Missing   bool   // there is no such member
}

// Rules say what may differ.
type Rules struct {
	ExtraMembers  bool // members of objects that are not expected
	ExtraElements bool // elements of arrays that are not expected: behind the last one, or in any order anywhere
	AnyOrder      bool // the order of arrays
}

// maxDifferences bounds a list of them.
const maxDifferences = 20

// maxComparisons bounds the work, which arrays in any order take much of.
const maxComparisons = 1 << 20

// Differences compares what came with what is expected.
func Differences(want, got any, rules Rules) []Difference {
	d := differ{rules: rules, budget: maxComparisons}
	d.compare("$", want, got)
	return d.list
}

type differ struct {
	rules  Rules
	list   []Difference
	budget int  // of comparisons
	trial  bool // only whether there is a difference matters
	differ bool // there is
	// exceeded says that the budget is used up.
	exceeded bool
}

func (d *differ) add(path, want, got string, missing bool) {
	if d.differ = true; len(d.list) < maxDifferences {
		d.list = append(d.list, Difference{path, want, got, missing})
	}
}

// excess says, once, that the budget is used up.
func (d *differ) excess(path string) {
	if !d.exceeded {
		d.add(path, "less to compare", "more than can be compared", false)
	}
	d.exceeded = true
}

// over reports whether no more differences are wanted.
func (d *differ) over() bool {
	return d.exceeded || len(d.list) >= maxDifferences || d.trial && d.differ
}

func (d *differ) compare(path string, want, got any) {
	if d.over() {
		return
	}
	if d.budget--; d.budget < 0 {
		d.excess(path)
		return
	}
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			d.objects(path, want, got)
			return
		}
	case []any:
		if got, ok := got.([]any); ok {
			d.arrays(path, want, got)
			return
		}
	}
	switch {
	case Equal(want, got):
	case d.trial:
		d.differ = true
	default:
		d.add(path, Short(want), Short(got), false)
	}
}

func (d *differ) objects(path string, want, got map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[name]; ok {
			d.compare(path+member(name), want[name], value)
		} else {
			d.add(path+member(name), Short(want[name]), "missing", true)
		}
	}
	if d.rules.ExtraMembers {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			d.add(path+member(name), "no such member", Short(got[name]), false)
		}
	}
}

func (d *differ) arrays(path string, want, got []any) {
	if d.rules.AnyOrder {
		d.unordered(path, want, got)
		return
	}
	for i, value := range want {
		if i < len(got) {
			d.compare(path+"["+strconv.Itoa(i)+"]", value, got[i])
		} else {
			d.add(path+"["+strconv.Itoa(i)+"]", Short(value), "missing", true)
		}
	}
	if len(got) > len(want) && !d.rules.ExtraElements {
		d.add(path, fmt.Sprintf("%d elements", len(want)), fmt.Sprintf("%d elements", len(got)), false)
	}
}

// member is the step to a member of an object.
func member(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && (name[0] < '0' || name[0] > '9') {
		return "." + name
	}
	return "[" + strconv.Quote(name) + "]"
}

// shortest is how much of a value is shown.
const shortest = 100

// abridged returns the beginning of a value, so that no more is written than is shown; left is about how many bytes that still has.
func abridged(value any, left *int) any {
	switch v := value.(type) {
	case string:
		if len(v) > *left {
			v = strings.ToValidUTF8(v[:max(*left, 0)], "")
		}
		*left -= len(v) + 2
		return v
	case []any:
		list := []any{}
		for _, one := range v {
			if *left < 0 {
				break
			}
			list = append(list, abridged(one, left))
			*left--
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *left < 0 {
				break
			}
			*left -= len(name) + 4
			object[name] = abridged(v[name], left)
		}
		return object
	}
	*left -= 4
	return value
}

// Short writes a value in JSON, of 100 bytes at the most.
func Short(value any) string {
	left := 10 * shortest
	text := Text(abridged(value, &left))
	if len(text) > shortest {
		return strings.ToValidUTF8(text[:shortest], "") + "…"
	}
	return text
}

// Text writes a value in JSON.
func Text(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
