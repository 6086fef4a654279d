package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Limit is one side of what a figure may be.
type Limit struct {
	AtMost bool // or at least
	Value  float64
}

func (l Limit) String() string {
	sign := "≥"
	if l.AtMost {
		sign = "≤"
	}
	return sign + " " + strconv.FormatFloat(l.Value, 'g', -1, 64)
}

func parseLimit(text string) (l Limit, err error) {
	sign, value, ok := strings.Cut(text, " ")
	if l.AtMost = sign == "≤"; !ok || !l.AtMost && sign != "≥" {
		return l, fmt.Errorf("%q is not a limit as ≥ 1.5 or ≤ 10", text)
	}
	l.Value, err = strconv.ParseFloat(value, 64)
	return l, err
}

// near is how far beyond a limit a median still counts as at it: runs on one machine differ by that much from one hour to the next.
const near = 0.05

// word says how the limit fares, and whether it is broken: by more than what counts as near, and beyond noise.
func (l Limit) word(s Spread) (word string, broken bool) {
	kept, nearly, sure := s.Median >= l.Value, s.Median >= l.Value*(1-near), s.SureHigh < l.Value
	if l.AtMost {
		kept, nearly, sure = s.Median <= l.Value, s.Median <= l.Value*(1+near), s.SureLow > l.Value
	}
	switch {
	case kept:
		return "reached", false
	case nearly:
		return "within 5 %", false
	case sure:
		return "missed", true
	}
	return "within noise", false
}

// A Bar is what a figure of a peer has to be, as a ratio to that of another peer or, without one, by itself.
type Bar struct {
	Issue                              int
	Scenario, Case, Figure, Peer, Over string
	Bar                                Limit
	// Guard is what has been reached where that is less than the bar: what must not get worse. A check fails by the guard if there is one.
	Guard *Limit
	Note  string
}

// ParseBars reads the rows of the table in a Markdown text: issue, scenario, case, figure, peer, over, bar, guard, note.
func ParseBars(text string) (bars []Bar, err error) {
	at := 0
	for line := range strings.Lines(text) {
		at++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if !strings.HasPrefix(line, "|") || cells[0] == "issue" || strings.HasPrefix(cells[0], "--") {
			continue
		}
		if len(cells) != 9 {
			return nil, fmt.Errorf("figures: line %d has %d cells, want 9", at, len(cells))
		}
		b := Bar{Scenario: cells[1], Case: cells[2], Figure: cells[3], Peer: cells[4], Over: cells[5], Note: cells[8]}
		var errs [3]error
		b.Issue, errs[0] = strconv.Atoi(cells[0])
		b.Bar, errs[1] = parseLimit(cells[6])
		if cells[7] != "" {
			b.Guard = new(Limit)
			*b.Guard, errs[2] = parseLimit(cells[7])
		}
		if err := cmp.Or(errs[0], errs[1], errs[2]); err != nil {
			return nil, fmt.Errorf("figures: line %d: %w", at, err)
		}
		if !slices.Contains(names, b.Figure) {
			return nil, fmt.Errorf("figures: line %d: no figure %q, want one of %q", at, b.Figure, names)
		}
		if b.Guard != nil && b.Guard.AtMost != b.Bar.AtMost {
			return nil, fmt.Errorf("figures: line %d: bar %v and guard %v point in different directions", at, b.Bar, *b.Guard)
		}
		bars = append(bars, b)
	}
	return bars, nil
}

// A Verdict is how a bar fares.
type Verdict struct {
	Bar
	Spread Spread
	// Word is reached, within 5 %, within noise, missed, or not measured.
	Word string
	// Failed reports that the guard, or the bar where there is no guard, is missed by more than noise, or that nothing was measured that could tell.
	Failed bool
}

// Judge holds rows against a bar.
func (b Bar) Judge(rows []Row) Verdict {
	v := Verdict{Bar: b, Word: "not measured", Failed: true}
	row, ok := find(rows, b.Scenario, b.Case, b.Peer)
	if !ok {
		return v
	}
	values, failed := alone(row, b.Figure)
	if b.Over != "" {
		base, ok := find(rows, b.Scenario, b.Case, b.Over)
		if !ok {
			return v
		}
		values, failed = ratios(row.figure(b.Figure), base.figure(b.Figure))
	}
	if len(values) == 0 {
		return v
	}
	v.Spread = spread(values)
	v.Spread.Failed = failed
	v.Word, v.Failed = b.Bar.word(v.Spread)
	if b.Guard != nil {
		_, v.Failed = b.Guard.word(v.Spread)
	}
	return v
}

// Table is the verdicts as a table of Markdown.
func Table(verdicts []Verdict) string {
	var b strings.Builder
	b.WriteString("| issue | scenario | figure | peer | over | bar | measured | verdict |\n|--:|---|---|---|---|---|--:|---|\n")
	for _, v := range verdicts {
		word := v.Word
		switch {
		case v.Failed:
			word = "**" + word + "**"
		case v.Guard != nil && word != "reached":
			word += ", no worse than " + strings.TrimLeft(v.Guard.String(), "≤≥ ")
		}
		fmt.Fprintf(&b, "| %d | %s %s | %s | %s | %s | %v | %v | %s |\n", v.Issue, v.Scenario, v.Case, v.Figure, v.Peer, cmp.Or(v.Over, "–"), v.Bar.Bar, v.Spread, word)
	}
	return b.String()
}
