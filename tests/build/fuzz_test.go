package build

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

func TestFuzzNames(t *testing.T) {
	const src = `package p

import "testing"

func FuzzOne(f *testing.F)             {}
func FuzzTwo(fz *testing.F)            {}
func TestFuzz(t *testing.T)            {}
func FuzzHelper(t *testing.T)          {}
func FuzzNothing()                     {}
func FuzzMore(f *testing.F, s string)  {}
func FuzzValue(f testing.F)            {}
func (r receiver) FuzzOn(f *testing.F) {}

type receiver struct{}
`
	f, err := parser.ParseFile(token.NewFileSet(), "p_test.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fuzzNames(f), []string{"FuzzOne", "FuzzTwo"}; !slices.Equal(got, want) {
		t.Errorf("targets %q, want %q", got, want)
	}
}

// Each product reads something that others wrote, and none is forgotten because it is new.
func TestEveryProductIsFuzzed(t *testing.T) {
	w, err := Open(".")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := w.fuzzTargets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Products() {
		of := func(x fuzzTarget) bool { return x.pkg == m.Path || strings.HasPrefix(x.pkg, m.Path+"/") }
		if !slices.ContainsFunc(targets, of) {
			t.Errorf("%s has no fuzz target", m.Dir)
		}
	}
}

func TestFailedToStop(t *testing.T) {
	const progress = "fuzz: elapsed: 4s, execs: 9977 (0/sec), new interesting: 8 (total: 408)\n"
	for _, tt := range []struct {
		name, said string
		want       bool
	}{
		{"the deadline alone", progress + "--- FAIL: FuzzX (3.91s)\n    context deadline exceeded\nFAIL\nexit status 1\n", true},
		{"a failing input", progress + "--- FAIL: FuzzX (1.69s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:5: bad\n    \n    Failing input written to testdata/fuzz/FuzzX/de9b\nFAIL\n", false},
		{"an input that runs into a deadline", "--- FAIL: FuzzX (1.69s)\n    context deadline exceeded\nFAIL\n    Failing input written to testdata/fuzz/FuzzX/de9b\n", false},
		{"another target", "--- FAIL: FuzzXY (3.91s)\n    context deadline exceeded\nFAIL\n", false},
		{"a seed that fails", "--- FAIL: FuzzX (0.01s)\n    --- FAIL: FuzzX/seed#0 (0.00s)\n        x_test.go:5: context deadline exceeded\nFAIL\n", false},
		{"more than the deadline", "--- FAIL: FuzzX (3.91s)\n    context deadline exceeded\n    x_test.go:9: bad\nFAIL\n", false},
		{"a build failure", "FAIL\tp [build failed]\n", false},
	} {
		if got := failedToStop(tt.said, "FuzzX"); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
