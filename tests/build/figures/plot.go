package figures

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// A Chart is what to draw of the rows of one scenario.
type Chart struct {
	Scenario, Title string
	Base            string // the peer that all are compared with; a name that ends with * is of the first peer that begins so
	Leave           func(peer string) bool
}

// Measures of a plot, in pixels: names stand left of the bars, numbers right of them, and rate and processor time side by side.
const (
	plotWidth  = 860
	nameWidth  = 170
	barWidth   = 180
	columnGap  = 20
	rowHeight  = 20
	barHeight  = 12
	panelHead  = 46
	plotHead   = 40
	plotMargin = 16
)

// style has the colours for a light and a dark page. A plot has its own ground, so that it can be read on either, whatever the reader's system says.
const style = `<style>
text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600;font-size:15px}.soft{fill:#57606a}.ground{fill:#fff;stroke:#d0d7de}
.bar{fill:#8c959f}.ours{fill:#1a7f5a}.floor{fill:#c6cdd4}.range{stroke:#24292f;stroke-width:1.5;fill:none}.one{stroke:#57606a;stroke-dasharray:3 3}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.ground{fill:#161b22;stroke:#30363d}
.bar{fill:#6e7681}.ours{fill:#3fb68b}.floor{fill:#484f58}.range{stroke:#e6edf3}.one{stroke:#9198a1}}
</style>
`

// A line is one peer in one case.
type line struct {
	peer      string
	rate, cpu Spread
}

// Plot draws the rates and the processor time of a scenario as ratios to those of the chart's base, a panel for each case, as SVG. It returns "" where the base is missing.
func Plot(rows []Row, c Chart) string {
	var cases []string
	for _, r := range rows {
		if r.Scenario == c.Scenario && !slices.Contains(cases, r.Case) {
			cases = append(cases, r.Case)
		}
	}
	var body strings.Builder
	y := plotHead + plotMargin
	for _, kase := range cases {
		if lines := c.lines(rows, kase); len(lines) > 0 {
			y = c.panel(&body, y, kase, lines)
		}
	}
	if body.Len() == 0 {
		return ""
	}
	height := y + plotMargin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", plotWidth, height, plotWidth, height, escape(c.Title))
	b.WriteString(style)
	fmt.Fprintf(&b, `<rect class="ground" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>`+"\n", plotWidth-1, height-1)
	text(&b, plotMargin, plotMargin+14, "title", "start", c.Title)
	text(&b, plotMargin, plotMargin+32, "soft", "start", "Bars are medians, lines reach from the lowest to the highest repetition.")
	b.WriteString(body.String())
	b.WriteString("</svg>\n")
	return b.String()
}

// lines are the peers of a case, fastest first.
func (c Chart) lines(rows []Row, kase string) (lines []line) {
	base, ok := find(rows, c.Scenario, kase, c.Base)
	if !ok {
		return nil
	}
	for _, r := range rows {
		if r.Scenario != c.Scenario || r.Case != kase || c.Leave != nil && c.Leave(r.Peer) {
			continue
		}
		rate, _ := ratios(r.Rate, base.Rate)
		cpu, _ := ratios(r.CPU, base.CPU)
		l := line{r.Peer, spread(rate), spread(cpu)}
		if l.rate.Repetitions > 0 {
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.rate.Median, a.rate.Median) })
	return lines
}

// panel draws a case and returns where the next one begins.
func (c Chart) panel(b *strings.Builder, y int, kase string, lines []line) int {
	base := strings.TrimSuffix(c.Base, "*")
	text(b, plotMargin, y+18, "title", "start", kase)
	columns := []struct {
		head string
		of   func(line) Spread
	}{
		{"rate, × " + base + ": longer is better", func(l line) Spread { return l.rate }},
		{"CPU time, × " + base + ": shorter is better", func(l line) Spread { return l.cpu }},
	}
	for i, column := range columns {
		if maxMedian(lines, column.of) == 0 {
			continue // not measured here
		}
		left := plotMargin + nameWidth + i*(plotWidth-2*plotMargin-nameWidth+columnGap)/2
		highest := 1.0
		for _, l := range lines {
			highest = max(highest, column.of(l).High)
		}
		// One repetition that was disturbed must not make all others unreadable.
		for _, l := range lines {
			highest = min(highest, max(3*maxMedian(lines, column.of), column.of(l).Median))
		}
		scale := func(v float64) float64 { return float64(left) + min(v/highest, 1)*barWidth }
		text(b, float64(left), y+38, "soft", "start", column.head)
		top := y + panelHead
		for j, l := range lines {
			s := column.of(l)
			if s.Repetitions == 0 {
				continue
			}
			middle := top + j*rowHeight + rowHeight/2
			fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`, class(l.peer), left, middle-barHeight/2, max(scale(s.Median)-float64(left), 1), barHeight)
			fmt.Fprintf(b, `<path class="range" d="M%.1f %dH%.1fM%.1f %dv6M%.1f %dv6"/>`, scale(s.Low), middle, scale(s.High), scale(s.Low), middle-3, scale(s.High), middle-3)
			text(b, float64(left+barWidth+8), middle+4, "", "start", s.String())
		}
		fmt.Fprintf(b, `<path class="one" d="M%.1f %dv%d"/>`+"\n", scale(1), top, len(lines)*rowHeight)
	}
	for j, l := range lines {
		weight := ""
		if class(l.peer) == "ours" {
			weight = "title"
		}
		text(b, float64(plotMargin+nameWidth-8), y+panelHead+j*rowHeight+rowHeight/2+4, weight, "end", l.peer)
	}
	return y + panelHead + len(lines)*rowHeight + 10
}

func maxMedian(lines []line, of func(line) Spread) (m float64) {
	for _, l := range lines {
		m = math.Max(m, of(l).Median)
	}
	return m
}

// class is how a peer's bar is drawn: this project's stand out, those that no client can reach stand back.
func class(peer string) string {
	switch {
	case peer == "ok" || strings.HasPrefix(peer, "ok-") || strings.HasPrefix(peer, "okio"):
		return "ours"
	case strings.HasPrefix(peer, "floor"):
		return "floor"
	}
	return "bar"
}

func text(b *strings.Builder, x float64, y int, class, anchor, s string) {
	attr := ""
	if class != "" {
		attr += ` class="` + class + `"`
	}
	if anchor != "start" {
		attr += ` text-anchor="` + anchor + `"`
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%d"%s>%s</text>`+"\n", x, y, attr, escape(s))
}

func escape(s string) string { return html.EscapeString(s) }
