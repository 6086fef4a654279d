package api

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/tests/build"
	"github.com/okhttp-go/ok/tests/golden"
)

// graphFile has what each product module brings into the module graph of its users.
const graphFile = "modules.golden"

// TestModuleGraphs compares the module graph of each product, seen alone as its users see it, with the file. A module more is a cost to everybody who
// imports the product, so that it shows in review. Those of this repository have no version here, since a release changes them all.
func TestModuleGraphs(t *testing.T) {
	w, err := build.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{}
	for _, m := range w.Products() {
		ours[m.Path] = true
	}
	var out strings.Builder
	for _, m := range w.Products() {
		dir := filepath.Join(w.Root, filepath.FromSlash(m.Dir))
		all := golist(t, dir, "-m", "-f", "{{if not .Main}}{{.Path}} {{.Version}}{{end}}", "all")
		linked := golist(t, dir, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./...")
		out.WriteString(graph(m.Dir, all, linked, ours))
	}
	golden.Compare(t, graphFile, out.String())
}

func golist(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s in %s: %v", strings.Join(args, " "), dir, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// graph writes one module's graph: how large it is, and each module in it with what it is there for.
func graph(name string, all, linked []string, ours map[string]bool) string {
	all = slices.DeleteFunc(slices.Clone(all), func(line string) bool { return strings.TrimSpace(line) == "" })
	slices.Sort(all)
	var b strings.Builder
	count := 0
	for _, line := range all {
		path, version, _ := strings.Cut(line, " ")
		if ours[path] {
			version = "of this repository"
		}
		use := "linked"
		if !slices.Contains(linked, path) {
			use = "in the graph only"
		} else {
			count++
		}
		fmt.Fprintf(&b, "\t%s %s, %s\n", path, version, use)
	}
	return fmt.Sprintf("%s: %d modules, %d linked\n%s", name, len(all), count, b.String())
}

func TestGraph(t *testing.T) {
	got := graph("high", []string{"b.example v1.0.0", "", "a.example v0.0.0", "c.example v1.2.3"}, []string{"b.example", "a.example", "a.example", ""}, map[string]bool{"a.example": true})
	want := "high: 3 modules, 2 linked\n\ta.example of this repository, linked\n\tb.example v1.0.0, linked\n\tc.example v1.2.3, in the graph only\n"
	if got != want {
		t.Errorf("graph\n%s\nwant\n%s", got, want)
	}
	if got := graph("low", []string{""}, []string{""}, nil); got != "low: 0 modules, 0 linked\n" {
		t.Errorf("graph of a module that needs nothing is %q", got)
	}
}
