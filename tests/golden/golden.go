// Package golden compares what a test got with a file that is kept in the repository, so that a change of it shows in review. The flag -update, which each
// test that imports this package has, writes the files instead.
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Updating reports whether files are written rather than compared.
func Updating() bool { return *update }

// Compare fails the test with the lines that differ if file does not say what was got, or does not exist. Ends of lines may be those of Windows in the file.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	if Updating() {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if differs := Difference(Read(t, file), got); differs != "" {
		t.Errorf("%s says otherwise; look at the difference, and run the test with -update if it is meant\n%s", file, differs)
	}
}

// Read returns the text of a file, with the ends of lines of Unix. That of one that does not exist is empty.
func Read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// Difference lists the lines that only one side has, in the order they stand, or says that they stand in another order. That of equal texts is empty.
func Difference(want, got string) string {
	if want == got {
		return ""
	}
	var out strings.Builder
	for _, side := range []struct{ mark, of, against string }{{"-", want, got}, {"+", got, want}} {
		has := map[string]int{}
		for line := range strings.Lines(side.against) {
			has[line]++
		}
		for line := range strings.Lines(side.of) {
			if has[line]--; has[line] < 0 {
				out.WriteString(side.mark + " " + strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	if out.Len() == 0 {
		return "the same lines in another order\n"
	}
	return out.String()
}
