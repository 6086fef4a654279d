//go:build mage

// The targets of this repository: go tool mage -l. What they do is in package tests/build.
package main

import (
	"context"

	"github.com/magefile/mage/mg"

	"github.com/okhttp-go/ok/tests/build"
)

// Aliases lets "docs" alone build the site.
var Aliases = map[string]any{"docs": Docs.Build}

// Demo runs the main job on an embedded server and prints the event timeline.
func Demo(ctx context.Context) error { return build.Demo(ctx) }

// Test runs all tests of all modules, shuffled, with the race detector where a C compiler exists.
func Test(ctx context.Context) error { return build.Test(ctx) }

// Check looks at format, vet, staticcheck, tidiness, layers, API files, and each module on its own and on other platforms.
func Check(ctx context.Context) error { return build.Check(ctx) }

// Bench measures the client next to its peers and writes tests/bench/RESULTS.md.
func Bench(ctx context.Context) error { return build.Bench(ctx) }

// Fuzz runs every fuzz target for a few seconds; FUZZTIME=30s changes how many.
func Fuzz(ctx context.Context) error { return build.Fuzz(ctx) }

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
