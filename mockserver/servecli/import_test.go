package servecli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing is written if anything cannot be.
func TestImportWritesAllOrNothing(t *testing.T) {
	const mapping = `{"request": {}, "response": {"bodyFileName": "x.txt"}}`
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"equal names": {map[string]string{"one/a.json": `{}`, "one/b.json": `{}`, "two/b.json": `{}`}, "two files of mappings become b.json"},
		"equal bodies": {map[string]string{"one/a.json": mapping, "one/__files/x.txt": "x", "two/b.json": mapping, "two/__files/x.txt": "y"},
			"bodyFileName: two files become " + filepath.FromSlash("__files/x.txt") + ", with different contents"},
		"a file there":                    {map[string]string{"one/a.json": `{}`, "two/b.json": `{}`, "out/b.json": "old"}, "exist"},
		"a body there":                    {map[string]string{"one/a.json": `{}`, "two/b.json": mapping, "two/__files/x.txt": "y", "out/__files/x.txt": "old"}, "is there already, with another content"},
		"a file where a folder has to be": {map[string]string{"one/a.json": `{}`, "two/sub/b.json": `{}`, "out/sub": "old"}, "exist"},
		"a file and a folder":             {map[string]string{"one/a.json": `{}`, "two/a.json/b.json": `{}`}, "a.json becomes a file and a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, tt.files)
			before := tree(t, dir)
			var out, errOut bytes.Buffer
			code := run(t.Context(), []string{"import", "--out", filepath.Join(dir, "out"), filepath.Join(dir, "one"), filepath.Join(dir, "two")}, &out, &errOut)
			if code != 1 || out.Len() > 0 || !strings.Contains(errOut.String(), tt.want) {
				t.Errorf("%d, %q, %q, want %s", code, out.String(), errOut.String(), tt.want)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("written: %s\nbefore:  %s", after, before)
			}
		})
	}
}

// The same file for two stubs, or there already, is no other.
func TestImportOfSharedFiles(t *testing.T) {
	const mapping = `{"request": {}, "response": {"bodyFileName": "x.txt"}}`
	dir := write(t, map[string]string{"one/a.json": mapping, "one/__files/x.txt": "x", "two/b.json": mapping, "two/__files/x.txt": "x", "out/__files/x.txt": "x"})
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"import", "--out", filepath.Join(dir, "out"), filepath.Join(dir, "one"), filepath.Join(dir, "two")}, &out, &errOut)
	if code != 0 || strings.Count(out.String(), ": 1 stubs\n") != 2 {
		t.Errorf("%d, %q, %q", code, out.String(), errOut.String())
	}
}

// More stubs than a server loads are told at once.
func TestImportOfTooMany(t *testing.T) {
	half := `{"mappings": [` + strings.Repeat("{},", 5000) + "{}]}"
	dir := write(t, map[string]string{"in/a.json": half, "in/b.json": half})
	for _, args := range [][]string{{"import", filepath.Join(dir, "in")}, {"import", "--out", filepath.Join(dir, "out"), filepath.Join(dir, "in")}} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), args, &out, &errOut); code != 1 || out.Len() > 0 || !strings.Contains(errOut.String(), "expected at most 10000 mappings in all files together but there are 10002") {
			t.Errorf("%d, %d bytes, %q", code, out.Len(), errOut.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("the folder was made")
	}
}

// tree lists what is in a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		list = append(list, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}
