package build

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// standing is how this project's client stood against the fastest other one in a scenario of RESULTS.md.
type standing struct {
	scenario, unit string
	ours, other    measured
}

// measured is a row of a table of RESULTS.md.
type measured struct {
	peer      string
	rate, cpu float64
}

// alike is how far two rates may be apart for neither to be ahead.
const alike = 0.05

// Peers writes the tables of the page that compares, from the results that are there.
func (w *Workspace) Peers() error {
	results, err := os.ReadFile(w.dir("tests/bench/RESULTS.md"))
	if err != nil {
		return err
	}
	all, err := standings(string(results))
	if err != nil {
		return err
	}
	return os.WriteFile(w.dir(plotsDir+"/peers.md"), []byte(standingTables(all)), 0o644)
}

// standings reads the scenarios of RESULTS.md. Those without another client, and those of okio, are left out.
func standings(results string) ([]standing, error) {
	var all []standing
	var errs []error
	for _, section := range strings.Split(results, "\n### ")[1:] {
		name, rest, _ := strings.Cut(section, "\n")
		section, _, _ = strings.Cut(rest, "\n## ")
		s := standing{scenario: name}
		for line := range strings.Lines(section) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			if len(cells) < 7 {
				continue
			}
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if cells[0] == "peer" {
				s.unit = cells[1]
				continue
			}
			if s.unit == "" || strings.HasPrefix(cells[0], "--") || strings.HasPrefix(cells[0], "floor") {
				continue
			}
			rate, err := strconv.ParseFloat(cells[1], 64)
			cpu, err2 := strconv.ParseFloat(cells[6], 64)
			if err != nil || err2 != nil {
				errs = append(errs, fmt.Errorf("build: RESULTS.md, %s: no figures in %q", name, line))
				continue
			}
			m := measured{cells[0], rate, cpu}
			switch {
			case m.peer == "ok" || m.peer == "ok-ws" || m.peer == "ok-sse" || m.peer == "ok-cache":
				s.ours = m
			case !strings.HasPrefix(m.peer, "ok") && m.rate > s.other.rate:
				s.other = m
			}
		}
		if s.ours.peer != "" && s.other.peer != "" {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		errs = append(errs, errors.New("build: RESULTS.md has no scenario with another client"))
	}
	return all, errors.Join(errs...)
}

// ratio is our rate over that of the fastest other one.
func (s standing) ratio() float64 { return s.ours.rate / s.other.rate }

// standingTables are the scenarios in three tables, the clearest first.
func standingTables(all []standing) string {
	slices.SortStableFunc(all, func(a, b standing) int { return cmp.Compare(b.ratio(), a.ratio()) })
	var text strings.Builder
	for _, part := range []struct {
		title string
		has   func(ratio float64) bool
	}{
		{"### Ahead of every other", func(r float64) bool { return r > 1+alike }},
		{"### Within 5 % of the fastest other", func(r float64) bool { return r >= 1-alike && r <= 1+alike }},
		{"### Behind the fastest other", func(r float64) bool { return r < 1-alike }},
	} {
		fmt.Fprintf(&text, "%s\n\n", part.title)
		rows := 0
		for _, s := range all {
			if !part.has(s.ratio()) {
				continue
			}
			if rows++; rows == 1 {
				text.WriteString("| scenario | here | fastest other | rate, here ÷ other | CPU, here ÷ other |\n|---|--:|---|--:|--:|\n")
			}
			cpu := "–"
			if s.other.cpu > 0 {
				cpu = fmt.Sprintf("%.2f", s.ours.cpu/s.other.cpu)
			}
			fmt.Fprintf(&text, "| %s | %.0f %s | %s: %.0f | %.2f | %s |\n", s.scenario, s.ours.rate, s.unit, s.other.peer, s.other.rate, s.ratio(), cpu)
		}
		if rows == 0 {
			text.WriteString("Nowhere.\n")
		}
		text.WriteByte('\n')
	}
	return text.String()
}
