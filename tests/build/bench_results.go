package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/okhttp-go/ok/tests/build/figures"
)

// plotsDir is where the site has its plots, and what it includes of a run.
const plotsDir = "docs/plots"

// charts are the plots. A scenario without a peer that everybody knows is drawn over its floor: what a loop by hand does that knows the answer.
var charts = []figures.Chart{
	{Scenario: "h1-small", Title: "1 KiB over HTTP/1.1, by callers at a time", Base: "nethttp"},
	{Scenario: "h1-small, one CPU", Title: "1 KiB over HTTP/1.1, client and server on one processor", Base: "nethttp"},
	{Scenario: "h1-tls-small", Title: "1 KiB over HTTP/1.1 and TLS 1.3, by callers at a time", Base: "nethttp"},
	{Scenario: "h1-large", Title: "large bodies over HTTP/1.1", Base: "nethttp"},
	{Scenario: "h2-small", Title: "1 KiB over HTTP/2, by callers at a time", Base: "nethttp"},
	{Scenario: "h2-small, one CPU", Title: "1 KiB over HTTP/2, client and server on one processor", Base: "nethttp"},
	{Scenario: "h2-large", Title: "64 MiB over HTTP/2, near and 20 ms away", Base: "nethttp"},
	{Scenario: "connect", Title: "a new connection for each call", Base: "nethttp"},
	{Scenario: "gzip", Title: "1 MiB of JSON in gzip", Base: "nethttp"},
	{Scenario: "cache", Title: "hits of a cache on the disk", Base: "gregjones-nomem"},
	{Scenario: "ws", Title: "echoes of web socket messages, by size and connections", Base: "floor-ws"},
	{Scenario: "ws-deflate", Title: "the same with permessage-deflate", Base: "floor-ws"},
	{Scenario: "sse", Title: "a million server-sent events", Base: "floor-sse"},
	{Scenario: "okio chain", Title: "a message through three buffers, by its size", Base: "okio*"},
	{Scenario: "okio lines", Title: "lines out of a reader", Base: "okio*"},
}

// plotName is the file of a chart.
func plotName(scenario string) string {
	return strings.NewReplacer(", ", "-", " ", "-").Replace(strings.ToLower(scenario)) + ".svg"
}

// write makes RESULTS.md, the plots, and the summary that the site includes, out of the parts of a complete run.
func (b *benchmarks) write(ctx context.Context, skipped map[string]string) error {
	var parts []part
	for _, r := range benchRuns {
		if p, ok := b.have(r, b.parts); ok {
			parts = append(parts, p)
		}
	}
	measured, err := rows(parts)
	if err != nil {
		return err
	}
	bars, err := b.bars()
	if err != nil {
		return err
	}
	verdicts, err := b.judge(bars, parts, skipped)
	if err != nil {
		return err
	}
	plots, err := b.plots(measured)
	if err != nil {
		return err
	}
	versions, err := b.harness.output(ctx, "go", "list", "-m", "-f", "{{if not .Indirect}}{{if .Version}}{{if not .Replace}}| {{.Path}} | {{.Version}} |{{end}}{{end}}{{end}}", "all")
	if err != nil {
		return err
	}
	text, err := results(parts, machine(false), figures.Table(verdicts), plots, nonEmptyLines(versions))
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.dir(benchDir+"/RESULTS.md"), []byte(text), 0o644); err != nil {
		return err
	}
	summary := fmt.Sprintf("Measured %s on %s, with %s repetitions.\n\n%s", between(parts), machine(false), repetitions(measured), figures.Table(verdicts))
	if err := os.WriteFile(b.dir(plotsDir+"/summary.md"), []byte(summary), 0o644); err != nil {
		return err
	}
	fmt.Printf("\nwritten: %s/RESULTS.md and %d plots in %s\n", benchDir, len(plots), plotsDir)
	return nil
}

// plots draws the charts and returns the names of those that could be drawn.
func (b *benchmarks) plots(measured []figures.Row) (drawn []string, err error) {
	if err := os.MkdirAll(b.dir(plotsDir), 0o755); err != nil {
		return nil, err
	}
	for _, c := range charts {
		name := plotName(c.Scenario)
		svg := figures.Plot(measured, c)
		if svg == "" {
			fmt.Printf("no plot of %s: %s was not measured\n", c.Scenario, c.Base)
			continue
		}
		if err := os.WriteFile(filepath.Join(b.dir(plotsDir), name), []byte(svg), 0o644); err != nil {
			return nil, err
		}
		drawn = append(drawn, name)
	}
	return drawn, nil
}

// between says when parts were measured.
func between(parts []part) string {
	if len(parts) == 0 {
		return "never"
	}
	first, last := parts[0].Date, parts[0].Date
	for _, p := range parts {
		if p.Date.Before(first) {
			first = p.Date
		}
		if p.Date.After(last) {
			last = p.Date
		}
	}
	const form = "2006-01-02 15:04 MST"
	if a, b := first.Format(form), last.Format(form); a != b {
		return a + " to " + b
	}
	return first.Format(form)
}

// repetitions says how many there were.
func repetitions(measured []figures.Row) string {
	least, most := 0, 0
	for _, r := range measured {
		n := len(r.Rate)
		most = max(most, n)
		if least == 0 || n < least {
			least = n
		}
	}
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// results is the text of RESULTS.md.
func results(parts []part, machine, verdicts string, plots []string, versions string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\n%s, %s.\n\n", between(parts), machine)
	b.WriteString("Written by `go tool mage bench`. Absolute figures move with the machine and its load: read the ratios. A ratio is the median of the\n" +
		"per-repetition ratios, with the lowest and highest in brackets; the peers of one repetition run one after the other. `floor` is a hand-written\n" +
		"`net.Conn` loop that knows the answer's length. Under okio a ratio says how many times as long as okio another takes.\n\n## Runs\n\n| run | began | took | load before | command |\n|---|---|--:|--:|---|\n")
	for _, p := range parts {
		_, load, _ := strings.Cut(p.Load, ", load ")
		fmt.Fprintf(&b, "| %s | %s | %v | %s | `%s` |\n", p.name, p.Date.Format("15:04"), p.Took.Round(time.Second), load, strings.Join(p.Argv, " "))
	}
	fmt.Fprintf(&b, "\n## Bars\n\nWhat was aimed for, and how it fares: [BARS.md](BARS.md).\n\n%s", verdicts)
	if len(plots) > 0 {
		b.WriteString("\n## Plots\n\n")
		for _, name := range plots {
			fmt.Fprintf(&b, "![%s](../../%s/%s)\n\n", strings.TrimSuffix(name, ".svg"), plotsDir, name)
		}
	}
	for _, p := range parts {
		tables, err := os.ReadFile(p.file(".md"))
		if err != nil {
			return "", fmt.Errorf("build: the tables of %s: %w", p.name, err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p.name, strings.TrimSpace(string(tables)))
	}
	fmt.Fprintf(&b, "\n## Peers\n\n| module | version |\n|---|---|\n%s", versions)
	return b.String(), nil
}

func nonEmptyLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	return b.String()
}
