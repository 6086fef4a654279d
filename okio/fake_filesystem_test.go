package okio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// putFile writes a file of f.
func putFile(t testing.TB, f FileSystem, path, text string) {
	t.Helper()
	sink, err := f.Sink(ParsePath(path), 0)
	if err != nil {
		t.Fatal(err)
	}
	k := NewBufferedSink(sink)
	_, _ = k.WriteString(text)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

// getFile reads a file of f.
func getFile(t testing.TB, f FileSystem, path string) string {
	t.Helper()
	text, err := readFile(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readFile(f FileSystem, path string) (string, error) {
	source, err := f.Source(ParsePath(path))
	if err != nil {
		return "", err
	}
	var b Buffer
	for err == nil {
		_, err = source.ReadBuffer(&b, 5000)
	}
	if err == io.EOF {
		err = nil
	}
	if closeErr := source.Close(); err == nil {
		err = closeErr
	}
	return string(b.Snapshot()), err
}

func makeDirectory(t testing.TB, f FileSystem, path string) {
	t.Helper()
	if err := f.CreateDirectory(ParsePath(path), MustCreate); err != nil {
		t.Fatal(err)
	}
}

// wantProblem checks the text of an error and which error of package fs it is; is is nil for neither.
func wantProblem(t *testing.T, err error, text string, is error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("got error %v, want %q", err, text)
	}
	for _, known := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrPermission} {
		if errors.Is(err, known) != (known == is) {
			t.Errorf("%v: is %v: %v", err, known, errors.Is(err, known))
		}
	}
}

func wantNoOpenFiles(t testing.TB, f *FakeFileSystem) {
	t.Helper()
	if err := f.CheckNoOpenFiles(); err != nil {
		t.Error(err)
	}
}

func paths(list []Path) string { return strings.Trim(fmt.Sprint(list), "[]") }

func unixFake() *FakeFileSystem {
	f := new(FakeFileSystem)
	f.EmulateUnix()
	return f
}

func TestFakeSettings(t *testing.T) {
	type settings struct{ move, remove, clobber, write, read, link bool }
	of := func(f *FakeFileSystem) settings {
		return settings{f.AllowMovingOpenFiles, f.AllowDeletingOpenFiles, f.AllowClobberingEmptyDirectories, f.AllowWritesWhileWriting, f.AllowReadsWhileWriting, f.AllowSymlinks}
	}
	var f FakeFileSystem
	check := func(want settings, directory string) {
		t.Helper()
		if got := of(&f); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got := f.WorkingDirectory().String(); got != directory {
			t.Errorf("working directory %s, want %s", got, directory)
		}
	}
	check(settings{}, "/")
	f.EmulateWindows()
	check(settings{clobber: true, write: true, read: true}, `F:\`)
	f.EmulateUnix()
	check(settings{move: true, remove: true, write: true, read: true, link: true}, "/")
	f.EmulateWindows()
	check(settings{clobber: true, write: true, read: true, link: true}, `F:\`) // symlinks unchanged

	if err := f.SetWorkingDirectory(ParsePath(`C:\a`)); err != nil {
		t.Fatal(err)
	}
	f.EmulateWindows()
	check(settings{clobber: true, write: true, read: true, link: true}, `C:\a`)
}

// Fact 138.
func TestFakeRoots(t *testing.T) {
	var f FakeFileSystem
	err := f.SetWorkingDirectory(ParsePath("some/relative/path"))
	if err == nil || !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "expected an absolute path but was some/relative/path") {
		t.Errorf("got %v", err)
	}
	for _, root := range []string{`X:\`, "/", `\\server`} {
		m, err := f.Metadata(ParsePath(root))
		if err != nil || !m.Directory {
			t.Errorf("%s: %v, %v", root, m, err)
		}
		if err := f.CreateDirectory(ParsePath(root), MustCreate); err != nil {
			t.Errorf("%s: %v", root, err)
		}
		wantProblem(t, f.Delete(ParsePath(root), 0), "root", nil)
		wantProblem(t, f.AtomicMove(ParsePath(root), ParsePath("/x")), "root", nil)
	}
	if got := f.AllPaths(); len(got) != 0 {
		t.Errorf("all paths %v, want none", got)
	}
}

func TestFakeWindowsPaths(t *testing.T) {
	var f FakeFileSystem
	f.EmulateWindows()
	putFile(t, &f, "a", "1")
	putFile(t, &f, `C:\b`, "2")
	putFile(t, &f, "C:c", "3") // the current directory of another volume is its root
	makeDirectory(t, &f, `\\server\share`)
	putFile(t, &f, `\\server\share\d`, "4")
	if got, want := paths(f.AllPaths()), `C:\b C:\c F:\a \\server\share \\server\share\d`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	full, err := f.Canonicalize(ParsePath("a"))
	if err != nil || full.String() != `F:\a` {
		t.Errorf("got %s, %v", full, err)
	}
}

func TestFakeProblems(t *testing.T) {
	p := ParsePath
	tests := []struct {
		name string
		do   func(f *FakeFileSystem) error
		want string
		is   error
	}{
		{"write a directory", func(f *FakeFileSystem) error { _, err := f.Sink(p("/d"), 0); return err }, "sink /d: destination is a directory", nil},
		{"append to a directory", func(f *FakeFileSystem) error { _, err := f.Appending(p("/d"), 0); return err }, "destination is a directory", nil},
		{"open a directory", func(f *FakeFileSystem) error { _, err := f.OpenReadWrite(p("/d"), 0); return err }, "destination is a directory", nil},
		{"write while writing", func(f *FakeFileSystem) error {
			_, _ = f.Sink(p("/f"), 0)
			_, err := f.Sink(p("/f"), 0)
			return err
		}, "/f: file is already open for writing", nil},
		{"write while reading", func(f *FakeFileSystem) error {
			_, _ = f.Source(p("/f"))
			_, err := f.Sink(p("/f"), 0)
			return err
		}, "/f: file is already open for reading", nil},
		{"read while writing", func(f *FakeFileSystem) error {
			_, _ = f.Sink(p("/f"), 0)
			_, err := f.Source(p("/f"))
			return err
		}, "/f: file is already open for writing", nil},
		{"write without parent", func(f *FakeFileSystem) error { _, err := f.Sink(p("/x/f"), 0); return err }, "parent directory does not exist", fs.ErrNotExist},
		{"write below a file", func(f *FakeFileSystem) error { _, err := f.Sink(p("/f/g"), 0); return err }, "not a directory: /f", nil},
		{"write what exists", func(f *FakeFileSystem) error { _, err := f.Sink(p("/f"), MustCreate); return err }, "already exists", fs.ErrExist},
		{"append to what is absent", func(f *FakeFileSystem) error { _, err := f.Appending(p("/x"), MustExist); return err }, "no such file", fs.ErrNotExist},
		{"open what is absent", func(f *FakeFileSystem) error { _, err := f.OpenReadWrite(p("/x"), MustExist); return err }, "no such file", fs.ErrNotExist},
		{"create behind a dangling link", func(f *FakeFileSystem) error {
			f.AllowSymlinks = true
			_ = f.CreateSymlink(p("/l"), p("nowhere"))
			_, err := f.Sink(p("/l"), MustCreate)
			return err
		}, "already exists", fs.ErrExist},
		{"read what is absent", func(f *FakeFileSystem) error { _, err := f.Source(p("/x")); return err }, "source /x: no such file", fs.ErrNotExist},
		{"read a directory", func(f *FakeFileSystem) error { _, err := f.Source(p("/d")); return err }, "/d: not a file", nil},
		{"handle of a directory", func(f *FakeFileSystem) error { _, err := f.OpenReadOnly(p("/d")); return err }, "/d: not a file", nil},
		{"metadata of nothing", func(f *FakeFileSystem) error { _, err := f.Metadata(p("/x/y")); return err }, "metadata /x/y: no such file", fs.ErrNotExist},
		{"canonical path of nothing", func(f *FakeFileSystem) error { _, err := f.Canonicalize(p("x")); return err }, "canonicalize x: no such file", fs.ErrNotExist},
		{"list nothing", func(f *FakeFileSystem) error { _, err := f.List(p("/x")); return err }, "no such file", fs.ErrNotExist},
		{"list a file", func(f *FakeFileSystem) error { _, err := f.List(p("/f")); return err }, "not a directory", nil},
		{"create a directory that exists", func(f *FakeFileSystem) error { return f.CreateDirectory(p("/d"), MustCreate) }, "/d: already exists", fs.ErrExist},
		{"create a directory over a file", func(f *FakeFileSystem) error { return f.CreateDirectory(p("/f"), 0) }, "/f: already exists", fs.ErrExist},
		{"create a directory without parent", func(f *FakeFileSystem) error { return f.CreateDirectory(p("/x/y"), 0) }, "parent directory does not exist", fs.ErrNotExist},
		{"move onto a directory", func(f *FakeFileSystem) error { return f.AtomicMove(p("/f"), p("/d")) }, "target is a directory", nil},
		{"move what is open", func(f *FakeFileSystem) error { _, _ = f.Source(p("/f")); return f.AtomicMove(p("/f"), p("/g")) }, "/f: source is open", nil},
		{"move onto what is open", func(f *FakeFileSystem) error {
			putFile(t, f, "/g", "")
			_, _ = f.Source(p("/g"))
			return f.AtomicMove(p("/f"), p("/g"))
		}, "/g: target is open", nil},
		{"move a directory with what is open", func(f *FakeFileSystem) error {
			_, _ = f.Sink(p("/d/f"), 0)
			return f.AtomicMove(p("/d"), p("/e"))
		}, "/d: source is open", nil},
		{"move a directory onto a file", func(f *FakeFileSystem) error { return f.AtomicMove(p("/d"), p("/f")) }, "source is a directory and target is a file", nil},
		{"move a directory into itself", func(f *FakeFileSystem) error { return f.AtomicMove(p("/d"), p("/d/e")) }, "target is inside source", nil},
		{"move nothing", func(f *FakeFileSystem) error { return f.AtomicMove(p("/x"), p("/y")) }, "/x: source doesn't exist", fs.ErrNotExist},
		{"move without parent", func(f *FakeFileSystem) error { return f.AtomicMove(p("/f"), p("/x/y")) }, "parent directory does not exist", fs.ErrNotExist},
		{"delete a full directory", func(f *FakeFileSystem) error { putFile(t, f, "/d/f", ""); return f.Delete(p("/d"), 0) }, "/d: non-empty directory", nil},
		{"delete what is open", func(f *FakeFileSystem) error { _, _ = f.Source(p("/f")); return f.Delete(p("/f"), 0) }, "/f: file is open", nil},
		{"delete nothing", func(f *FakeFileSystem) error { return f.Delete(p("/x"), MustExist) }, "no such file", fs.ErrNotExist},
		{"link over a file", func(f *FakeFileSystem) error { return f.CreateSymlink(p("/f"), p("x")) }, "/f: already exists", fs.ErrExist},
		{"link without parent", func(f *FakeFileSystem) error { return f.CreateSymlink(p("/x/y"), p("x")) }, "parent directory does not exist", fs.ErrNotExist},
		{"link", func(f *FakeFileSystem) error { return f.CreateSymlink(p("/x"), p("x")) }, "symlinks are not supported", nil},
		{"move from below a file", func(f *FakeFileSystem) error { return f.AtomicMove(p("/f/x"), p("/g")) }, "/f/x: not a directory: /f", nil},
		{"move to below a file", func(f *FakeFileSystem) error { return f.AtomicMove(p("/d"), p("/f/x")) }, "/f/x: not a directory: /f", nil},
		{"delete below a file", func(f *FakeFileSystem) error { return f.Delete(p("/f/x"), 0) }, "not a directory: /f", nil},
		{"link below a file", func(f *FakeFileSystem) error { return f.CreateSymlink(p("/f/x"), p("y")) }, "not a directory: /f", nil},
		{"create below a file", func(f *FakeFileSystem) error { return f.CreateDirectory(p("/f/x"), 0) }, "not a directory: /f", nil},
		{"set an extra of nothing", func(f *FakeFileSystem) error { return f.SetExtra(p("/x"), 1, 1) }, "no such file", fs.ErrNotExist},
		{"a file too large", func(f *FakeFileSystem) error {
			h, err := f.OpenReadWrite(p("/f"), 0)
			if err != nil {
				return err
			}
			return h.Truncate(1 << 62)
		}, "1 GiB", nil},
		{"a write too far", func(f *FakeFileSystem) error {
			h, err := f.OpenReadWrite(p("/f"), 0)
			if err != nil {
				return err
			}
			_, err = h.WriteAt([]byte("x"), 1<<62)
			return err
		}, "1 GiB", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var f FakeFileSystem
			makeDirectory(t, &f, "/d")
			putFile(t, &f, "/f", "text")
			err := test.do(&f)
			wantProblem(t, err, test.want, test.is)
			if _, ok := errors.AsType[*fs.PathError](err); !ok {
				t.Errorf("%v is no PathError", err)
			}
		})
	}
}

func TestFakeModes(t *testing.T) {
	var f FakeFileSystem
	both := MustCreate | MustExist
	_, err := f.OpenReadWrite(ParsePath("/f"), both) // fact 136
	if !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	for _, err := range []error{f.CreateDirectory(ParsePath("/d"), MustExist), f.Delete(ParsePath("/d"), MustCreate)} {
		if !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("got %v", err)
		}
	}
}

// Fact 133, and the defects of the reference about directories.
func TestFakeMoves(t *testing.T) {
	f := unixFake()
	makeDirectory(t, f, "/d")
	putFile(t, f, "/d/a", "a")
	putFile(t, f, "/b", "b")
	for _, p := range []string{"/b", "/d"} {
		if err := f.AtomicMove(ParsePath(p), ParsePath(p)); err != nil {
			t.Errorf("%s onto itself: %v", p, err)
		}
	}
	if err := f.CreateDirectory(ParsePath("/d"), 0); err != nil || getFile(t, f, "/d/a") != "a" {
		t.Errorf("creating a directory that exists: %v", err)
	}
	if err := f.AtomicMove(ParsePath("/b"), ParsePath("/d/a")); err != nil || getFile(t, f, "/d/a") != "b" {
		t.Errorf("move onto a file: %v", err)
	}
	if err := f.AtomicMove(ParsePath("/d"), ParsePath("/e")); err != nil {
		t.Error(err)
	}
	if got := paths(f.AllPaths()); got != "/e /e/a" {
		t.Errorf("got %s", got)
	}
	f.AllowClobberingEmptyDirectories = true
	putFile(t, f, "/f", "")
	if err := f.AtomicMove(ParsePath("/e"), ParsePath("/f")); err != nil || getFile(t, f, "/f/a") != "b" {
		t.Errorf("move over a file: %v", err)
	}
}

func TestFakeExtras(t *testing.T) {
	var f FakeFileSystem
	type key struct{}
	a, b := ParsePath("/a"), ParsePath("/b")
	putFile(t, &f, "/a", "")
	if err := f.SetExtra(a, key{}, 5); err != nil {
		t.Fatal(err)
	}
	m, _ := f.Metadata(a)
	m.Extras[key{}] = 6 // a copy
	if err := f.AtomicMove(a, b); err != nil {
		t.Fatal(err)
	}
	if m, _ = f.Metadata(b); m.Extras[key{}] != 5 {
		t.Errorf("extras %v", m.Extras)
	}
	if err := Copy(&f, b, a); err != nil {
		t.Fatal(err)
	}
	if m, _ = f.Metadata(a); len(m.Extras) != 0 {
		t.Errorf("extras of the copy %v", m.Extras)
	}
	if err := f.SetExtra(b, key{}, nil); err != nil {
		t.Fatal(err)
	}
	if m, _ = f.Metadata(b); len(m.Extras) != 0 {
		t.Errorf("extras %v", m.Extras)
	}
}

func TestFakeLinks(t *testing.T) {
	f := unixFake()
	link := func(at, target string) {
		t.Helper()
		if err := f.CreateSymlink(ParsePath(at), ParsePath(target)); err != nil {
			t.Fatal(err)
		}
	}
	makeDirectory(t, f, "/d")
	putFile(t, f, "/d/f", "text")
	link("/l", "d")
	link("/d/up", "../l/f")
	link("/dangling", "d/new")
	if got := getFile(t, f, "/l/up"); got != "text" {
		t.Errorf("got %q", got)
	}
	full, err := f.Canonicalize(ParsePath("/l/up"))
	if err != nil || full.String() != "/d/f" {
		t.Errorf("got %s, %v", full, err)
	}
	m, err := f.Metadata(ParsePath("/l/up"))
	if err != nil || m.SymlinkTarget == nil || m.SymlinkTarget.String() != "../l/f" || m.Size != -1 {
		t.Errorf("got %v, %v", m, err)
	}
	list, err := f.List(ParsePath("l"))
	if err != nil || paths(list) != "l/f l/up" {
		t.Errorf("got %v, %v", list, err)
	}
	putFile(t, f, "/dangling", "through")
	if got := getFile(t, f, "/d/new"); got != "through" {
		t.Errorf("got %q", got)
	}
	if err := f.CreateDirectory(ParsePath("/l"), 0); err != nil {
		t.Errorf("a link to a directory: %v", err)
	}
	wantProblem(t, f.CreateDirectory(ParsePath("/dangling"), 0), "already exists", fs.ErrExist)
	if err := f.AtomicMove(ParsePath("/l"), ParsePath("/m")); err != nil { // the link itself
		t.Fatal(err)
	}
	if err := f.Delete(ParsePath("/m"), MustExist); err != nil {
		t.Fatal(err)
	}
	if got := paths(f.AllPaths()); got != "/d /d/f /d/new /d/up /dangling" {
		t.Errorf("got %s", got)
	}
}

func TestFakeLinkHops(t *testing.T) {
	f := unixFake()
	putFile(t, f, "/0", "end")
	for i := range 41 {
		if err := f.CreateSymlink(ParsePath(fmt.Sprint("/", i+1)), ParsePath(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if got := getFile(t, f, "/40"); got != "end" {
		t.Errorf("got %q", got)
	}
	_, err := f.Source(ParsePath("/41"))
	wantProblem(t, err, "symlink cycle?", nil)

	_ = f.CreateSymlink(ParsePath("/self"), ParsePath("self"))
	_, err = f.Canonicalize(ParsePath("/self/x"))
	wantProblem(t, err, "symlink cycle?", nil)
}

func TestFakeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := unixFake()
		start := time.Now()
		tick := func() { time.Sleep(time.Second) }
		check := func(path string, created, modified, accessed int) {
			t.Helper()
			m, err := f.Metadata(ParsePath(path))
			if err != nil {
				t.Fatal(err)
			}
			at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
			if !m.Created.Equal(at(created)) || !m.Modified.Equal(at(modified)) || !m.Accessed.Equal(at(accessed)) {
				t.Errorf("%s: %v, want %d, %d, %d seconds", path, m, created, modified, accessed)
			}
		}
		makeDirectory(t, f, "/d") // 0
		tick()
		putFile(t, f, "/d/f", "text") // 1
		check("/d", 0, 1, 1)
		check("/d/f", 1, 1, 1)
		tick()
		getFile(t, f, "/d/f") // 2
		check("/d/f", 1, 1, 2)
		check("/d", 0, 1, 1)
		tick()
		h, _ := f.OpenReadWrite(ParsePath("/d/f"), 0) // 3
		check("/d/f", 1, 3, 3)
		check("/d", 0, 3, 3)
		tick()
		_, _ = h.WriteAt([]byte("x"), 0) // 4
		check("/d/f", 1, 4, 4)
		tick()
		_ = h.Truncate(1) // 5
		check("/d/f", 1, 5, 5)
		tick()
		_, _ = h.ReadAt(make([]byte, 1), 0) // 6
		check("/d/f", 1, 5, 6)
		tick()
		_ = h.Close() // 7
		check("/d/f", 1, 7, 7)
		tick()
		_, _ = f.List(ParsePath("/d")) // 8
		check("/d", 0, 3, 8)
		tick()
		_ = f.CreateSymlink(ParsePath("/l"), ParsePath("d")) // 9
		check("/l", 9, 9, 9)
		tick()
		_, _ = f.Metadata(ParsePath("/l/f")) // 10
		check("/l", 9, 9, 10)
		tick()
		_ = f.Delete(ParsePath("/d/f"), 0) // 11
		check("/d", 0, 11, 11)
	})
}

func TestFakeClock(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := FakeFileSystem{Clock: func() time.Time { return at }}
	putFile(t, &f, "/f", "")
	m, _ := f.Metadata(ParsePath("/f"))
	if m.Created != at || m.Modified != at || m.Accessed != at {
		t.Errorf("got %v", m)
	}
}

func TestFakeSuite(t *testing.T) {
	t.Run("Unix", func(t *testing.T) {
		testFileSystem(t, func(t *testing.T) (FileSystem, Path) {
			f := unixFake()
			t.Cleanup(func() { wantNoOpenFiles(t, f) })
			makeDirectory(t, f, "/base")
			return f, ParsePath("/base")
		}, fsCaps{symlinks: true})
	})
	t.Run("Windows", func(t *testing.T) {
		testFileSystem(t, func(t *testing.T) (FileSystem, Path) {
			f := new(FakeFileSystem)
			f.EmulateWindows()
			t.Cleanup(func() { wantNoOpenFiles(t, f) })
			makeDirectory(t, f, `F:\base`)
			return f, ParsePath(`F:\base`)
		}, fsCaps{})
	})
	t.Run("forwarding", func(t *testing.T) {
		testFileSystem(t, func(t *testing.T) (FileSystem, Path) {
			f := unixFake()
			t.Cleanup(func() { wantNoOpenFiles(t, f) })
			makeDirectory(t, f, "/base")
			return ForwardingFileSystem{FileSystem: f}, ParsePath("/base")
		}, fsCaps{symlinks: true})
	})
}
