package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDifference(t *testing.T) {
	for _, tt := range []struct{ want, got, differs string }{
		{"a\nb\n", "a\nb\n", ""},
		{"", "", ""},
		{"a\nb\nb\n", "b\na\nc\n", "- b\n+ c\n"},
		{"a\nb\n", "b\na\n", "the same lines in another order\n"},
		{"", "a", "+ a\n"},
		{"a\nb", "a\nc", "- b\n+ c\n"},
		{"a\n", "", "- a\n"},
	} {
		if got := Difference(tt.want, tt.got); got != tt.differs {
			t.Errorf("%q and %q differ by %q, want %q", tt.want, tt.got, got, tt.differs)
		}
	}
}

// A failing test says so here.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestCompare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden")
	set := func(on bool) { *update = on }
	defer set(Updating())
	failures := func(got string) []string {
		r := recorder{TB: t}
		Compare(&r, file, got)
		return r.failures
	}

	set(false)
	if f := failures("a\n"); len(f) != 1 || !strings.HasSuffix(f[0], "\n+ a\n") {
		t.Errorf("a file that does not exist: %q", f)
	}
	set(true)
	if f := failures("a\nb\n"); f != nil {
		t.Errorf("while it is written: %q", f)
	}
	set(false)
	if f := failures("a\nb\n"); f != nil {
		t.Errorf("as written: %q", f)
	}
	if f := failures("a\nc\n"); len(f) != 1 || !strings.HasPrefix(f[0], file) || !strings.HasSuffix(f[0], "\n- b\n+ c\n") {
		t.Errorf("another text: %q", f)
	}
	if err := os.WriteFile(file, []byte("a\r\nb\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := failures("a\nb\n"); f != nil {
		t.Errorf("as a checkout on Windows has it: %q", f)
	}
}
