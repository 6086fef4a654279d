//go:build mage

// The targets of this repository: go tool mage -l. What they do is in package tests/build.
package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"github.com/okhttp-go/ok/tests/build"
)

// Aliases are what "docs" and "bench" do alone.
var Aliases = map[string]any{"docs": Docs.Build, "bench": Bench.Run}

// Demo runs the main job on an embedded server and prints the event timeline.
func Demo(ctx context.Context) error { return build.Demo(ctx) }

// Test runs all tests of all modules, shuffled, with the race detector where a C compiler exists.
func Test(ctx context.Context) error { return build.Test(ctx) }

// Check looks at format, vet, staticcheck, tidiness, layers, API files, and each module on its own and on other platforms.
func Check(ctx context.Context) error { return build.Check(ctx) }

// Bench is the benchmarks.
type Bench mg.Namespace

// Run measures everything next to its peers and writes tests/bench/RESULTS.md and the plots of the site; it says how long it takes, and goes on where it stopped.
func (Bench) Run(ctx context.Context) error { return build.Bench(ctx) }

// Check fails when a figure is below its bar of tests/bench/BARS.md by more than noise.
func (Bench) Check(ctx context.Context) error { return build.BenchCheck(ctx) }

// Fuzz runs every fuzz target for a few seconds; FUZZTIME=30s changes how many.
func Fuzz(ctx context.Context) error { return build.Fuzz(ctx) }

// Soak has everything run against servers that misbehave for an hour; SOAKTIME=10m changes how long.
func Soak(ctx context.Context) error { return build.Soak(ctx) }

// Consume builds an empty consumer of each module from a staged module proxy and installs the commands by version.
func Consume(ctx context.Context) error { return build.Consume(ctx) }

// Release commits and tags a version of every module in this checkout, and pushes nothing: mage release v1.2.3.
func Release(ctx context.Context, version string) error { return build.Release(ctx, version) }

// Docs is the documentation site.
type Docs mg.Namespace

// Build builds the site into docs/.vitepress/dist; a dead link fails it.
func (Docs) Build(ctx context.Context) error { return build.Docs(ctx) }

// Serve shows the site while it is being written.
func (Docs) Serve(ctx context.Context) error { return build.DocsServe(ctx) }
