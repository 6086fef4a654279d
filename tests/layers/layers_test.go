package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/okhttp-go/ok/tests/build"
)

// TestLayers holds the workspace against the rules of the package comment.
func TestLayers(t *testing.T) {
	w, err := build.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports,Deps,Module"}
	for _, m := range w.Modules {
		args = append(args, m.Path+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = w.Root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	std := standard(t)
	count := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; count++ {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, line := range p.broken(std) {
			t.Error(line)
		}
	}
	if count < len(w.Modules) {
		t.Errorf("go list described %d packages of %d modules", count, len(w.Modules))
	}
	for _, m := range w.Products() {
		for _, line := range brokenMod(m.Dir, m.File) {
			t.Error(line)
		}
	}
}

// standard asks the go command for the packages of the standard library.
func standard(t *testing.T) func(string) bool {
	t.Helper()
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatalf("go list std: %v", err)
	}
	std := map[string]bool{"C": true, "unsafe": true}
	for _, path := range strings.Fields(string(out)) {
		std[path] = true
	}
	return func(path string) bool { return std[path] }
}

func TestRulesCatch(t *testing.T) {
	std := func(path string) bool { return !strings.Contains(path, ".") }
	for _, tt := range []struct {
		name string
		pkg  pkg
		want string // "" when the package keeps the rules
	}{
		{"okio on compress", pkg{ImportPath: prefix + "okio", Imports: []string{"io", compress + "/flate"}, Deps: []string{"io", compress + "/flate"}}, ""},
		{"okhttp on okio and net/http", pkg{ImportPath: prefix + "okhttp", Imports: []string{"net/http", prefix + "okio", xnet + "/idna"}, Deps: []string{"net/http"}}, ""},
		{"own internal", pkg{ImportPath: prefix + "okhttp", Imports: []string{prefix + "okhttp/internal/pool"}}, ""},
		{"okio on net/http in its tests", pkg{ImportPath: prefix + "okio", TestImports: []string{"net/http"}}, ""},
		{"tests on anything", pkg{ImportPath: prefix + "tests/interop", Imports: []string{prefix + "okcurl/cli", "go.uber.org/goleak"}}, ""},
		{"arrow up", pkg{ImportPath: prefix + "okhttp", Imports: []string{prefix + "mockserver"}}, "may stand on okio only"},
		{"arrow up in a test", pkg{ImportPath: prefix + "okhttp", XTestImports: []string{prefix + "mockserver"}}, "may stand on okio only"},
		{"arrow sideways", pkg{ImportPath: prefix + "okhttp-ws", Imports: []string{prefix + "okhttp-cache"}}, "may stand on okhttp, okio only"},
		{"a name that begins alike", pkg{ImportPath: prefix + "okhttp", Imports: []string{prefix + "okhttp-cache"}}, "may stand on okio only"},
		{"foreign internal", pkg{ImportPath: prefix + "mockserver", Imports: []string{prefix + "okhttp/internal/pool"}}, "an internal package of module okhttp"},
		{"foreign internal from tests", pkg{ImportPath: prefix + "tests/interop", Imports: []string{prefix + "okhttp/internal/pool"}}, "an internal package of module okhttp"},
		{"foreign module", pkg{ImportPath: prefix + "okio", Imports: []string{xnet + "/idna"}}, "its siblings below and github.com/klauspost/compress only"},
		{"test library in a product", pkg{ImportPath: prefix + "okio", TestImports: []string{"go.uber.org/goleak"}}, "go.uber.org/goleak"},
		{"machine links net/http", pkg{ImportPath: prefix + "okhttp/http1", Deps: []string{"io", "net/http"}}, "links net/http"},
		{"machine links the client", pkg{ImportPath: prefix + "okhttp/http1", Deps: []string{prefix + "okhttp"}}, "links " + prefix + "okhttp;"},
		{"machine on a helper", pkg{ImportPath: prefix + "okhttp/http1", Deps: []string{prefix + "okio", prefix + "okhttp/internal/fault"}}, ""},
		{"brotli in its module", pkg{ImportPath: prefix + "okhttp-brotli", Imports: []string{brotli, prefix + "okhttp/okcompress"}}, ""},
		{"brotli in the client", pkg{ImportPath: prefix + "okhttp/okcompress", Imports: []string{brotli}}, brotli},
		{"unplaced module", pkg{ImportPath: prefix + "okhttp-otel", Imports: []string{"io"}}, "no place in the table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.pkg.Module.Path = prefix + moduleOf(strings.TrimPrefix(tt.pkg.ImportPath, prefix))
			lines := tt.pkg.broken(std)
			if tt.want == "" && len(lines) != 0 {
				t.Errorf("complains %q, want silence", lines)
			}
			if tt.want != "" && (len(lines) != 1 || !strings.Contains(lines[0], tt.want)) {
				t.Errorf("says %q, want one line with %q", lines, tt.want)
			}
		})
	}
}

func TestModRulesCatch(t *testing.T) {
	for _, tt := range []struct{ name, module, lines, want string }{
		{"all allowed", "okhttp", "require (\n" + prefix + "okio v0.0.0\n" + xnet + " v0.1.0\n" + xtext + " v0.1.0 // indirect\n)\nreplace " + prefix + "okio => ../okio\n", ""},
		{"test library", "okio", "require go.uber.org/goleak v1.3.0 // indirect\n", "requires go.uber.org/goleak"},
		{"x/text by itself", "okhttp", "require " + xtext + " v0.1.0\n", "requires " + xtext},
		{"brotli below okcurl", "okcurl", "require " + brotli + " v0.1.0 // indirect\n", ""},
		{"brotli without its module", "mockserver", "require " + brotli + " v0.1.0 // indirect\n", "requires " + brotli},
		{"brotli by itself", "okcurl", "require " + brotli + " v0.1.0\n", "requires " + brotli},
		{"module above", "okhttp", "require " + prefix + "mockserver v0.0.0\n", "requires " + prefix + "mockserver"},
		{"fork", "okio", "replace " + compress + " => ../compress\n", "only siblings are replaced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := modfile.Parse("go.mod", []byte("module m.example\n"+tt.lines), nil)
			if err != nil {
				t.Fatal(err)
			}
			lines := brokenMod(tt.module, f)
			if tt.want == "" && len(lines) != 0 {
				t.Errorf("complains %q, want silence", lines)
			}
			if tt.want != "" && (len(lines) != 1 || !strings.Contains(lines[0], tt.want)) {
				t.Errorf("says %q, want one line with %q", lines, tt.want)
			}
		})
	}
}
