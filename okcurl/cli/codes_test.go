package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exitConstants returns the codes that the source names.
func exitConstants(t *testing.T) (codes []int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "exit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "exit") && spec.Names[0].Name != "successful" {
			return true
		}
		if value, ok := spec.Values[0].(*ast.BasicLit); ok {
			code, err := strconv.Atoi(value.Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	slices.Sort(codes)
	return codes
}

// Every code that okcurl can end with is told, in order, by the manual page and by what go doc prints.
func TestCodesAreTold(t *testing.T) {
	want := exitConstants(t)
	if len(want) < 30 {
		t.Fatalf("found %v", want)
	}
	var manual []int
	for _, c := range exitCodes {
		manual = append(manual, c.code)
	}
	if !slices.Equal(manual, want) {
		t.Errorf("the manual page has %v\nwant %v", manual, want)
	}
	text, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "# Exit codes")
	var doc []int
	for _, m := range regexp.MustCompile(`(?m)^//\t(\d+)\s`).FindAllStringSubmatch(list, -1) {
		code, _ := strconv.Atoi(m[1])
		doc = append(doc, code)
	}
	if !slices.Equal(doc, want) {
		t.Errorf("the package comment has %v\nwant %v", doc, want)
	}
}
