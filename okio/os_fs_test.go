package okio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// canLink reports whether this user of this host may create symbolic links.
func canLink(t *testing.T) bool {
	return os.Symlink("x", filepath.Join(t.TempDir(), "link")) == nil
}

func TestOSConforms(t *testing.T) {
	testFileSystem(t, func(t *testing.T) (FileSystem, Path) { return OS(), hostPath(t.TempDir()) }, fsCaps{symlinks: canLink(t)})
}

// Relative in, relative out.
func TestOSConformsRelative(t *testing.T) {
	testFileSystem(t, func(t *testing.T) (FileSystem, Path) {
		t.Chdir(t.TempDir())
		return OS(), Path{}
	}, fsCaps{symlinks: canLink(t)})
}

func TestOSConformsBesideTheWorkingDirectory(t *testing.T) {
	testFileSystem(t, func(t *testing.T) (FileSystem, Path) {
		dir := t.TempDir()
		for _, name := range []string{"here", "there"} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(filepath.Join(dir, "here"))
		return OS(), ParsePath("../there")
	}, fsCaps{symlinks: canLink(t)})
}

func TestOSTimes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	accessed, modified := time.Unix(1_000_000_000, 0), time.Unix(1_100_000_000, 0)
	if err := os.Chtimes(name, accessed, modified); err != nil {
		t.Fatal(err)
	}
	m, err := OS().Metadata(hostPath(name))
	if err != nil || !m.Modified.Equal(modified) {
		t.Errorf("%v, %v", m, err)
	}
	switch runtime.GOOS {
	case "linux", "darwin", "windows":
		if !m.Accessed.Equal(accessed) {
			t.Errorf("accessed at %v, want %v", m.Accessed, accessed)
		}
	}
	if err := os.Chtimes(name, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if m, err := OS().Metadata(hostPath(name)); err != nil || !m.Modified.IsZero() {
		t.Errorf("a zero of the host is unknown: %v, %v", m, err)
	}
}

func TestOSRejectsNames(t *testing.T) {
	f := OS()
	for _, test := range []struct {
		path Path
		want string
	}{
		{ParsePath("a\x00b"), `name has a NUL byte: "a\x00b"`},
		{ParsePath(`C:\Windows`), "Windows volume"},
		{ParsePath(`\\server\share`), "Windows volume or server"},
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(test.want, "Windows") {
			continue
		}
		for _, err := range everyOperation(f, test.path) {
			if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: error %v", test.path, err)
			}
		}
	}
	if err := f.CreateSymlink(hostPath(t.TempDir()).Join("link"), ParsePath("a\x00b")); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}

// everyOperation does everything with p, in the order of the interface.
func everyOperation(f FileSystem, p Path) []error {
	var errs []error
	add := func(_ any, err error) { errs = append(errs, err) }
	add(f.Canonicalize(p))
	add(f.Metadata(p))
	add(f.List(p))
	add(f.OpenReadOnly(p))
	add(f.OpenReadWrite(p, 0))
	add(f.Source(p))
	add(f.Sink(p, 0))
	add(f.Appending(p, 0))
	return append(errs, f.CreateDirectory(p, 0), f.AtomicMove(p, ParsePath("x")), f.AtomicMove(ParsePath("."), p), f.Delete(p, 0),
		f.CreateSymlink(p, ParsePath("x")))
}

// Unix names may hold what is a slash, or a volume, on Windows.
func TestOSVerbatimNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such names")
	}
	for _, base := range []string{".", "dir", `dir\sub`, "dir/sub"} {
		dir := t.TempDir()
		t.Chdir(dir)
		f := OS()
		b := ParsePath(base)
		if err := CreateDirectories(f, b, 0); err != nil {
			t.Fatal(err)
		}
		inner := filepath.FromSlash(strings.ReplaceAll(base, `\`, "/"))
		for _, name := range []string{`a\b`, "c:d", `..\up`, `\`, "plain"} {
			if err := os.Mkdir(filepath.Join(dir, inner, name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, inner, name, `x\y`), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for p, err := range Walk(f, b, true) {
			if err != nil {
				t.Errorf("%s: %v: %v", base, p, err)
			}
			if _, err := f.Metadata(p); err != nil {
				t.Errorf("%s: %v", base, err)
			}
			if c, err := f.Canonicalize(p); err != nil || c.Name() != p.Name() {
				t.Errorf("%s: %v, %v", base, c, err)
			}
			n++
		}
		if want := 10; n != want {
			t.Errorf("%s: %d files, want %d", base, n, want)
		}
		list, err := f.List(b)
		if err != nil || len(list) != 5 {
			t.Error(list, err)
		}
		for _, p := range list {
			if err := DeleteRecursively(f, p, MustExist); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestOSMovesOfDirectories(t *testing.T) {
	f, base := OS(), hostPath(t.TempDir())
	if err := f.CreateDirectory(base.Join("d"), 0); err != nil {
		t.Fatal(err)
	}
	// A directory under another name for itself.
	if err := f.AtomicMove(base.Join("d"), base.Join("d/../d")); err != nil {
		t.Error(err)
	}
	if err := f.CreateDirectory(base.Join("e"), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.AtomicMove(base.Join("d"), base.Join("e")); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "in the way") {
		t.Error(err)
	}
	err := f.AtomicMove(base.Join("absent"), base.Join("e"))
	var pathError *fs.PathError
	if !errors.As(err, &pathError) || pathError.Path != base.Join("absent").String() {
		t.Error(err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
