package jsonvalue

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// A Difference is where a value is not as it was expected.
type Difference struct {
	Path      string // such as $.items[0].name
	Want, Got string // in JSON, cut short and without secrets
	Missing   bool   // there is no such member
	Hidden    bool   // Want and Got do not show what was compared
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

// Differences compares what came with what is expected. Of members that are called like secrets it says that they differ, without their values.
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
		d.list = append(d.list, Difference{path, want, got, missing, false})
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
		value, ok := got[name]
		switch path := path + member(name); {
		case !ok && target.Secret(name):
			d.add(path, certain(want[name]), "missing", true)
		case !ok:
			d.add(path, Short(want[name]), "missing", true)
		case target.Secret(name):
			d.secrets(path, want[name], value)
		default:
			d.compare(path, want[name], value)
		}
	}
	if d.rules.ExtraMembers {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			d.add(path+member(name), "no such member", shortOf(name, got[name]), false)
		}
	}
}

// secrets compares the values of a member that is called like a secret. What differs within them is a part of the secret, names of members too.
func (d *differ) secrets(path string, want, got any) {
	trial := differ{rules: d.rules, budget: d.budget, trial: true}
	trial.compare(path, want, got)
	d.budget = trial.budget
	switch {
	case trial.exceeded:
		d.excess(path)
	case trial.differ && !d.over():
		d.add(path, certain(want), another(want, got), false)
		d.list[len(d.list)-1].Hidden = true
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
