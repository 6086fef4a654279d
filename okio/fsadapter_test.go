package okio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func adapterTree(t *testing.T, f FileSystem, base string) {
	t.Helper()
	makeDirectory(t, f, base+"/d")
	makeDirectory(t, f, base+"/d/empty")
	putFile(t, f, base+"/d/f", "text")
	putFile(t, f, base+"/d.txt", strings.Repeat("long ", 10000))
	putFile(t, f, base+"/nothing", "")
}

var adapterNames = []string{"d/f", "d.txt", "nothing", "d/empty"}

func TestToFS(t *testing.T) {
	fake := unixFake()
	makeDirectory(t, fake, "/base")
	adapterTree(t, fake, "/base")
	if err := fake.CreateSymlink(ParsePath("/base/link"), ParsePath("d/f")); err != nil {
		t.Fatal(err)
	}
	if err := fake.CreateSymlink(ParsePath("/base/dlink"), ParsePath("d")); err != nil {
		t.Fatal(err)
	}
	if err := fake.CreateSymlink(ParsePath("/toBase"), ParsePath("base")); err != nil {
		t.Fatal(err)
	}
	archive, _ := mustZip(t, stdZip(t, 8, "", "d/f", "text", "d.txt", strings.Repeat("long ", 10000), "nothing", "", "d/empty/", ""))
	directory := t.TempDir()
	adapterTree(t, OS(), ParsePath(directory).String())
	for _, test := range []struct {
		name string
		f    FileSystem
		root string
	}{
		{"fake", fake, "/base"},
		{"relative", fake, "base"},
		{"link", fake, "/toBase"},
		{"zip", archive, "/"},
		{"zip, relative", archive, "."},
		{"host", OS(), directory},
		{"there and back", FromFS(ToFS(fake, ParsePath("/base"))), "/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := ToFS(test.f, ParsePath(test.root))
			if err := fstest.TestFS(f, adapterNames...); err != nil {
				t.Error(err)
			}
			sub, err := fs.Sub(f, "d")
			if err != nil {
				t.Fatal(err)
			}
			if data, err := fs.ReadFile(sub, "f"); err != nil || string(data) != "text" {
				t.Errorf("got %q, %v", data, err)
			}
			for _, name := range []string{"x", "d/x/y"} {
				if _, err := f.Open(name); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) {
					t.Errorf("%s: %v", name, err)
				}
			}
			for _, name := range []string{"", "/d", "d/", "../base", "d/../d", "a\x00b"} {
				if _, err := f.Open(name); !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	wantNoOpenFiles(t, fake)
}

func TestToFSDetails(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	fake := &FakeFileSystem{Clock: func() time.Time { return at }, AllowSymlinks: true}
	putFile(t, fake, "/f", "0123456789")
	makeDirectory(t, fake, "/d")
	_ = fake.CreateSymlink(ParsePath("/l"), ParsePath("f"))
	f := ToFS(fake, ParsePath("/"))

	for name, want := range map[string]string{"f": "-r--r--r-- 10 2026-01-02 03:04:05 f", "d": "dr-xr-xr-x 0 2026-01-02 03:04:05 d/", "l": "Lrwxrwxrwx 0 2026-01-02 03:04:05 l"} {
		info, err := fs.Lstat(f, name)
		if err != nil || fs.FormatFileInfo(info) != want {
			t.Errorf("got %v, %v, want %s", info, err, want)
		}
	}
	info, err := fs.Stat(f, "l")
	if err != nil || info.Mode() != 0o444 || info.Name() != "l" || info.Size() != 10 {
		t.Errorf("got %v, %v", info, err)
	}
	if m, ok := info.Sys().(Metadata); !ok || !m.Regular {
		t.Errorf("got %v", info.Sys())
	}
	if target, err := fs.ReadLink(f, "l"); err != nil || target != "f" {
		t.Errorf("got %s, %v", target, err)
	}
	if _, err := fs.ReadLink(f, "f"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if _, err := fs.ReadDir(f, "f"); err == nil {
		t.Error("a file was listed")
	}

	file, err := f.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	seeker := file.(io.ReadSeeker)
	if n, err := seeker.Seek(-3, io.SeekEnd); n != 7 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := seeker.Seek(-1, io.SeekStart); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if _, err := seeker.Seek(0, 9); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if n, err := seeker.Seek(0, io.SeekCurrent); n != 7 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if rest, err := io.ReadAll(seeker); string(rest) != "789" || err != nil {
		t.Errorf("got %q, %v", rest, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	directory, _ := f.Open("d")
	if _, err := directory.Read(make([]byte, 1)); err == nil {
		t.Error("a directory was read")
	}
	_ = directory.Close()
	for _, closed := range []fs.File{file, directory} {
		_, statErr := closed.Stat()
		if !errors.Is(statErr, fs.ErrClosed) || !errors.Is(closed.Close(), fs.ErrClosed) {
			t.Errorf("%T: got %v, %v", closed, statErr, closed.Close())
		}
	}
	if _, err := file.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
	wantNoOpenFiles(t, fake)
}

// What package fs has no name for is not there, nor is what vanishes while it is listed.
func TestToFSListsWhatItCanOpen(t *testing.T) {
	fake := unixFake()
	f := ToFS(ForwardingFileSystem{
		FileSystem: fake,
		OnPathParameter: func(p Path, operation, _ string) (Path, error) {
			if operation == "metadata" && p.Name() == "vanishing" {
				return p, fake.Delete(p, 0)
			}
			if operation == "metadata" && p.Name() == "broken" {
				return p, errTestFault
			}
			return p, nil
		},
	}, ParsePath("/"))
	for _, name := range []string{"/a", "/vanishing", "/\xff"} {
		putFile(t, fake, name, "")
	}
	entries, err := fs.ReadDir(f, ".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "a" {
		t.Errorf("got %v, %v", entries, err)
	}
	putFile(t, fake, "/broken", "")
	if _, err := fs.ReadDir(f, "."); !errors.Is(err, errTestFault) {
		t.Errorf("got %v", err)
	}
}

// A file that cannot be opened again fails until it can be.
func TestFromFSReopens(t *testing.T) {
	tree := fstest.MapFS{"f": {Data: []byte("text")}}
	h, err := FromFS(onlyRead{tree, false}).OpenReadOnly(ParsePath("f"))
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 2)
	if _, err := h.ReadAt(p, 2); err != nil || string(p) != "xt" {
		t.Errorf("got %q, %v", p, err)
	}
	f := tree["f"]
	delete(tree, "f")
	_, readErr := h.ReadAt(p, 0)
	_, sizeErr := h.Size()
	if !errors.Is(readErr, fs.ErrNotExist) || !errors.Is(sizeErr, fs.ErrNotExist) {
		t.Errorf("got %v, %v", readErr, sizeErr)
	}
	tree["f"] = f
	if size, err := h.Size(); size != 4 || err != nil {
		t.Errorf("got %d, %v", size, err)
	}
	if _, err := h.ReadAt(p, 1); err != nil || string(p) != "ex" {
		t.Errorf("got %q, %v", p, err)
	}
	delete(tree, "f")
	_, _ = h.ReadAt(p, 0)
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// A name that is one name for package fs must not be a way on Windows.
func TestToFSWindowsNames(t *testing.T) {
	var fake FakeFileSystem
	fake.EmulateWindows()
	makeDirectory(t, &fake, `C:\base`)
	putFile(t, &fake, `C:\secret`, "secret")
	putFile(t, &fake, `C:\base\f`, "text")
	f := ToFS(&fake, ParsePath(`C:\base`))
	if data, err := fs.ReadFile(f, "f"); err != nil || string(data) != "text" {
		t.Errorf("got %q, %v", data, err)
	}
	for _, name := range []string{`..\secret`, `C:\secret`, "C:secret"} {
		if data, err := fs.ReadFile(f, name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: got %q, %v", name, data, err)
		}
	}
}

// onlyRead hides everything but the interface from a file system, and all but seek from its files.
type onlyRead struct {
	fs   fs.FS
	seek bool
}

func (f onlyRead) Open(name string) (fs.File, error) {
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, err
	}
	if d, ok := file.(fs.ReadDirFile); ok {
		return d, nil
	}
	if s, ok := file.(io.Seeker); ok && f.seek {
		return struct {
			fs.File
			io.Seeker
		}{file, s}, nil
	}
	return struct{ fs.File }{file}, nil
}

func TestFromFS(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tree := fstest.MapFS{
		"d/f":   {Data: []byte("text"), ModTime: at},
		"d.txt": {Data: []byte(long)},
		"l":     {Data: []byte("d/f"), Mode: fs.ModeSymlink},
		"d/up":  {Data: []byte("../l"), Mode: fs.ModeSymlink},
		"loop":  {Data: []byte("loop"), Mode: fs.ModeSymlink},
		"out":   {Data: []byte("/etc"), Mode: fs.ModeSymlink},
	}
	plain := fstest.MapFS{"d/f": tree["d/f"], "d.txt": tree["d.txt"]}
	p := ParsePath
	for _, test := range []struct {
		name  string
		fs    fs.FS
		links bool
	}{{"random access", tree, true}, {"seeking", onlyRead{plain, true}, false}, {"reading only", onlyRead{plain, false}, false}} {
		t.Run(test.name, func(t *testing.T) {
			f := FromFS(test.fs)
			if got := getFile(t, f, "/d/f"); got != "text" {
				t.Errorf("got %q", got)
			}
			m, err := f.Metadata(p("d/f"))
			if err != nil || !m.Regular || m.Size != 4 || !m.Modified.Equal(at) {
				t.Errorf("got %v, %v", m, err)
			}
			if m, err := f.Metadata(p("/")); err != nil || !m.Directory || m.Size != -1 {
				t.Errorf("got %v, %v", m, err)
			}
			if list, err := f.List(p("d")); err != nil || paths(list[:1]) != "d/f" {
				t.Errorf("got %v, %v", list, err)
			}
			if full, err := f.Canonicalize(p("x/../d/./f")); err != nil || full.String() != "/d/f" {
				t.Errorf("got %v, %v", full, err)
			}
			if full, err := f.Canonicalize(p(".")); err != nil || full.String() != "/" {
				t.Errorf("got %v, %v", full, err)
			}
			h, err := f.OpenReadOnly(p("/d.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if size, err := h.Size(); size != int64(len(long)) || err != nil {
				t.Errorf("got %d, %v", size, err)
			}
			b := make([]byte, 25)
			for _, off := range []int{5000, 7, 100, 9990, 0, 20000} { // forwards and backwards, and beyond the end
				n, err := h.ReadAt(b, int64(off))
				want := long[min(off, len(long)):min(off+25, len(long))]
				if string(b[:n]) != want || (n < 25) != (err == io.EOF) {
					t.Errorf("at %d: got %q, %v, want %q", off, b[:n], err, want)
				}
			}
			if err := h.Truncate(1); err != ErrReadOnly {
				t.Errorf("got %v", err)
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if !test.links {
				return
			}
			m, err = f.Metadata(p("/d/up"))
			if err != nil || m.SymlinkTarget == nil || m.SymlinkTarget.String() != "../l" {
				t.Errorf("got %v, %v", m, err)
			}
			if full, err := f.Canonicalize(p("/d/up")); err != nil || full.String() != "/d/f" {
				t.Errorf("got %v, %v", full, err)
			}
			_, err = f.Canonicalize(p("/loop"))
			wantProblem(t, err, "symlink cycle?", nil)
			_, err = f.Canonicalize(p("/out"))
			wantProblem(t, err, "leads out of the file system: /etc", nil)
		})
	}
}

func TestFromFSProblems(t *testing.T) {
	f := FromFS(fstest.MapFS{"d/f": {Data: []byte("text")}})
	p := ParsePath
	errorOf := func(_ any, err error) error { return err }
	for _, test := range []struct {
		name string
		err  error
		want string
		is   error
	}{
		{"canonicalize", errorOf(f.Canonicalize(p("/x"))), "/x", fs.ErrNotExist},
		{"metadata", errorOf(f.Metadata(p("/x"))), "/x", fs.ErrNotExist},
		{"a volume", errorOf(f.Metadata(p(`C:\d`))), "", fs.ErrNotExist},
		{"list", errorOf(f.List(p("/x"))), "/x", fs.ErrNotExist},
		{"list a file", errorOf(f.List(p("/d/f"))), "/d/f", nil},
		{"source", errorOf(f.Source(p("/x"))), "/x", fs.ErrNotExist},
		{"source of a directory", errorOf(f.Source(p("/d"))), "is a directory", nil},
		{"open", errorOf(f.OpenReadOnly(p("/x"))), "/x", fs.ErrNotExist},
		{"open a directory", errorOf(f.OpenReadOnly(p("/d"))), "is a directory", nil},
		{"open for writing", errorOf(f.OpenReadWrite(p("/d/f"), 0)), "file system is read-only", fs.ErrPermission},
		{"sink", errorOf(f.Sink(p("/x"), 0)), "file system is read-only", fs.ErrPermission},
		{"appending", errorOf(f.Appending(p("/x"), 0)), "file system is read-only", fs.ErrPermission},
		{"create", f.CreateDirectory(p("/x"), 0), "file system is read-only", fs.ErrPermission},
		{"move", f.AtomicMove(p("/d"), p("/x")), "file system is read-only", fs.ErrPermission},
		{"delete", f.Delete(p("/d/f"), 0), "file system is read-only", fs.ErrPermission},
		{"link", f.CreateSymlink(p("/x"), p("y")), "file system is read-only", fs.ErrPermission},
	} {
		t.Run(test.name, func(t *testing.T) { wantProblem(t, test.err, test.want, test.is) })
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// An archive in a directory of the host, through package fs and back.
func TestFromFSHoldsAnArchive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(name, stdZip(t, 8, "", "f", "text"), 0o600); err != nil {
		t.Fatal(err)
	}
	z, err := OpenZip(FromFS(os.DirFS(filepath.Dir(name))), ParsePath("a.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if got := getFile(t, z, "f"); got != "text" {
		t.Errorf("got %q", got)
	}
}
