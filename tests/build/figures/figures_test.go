package figures

import (
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"
)

func rowsOf(t *testing.T, lines string) []Row {
	t.Helper()
	rows, err := Read(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

const measured = `{"scenario":"h1","case":"c8","peer":"ok","unit":"ops/s","rate":[200,190,210,180,0,220,200,205,195],"cpu":[5,5,5,5,0,5,5,5,5],"allocs":[8,8,8,8,0,8,8,8,8],"rss":[0,0,0,0,0,0,0,0,0]}
{"scenario":"h1","case":"c8","peer":"nethttp","unit":"ops/s","rate":[100,100,100,100,100,100,100,0,100],"cpu":[10,10,10,10,10,10,10,10,10],"allocs":[-1,-1,-1,-1,-1,-1,-1,-1,-1]}
{"scenario":"h1","case":"c8","peer":"floor","unit":"ops/s","rate":[250,250,250,250,250,250,250,250,250],"cpu":[3,3,3,3,3,3,3,3,3]}
`

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		n       int
		outside int
	}{
		// From the table of the binomial distribution: twice the chance of at most k-1 heads is below 0.05.
		{6, 0}, {8, 0}, {9, 1}, {11, 1}, {12, 2}, {15, 3}, {20, 5}, {25, 7},
	} {
		if got := outside(tt.n); got != tt.outside {
			t.Errorf("of %d values %d can be left out at each end, want %d", tt.n, got, tt.outside)
		}
	}
	got := spread([]float64{9, 1, 8, 2, 7, 3, 6, 4, 5})
	if want := (Spread{5, 1, 9, 2, 8, 9, 0}); got != want {
		t.Errorf("spread %+v, want %+v", got, want)
	}
	few := spread([]float64{1, 4})
	if few.Median != 2.5 {
		t.Errorf("median of two %v, want their middle", few.Median)
	}
	if _, broken := (Limit{AtMost: true, Value: 0.5}).word(few); broken {
		t.Error("two repetitions are said to tell something from noise")
	}
	if got := spread(nil).String(); got != "–" {
		t.Errorf("nothing reads %q", got)
	}
}

func TestRatiosLeaveOutWhatFailed(t *testing.T) {
	v, failed := ratios([]float64{2, 0, 6}, []float64{1, 1, 0})
	if len(v) != 1 || v[0] != 2 || failed != 2 {
		t.Errorf("ratios %v and %d failed, want 2 and two failed", v, failed)
	}
}

func TestJudge(t *testing.T) {
	rows := rowsOf(t, measured)
	limit := func(text string) Limit {
		l, err := parseLimit(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, tt := range []struct {
		peer, figure, over, bar, guard string
		word                           string
		failed                         bool
	}{
		{"ok", "rate", "nethttp", "≥ 1.7", "", "reached", false},
		{"ok", "rate", "nethttp", "≥ 2.05", "", "within 5 %", false},
		{"ok", "rate", "nethttp", "≥ 2.15", "", "within noise", false},
		{"ok", "rate", "nethttp", "≥ 2.3", "", "missed", true},
		{"ok", "rate", "nethttp", "≥ 2.3", "≥ 1.9", "missed", false},
		{"ok", "rate", "nethttp", "≥ 3", "≥ 2.5", "missed", true},
		{"ok", "cpu", "nethttp", "≤ 0.55", "", "reached", false},
		{"ok", "cpu", "nethttp", "≤ 0.45", "", "missed", true},
		{"ok", "allocs", "", "≤ 10", "", "reached", false},
		{"ok", "allocs", "", "≤ 7.7", "", "within 5 %", false},
		{"ok", "allocs", "", "≤ 7", "", "missed", true},
		{"ok", "rss", "", "≤ 1", "", "reached", false},
		{"o*", "allocs", "", "≤ 10", "", "reached", false},
		{"nethttp", "allocs", "", "≤ 10", "", "not measured", true}, // it cannot tell
		{"ok", "rate", "fasthttp", "≥ 1", "", "not measured", true},
		{"resty", "rate", "nethttp", "≥ 1", "", "not measured", true},
	} {
		b := Bar{Scenario: "h1", Case: "c8", Figure: tt.figure, Peer: tt.peer, Over: tt.over, Bar: limit(tt.bar)}
		if tt.guard != "" {
			g := limit(tt.guard)
			b.Guard = &g
		}
		if v := b.Judge(rows); v.Word != tt.word || v.Failed != tt.failed {
			t.Errorf("%s %s over %q, bar %s, guard %q: %s, failed %t (%+v); want %s, failed %t", tt.peer, tt.figure, tt.over, tt.bar, tt.guard, v.Word, v.Failed, v.Spread, tt.word, tt.failed)
		}
	}
}

func TestParseBars(t *testing.T) {
	const head = "Words.\n\n| issue | scenario | case | figure | peer | over | bar | guard | note |\n|--:|---|---|---|---|---|---|---|---|\n"
	bars, err := ParseBars(head + "| 2 | h1 | c8 | cpu | ok | floor | ≤ 1.6 | ≤ 2 | why |\n| 2 | h1 | c8 | allocs | ok | | ≤ 10 | | |\n")
	if err != nil || len(bars) != 2 {
		t.Fatalf("%d bars and error %v, want two", len(bars), err)
	}
	if b := bars[0]; b.Issue != 2 || b.Bar != (Limit{true, 1.6}) || b.Guard == nil || *b.Guard != (Limit{true, 2}) || b.Note != "why" || b.Over != "floor" {
		t.Errorf("bar %+v", b)
	}
	if b := bars[1]; b.Guard != nil || b.Over != "" {
		t.Errorf("bar %+v", b)
	}
	for row, want := range map[string]string{
		"| 2 | h1 | c8 | cpu | ok | floor | ≤ 1.6 |\n":             "line 5 has 7 cells",
		"| 2 | h1 | c8 | cpu | ok | floor | 1.6 | | |\n":           "is not a limit",
		"| 2 | h1 | c8 | cpu | ok | floor | ≤ much | | |\n":        "invalid syntax",
		"| x | h1 | c8 | cpu | ok | floor | ≤ 1 | | |\n":           "invalid syntax",
		"| 2 | h1 | c8 | latency | ok | floor | ≤ 1 | | |\n":       `no figure "latency"`,
		"| 2 | h1 | c8 | cpu | ok | floor | ≤ 1.6 | ≥ 2 | why |\n": "different directions",
	} {
		if _, err := ParseBars(head + row); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that says %q", row, err, want)
		}
	}
}

func TestTableShows(t *testing.T) {
	g := Limit{true, 0.6}
	v := Bar{Issue: 2, Scenario: "h1", Case: "c8", Figure: "cpu", Peer: "ok", Over: "nethttp", Bar: Limit{true, 0.4}, Guard: &g}.Judge(rowsOf(t, measured))
	if got, want := Table([]Verdict{v}), "| 2 | h1 c8 | cpu | ok | nethttp | ≤ 0.4 | 0.50 [0.50–0.50] | missed, no worse than 0.6 |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("table\n%s\nwant at its end\n%s", got, want)
	}
}

// TestBarsOfTheBenchmarks reads the file that the check reads.
func TestBarsOfTheBenchmarks(t *testing.T) {
	text, err := os.ReadFile("../../bench/BARS.md")
	if err != nil {
		t.Fatal(err)
	}
	bars, err := ParseBars(string(text))
	if err != nil || len(bars) < 30 {
		t.Errorf("%d bars and error %v", len(bars), err)
	}
	for _, b := range bars {
		if b.Guard != nil && b.Note == "" {
			t.Errorf("%s %s %s: a guard beside a bar wants a note that says why", b.Scenario, b.Case, b.Figure)
		}
	}
}

func TestPlot(t *testing.T) {
	rows := rowsOf(t, measured)
	svg := Plot(rows, Chart{Scenario: "h1", Title: "1 KiB <over> HTTP", Base: "nethttp", Leave: func(p string) bool { return p == "left" }})
	for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the plot is no XML: %v\n%s", err, svg)
		}
	}
	for _, want := range []string{"1 KiB &lt;over&gt; HTTP", `class="ours"`, `class="floor"`, "prefers-color-scheme:dark", ">2.00 [1.80–2.20]<", ">0.50 [0.50–0.50]<", "× nethttp"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the plot lacks %q:\n%s", want, svg)
		}
	}
	if i, j := strings.Index(svg, ">floor<"), strings.Index(svg, ">nethttp<"); i < 0 || j < i {
		t.Error("the fastest peer is not the first")
	}
	if got := Plot(rows, Chart{Scenario: "h1", Base: "none"}); got != "" {
		t.Error("a plot without its base")
	}
	if got := Plot(rows, Chart{Scenario: "h1", Base: "nethttp", Leave: func(p string) bool { return p == "ok" }}); strings.Contains(got, ">ok<") {
		t.Error("a peer is drawn that is to be left out")
	}
}

func TestReadSaysWhere(t *testing.T) {
	if _, err := Read(strings.NewReader(measured + "{")); err == nil || !strings.Contains(err.Error(), "row 4") {
		t.Errorf("error %v, want one of row 4", err)
	}
}
