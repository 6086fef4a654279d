package build

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/tests/build/figures"
)

// barsFile has the bars, with the issues they come from.
const barsFile = benchDir + "/BARS.md"

// BenchCheck holds the figures against tests/bench/BARS.md and fails when one is below its bar by more than noise. It goes by what Bench has measured
// last, if the same programs did so on this machine, and measures what is missing. It is not part of CI, whose machines are too loud.
func BenchCheck(ctx context.Context) error {
	b, err := openBenchmarks(ctx)
	if err != nil {
		return err
	}
	bars, err := b.bars()
	if err != nil {
		return err
	}
	var runs []benchRun
	for _, r := range benchRuns {
		if slices.ContainsFunc(bars, func(bar figures.Bar) bool { return r.measures(bar.Scenario) }) {
			runs = append(runs, r)
		}
	}
	folders := []string{b.parts, b.last}
	skipped, err := b.measure(ctx, runs, folders...)
	if err != nil {
		return err
	}
	var parts []part
	for _, r := range runs {
		if p, ok := b.have(r, folders...); ok {
			parts = append(parts, p)
		}
	}
	verdicts, err := b.judge(bars, parts, skipped)
	if err != nil {
		return err
	}
	fmt.Printf("\n%s", figures.Table(verdicts))
	failed := 0
	for _, v := range verdicts {
		if v.Failed {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%w, or could not be measured: %d of %d", errBelow, failed, len(verdicts))
	}
	return nil
}

func (b *benchmarks) bars() ([]figures.Bar, error) {
	text, err := os.ReadFile(b.dir(barsFile))
	if err != nil {
		return nil, err
	}
	return figures.ParseBars(string(text))
}

// judge holds every bar against the rows; bars of a run that this machine cannot make are left out.
func (b *benchmarks) judge(bars []figures.Bar, parts []part, skipped map[string]string) ([]figures.Verdict, error) {
	measured, err := rows(parts)
	if err != nil {
		return nil, err
	}
	var verdicts []figures.Verdict
	for _, bar := range bars {
		left := slices.ContainsFunc(benchRuns, func(r benchRun) bool { return skipped[r.name] != "" && r.measures(bar.Scenario) })
		if !left {
			verdicts = append(verdicts, bar.Judge(measured))
		}
	}
	return verdicts, nil
}

// measures reports whether the run measures the scenario.
func (r benchRun) measures(scenario string) bool {
	if r.command == "okiobench" {
		return strings.HasPrefix(scenario, "okio ")
	}
	list, label := "", ""
	for i := 0; i+1 < len(r.args); i += 2 {
		switch r.args[i] {
		case "-s":
			list = r.args[i+1]
		case "-label":
			label = r.args[i+1]
		}
	}
	name, ok := strings.CutSuffix(scenario, label)
	return ok && slices.Contains(strings.Split(list, ","), name)
}
