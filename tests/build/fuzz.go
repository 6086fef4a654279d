package build

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A fuzzTarget is one function FuzzXxx of a package's tests.
type fuzzTarget struct{ pkg, name string }

// Fuzz runs every fuzz target of every module for FUZZTIME (default 5s), one after another. It stops at the first failure, whose input the
// go command has saved under testdata/fuzz.
func Fuzz(ctx context.Context) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	targets, err := w.fuzzTargets(ctx)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return errors.New("build: no fuzz target in any module")
	}
	each := cmp.Or(os.Getenv("FUZZTIME"), "5s")
	fmt.Printf("%d fuzz targets, %s each\n", len(targets), each)
	for _, t := range targets {
		fmt.Printf("\n%s %s\n", t.pkg, t.name)
		if err := w.fuzz(ctx, t, each); err != nil {
			return err
		}
	}
	return nil
}

// fuzz runs one target, again when the go command failed at stopping it, and three times in all.
func (w *Workspace) fuzz(ctx context.Context, t fuzzTarget, each string) (err error) {
	for range 3 {
		var said bytes.Buffer
		c := command{dir: w.Root, out: io.MultiWriter(os.Stdout, &said)}
		err = c.run(ctx, "go", "test", "-run=^$", "-fuzz=^"+t.name+"$", "-fuzztime="+each, testTimeout, t.pkg)
		if err == nil || !failedToStop(said.String(), t.name) {
			return err
		}
		fmt.Println("no input failed: the go command tripped over the end of the time (golang/go#75804, fixed in Go 1.27); again")
	}
	return err
}

// failedToStop reports whether a run found no failing input and failed only because the deadline of -fuzztime passed while a worker was busy. A
// target that fails, by itself or by a time limit of its own, has its input written down and reported.
func failedToStop(said, name string) bool {
	_, verdict, ok := strings.Cut(said, "--- FAIL: "+name+" (")
	if !ok || strings.Contains(said, "Failing input written to") {
		return false
	}
	_, verdict, _ = strings.Cut(verdict, "\n")
	return strings.HasPrefix(verdict, "    context deadline exceeded\nFAIL\n")
}

// fuzzTargets asks the go command for the test files that are built here and reads the targets from them; listing them with go test -list would
// link every test binary first.
func (w *Workspace) fuzzTargets(ctx context.Context) ([]fuzzTarget, error) {
	args := append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"}, patterns(w.Modules)...)
	out, err := command{dir: w.Root}.output(ctx, "go", args...)
	if err != nil {
		return nil, err
	}
	var targets []fuzzTarget
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return targets, nil
		} else if err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, name := range fuzzNames(f) {
				targets = append(targets, fuzzTarget{p.ImportPath, name})
			}
		}
	}
}

// fuzzNames returns the functions FuzzXxx(*testing.F) of one file.
func fuzzNames(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Fuzz") || len(fn.Type.Params.List) != 1 {
			continue
		}
		ptr, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		if sel, ok := ptr.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "F" {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}
