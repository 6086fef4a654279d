package build

import (
	"go/parser"
	"go/token"
	"slices"
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
