package main

import (
	"testing"
	"time"

	"github.com/okhttp-go/ok/tests/bench"
)

func samples(ops ...int64) (s []bench.Sample) {
	for _, n := range ops {
		s = append(s, bench.Sample{Ops: n, Elapsed: time.Second})
	}
	return s
}

func TestOverComparesRepetitionByRepetition(t *testing.T) {
	base := &peer{samples: samples(100, 200, 400)}
	p := &peer{samples: samples(50, 160, 1000)}
	if got, want := p.over(base, rate), (spread{0.8, 0.5, 2.5}); got != want {
		t.Errorf("ratios %v, want %v", got, want)
	}
	p.samples[1].Err = "body 3, want 4"
	if got, want := p.over(base, rate), (spread{1.5, 0.5, 2.5}); got != want {
		t.Errorf("ratios without the failed repetition %v, want %v", got, want)
	}
	if got := p.over(nil, rate).String(); got != "–" {
		t.Errorf("ratio to a peer that did not run reads %q", got)
	}
}

func TestBaseOfTakesTheShortestName(t *testing.T) {
	peers := []*peer{{name: "floor-h2"}, {name: "floor"}, {name: "nethttp"}}
	if got := baseOf("floor", peers); got != peers[1] {
		t.Errorf("base %q, want floor", got.name)
	}
	if got := baseOf("okhttp", peers); got != nil {
		t.Errorf("base %q, want none", got.name)
	}
}
