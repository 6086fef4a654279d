// Package build holds what the mage targets do, so that vet and staticcheck see it and tests can reach it.
//
// A file is a target: test.go, check.go, fuzz.go, soak.go, consume.go, docs.go, bench.go, demo.go and release.go. They stand on workspace.go, which finds the
// modules of go.work, on command.go and git.go, which run the go command and git, and on staging.go, which packs modules into a file-system module proxy.
//
// Nothing here lists modules by name: a module joins every target by being in go.work. A module is a product when it is not one of the
// repository's own rooms, tests and docs.
package build
