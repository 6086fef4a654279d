package race

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// table reads a world from bytes; what is missing is zeros.
type table []byte

func (b *table) pick(n int) int {
	if len(*b) == 0 {
		return 0
	}
	first := (*b)[0]
	*b = (*b)[1:]
	return int(first) % n
}

// of reports true once in n, but never for a zero.
func (b *table) of(n int) bool { return b.pick(n) == n-1 }

// long picks a time around the instants that matter: equal ones, and those just before and after the spacing.
func (b *table) long() time.Duration {
	return []time.Duration{0, ms, 20 * ms, 230 * ms, 249 * ms, 250 * ms, 251 * ms, 480 * ms, 500 * ms, time.Second}[b.pick(10)]
}

func (b *table) way(name string, depth int) *way {
	w := &way{name: name, takes: b.long()}
	kind, details := b.pick(8), b.pick(8)
	switch kind {
	case 0, 1:
		w.refused = true
	case 2:
		w.takes = never
	case 3:
		w.unknown = depth == 0
	case 4:
		w.ready = true
	}
	if details&1 != 0 {
		w.vain = b.of(5)
		w.at, w.blocks = b.long()*time.Duration(b.pick(3)), b.long()
	}
	if details&2 != 0 {
		w.stubborn, w.opens = b.long(), b.of(2)
	}
	if details&4 != 0 {
		w.finish, w.broken = b.long(), b.of(2)
	}
	if depth > 2 {
		w.again = nothing
		return w
	}
	if b.of(4) {
		w.instead = b.way(name+"'", depth+1)
	}
	switch b.pick(4) {
	case 1:
		w.again = nothing
	case 2:
		w.again = b.way(name+"+", depth+1)
	}
	return w
}

// world reads a table, and when the context ends.
func (b *table) world() (w *world, end time.Duration) {
	w = &world{stagger: []time.Duration{0, 0, 0, 100 * ms, -1}[b.pick(5)]}
	w.vague = b.of(4)
	end = time.Hour // nothing but black holes is left by then
	if b.of(3) {
		end = b.long() * time.Duration(1+b.pick(3))
	}
	if b.of(6) {
		w.fatal = "b " + []string{"refused", "unknown", "broken"}[b.pick(3)]
	}
	if b.of(4) {
		w.panicAt = b.pick(100)
	}
	for n := range b.pick(7) {
		w.todo = append(w.todo, b.way(string(rune('a'+n)), 0))
	}
	return w, end
}

// play searches in a random world, which checks itself.
func play(t *testing.T, data []byte) *world {
	b := table(data)
	w, end := b.world()
	w.find(t, end)
	last := end
	for _, p := range w.plans {
		last = max(last, end+p.stubborn) // of a plan that Find connects itself
	}
	if took := w.event; took > last {
		t.Errorf("the search took %v, although the context ended at %v", took, end)
	}
	if t.Failed() {
		t.Logf("stagger %v, end %v, panic at %d, fatal %q", w.stagger, end, w.panicAt, w.fatal)
		for _, p := range w.plans {
			t.Logf("%+v", *p.way)
		}
		t.Logf("log %s\ndiscarded %s", strings.Join(w.log, ", "), strings.Join(w.discards, ", "))
	}
	return w
}

// Searches among random plans keep all promises, and come to every kind of end.
func TestRandom(t *testing.T) {
	const seeds = 3000
	seen := map[string]int{}
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, random.IntN(100))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		w := play(t, data)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		for _, what := range []string{"found", "lost", "given up", "interrupted", "refused", "unknown", "broken", "deferred first", "deferred last"} {
			if strings.Contains(fmt.Sprint(w.log), what) {
				seen[what]++
			}
		}
		if len(w.discards) > 0 {
			seen["discarded"]++
		}
		if w.over {
			seen["fatal"]++
		}
		if w.panicAt > 0 && w.calls == w.panicAt {
			seen["panic"]++
		}
	}
	for _, what := range []string{"found", "lost", "given up", "interrupted", "refused", "unknown", "broken", "deferred first", "deferred last",
		"discarded", "fatal", "panic"} {
		if seen[what] < seeds/200 {
			t.Errorf("%s: in %d of %d searches", what, seen[what], seeds)
		}
	}
}

func FuzzFind(f *testing.F) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 90)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		play(t, data[:min(len(data), 400)])
	})
}
