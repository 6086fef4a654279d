package race

import (
	"context"
	"testing"
)

// pair is a planner with two plans.
type pair struct {
	ways  [2]point
	taken int
}

// point is a plan that connects when it is told to.
type point struct{ open <-chan struct{} }

func (p *pair) Next(context.Context) (Plan, <-chan struct{}, error) {
	if p.taken == len(p.ways) {
		return nil, nil, nil
	}
	p.taken++
	return &p.ways[p.taken-1], nil, nil
}

func (p *pair) More() bool                            { return p.taken < len(p.ways) }
func (p *pair) DeferFirst(Plan)                       {}
func (p *pair) DeferLast(Plan)                        {}
func (p *point) Ready() bool                          { return false }
func (p *point) Start()                               {}
func (p *point) Failed(error)                         {}
func (p *point) Finish(context.Context) (Plan, error) { return nil, nil }
func (p *point) Discard()                             {}
func (p *point) Again() Plan                          { return nil }

func (p *point) Connect(ctx context.Context) error {
	select {
	case <-p.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A plan that is alone: the common case.
func BenchmarkSingle(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	p := solo{calls: make([]string, 0, 1)}
	for b.Loop() {
		p.taken, p.calls = false, p.calls[:0]
		if _, failure := Find(ctx, &p, Config{}); failure != nil {
			b.Fatal(failure)
		}
	}
}

// The first of two wins, before the second starts.
func BenchmarkFirstOfTwo(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	open := make(chan struct{})
	close(open)
	b.ReportAllocs()
	for b.Loop() {
		p := pair{ways: [2]point{{open}, {}}}
		if _, failure := Find(ctx, &p, Config{}); failure != nil {
			b.Fatal(failure)
		}
	}
}

// The second of two wins, and the first is given up.
func BenchmarkSecondOfTwo(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	open := make(chan struct{})
	close(open)
	b.ReportAllocs()
	for b.Loop() {
		p := pair{ways: [2]point{{nil}, {open}}}
		if _, failure := Find(ctx, &p, Config{Stagger: 1}); failure != nil {
			b.Fatal(failure)
		}
	}
}

// A plan that is alone costs no allocation here, which a goroutine, a channel or a timer would be.
func TestSingleAllocatesNothing(t *testing.T) {
	ctx := t.Context()
	p := solo{calls: make([]string, 0, 1)}
	if n := testing.AllocsPerRun(100, func() {
		p.taken, p.calls = false, p.calls[:0]
		if _, failure := Find(ctx, &p, Config{}); failure != nil {
			t.Fatal(failure)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
