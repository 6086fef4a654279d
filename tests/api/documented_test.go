package api

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/tests/build"
)

// TestDocumented wants a comment at everything a product module exports, and an example in each package, but for those that are the insides of a command.
func TestDocumented(t *testing.T) {
	w, err := build.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "-json=ImportPath,Dir,GoFiles,Name"}
	for _, m := range w.Products() {
		args = append(args, m.Path+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = w.Root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir, Name string
			GoFiles               []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Name == "main" || strings.Contains(p.ImportPath+"/", "/internal/") {
			continue
		}
		if command := strings.HasSuffix(p.ImportPath, "/okcurl/cli") || strings.HasSuffix(p.ImportPath, "/servecli"); !command && !hasExample(t, p.Dir) {
			t.Errorf("%s has no example", p.ImportPath)
		}
		fset := token.NewFileSet()
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range undocumented(f) {
				t.Errorf("%s: %s has no comment", fset.Position(id.Pos()), id.Name)
			}
		}
	}
}

// hasExample reports whether there is an example in the tests of a folder.
func hasExample(t *testing.T, dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc Example") {
			return true
		}
	}
	return false
}

// undocumented returns the exported names of a file that no comment describes. The comment of a group describes its members, that of a type its
// fields, and a method needs none of its own where the standard library says what it does.
func undocumented(f *ast.File) (ids []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d)) && !standardMethod[d.Name.Name]) {
				ids = append(ids, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						ids = append(ids, s.Name)
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
							ids = append(ids, name)
						}
					}
				}
			}
		}
	}
	return ids
}

// standardMethod holds the methods of error and of the interfaces of package errors and net.
var standardMethod = map[string]bool{"Error": true, "Unwrap": true, "Is": true, "Timeout": true, "Temporary": true, "Network": true}

func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func TestUndocumented(t *testing.T) {
	const src = `package p

// Documented.
func Documented() {}

func Bare() {}

func private() {}

// T is documented.
type T struct{ Field int }

func (t *T) Method() {}

func (t T) Error() string { return "" }

// Good.
func (t *T) Good() {}

type bare[K any] struct{}

func (b *bare[K]) Exported() {}

type Gen[K any] struct{}

func (g *Gen[K]) Method2() {}

// A group.
const (
	A = 1
	B = 2
)

var (
	C = 1
	D = 2 // beside it
	// above it
	E = 3
)
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, id := range undocumented(f) {
		got = append(got, id.Name)
	}
	if want := "Bare Method Gen Method2 C"; strings.Join(got, " ") != want {
		t.Errorf("undocumented %q, want %q", got, want)
	}
}
