package main

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/okhttp-go/ok/tests/bench"
)

// A group is one table.
type group struct {
	name  string
	about string
	cases []benchCase
}

// A benchCase is one job and who does it. Ratios are over the first contender, which is okio: how many times as long the others take.
type benchCase struct {
	name       string
	contenders []contender
}

// A contender does the job n times. Whatever it needs for that was made before.
type contender struct {
	name string
	run  func(n int)
}

// A result is what one contender took for one job, repetition by repetition.
type result struct {
	nanos  []float64
	allocs float64
}

func heading(g group) {
	fmt.Printf("\n### %s\n\n%s\n\n| case | contender | ns/op | x okio | allocs/op |\n|---|---|--:|--:|--:|\n", g.name, g.about)
}

// expected is about how long measuring a case takes.
func expected(c benchCase) time.Duration {
	return time.Duration(len(c.contenders)) * time.Duration(*reps+2) * *dur
}

// measure runs a case, prints its rows and writes them down.
func measure(g group, c benchCase, peers *regexp.Regexp) error {
	results := make([]result, len(c.contenders))
	counts := make([]int, len(c.contenders))
	for i, x := range c.contenders {
		if peers.MatchString(x.name) {
			counts[i] = calibrate(x)
		}
	}
	for range *reps {
		for i, x := range c.contenders {
			if counts[i] == 0 {
				continue
			}
			runtime.GC() // what one left behind is not the next one's
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			x.run(counts[i])
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			results[i].nanos = append(results[i].nanos, float64(took)/float64(counts[i]))
			results[i].allocs = float64(after.Mallocs-before.Mallocs) / float64(counts[i])
		}
	}
	for i, x := range c.contenders {
		if counts[i] == 0 {
			continue
		}
		nanos, ratios := spreadOf(slices.Clone(results[i].nanos)), spreadOf(over(results[i].nanos, results[0].nanos))
		fmt.Printf("| %s | %s | %s | %s | %.2f |\n", c.name, x.name, nanos.text("%.4g"), ratios.text("%.3g"), results[i].allocs)
		row := bench.Row{Scenario: "okio " + g.name, Case: c.name, Peer: x.name, Unit: "ops/s"}
		for _, n := range results[i].nanos {
			row.Rate = append(row.Rate, 1e9/n)
			row.Allocs = append(row.Allocs, results[i].allocs)
		}
		if err := row.Append(*rows); err != nil {
			return err
		}
	}
	return nil
}

// calibrate finds how many jobs make a run long enough.
func calibrate(x contender) int {
	n := 1
	for {
		start := time.Now()
		x.run(n)
		took := time.Since(start)
		if took >= *dur/2 {
			return max(1, int(float64(n)*float64(*dur)/float64(took)))
		}
		n = min(n*2+int(float64(n)*float64(*dur/4)/float64(took+1)), n*100)
	}
}

// over divides repetition by repetition.
func over(v, base []float64) []float64 {
	var ratios []float64
	for i := range min(len(v), len(base)) {
		ratios = append(ratios, v[i]/base[i])
	}
	return ratios
}

// A spread is a median with the lowest and the highest value.
type spread struct{ median, low, high float64 }

func spreadOf(v []float64) spread {
	if len(v) == 0 {
		return spread{}
	}
	slices.Sort(v)
	m := v[len(v)/2]
	if len(v)%2 == 0 {
		m = (v[len(v)/2-1] + m) / 2
	}
	return spread{m, v[0], v[len(v)-1]}
}

func (s spread) text(form string) string {
	if s == (spread{}) {
		return "–"
	}
	return fmt.Sprintf(form+" ["+form+"–"+form+"]", s.median, s.low, s.high)
}
