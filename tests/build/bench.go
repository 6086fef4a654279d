package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A benchRun is one command of the harness and what it measures. Runs are what a measurement can be interrupted between.
type benchRun struct {
	name    string // of its files
	command string // of tests/bench/cmd
	args    []string
	oneCPU  bool // client and server share one processor, which no other way is as steady for a single caller
}

// benchRuns are the runs of the published tables. The prototypes, from which the client was made, stay out.
var benchRuns = []benchRun{
	{name: "h1-small", command: "bench", args: []string{"-s", "h1-small", "-reps", "11", "-d", "200ms"}},
	{name: "h1-tls-small", command: "bench", args: []string{"-s", "h1-tls-small", "-reps", "11", "-d", "200ms"}},
	{name: "h2-small", command: "bench", args: []string{"-s", "h2-small", "-reps", "11", "-d", "200ms"}},
	{name: "h2-std", command: "bench", args: []string{"-s", "h2-std", "-reps", "7", "-d", "200ms"}},
	{name: "one-cpu", command: "bench", args: []string{"-s", "h1-small,h1-tls-small,h2-small", "-c", "^c1$", "-reps", "21", "-d", "80ms", "-label", ", one CPU"}, oneCPU: true},
	{name: "h1-large", command: "bench", args: []string{"-s", "h1-large,h1-tls-large", "-reps", "7"}},
	{name: "h2-large", command: "bench", args: []string{"-s", "h2-large", "-reps", "7"}},
	{name: "connect", command: "bench", args: []string{"-s", "connect", "-reps", "11", "-d", "200ms"}},
	{name: "gzip", command: "bench", args: []string{"-s", "gzip", "-reps", "11", "-d", "200ms"}},
	{name: "cache", command: "bench", args: []string{"-s", "cache", "-reps", "11", "-d", "200ms"}},
	{name: "ws", command: "bench", args: []string{"-s", "ws", "-reps", "11", "-d", "150ms"}},
	{name: "ws-deflate", command: "bench", args: []string{"-s", "ws-deflate", "-reps", "11", "-d", "150ms"}},
	{name: "sse", command: "bench", args: []string{"-s", "sse", "-reps", "7"}},
	{name: "okio", command: "okiobench", args: []string{"-reps", "11"}},
}

// Bench measures everything in tests/bench, peers in turns, and writes RESULTS.md and the plots of the site. It says beforehand how long that takes. What an
// interrupted run has measured is kept, as long as the very same programs run on the very same machine; BENCHFRESH=1 measures it anew, BENCHREPS=21 repeats everything so
// often. With BENCHARGS set it makes that one invocation of bench instead and writes nothing.
func Bench(ctx context.Context) error {
	b, err := openBenchmarks(ctx)
	if err != nil {
		return err
	}
	if args := strings.Fields(os.Getenv("BENCHARGS")); len(args) > 0 {
		return b.harness.run(ctx, b.bin("bench"), args...)
	}
	if os.Getenv("BENCHFRESH") != "" {
		if err := os.RemoveAll(b.parts); err != nil {
			return err
		}
	}
	skipped, err := b.measure(ctx, benchRuns, b.parts)
	if err != nil {
		return err
	}
	if err := b.write(ctx, skipped); err != nil {
		return err
	}
	// The next run measures again; until then a check can go by this one.
	if err := os.RemoveAll(b.last); err != nil {
		return err
	}
	return os.Rename(b.parts, b.last)
}

// benchmarks is the harness, built.
type benchmarks struct {
	*Workspace
	harness     command
	parts, last string // folders of what has been measured, by the present run and by the last one that was complete
	print       string // of the programs, the machine and the settings
}

func openBenchmarks(ctx context.Context) (*benchmarks, error) {
	w, err := Open(".")
	if err != nil {
		return nil, err
	}
	dir := w.dir(benchDir)
	b := &benchmarks{Workspace: w, harness: command{dir: dir, env: []string{alone, "BENCH_NO_JVM=1"}},
		parts: filepath.Join(dir, "results", "run"), last: filepath.Join(dir, "results", "last")}
	if err := b.harness.run(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", "bin/", "./cmd/..."); err != nil {
		return nil, err
	}
	b.print, err = fingerprint(machine(false), os.Getenv("BENCHREPS"), b.bin("bench"), b.bin("okiobench"), b.bin("server"))
	return b, err
}

func (b *benchmarks) bin(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(b.dir(benchDir), "bin", name)
}

// argv is the run as a command, or why it is not possible here.
func (b *benchmarks) argv(r benchRun) (argv []string, why string) {
	argv = append([]string{b.bin(r.command)}, r.args...)
	if r.command == "bench" {
		argv = append(argv, "-x", "^proto")
	}
	if reps := os.Getenv("BENCHREPS"); reps != "" {
		argv = append(argv, "-reps", reps) // the last one counts
	}
	if r.oneCPU {
		if _, err := exec.LookPath("taskset"); err != nil {
			return nil, "taskset is not installed"
		}
		cpu := strconv.Itoa(runtime.NumCPU() - 1)
		argv = append(append([]string{"taskset", "-c", cpu}, argv...), "-servercpu", cpu)
	}
	return argv, ""
}

func (b *benchmarks) ready(r benchRun) command {
	c := b.harness
	if r.oneCPU {
		c.env = append(c.env[:len(c.env):len(c.env)], "GOMAXPROCS=1")
	}
	return c
}

// measure makes the runs that are in none of the folders, and keeps them in the first one. It returns the runs that this machine cannot make, and why.
func (b *benchmarks) measure(ctx context.Context, runs []benchRun, folders ...string) (skipped map[string]string, err error) {
	skipped = map[string]string{}
	var missing []benchRun
	var left time.Duration
	expected := map[string]time.Duration{}
	for _, r := range runs {
		argv, why := b.argv(r)
		if why != "" {
			fmt.Printf("%-14s skipped: %s\n", r.name, why)
			skipped[r.name] = why
			continue
		}
		if p, ok := b.have(r, folders...); ok {
			fmt.Printf("%-14s kept, measured at %s\n", r.name, p.Date.Format("2006-01-02 15:04 MST"))
			continue
		}
		out, err := b.ready(r).output(ctx, argv[0], append(argv[1:], "-plan")...)
		if err != nil {
			return nil, err
		}
		seconds, err := strconv.Atoi(out)
		if err != nil {
			return nil, fmt.Errorf("build: %s -plan printed %q, want seconds", r.command, out)
		}
		expected[r.name] = time.Duration(seconds) * time.Second
		left += expected[r.name]
		missing = append(missing, r)
		fmt.Printf("%-14s about %v\n", r.name, expected[r.name])
	}
	if len(missing) == 0 {
		return skipped, nil
	}
	fmt.Printf("\n%d runs, about %v on %s\n", len(missing), left, machine(true))
	for _, r := range missing {
		fmt.Printf("\n## %s, about %v of %v\n", r.name, expected[r.name], left)
		if err := b.one(ctx, r, folders[0]); err != nil {
			return nil, fmt.Errorf("%w\nwhat has been measured is kept: the same command goes on from here", err)
		}
		left -= expected[r.name]
	}
	return skipped, nil
}

// machine names the processor, its count and the versions that matter, and with them the load of the last minute, as far as this system tells.
func machine(load bool) string {
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
	text := fmt.Sprintf("%d × %s, %s, %s", runtime.NumCPU(), model, kernel, runtime.Version())
	if avg, err := os.ReadFile("/proc/loadavg"); err == nil && load {
		one, _, _ := strings.Cut(string(avg), " ")
		text += ", load " + one
	}
	return text
}

// errBelow is what a check ends with.
var errBelow = errors.New("build: bars are missed by more than noise")
