package build

import (
	"strings"
	"testing"
	"time"
)

func TestResults(t *testing.T) {
	got := results(time.Date(2026, 12, 1, 14, 30, 0, 0, time.UTC), "2 × cpu", [][]string{{"-s", "h1-small"}},
		nonEmptyLines("\n| a | v1 |\n\n\n| b | v2 |\n"), "\n### h1-small c1\n\n| peer |\n")
	for _, want := range []string{
		"# Results\n\n2026-12-01 14:30 UTC, 2 × cpu.\n",
		"- `bench -s h1-small`\n\n### h1-small c1\n\n| peer |\n\n## Peers\n",
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
