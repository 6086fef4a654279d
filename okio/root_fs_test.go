package okio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func openTestRoot(t *testing.T, dir string) (FileSystem, *os.Root) {
	t.Helper()
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return OpenRoot(r), r
}

func TestRootConforms(t *testing.T) {
	newFS := func(sub string) func(t *testing.T) (FileSystem, Path) {
		return func(t *testing.T) (FileSystem, Path) {
			f, _ := openTestRoot(t, t.TempDir())
			p := ParsePath(sub)
			if err := f.CreateDirectory(p, 0); err != nil {
				t.Fatal(err)
			}
			return f, p
		}
	}
	for _, sub := range []string{".", "sub"} {
		t.Run(sub, func(t *testing.T) {
			testFileSystem(t, newFS(sub), fsCaps{symlinks: canLink(t), relative: true})
		})
	}
}

func TestRootIsNotLeftByNames(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	inside := filepath.Join(dir, "inside")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o666), os.Mkdir(inside, 0o777), os.Mkdir(filepath.Join(inside, "a"), 0o777)); err != nil {
		t.Fatal(err)
	}
	f, _ := openTestRoot(t, inside)
	for _, test := range []struct {
		path Path
		is   error
	}{
		{ParsePath("../secret"), ErrOutsideRoot},
		{ParsePath(".."), ErrOutsideRoot},
		{ParsePath("a/../../secret"), ErrOutsideRoot},
		{ParsePath("a/.."), ErrOutsideRoot},
		{ParsePath(`..\secret`), ErrOutsideRoot},
		{hostPath(secret), ErrOutsideRoot},
		{hostPath(inside).Join("a"), ErrOutsideRoot},
		{ParsePath("/"), ErrOutsideRoot},
		{ParsePath("a\x00"), fs.ErrInvalid},
		{ParsePath("a\x00/../../secret"), fs.ErrInvalid},
	} {
		for i, err := range everyOperation(f, test.path) {
			if !errors.Is(err, test.is) {
				t.Errorf("%q, operation %d: error %v, want one that is %v", test.path, i, err, test.is)
			}
			var pathError *fs.PathError
			if !errors.As(err, &pathError) || pathError.Path != test.path.String() {
				t.Errorf("%q, operation %d: error %v does not tell the path", test.path, i, err)
			}
		}
	}
	for _, p := range []Path{ParsePath(`C:\Windows`), ParsePath("C:x"), ParsePath(`\\server\share`)} {
		for i, err := range everyOperation(f, p) {
			if !errors.Is(err, ErrOutsideRoot) && !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%q, operation %d: error %v", p, i, err)
			}
		}
	}
	if text, err := os.ReadFile(secret); string(text) != "secret" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestRootIsNotLeftByLinks(t *testing.T) {
	if !canLink(t) {
		t.Skip("no symbolic links here")
	}
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o666),
		os.Mkdir(filepath.Join(dir, "outside"), 0o777),
		os.WriteFile(filepath.Join(dir, "outside", "x"), []byte("secret"), 0o666),
		os.Mkdir(inside, 0o777),
		os.Mkdir(filepath.Join(inside, "a"), 0o777),
		os.Symlink("../secret", filepath.Join(inside, "up")),
		os.Symlink("../../secret", filepath.Join(inside, "a", "up")),
		os.Symlink(filepath.Join(dir, "secret"), filepath.Join(inside, "absolute")),
		os.Symlink("../outside", filepath.Join(inside, "dir")),
		os.Symlink("up", filepath.Join(inside, "twice")),
		os.Symlink("../inside/a", filepath.Join(inside, "roundabout")),
		os.Symlink("a/../a", filepath.Join(inside, "stays")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f, _ := openTestRoot(t, inside)
	for _, name := range []string{"up", "a/up", "absolute", "dir/x", "dir/new", "twice", "roundabout/x"} {
		p := ParsePath(name)
		_, canonicalErr := f.Canonicalize(p)
		_, listErr := f.List(p)
		_, readErr := f.OpenReadOnly(p)
		_, writeErr := f.OpenReadWrite(p, 0)
		_, sourceErr := f.Source(p)
		_, sinkErr := f.Sink(p, 0)
		_, appendErr := f.Appending(p, 0)
		for i, err := range []error{canonicalErr, listErr, readErr, writeErr, sourceErr, sinkErr, appendErr} {
			if !errors.Is(err, ErrOutsideRoot) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, operation %d: error %v, want one that is %v", name, i, err, ErrOutsideRoot)
			}
		}
	}
	for i, err := range []error{
		f.CreateDirectory(ParsePath("dir/new"), 0),
		f.Delete(ParsePath("dir/x"), 0),
		f.AtomicMove(ParsePath("dir/x"), ParsePath("x")),
		f.AtomicMove(ParsePath("a"), ParsePath("dir/a")),
		f.CreateSymlink(ParsePath("dir/link"), ParsePath("x")),
		DeleteRecursively(f, ParsePath("dir/x"), MustExist),
		CreateDirectories(f, ParsePath("dir/new/too"), 0),
		// Links that would lead out are not made.
		f.CreateSymlink(ParsePath("new"), ParsePath("..")),
		f.CreateSymlink(ParsePath("new"), ParsePath("../inside")),
		f.CreateSymlink(ParsePath("a/new"), ParsePath("../../secret")),
		f.CreateSymlink(ParsePath("a/new"), ParsePath("/etc/passwd")),
	} {
		if !errors.Is(err, ErrOutsideRoot) {
			t.Errorf("%d: error %v, want one that is %v", i, err, ErrOutsideRoot)
		}
	}

	// The links themselves can be seen and deleted, and those that stay inside can be used.
	if m, err := f.Metadata(ParsePath("up")); err != nil || m.SymlinkTarget == nil || *m.SymlinkTarget != ParsePath("../secret") {
		t.Error(m, err)
	}
	if c, err := f.Canonicalize(ParsePath("stays")); err != nil || c != ParsePath("a") {
		t.Error(c, err)
	}
	if err := f.CreateSymlink(ParsePath("a/good"), ParsePath("../a/x")); err != nil {
		t.Error(err)
	}
	list, err := f.List(Path{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if err := DeleteRecursively(f, p, MustExist); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{"secret": "secret", "outside/x": "secret"} {
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); string(text) != want || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestRootBelongsToTheCaller(t *testing.T) {
	f, r := openTestRoot(t, t.TempDir())
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Lstat("."); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Metadata(Path{}); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if _, err := OpenRoot(r).Metadata(Path{}); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// Links in a row and links that go round are resolved within bounds.
func TestRootCanonicalizeFollowsChains(t *testing.T) {
	if !canLink(t) {
		t.Skip("no symbolic links here")
	}
	f, _ := openTestRoot(t, t.TempDir())
	link := func(at, target string) {
		t.Helper()
		if err := f.CreateSymlink(ParsePath(at), ParsePath(target)); err != nil {
			t.Fatal(err)
		}
	}
	if err := CreateDirectories(f, ParsePath("a/b"), 0); err != nil {
		t.Fatal(err)
	}
	link("one", "two")
	link("two", "a/b/three")
	link("a/b/three", "../four")
	link("a/four", ".")
	link("ping", "pong")
	link("pong", "ping")
	k, err := f.Sink(ParsePath("a/file"), 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = k.Close()
	for path, want := range map[string]string{"one": "a", "one/b": "a/b", "one/four/b/three": "a", ".": "."} {
		if got, err := f.Canonicalize(ParsePath(path)); got.String() != filepath.FromSlash(want) || err != nil {
			t.Errorf("%s: %v, %v, want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]string{"ping": "too many symbolic links", "one/file/x": "not a directory"} {
		if got, err := f.Canonicalize(ParsePath(path)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", path, got, err, want)
		}
	}
}
