package jsonvalue

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// unordered finds an element of its own for each expected one, as far as that goes. Equal ones are for each other: what fits one of two equal values fits the other too, so that
// nothing is lost by it. The rest is a matching of a bipartite graph, made larger by augmenting paths until it is the largest.
func (d *differ) unordered(path string, want, got []any) {
	m := matching{d: d, want: want, got: got, rows: make([]row, len(want)), owner: make([]int, len(got))}
	m.pairEqual()
	for i := range want {
		if m.rows[i].paired {
			continue
		}
		m.seen = make(map[int]bool)
		found := m.augment(i)
		if d.budget < 0 {
			d.excess(path)
		}
		if d.over() {
			return
		}
		if !found {
			d.add(path+"["+strconv.Itoa(i)+"]", Short(want[i]), "in no element", true)
		}
	}
	if len(got) > len(want) && !d.rules.ExtraElements {
		d.add(path, fmt.Sprintf("%d elements", len(want)), fmt.Sprintf("%d elements", len(got)), false)
	}
}

// matching pairs expected elements with those that came.
type matching struct {
	d         *differ
	want, got []any
	rows      []row
	owner     []int // of an element that came: 1 + the expected one, or 0, or equalPair
	seen      map[int]bool
}

// equalPair is the owner of an element whose pair is final.
const equalPair = -1

// row is an expected element with those that fit it, as far as they were looked for.
type row struct {
	paired bool
	fits   []int
	next   int // how many were looked at
}

func (m *matching) pairEqual() {
	places := map[string][]int{}
	for j, value := range m.got {
		key := m.d.key(value)
		places[key] = append(places[key], j)
	}
	for i, value := range m.want {
		key := m.d.key(value)
		if list := places[key]; len(list) > 0 && m.d.budget >= 0 {
			m.rows[i].paired, m.owner[list[0]], places[key] = true, equalPair, list[1:]
		}
	}
}

// augment finds an element for an expected one, for which others may have to take another.
func (m *matching) augment(i int) bool {
	for k := 0; ; k++ {
		j := m.fit(i, k)
		if j < 0 {
			return false
		}
		if m.d.budget--; m.d.budget < 0 {
			return false
		}
		if m.seen[j] {
			continue
		}
		m.seen[j] = true
		if m.owner[j] == 0 || m.augment(m.owner[j]-1) {
			m.owner[j] = i + 1
			return true
		}
	}
}

// fit returns the kth element that fits an expected one, -1 if there is none. The first that is looked at is the one in the same place.
func (m *matching) fit(i, k int) int {
	r := &m.rows[i]
	for len(r.fits) <= k {
		if r.next == len(m.got) || m.d.budget < 0 {
			return -1
		}
		j := (i + r.next) % len(m.got)
		r.next++
		if m.owner[j] == equalPair {
			m.d.budget--
			continue
		}
		trial := differ{rules: m.d.rules, budget: m.d.budget, trial: true}
		trial.compare("", m.want[i], m.got[j])
		if m.d.budget = trial.budget; !trial.differ {
			r.fits = append(r.fits, j)
		}
	}
	return r.fits[k]
}

// key is a text that equal values share and others do not. It is paid for by its length.
func (d *differ) key(value any) string {
	if d.budget < 0 {
		return ""
	}
	var b strings.Builder
	writeKey(&b, value)
	d.budget -= 1 + b.Len()/64
	return b.String()
}

func writeKey(b *strings.Builder, value any) {
	switch v := value.(type) {
	case json.Number:
		n := decimalOf(string(v))
		fmt.Fprintf(b, "%t.%se%d,%s;", n.negative, n.digits, n.exponent, n.huge)
	case []any:
		b.WriteByte('[')
		for _, one := range v {
			writeKey(b, one)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(strconv.Quote(name))
			writeKey(b, v[name])
		}
		b.WriteByte('}')
	case string:
		b.WriteString(strconv.Quote(v))
	default: // true, false, null
		fmt.Fprint(b, v, ";")
	}
}
