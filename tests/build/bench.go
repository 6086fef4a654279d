package build

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// benchRuns are the runs of the published tables: commands of the harness with their arguments, those of one command together.
var benchRuns = [][]string{
	{"bench", "-s", "h1-small,h1-tls-small", "-reps", "9", "-d", "200ms"},
	{"bench", "-s", "h1-large,h1-tls-large", "-reps", "5"},
	{"bench", "-s", "connect,gzip", "-reps", "7", "-d", "200ms"},
	{"okiobench", "-reps", "9"},
}

// benchTitles stand above the tables of each command.
var benchTitles = map[string]string{"bench": "okhttp", "okiobench": "okio"}

// Bench builds the benchmark harness on its own, runs every peer next to the client and okio next to the standard library, prints the tables and
// writes them to RESULTS.md. With BENCHARGS set it makes that one invocation of bench instead and writes nothing.
func Bench(ctx context.Context) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	c := command{dir: w.dir(benchDir), env: []string{alone, "BENCH_NO_JVM=1"}}
	if err := c.run(ctx, "go", "build", "-o", "bin/", "./cmd/..."); err != nil {
		return err
	}
	bin := filepath.Join(w.dir(benchDir), "bin")
	if args := strings.Fields(os.Getenv("BENCHARGS")); len(args) > 0 {
		return c.run(ctx, filepath.Join(bin, "bench"), args...)
	}
	on := machine() // with the load before the runs add to it
	var tables bytes.Buffer
	last := ""
	for _, args := range benchRuns {
		if args[0] != last {
			last = args[0]
			fmt.Fprintf(&tables, "\n## %s\n", benchTitles[last])
		}
		// Both: the table is watched as it grows, and kept.
		run := c
		run.out = io.MultiWriter(os.Stdout, &tables)
		if err := run.run(ctx, filepath.Join(bin, args[0]), args[1:]...); err != nil {
			return err
		}
	}
	versions, err := c.output(ctx, "go", "list", "-m", "-f", "{{if not .Indirect}}{{if .Version}}{{if not .Replace}}| {{.Path}} | {{.Version}} |{{end}}{{end}}{{end}}", "all")
	if err != nil {
		return err
	}
	name := w.dir(benchDir + "/RESULTS.md")
	if err := os.WriteFile(name, []byte(results(time.Now(), on, benchRuns, nonEmptyLines(versions), tables.String())), 0o644); err != nil {
		return err
	}
	fmt.Printf("\nwritten: %s/RESULTS.md\n", benchDir)
	return nil
}

// results is the text of RESULTS.md.
func results(now time.Time, machine string, runs [][]string, versions, tables string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\n%s, %s.\n\n", now.UTC().Format("2006-01-02 15:04 MST"), machine)
	b.WriteString("Written by `go tool mage bench`. Absolute figures move with the machine and its load: read the ratios. A ratio is the median of the\n" +
		"per-repetition ratios, with the lowest and highest in brackets; the peers of one repetition run one after the other. `floor` is a hand-written\n" +
		"`net.Conn` loop that knows the answer's length; `proto*` are prototypes that do less than a client must. Under okio a ratio\n" +
		"says how many times as long as okio another takes.\n\nRuns:\n\n")
	for _, args := range runs {
		fmt.Fprintf(&b, "- `%s`\n", strings.Join(args, " "))
	}
	fmt.Fprintf(&b, "\n%s\n## Peers\n\n| module | version |\n|---|---|\n%s", strings.TrimLeft(tables, "\n"), versions)
	return b.String()
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

// machine names the processor, its count, the versions that matter and the load of the last minute, as far as this system tells.
func machine() string {
	model := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	kernel := runtime.GOOS
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel += " " + strings.TrimSpace(string(release))
	}
	load := ""
	if avg, err := os.ReadFile("/proc/loadavg"); err == nil {
		one, _, _ := strings.Cut(string(avg), " ")
		load = ", load " + one
	}
	return fmt.Sprintf("%d × %s, %s, %s%s", runtime.NumCPU(), model, kernel, runtime.Version(), load)
}
