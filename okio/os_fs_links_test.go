package okio

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// linkedFiles makes a file "a" with "text" in it, its hard links "b" and "d/a", and returns the file systems that see them, with their base.
func linkedFiles(t *testing.T) map[string]func() (FileSystem, Path) {
	t.Helper()
	fresh := func() string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, link := range []string{"b", filepath.Join("d", "a")} {
			if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, link)); err != nil {
				t.Skip("no hard links here:", err)
			}
		}
		return dir
	}
	return map[string]func() (FileSystem, Path){
		"OS": func() (FileSystem, Path) { return OS(), hostPath(fresh()) },
		"Root": func() (FileSystem, Path) {
			f, _ := openTestRoot(t, fresh())
			return f, Path{}
		},
		"Forwarding": func() (FileSystem, Path) {
			base := hostPath(fresh())
			return ForwardingFileSystem{FileSystem: OS(), OnPathParameter: func(p Path, _, _ string) (Path, error) { return base.Resolve(p), nil }}, Path{}
		},
	}
}

func TestCopyBetweenHardLinks(t *testing.T) {
	for name, open := range linkedFiles(t) {
		for _, to := range []string{"b", "d/a"} {
			f, base := open()
			if err := Copy(f, base.Join("a"), base.Join(to)); err != nil {
				t.Error(name, err)
			}
			for _, p := range []string{"a", "b", "d/a"} {
				if got := getFile(t, f, base.Join(p).String()); got != "text" {
					t.Errorf("%s: a to %s left %q in %s", name, to, got, p)
				}
			}
			// A file of the same contents is another file.
			putFile(t, f, base.Join("c").String(), "more")
			if err := Copy(f, base.Join("c"), base.Join(to)); err != nil || getFile(t, f, base.Join("a").String()) != "more" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestMoveBetweenHardLinks(t *testing.T) {
	for name, open := range linkedFiles(t) {
		for _, to := range []string{"b", "d/a"} {
			f, base := open()
			if err := f.AtomicMove(base.Join("a"), base.Join(to)); err != nil {
				t.Error(name, err)
			}
			list, err := f.List(base)
			var names []string
			for _, p := range list {
				names = append(names, p.Name())
			}
			if err != nil || !slices.Equal(names, []string{"b", "d"}) {
				t.Errorf("%s: a to %s left %v, %v", name, to, names, err)
			}
			for _, p := range []string{"b", "d/a"} {
				if got := getFile(t, f, base.Join(p).String()); got != "text" {
					t.Errorf("%s: a to %s left %q in %s", name, to, got, p)
				}
			}
		}
	}
}

// One name that is reached in two ways stays, though the file has more names.
func TestMoveOfHardLinkOntoItself(t *testing.T) {
	f, base := linkedFiles(t)["OS"]()
	ways := []string{"d/../a", "d/../d/../a"}
	if canLink(t) {
		if err := f.CreateSymlink(base.Join("here"), ParsePath(".")); err != nil {
			t.Fatal(err)
		}
		ways = append(ways, "here/a")
	}
	for _, way := range ways {
		for _, move := range [][2]string{{"a", way}, {way, "a"}} {
			if err := f.AtomicMove(base.Join(move[0]), base.Join(move[1])); err != nil {
				t.Error(err)
			}
			if got := getFile(t, f, base.Join("a").String()); got != "text" {
				t.Fatalf("%v left %q", move, got)
			}
		}
	}
}
