package okio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// fsCaps says what a file system under test can do.
type fsCaps struct {
	symlinks bool // CreateSymlink works
	relative bool // Canonicalize returns relative paths
}

// testFileSystem runs what every FileSystem that can be written to promises. newFS returns one with an empty directory.
func testFileSystem(t *testing.T, newFS func(t *testing.T) (f FileSystem, base Path), caps fsCaps) {
	tests := []struct {
		name     string
		symlinks bool
		run      func(tc *fsTest)
	}{
		{"read and write", false, fsReadWrite},
		{"large files", false, fsLargeFiles},
		{"append", false, fsAppend},
		{"open modes", false, fsOpenModes},
		{"absent", false, fsAbsent},
		{"directories are no files", false, fsDirectoriesAreNoFiles},
		{"list", false, fsList},
		{"metadata", false, fsMetadata},
		{"create directory", false, fsCreateDirectory},
		{"create directories", false, fsCreateDirectories},
		{"move", false, fsMove},
		{"delete", false, fsDelete},
		{"delete recursively", false, fsDeleteRecursively},
		{"copy", false, fsCopy},
		{"walk", false, fsWalk},
		{"handle", false, fsHandle},
		{"handle positions", false, fsHandlePositions},
		{"handle closing", false, fsHandleClosing},
		{"streams closing", false, fsStreamsClosing},
		{"canonicalize", false, fsCanonicalize},
		{"open regular", false, fsOpenRegular},
		{"lock", false, fsLock},
		{"sync directory", false, fsSyncDirectory},
		{"symlinks", true, fsSymlinks},
		{"symlinks and walks", true, fsSymlinkWalks},
		{"symlinks in the way", true, fsSymlinksInTheWay},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.symlinks && !caps.symlinks {
				t.Skip("no symbolic links here")
			}
			f, base := newFS(t)
			test.run(&fsTest{T: t, f: f, base: base, caps: caps})
		})
	}
}

// An fsTest is one test on a file system of its own.
type fsTest struct {
	*testing.T
	f    FileSystem
	base Path
	caps fsCaps
}

func (tc *fsTest) path(rel string) Path { return tc.base.Join(rel) }

func (tc *fsTest) ok(err error) {
	tc.Helper()
	if err != nil {
		tc.Fatal(err)
	}
}

// wantIs wants an error that is target and tells a path.
func (tc *fsTest) wantIs(err, target error) {
	tc.Helper()
	if !errors.Is(err, target) {
		tc.Fatalf("error %v, want one that is %q", err, target)
	}
	if !strings.Contains(err.Error(), tc.base.String()) && tc.base != (Path{}) {
		tc.Errorf("error %q does not name the path", err)
	}
}

// wantOther wants an error that is not about an absent file.
func (tc *fsTest) wantOther(err error) {
	tc.Helper()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		tc.Fatalf("error %v, want one, but not fs.ErrNotExist", err)
	}
}

func (tc *fsTest) mkdir(rel string) {
	tc.Helper()
	tc.ok(tc.f.CreateDirectory(tc.path(rel), MustCreate))
}

func (tc *fsTest) write(rel, text string) {
	tc.Helper()
	k, err := tc.f.Sink(tc.path(rel), 0)
	tc.ok(err)
	tc.put(k, text)
}

func (tc *fsTest) put(k Sink, text string) {
	tc.Helper()
	w := NewBufferedSink(k)
	_, _ = w.WriteString(text)
	tc.ok(w.Close())
}

func (tc *fsTest) read(rel string) string {
	tc.Helper()
	s, err := tc.f.Source(tc.path(rel))
	tc.ok(err)
	return tc.drain(s)
}

func (tc *fsTest) drain(s Source) string {
	tc.Helper()
	var b Buffer
	_, err := b.ReadFrom(NewBufferedSource(s))
	tc.ok(err)
	tc.ok(s.Close())
	return string(b.Snapshot())
}

func (tc *fsTest) want(rel, text string) {
	tc.Helper()
	if got := tc.read(rel); got != text {
		tc.Errorf("%s holds %.60q, want %.60q", rel, got, text)
	}
}

func (tc *fsTest) exists(rel string) bool {
	tc.Helper()
	_, err := tc.f.Metadata(tc.path(rel))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tc.Fatal(err)
	}
	return err == nil
}

func (tc *fsTest) wantExists(rel string, want bool) {
	tc.Helper()
	if got := tc.exists(rel); got != want {
		tc.Errorf("%s exists: %v, want %v", rel, got, want)
	}
}

// walk returns what a walk gives, relative to the base, and "error" for an error.
func (tc *fsTest) walk(rel string, follow bool) []string {
	tc.Helper()
	var got []string
	for p, err := range Walk(tc.f, tc.path(rel), follow) {
		got = append(got, tc.step(p, err))
	}
	return got
}

func (tc *fsTest) step(p Path, err error) string {
	tc.Helper()
	shown, relErr := p.RelativeTo(tc.base)
	tc.ok(relErr)
	text := strings.ReplaceAll(shown.String(), `\`, "/")
	var cycle *SymlinkCycleError
	if errors.As(err, &cycle) {
		if cycle.Path != p || !strings.HasSuffix(err.Error(), "symlink cycle at "+p.String()) {
			tc.Errorf("%v at %v", err, p)
		}
		return "cycle at " + text
	}
	if err != nil {
		return "error at " + text
	}
	return text
}

func (tc *fsTest) wantWalk(rel string, follow bool, want ...string) {
	tc.Helper()
	if got := tc.walk(rel, follow); !slices.Equal(got, want) {
		tc.Errorf("walk gave %q, want %q", got, want)
	}
}

func fsReadWrite(tc *fsTest) {
	tc.write("a", "hello")
	tc.want("a", "hello")
	tc.write("a", "bye") // truncates
	tc.want("a", "bye")
	tc.write("a", "")
	tc.want("a", "")
	s, err := tc.f.Source(tc.path("a"))
	tc.ok(err)
	defer s.Close()
	if n, err := s.ReadBuffer(new(Buffer), 10); n != 0 || err != io.EOF {
		tc.Errorf("read of an empty file: %d, %v", n, err)
	}
	if n, err := s.ReadBuffer(new(Buffer), 0); n != 0 || err != nil {
		tc.Errorf("read of no bytes: %d, %v", n, err)
	}
	if _, err := s.ReadBuffer(new(Buffer), -1); err == nil {
		tc.Error("read of a negative count succeeded")
	}
}

func fsLargeFiles(tc *fsTest) {
	var text strings.Builder
	for i := 0; text.Len() < 5*segmentSize+17; i++ {
		fmt.Fprintf(&text, "%d,", i)
	}
	tc.write("large", text.String())
	tc.want("large", text.String())
	h, err := tc.f.OpenReadOnly(tc.path("large"))
	tc.ok(err)
	defer h.Close()
	s, err := h.Source(3)
	tc.ok(err)
	defer s.Close()
	b := NewBufferString("xyz")
	n, err := s.ReadBuffer(b, 3*segmentSize) // all that was asked for, over several segments
	if n != 3*segmentSize || err != nil || string(b.Snapshot()) != "xyz"+text.String()[3:3+3*segmentSize] {
		tc.Errorf("read %d, %v", n, err)
	}
}

func fsAppend(tc *fsTest) {
	for _, text := range []string{"ab", "", "cd"} {
		k, err := tc.f.Appending(tc.path("a"), 0)
		tc.ok(err)
		tc.put(k, text)
	}
	tc.want("a", "abcd")
}

func fsOpenModes(tc *fsTest) {
	tc.write("there", "old")
	tc.mkdir("directory")
	type opener struct {
		name string
		open func(p Path, m OpenMode) (io.Closer, error)
	}
	for _, o := range []opener{
		{"Sink", func(p Path, m OpenMode) (io.Closer, error) { return tc.f.Sink(p, m) }},
		{"Appending", func(p Path, m OpenMode) (io.Closer, error) { return tc.f.Appending(p, m) }},
		{"OpenReadWrite", func(p Path, m OpenMode) (io.Closer, error) { return tc.f.OpenReadWrite(p, m) }},
	} {
		absent, fresh := tc.path("absent-"+o.name), tc.path("fresh-"+o.name)
		_, err := o.open(tc.path("there"), MustCreate)
		tc.wantIs(err, fs.ErrExist)
		_, err = o.open(absent, MustExist)
		tc.wantIs(err, fs.ErrNotExist)
		tc.wantExists("absent-"+o.name, false)
		_, err = o.open(fresh, MustCreate|MustExist)
		tc.wantIs(err, fs.ErrInvalid)
		tc.wantExists("fresh-"+o.name, false)
		_, err = o.open(fresh, 1<<7)
		tc.wantIs(err, fs.ErrInvalid)
		_, err = o.open(tc.path("no/such"), 0)
		tc.wantIs(err, fs.ErrNotExist)
		_, err = o.open(tc.path("there/x"), 0)
		if err == nil {
			tc.Error("opened a file inside of a file")
		}
		c, err := o.open(fresh, MustCreate)
		tc.ok(err)
		tc.ok(c.Close())
		c, err = o.open(fresh, MustExist)
		tc.ok(err)
		tc.ok(c.Close())
	}
	tc.want("there", "old")
	for _, err := range []error{
		tc.f.CreateDirectory(tc.path("d"), MustExist),
		CreateDirectories(tc.f, tc.path("d"), MustExist),
		tc.f.Delete(tc.path("there"), MustCreate),
		DeleteRecursively(tc.f, tc.path("there"), MustCreate),
	} {
		tc.wantIs(err, fs.ErrInvalid)
	}
	tc.wantExists("d", false)
	tc.wantExists("there", true)
}

func fsAbsent(tc *fsTest) {
	for _, rel := range []string{"absent", "absent/too"} {
		p := tc.path(rel)
		_, err := tc.f.Metadata(p)
		tc.wantIs(err, fs.ErrNotExist)
		_, err = tc.f.Canonicalize(p)
		tc.wantIs(err, fs.ErrNotExist)
		_, err = tc.f.List(p)
		tc.wantIs(err, fs.ErrNotExist)
		_, err = tc.f.Source(p)
		tc.wantIs(err, fs.ErrNotExist)
		_, err = tc.f.OpenReadOnly(p)
		tc.wantIs(err, fs.ErrNotExist)
	}
	tc.write("file", "")
	if _, err := tc.f.Metadata(tc.path("file/x")); err == nil {
		tc.Error("metadata inside of a file")
	}
	if _, err := tc.f.Source(tc.path("file/x")); err == nil {
		tc.Error("source inside of a file")
	}
}

func fsDirectoriesAreNoFiles(tc *fsTest) {
	tc.mkdir("d")
	p := tc.path("d")
	_, err := tc.f.Source(p)
	tc.wantOther(err)
	_, err = tc.f.OpenReadOnly(p)
	tc.wantOther(err)
	_, err = tc.f.OpenReadWrite(p, 0)
	tc.wantOther(err)
	_, err = tc.f.Sink(p, 0)
	tc.wantOther(err)
	_, err = tc.f.Appending(p, 0)
	tc.wantOther(err)
	tc.wantExists("d", true)
}

func fsList(tc *fsTest) {
	for _, rel := range []string{"b", "a", "c", "B", "a.txt"} {
		tc.write(rel+"-", "")
	}
	list, err := tc.f.List(tc.base)
	tc.ok(err)
	var want []Path
	for _, rel := range []string{"B", "a", "a.txt", "b", "c"} {
		want = append(want, tc.path(rel+"-"))
	}
	slices.SortFunc(want, Path.Compare)
	if !slices.Equal(list, want) {
		tc.Errorf("list gave %v, want %v", list, want)
	}
	tc.mkdir("empty")
	if list, err = tc.f.List(tc.path("empty")); err != nil || len(list) != 0 {
		tc.Errorf("list of an empty directory: %v, %v", list, err)
	}
	_, err = tc.f.List(tc.path("a-"))
	tc.wantOther(err)
}

func fsMetadata(tc *fsTest) {
	tc.write("file", "12345")
	tc.mkdir("d")
	m, err := tc.f.Metadata(tc.path("file"))
	tc.ok(err)
	if !m.Regular || m.Directory || m.SymlinkTarget != nil || m.Size != 5 {
		tc.Errorf("a file: %v", m)
	}
	if m, err = tc.f.Metadata(tc.path("d")); err != nil || m.Regular || !m.Directory || m.SymlinkTarget != nil {
		tc.Errorf("a directory: %v, %v", m, err)
	}
	if m, err = tc.f.Metadata(tc.base); err != nil || !m.Directory {
		tc.Errorf("the base: %v, %v", m, err)
	}
}

func fsCreateDirectory(tc *fsTest) {
	d := tc.path("d")
	tc.ok(tc.f.CreateDirectory(d, 0))
	tc.write("d/file", "kept")
	tc.ok(tc.f.CreateDirectory(d, 0)) // keeps it
	tc.want("d/file", "kept")
	tc.wantIs(tc.f.CreateDirectory(d, MustCreate), fs.ErrExist)
	tc.wantOther(tc.f.CreateDirectory(tc.path("d/file"), 0)) // keeps the file
	tc.wantOther(tc.f.CreateDirectory(tc.path("d/file"), MustCreate))
	tc.want("d/file", "kept")
	tc.wantIs(tc.f.CreateDirectory(tc.path("no/such"), 0), fs.ErrNotExist)
	if err := tc.f.CreateDirectory(tc.path("d/file/x"), 0); err == nil {
		tc.Error("created a directory inside of a file")
	}
	tc.ok(tc.f.CreateDirectory(tc.base, 0))
}

func fsCreateDirectories(tc *fsTest) {
	deep := tc.path("a/b/c")
	tc.ok(CreateDirectories(tc.f, deep, MustCreate))
	tc.wantExists("a/b/c", true)
	tc.ok(CreateDirectories(tc.f, deep, 0))
	tc.wantIs(CreateDirectories(tc.f, deep, MustCreate), fs.ErrExist)
	tc.ok(CreateDirectories(tc.f, tc.path("a/b/d"), MustCreate))
	tc.write("a/file", "")
	for _, rel := range []string{"a/file", "a/file/x", "a/file/x/y"} {
		tc.wantOther(CreateDirectories(tc.f, tc.path(rel), 0))
	}
	tc.wantWalk(".", false, "a", "a/b", "a/b/c", "a/b/d", "a/file")
}

func fsMove(tc *fsTest) {
	tc.write("a", "A")
	tc.ok(tc.f.AtomicMove(tc.path("a"), tc.path("a"))) // onto itself
	tc.want("a", "A")
	tc.ok(tc.f.AtomicMove(tc.path("a"), tc.path("b"))) // to a new name
	tc.want("b", "A")
	tc.wantExists("a", false)
	tc.write("c", "C")
	tc.ok(tc.f.AtomicMove(tc.path("b"), tc.path("c"))) // replacing
	tc.want("c", "A")
	tc.wantExists("b", false)

	tc.wantIs(tc.f.AtomicMove(tc.path("absent"), tc.path("c")), fs.ErrNotExist)
	tc.wantIs(tc.f.AtomicMove(tc.path("absent"), tc.path("absent")), fs.ErrNotExist)
	tc.wantIs(tc.f.AtomicMove(tc.path("c"), tc.path("no/such")), fs.ErrNotExist)
	tc.want("c", "A")

	tc.mkdir("d")
	tc.wantOther(tc.f.AtomicMove(tc.path("c"), tc.path("d"))) // a file onto a directory
	tc.want("c", "A")
	tc.write("d/inner", "I")
	tc.ok(tc.f.AtomicMove(tc.path("d"), tc.path("d")))
	tc.ok(tc.f.AtomicMove(tc.path("d"), tc.path("e"))) // a directory with what is in it
	tc.want("e/inner", "I")
	tc.wantExists("d", false)
	tc.ok(tc.f.AtomicMove(tc.path("c"), tc.path("e/c"))) // into a directory
	tc.mkdir("full")
	tc.write("full/x", "X")
	tc.wantOther(tc.f.AtomicMove(tc.path("e"), tc.path("full")))
	tc.wantOther(tc.f.AtomicMove(tc.path("e"), tc.path("e/beneath")))
	tc.wantWalk(".", false, "e", "e/c", "e/inner", "full", "full/x")
}

func fsDelete(tc *fsTest) {
	tc.ok(tc.f.Delete(tc.path("absent"), 0))
	tc.ok(tc.f.Delete(tc.path("absent/too"), 0))
	tc.wantIs(tc.f.Delete(tc.path("absent"), MustExist), fs.ErrNotExist)
	tc.write("file", "")
	tc.mkdir("d")
	tc.write("d/file", "")
	tc.wantOther(tc.f.Delete(tc.path("d"), 0)) // not empty
	tc.wantExists("d/file", true)
	tc.ok(tc.f.Delete(tc.path("d/file"), MustExist))
	tc.ok(tc.f.Delete(tc.path("d"), MustExist))
	tc.ok(tc.f.Delete(tc.path("file"), 0))
	tc.wantWalk(".", false)
}

func fsDeleteRecursively(tc *fsTest) {
	tc.ok(DeleteRecursively(tc.f, tc.path("absent"), 0))
	tc.wantIs(DeleteRecursively(tc.f, tc.path("absent"), MustExist), fs.ErrNotExist)
	tc.write("file", "")
	tc.ok(DeleteRecursively(tc.f, tc.path("file"), MustExist))
	tc.ok(CreateDirectories(tc.f, tc.path("d/e/f"), 0))
	tc.ok(CreateDirectories(tc.f, tc.path("d/g"), 0))
	tc.write("d/e/1", "")
	tc.write("d/2", "")
	tc.write("kept", "")
	tc.ok(DeleteRecursively(tc.f, tc.path("d"), MustExist))
	tc.wantWalk(".", false, "kept")
}

func fsCopy(tc *fsTest) {
	tc.wantIs(Copy(tc.f, tc.path("absent"), tc.path("copy")), fs.ErrNotExist)
	tc.wantExists("copy", false)
	text := strings.Repeat("0123456789", segmentSize/4)
	tc.write("a", text)
	tc.ok(Copy(tc.f, tc.path("a"), tc.path("copy")))
	tc.want("copy", text)
	tc.write("a", "short")
	tc.ok(Copy(tc.f, tc.path("a"), tc.path("copy"))) // replaces
	tc.want("copy", "short")
	tc.ok(Copy(tc.f, tc.path("a"), tc.path("a"))) // does not empty it
	tc.want("a", "short")
	tc.mkdir("d")
	tc.wantOther(Copy(tc.f, tc.path("d"), tc.path("e")))
	tc.wantOther(Copy(tc.f, tc.path("a"), tc.path("d")))
	tc.wantIs(Copy(tc.f, tc.path("a"), tc.path("no/such")), fs.ErrNotExist)
}
