package api

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/tests/build"
	"github.com/okhttp-go/ok/tests/golden"
)

// TestListings compares what each product module exports with its file.
func TestListings(t *testing.T) {
	w, err := build.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Products() {
		t.Run(m.Dir, func(t *testing.T) {
			got, err := listing(w.Root, m.Path)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, m.Dir+".txt", got)
		})
	}
	stale(t, w)
}

// stale fails for a listing whose module is gone.
func stale(t *testing.T, w *build.Workspace) {
	files, err := filepath.Glob("*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		known := false
		for _, m := range w.Products() {
			known = known || m.Dir+".txt" == f
		}
		if !known {
			t.Errorf("tests/api/%s belongs to no product module", f)
		}
	}
}

func TestExported(t *testing.T) {
	const src = `package p

import "io"

const (
	A    = 3
	B P  = "b"
	priv = 1
)

var V, hidden = io.EOF, 1

type P string

func (P) Value()    {}
func (p *P) Pointer() {}

type inner struct{}

func (*inner) Promoted(n int) error { return nil }

type S struct {
	inner
	F    io.Reader
	g    int
	io.Closer
}

func (s *S) own() {}

type Sealed interface {
	io.Writer
	Do(x int) (err error)
	seal()
}

type Gen[T any] struct{ Got T }

func (g *Gen[T]) Get() T { return g.Got }

type Alias = P

func F[T ~int](v T, more ...string) (*S, error) { return nil, nil }
func hiddenF()                                  {}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	p, err := conf.Check("example.com/p", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `const A untyped int = 3
type Alias = P
const B P = "b"
func F[T ~int](v T, more ...string) (*S, error)
type Gen[T any] struct
	Got T
func (*Gen) Get() T
type P string
func (*P) Pointer()
func (P) Value()
type S struct // with unexported fields
	F io.Reader
	io.Closer
func (S) Close() error
func (*S) Promoted(n int) error
type Sealed interface // sealed
	io.Writer
	Do(x int) (err error)
var V error`
	if got := strings.Join(exported(p), "\n"); got != want {
		t.Errorf("listing\n%s\nwant\n%s\ndifference\n%s", got, want, golden.Difference(want+"\n", got+"\n"))
	}
}

func TestUnnamed(t *testing.T) {
	for sig, want := range map[string]string{
		"(path string) (#rv1 error)":                      "(path string) error",
		"func F(f func(int) bool) (#rv1 int, #rv2 error)": "func F(f func(int) bool) (int, error)",
		"(n int) (err error)":                             "(n int) (err error)",
		"()":                                              "()",
	} {
		if got := unnamed(sig); got != want {
			t.Errorf("%s becomes %s, want %s", sig, got, want)
		}
	}
}
