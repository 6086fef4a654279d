package build

import (
	"os"
	"strings"
	"testing"
)

const someResults = `# Results

## Bars

| issue | scenario | figure | peer | over | bar | measured | verdict |
|--:|---|---|---|---|---|--:|---|
| 2 | h1 | rate | ok | nethttp | 1 | 2 | reached |

## h1

### h1 c1

| peer | ops/s | x floor | x nethttp | p50 µs | p99 µs | client CPU µs/op | CPU x floor |
|---|--:|--:|--:|--:|--:|--:|--:|
| floor | 900 | 1 | 2 | 1 | 2 | 1.00 | 1 |
| fasthttp | 400 | 1 | 2 | 1 | 2 | 3.00 | 1 |
| ok | 200 | 1 | 2 | 1 | 2 | 6.00 | 1 |
| ok-rt | 800 | 1 | 2 | 1 | 2 | 6.00 | 1 |
| nethttp | 100 | 1 | 1 | 1 | 2 | 9.00 | 1 |

### h2 c8

| peer | ops/s | x floor | x nethttp | p50 µs | p99 µs | client CPU µs/op | CPU x floor |
|---|--:|--:|--:|--:|--:|--:|--:|
| ok | 203 | 1 | 2 | 1 | 2 | 4.00 | 1 |
| nethttp | 200 | 1 | 1 | 1 | 2 | 8.00 | 1 |

## sse

### sse 1M

| peer | ops/s | x floor | x nethttp | p50 µs | p99 µs | client CPU µs/op | CPU x floor |
|---|--:|--:|--:|--:|--:|--:|--:|
| ok-sse | 300 | 1 | – | 1 | 2 | 4.00 | 1 |
| tmaxmax | 100 | 1 | – | 1 | 2 | 8.00 | 1 |

## okio

### chain

| case | contender | ns/op | x okio | allocs/op |
|---|---|--:|--:|--:|
| 64 B | okio | 46 | 1 | 0 |
`

func TestStandings(t *testing.T) {
	all, err := standings(someResults)
	if err != nil {
		t.Fatal(err)
	}
	got := standingTables(all)
	for _, want := range []string{
		"### Ahead of every other\n\n| scenario | here | fastest other | rate, here ÷ other | CPU, here ÷ other |\n|---|--:|---|--:|--:|\n| sse 1M | 300 ops/s | tmaxmax: 100 | 3.00 | 0.50 |\n\n",
		"| h2 c8 | 203 ops/s | nethttp: 200 | 1.01 | 0.50 |\n\n",
		"### Behind the fastest other\n\n| scenario | here | fastest other | rate, here ÷ other | CPU, here ÷ other |\n|---|--:|---|--:|--:|\n| h1 c1 | 200 ops/s | fasthttp: 400 | 0.50 | 2.00 |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the tables lack\n%s\n\nthey are\n%s", want, got)
		}
	}
	if strings.Count(got, "\n| ") != 6 {
		t.Errorf("too many rows:\n%s", got)
	}
	if _, err := standings("# Results\n"); err == nil {
		t.Error("no results are fine")
	}
	if _, err := standings(strings.Replace(someResults, "| 203 |", "| many |", 1)); err == nil || !strings.Contains(err.Error(), "h2 c8") {
		t.Errorf("a rate that is none: %v", err)
	}
}

// The results that are there can be read.
func TestStandingsOfResults(t *testing.T) {
	results, err := os.ReadFile("../bench/RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := standings(string(results))
	if err != nil || len(all) < 20 {
		t.Errorf("%d scenarios, %v", len(all), err)
	}
}
