package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files below a temporary folder; a key is a slash-separated path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, data := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestOpen(t *testing.T) {
	root := tree(t, map[string]string{
		"go.work":              "go 1.26.0\n\nuse (\n\t./docs/examples\n\t./low\n\t./low-extra\n\t./tests\n)\n",
		"docs/examples/go.mod": "module example.com/docs/examples\n",
		"low/go.mod":           "module example.com/low\n",
		"low/deep/deeper/x.go": "package deeper\n",
		"low-extra/go.mod":     "module example.com/low-extra\n",
		"tests/go.mod":         "module example.com/tests\n",
	})
	w, err := Open(filepath.Join(root, "low", "deep", "deeper"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := patterns(w.Modules), []string{"./docs/examples/...", "./low/...", "./low-extra/...", "./tests/..."}; !slices.Equal(got, want) {
		t.Errorf("modules %q, want %q", got, want)
	}
	if got, want := patterns(w.Products()), []string{"./low/...", "./low-extra/..."}; !slices.Equal(got, want) {
		t.Errorf("products %q, want %q", got, want)
	}
	if w.Root != root {
		t.Errorf("root %q, want %q", w.Root, root)
	}
}

func TestOpenNamesWhatIsMissing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no go.work", map[string]string{"a/go.mod": "module a\n"}, "no go.work at or above"},
		{"empty go.work", map[string]string{"go.work": "go 1.26.0\n"}, "uses no module"},
		{"module gone", map[string]string{"go.work": "go 1.26.0\n\nuse ./gone\n"}, filepath.Join("gone", "go.mod")},
		{"no module line", map[string]string{"go.work": "go 1.26.0\n\nuse ./a\n", "a/go.mod": "go 1.26.0\n"}, "has no module line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tree(t, tt.files))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func TestGoFilesSkipsWhatIsNotOurs(t *testing.T) {
	root := tree(t, map[string]string{
		"a/a.go":                          "",
		"a/a.txt":                         "",
		"a/testdata/broken.go":            "",
		"docs/node_modules/pkg/x.go":      "",
		"docs/.vitepress/cache/deps/y.go": "",
	})
	got, err := (&Workspace{Root: root}).goFiles()
	if want := []string{filepath.Join("a", "a.go")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("files %q and error %v, want %q", got, err, want)
	}
}
