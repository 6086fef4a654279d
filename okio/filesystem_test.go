package okio

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOpenModeText(t *testing.T) {
	for mode, want := range map[OpenMode]string{
		0: "0x0", MustCreate: "MustCreate", MustExist: "MustExist", MustCreate | MustExist: "MustCreate|MustExist", MustExist | 0x80: "MustExist|0x80",
	} {
		if got := mode.String(); got != want {
			t.Errorf("%d: %q, want %q", uint8(mode), got, want)
		}
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{(MustCreate | MustExist).checkOpen(ParsePath("a")), "open a: mode has both MustCreate and MustExist"},
		{MustExist.check("mkdir", ParsePath("a"), MustCreate), "mkdir a: mode MustExist is not allowed, only MustCreate"},
		{OpenMode(0x10).check("delete", Path{}, MustExist), "delete .: mode 0x10 is not allowed, only MustExist"},
	} {
		if test.err == nil || test.err.Error() != test.want {
			t.Errorf("%v, want %q", test.err, test.want)
		}
	}
}

func TestMetadataText(t *testing.T) {
	target := ParsePath("../there")
	m := Metadata{SymlinkTarget: &target, Size: -1, Modified: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)}
	if got, want := m.String(), "Metadata(symlink=../there, modified=2026-01-02T03:04:05.000006Z)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m = Metadata{Regular: true, Size: 0, Extras: map[any]any{"k": 1}}
	if got, want := m.String(), "Metadata(regular, size=0, extras=map[k:1])"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A faultyFS fails where it is told to, and passes everything else on.
type faultyFS struct {
	FileSystem
	list   map[Path]error
	sink   func(Sink) Sink
	source func(Source) Source
}

func (f *faultyFS) List(dir Path) ([]Path, error) {
	if err := f.list[dir]; err != nil {
		return nil, err
	}
	return f.FileSystem.List(dir)
}

func (f *faultyFS) Sink(p Path, m OpenMode) (Sink, error) {
	k, err := f.FileSystem.Sink(p, m)
	if err != nil || f.sink == nil {
		return k, err
	}
	return f.sink(k), nil
}

func (f *faultyFS) Source(p Path) (Source, error) {
	s, err := f.FileSystem.Source(p)
	if err != nil || f.source == nil {
		return s, err
	}
	return f.source(s), nil
}

// A directory that cannot be listed is empty for a walk, except the one it starts at, and not deleted.
func TestUnlistableDirectories(t *testing.T) {
	base := hostPath(t.TempDir())
	f := &faultyFS{FileSystem: OS(), list: map[Path]error{}}
	tc := &fsTest{T: t, f: f, base: base}
	tc.ok(CreateDirectories(f, tc.path("a/b"), 0))
	tc.write("a/b/file", "")
	tc.write("a/c", "")
	f.list[tc.path("a/b")] = fs.ErrPermission
	for _, follow := range []bool{false, true} {
		tc.wantWalk(".", follow, "a", "a/b", "a/c")
		tc.wantWalk("a/b", follow, "error at a/b")
	}
	tc.wantOther(DeleteRecursively(f, tc.path("a"), 0))
	tc.want("a/b/file", "")
}

type failingSink struct {
	Sink
	write, close error
}

func (k failingSink) WriteBuffer(src *Buffer, n int64) error {
	if k.write != nil {
		return k.write
	}
	return k.Sink.WriteBuffer(src, n)
}

func (k failingSink) Close() error {
	return errors.Join(k.Sink.Close(), k.close)
}

type failingFileSource struct {
	Source
	read, close error
}

func (s failingFileSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if s.read != nil {
		return 0, s.read
	}
	return s.Source.ReadBuffer(dst, max)
}

func (s failingFileSource) Close() error { return errors.Join(s.Source.Close(), s.close) }

func TestCopyReportsEveryFailure(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	for _, test := range []struct {
		read, closeSource, write, closeSink error
		want                                error
	}{
		{read: first, closeSource: second, closeSink: second, want: first},
		{write: first, closeSource: second, closeSink: second, want: first},
		{closeSink: first, closeSource: second, want: first},
		{closeSource: first, want: first},
	} {
		base := hostPath(t.TempDir())
		tc := &fsTest{T: t, f: OS(), base: base}
		tc.write("a", strings.Repeat("x", 3*segmentSize))
		f := &faultyFS{
			FileSystem: OS(),
			source:     func(s Source) Source { return failingFileSource{s, test.read, test.closeSource} },
			sink:       func(k Sink) Sink { return failingSink{k, test.write, test.closeSink} },
		}
		if err := Copy(f, tc.path("a"), tc.path("b")); !errors.Is(err, test.want) || errors.Is(err, second) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// The sequence of a walk can be used more than once, and again while it is in use.
func TestWalkIsRepeatable(t *testing.T) {
	tc := &fsTest{T: t, f: OS(), base: hostPath(t.TempDir())}
	tc.mkdir("d")
	tc.write("d/x", "")
	tc.write("e", "")
	walk := Walk(tc.f, tc.base, true)
	want := []string{"d", "d/x", "e"}
	n := 0
	for range walk {
		var got []string
		for p, err := range walk {
			got = append(got, tc.step(p, err))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		n++
	}
	if n != 3 {
		t.Error(n)
	}
}

// The path that the caller gave replaces what a lower layer made of it.
func TestFileSystemErrorsAreAboutThePath(t *testing.T) {
	err := pathErr("open", ParsePath("a/b"), &fs.PathError{Op: "openat", Path: "b", Err: fs.ErrNotExist})
	if err.Error() != "open a/b: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := pathErr("open", Path{}, io.ErrUnexpectedEOF); err.Error() != "open .: unexpected EOF" {
		t.Error(err)
	}
}
