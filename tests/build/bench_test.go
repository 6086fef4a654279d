package build

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/tests/build/figures"
)

func TestBenchRuns(t *testing.T) {
	names := map[string]bool{}
	for _, r := range benchRuns {
		if names[r.name] {
			t.Errorf("two runs are named %s", r.name)
		}
		names[r.name] = true
		if _, err := os.Stat("../bench/cmd/" + r.command); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile("../bench/BARS.md")
	if err != nil {
		t.Fatal(err)
	}
	bars, err := figures.ParseBars(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bars {
		if !slices.ContainsFunc(benchRuns, func(r benchRun) bool { return r.measures(b.Scenario) }) {
			t.Errorf("no run measures %s, which has a bar", b.Scenario)
		}
	}
	for _, c := range charts {
		if !slices.ContainsFunc(benchRuns, func(r benchRun) bool { return r.measures(c.Scenario) }) {
			t.Errorf("no run measures %s, which has a plot", c.Scenario)
		}
	}
}

func TestRunMeasures(t *testing.T) {
	r := benchRun{command: "bench", args: []string{"-s", "h1-small,h2-small", "-label", ", one CPU"}}
	for scenario, want := range map[string]bool{"h1-small, one CPU": true, "h1-small": false, "h2": false, "okio chain": false} {
		if r.measures(scenario) != want {
			t.Errorf("measures %s: %t, want %t", scenario, !want, want)
		}
	}
}

// fakeBenchmarks has a shell script for a harness: it says three seconds when it is asked for its plan, and else measures one row, or fails where a file says so.
func fakeBenchmarks(t *testing.T) (*benchmarks, string) {
	t.Helper()
	root := tree(t, map[string]string{"go.work": "go 1.26.0\n\nuse ./low\n", "low/go.mod": "module example.com/low\n"})
	w, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := w.dir(benchDir)
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	const script = `#!/bin/sh
case "$*" in *-plan*) echo 3; exit;; esac
[ -e fail ] && echo half && exit 1
echo "### $2 c8"; echo "$2" >>measured
while [ "$1" != -json ]; do shift; done
echo '{"scenario":"h1-small","case":"c8","peer":"ok","unit":"ops/s","rate":[2,2],"cpu":[1,1]}
{"scenario":"h1-small","case":"c8","peer":"nethttp","unit":"ops/s","rate":[1,1],"cpu":[2,2]}' >>"$2"
`
	b := &benchmarks{Workspace: w, harness: command{dir: dir}, parts: filepath.Join(dir, "run"), last: filepath.Join(dir, "last"), print: "one"}
	if err := os.WriteFile(b.bin("bench"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (command{dir: dir}).run(t.Context(), b.bin("bench"), "-plan"); err != nil {
		t.Skip("no shell: ", err)
	}
	return b, dir
}

func TestMeasureGoesOnWhereItStopped(t *testing.T) {
	b, dir := fakeBenchmarks(t)
	runs := []benchRun{
		{name: "first", command: "bench", args: []string{"-s", "h1-small"}},
		{name: "second", command: "bench", args: []string{"-s", "h2-small"}},
	}
	measured := func() string {
		data, _ := os.ReadFile(filepath.Join(dir, "measured"))
		return strings.Join(strings.Fields(string(data)), " ")
	}
	measure := func(ctx context.Context) error { _, err := b.measure(ctx, runs, b.parts, b.last); return err }

	if _, err := b.measure(t.Context(), runs[:1], b.parts); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fail"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := measure(t.Context()); err == nil || !strings.Contains(err.Error(), "goes on from here") {
		t.Fatalf("error %v, want one that says how it goes on", err)
	}
	if _, ok := b.have(runs[1], b.parts); ok {
		t.Error("a run that failed counts")
	}
	if err := os.Remove(filepath.Join(dir, "fail")); err != nil {
		t.Fatal(err)
	}
	if err := measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := measured(); got != "h1-small h2-small" {
		t.Errorf("measured %q, want each once", got)
	}
	if err := os.Rename(b.parts, b.last); err != nil {
		t.Fatal(err)
	}
	if err := measure(t.Context()); err != nil || measured() != "h1-small h2-small" {
		t.Errorf("error %v and measured %q: the last complete run counts too", err, measured())
	}
	b.print = "another program"
	if err := measure(t.Context()); err != nil || measured() != "h1-small h2-small h1-small h2-small" {
		t.Errorf("error %v and measured %q: another program measures anew", err, measured())
	}
	t.Setenv("BENCHREPS", "3")
	if _, ok := b.have(runs[0], b.parts); ok {
		t.Error("other settings count")
	}
}

func TestJudgeAndResults(t *testing.T) {
	b, _ := fakeBenchmarks(t)
	r := benchRun{name: "h1-small", command: "bench", args: []string{"-s", "h1-small"}}
	if _, err := b.measure(t.Context(), []benchRun{r}, b.parts); err != nil {
		t.Fatal(err)
	}
	p, ok := b.have(r, b.parts)
	if !ok {
		t.Fatal("nothing was kept")
	}
	bars, err := figures.ParseBars("| 2 | h1-small | c8 | rate | ok | nethttp | ≥ 1.7 | | |\n| 6 | h2-small, one CPU | c1 | rate | ok | nethttp | ≥ 1.7 | | |\n")
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := b.judge(bars, []part{p}, map[string]string{"one-cpu": "taskset is not installed"})
	if err != nil || len(verdicts) != 1 || verdicts[0].Word != "reached" {
		t.Errorf("verdicts %+v and error %v, want one: of what cannot be measured here nothing is said", verdicts, err)
	}
	if verdicts, _ = b.judge(bars, []part{p}, nil); len(verdicts) != 2 || !verdicts[1].Failed {
		t.Errorf("verdicts %+v, want the second one to fail: it was not measured", verdicts)
	}
	p.Date, p.Took, p.Load = time.Date(2026, 12, 1, 14, 30, 0, 0, time.UTC), 90*time.Second, "2 × cpu, load 0.10"
	got, err := results([]part{p}, "2 × cpu", "| the bars |\n", []string{"h1-small.svg"}, nonEmptyLines("\n| a | v1 |\n\n\n| b | v2 |\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Results\n\n2026-12-01 14:30 UTC, 2 × cpu.\n",
		"| h1-small | 14:30 | 1m30s | 0.10 | `bench -s h1-small -x ^proto` |\n",
		"\n## h1-small\n\n### h1-small c8\n",
		"![h1-small](../../docs/plots/h1-small.svg)\n",
		"\n| the bars |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the text lacks %q:\n%s", want, got)
		}
	}
	if !strings.HasSuffix(got, "|---|---|\n| a | v1 |\n| b | v2 |\n") {
		t.Errorf("the text does not end with the peers:\n%s", got)
	}
}

func TestBetween(t *testing.T) {
	at := func(minute int) part { return part{Date: time.Date(2026, 12, 1, 14, minute, 0, 0, time.UTC)} }
	if got, want := between([]part{at(30), at(5), at(40)}), "2026-12-01 14:05 UTC to 2026-12-01 14:40 UTC"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := between([]part{at(30), at(30)}), "2026-12-01 14:30 UTC"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
