package build

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestBenchRuns(t *testing.T) {
	seen, last := map[string]bool{}, ""
	for _, args := range benchRuns {
		if benchTitles[args[0]] == "" {
			t.Errorf("no title for %s", args[0])
		}
		if args[0] != last && seen[args[0]] {
			t.Errorf("the runs of %s are not together", args[0])
		}
		last, seen[args[0]] = args[0], true
		if _, err := os.Stat("../bench/cmd/" + args[0]); err != nil {
			t.Error(err)
		}
	}
}

func TestResults(t *testing.T) {
	got := results(time.Date(2026, 12, 1, 14, 30, 0, 0, time.UTC), "2 × cpu", [][]string{{"bench", "-s", "h1-small"}, {"okiobench", "-reps", "9"}},
		nonEmptyLines("\n| a | v1 |\n\n\n| b | v2 |\n"), "\n### h1-small c1\n\n| peer |\n")
	for _, want := range []string{
		"# Results\n\n2026-12-01 14:30 UTC, 2 × cpu.\n",
		"- `bench -s h1-small`\n- `okiobench -reps 9`\n\n### h1-small c1\n\n| peer |\n\n## Peers\n",
		"|---|---|\n| a | v1 |\n| b | v2 |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the text lacks %q:\n%s", want, got)
		}
	}
	if !strings.HasSuffix(got, "| b | v2 |\n") {
		t.Errorf("the text does not end with the peers:\n%s", got)
	}
}
