package build

import (
	"archive/zip"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func TestStage(t *testing.T) {
	root := tree(t, map[string]string{
		"go.work":               "go 1.26.0\n\nuse (\n\t./high\n\t./low\n\t./tests\n)\n",
		"LICENSE":               "the licence of the root\n",
		"low/go.mod":            "module example.com/Ok/low\n\ngo 1.26.0\n",
		"low/low.go":            "package low\n",
		"low/LICENSE":           "a licence of its own\n",
		"high/go.mod":           "module example.com/Ok/high\n\ngo 1.26.0\n\nrequire (\n\texample.com/Ok/low v0.0.0\n\texample.com/other v1.2.3\n)\n\nreplace example.com/Ok/low => ../low\n",
		"high/cmd/main.go":      "package main\n\nfunc main() {}\n",
		"high/nested/go.mod":    "module example.com/Ok/high/nested\n",
		"high/nested/nested.go": "package nested\n",
		"tests/go.mod":          "module example.com/Ok/tests\n",
	})
	w, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	if err := w.stage(proxy, "v1.4.0"); err != nil {
		t.Fatal(err)
	}
	// Upper-case letters of a path are escaped in a proxy.
	at := filepath.Join(proxy, "example.com", "!ok", "high", "@v")

	files := unzip(t, filepath.Join(at, "v1.4.0.zip"))
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	prefix := "example.com/Ok/high@v1.4.0/"
	if want := []string{prefix + "LICENSE", prefix + "cmd/main.go", prefix + "go.mod"}; !slices.Equal(names, want) {
		t.Errorf("zip holds %q, want %q", names, want)
	}
	if got := files[prefix+"LICENSE"]; got != "the licence of the root\n" {
		t.Errorf("licence %q, want the root's", got)
	}
	mod, err := modfile.Parse("go.mod", []byte(files[prefix+"go.mod"]), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace) != 0 {
		t.Errorf("the staged go.mod keeps %d replace lines, want none", len(mod.Replace))
	}
	var requires []string
	for _, r := range mod.Require {
		requires = append(requires, r.Mod.String())
	}
	if want := []string{"example.com/Ok/low@v1.4.0", "example.com/other@v1.2.3"}; !slices.Equal(requires, want) {
		t.Errorf("requires %q, want %q", requires, want)
	}
	low := unzip(t, filepath.Join(proxy, "example.com", "!ok", "low", "@v", "v1.4.0.zip"))
	if got := low["example.com/Ok/low@v1.4.0/LICENSE"]; got != "a licence of its own\n" {
		t.Errorf("licence of low %q, want its own", got)
	}
	if got, _ := filepath.Glob(filepath.Join(proxy, "example.com", "!ok", "*")); len(got) != 2 {
		t.Errorf("staged %q, want the two products", got)
	}
}

func unzip(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		out[f.Name] = string(data)
	}
	return out
}

func TestForeign(t *testing.T) {
	listing := "b.example\n\na.example\nme.example\nb.example\nconsumer.example\n"
	got := foreign(listing, "me.example", "consumer.example")
	if want := []string{"a.example", "b.example"}; !slices.Equal(got, want) {
		t.Errorf("foreign %q, want %q", got, want)
	}
	if got := orNothing(nil); !strings.Contains(got, "standard library") {
		t.Errorf("no modules reads %q", got)
	}
}
