package okio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

var errTestFault = errors.New("injected")

// Every operation asks, with its facts, and does nothing when it is refused.
func TestFaultOfEveryOperation(t *testing.T) {
	p := ParsePath
	handle := func(f *FakeFileSystem, do func(h *FileHandle) error) error {
		h, err := f.OpenReadWrite(p("/d/f"), 0)
		if err != nil {
			return err
		}
		err = do(h)
		if closeErr := h.Close(); err == nil {
			err = closeErr
		}
		return err
	}
	tests := []struct {
		want string // the operation as the fault sees it
		do   func(f *FakeFileSystem) error
	}{
		{"canonicalize /d/f . 0 0", func(f *FakeFileSystem) error { _, err := f.Canonicalize(p("d/f")); return err }},
		{"metadata /d/f . 0 0", func(f *FakeFileSystem) error { _, err := f.Metadata(p("d/x/../f")); return err }},
		{"list /d . 0 0", func(f *FakeFileSystem) error { _, err := f.List(p("/d")); return err }},
		{"openReadOnly /d/f . 0 0", func(f *FakeFileSystem) error {
			h, err := f.OpenReadOnly(p("/d/f"))
			if err == nil {
				_ = h.Close()
			}
			return err
		}},
		{"openReadWrite /d/f . 0 0", func(f *FakeFileSystem) error { return handle(f, func(*FileHandle) error { return nil }) }},
		{"source /d/f . 0 0", func(f *FakeFileSystem) error { _, err := readFile(f, "/d/f"); return err }},
		{"sink /d/f . 0 0", func(f *FakeFileSystem) error {
			k, err := f.Sink(p("/d/f"), 0)
			if err == nil {
				err = k.Close()
			}
			return err
		}},
		{"appending /d/f . 0 0", func(f *FakeFileSystem) error {
			k, err := f.Appending(p("/d/f"), 0)
			if err == nil {
				err = k.Close()
			}
			return err
		}},
		{"createDirectory /e . 0 0", func(f *FakeFileSystem) error { return f.CreateDirectory(p("/e"), 0) }},
		{"atomicMove /d/f /g 0 0", func(f *FakeFileSystem) error { return f.AtomicMove(p("d/f"), p("g")) }},
		{"delete /d/f . 0 0", func(f *FakeFileSystem) error { return f.Delete(p("/d/f"), 0) }},
		{"createSymlink /l d/f 0 0", func(f *FakeFileSystem) error { return f.CreateSymlink(p("/l"), p("d/f")) }},
		{"read /d/f . 1 2", func(f *FakeFileSystem) error {
			return handle(f, func(h *FileHandle) error { _, err := h.ReadAt(make([]byte, 2), 1); return err })
		}},
		{"write /d/f . 3 4", func(f *FakeFileSystem) error {
			return handle(f, func(h *FileHandle) error { _, err := h.WriteAt([]byte("more"), 3); return err })
		}},
		{"truncate /d/f . 0 1", func(f *FakeFileSystem) error { return handle(f, func(h *FileHandle) error { return h.Truncate(1) }) }},
		{"sync /d/f . 0 0", func(f *FakeFileSystem) error { return handle(f, (*FileHandle).Sync) }},
		{"close /d/f . 0 0", func(f *FakeFileSystem) error { return handle(f, func(*FileHandle) error { return nil }) }},
	}
	for _, test := range tests {
		name, _, _ := strings.Cut(test.want, " ")
		t.Run(name, func(t *testing.T) {
			f := unixFake()
			makeDirectory(t, f, "/d")
			putFile(t, f, "/d/f", "text")
			if err := test.do(f); err != nil {
				t.Fatalf("without a fault: %v", err)
			}

			f = unixFake()
			makeDirectory(t, f, "/d")
			putFile(t, f, "/d/f", "text")
			before := f.AllPaths()
			var seen []string
			f.SetFault(func(op FakeOp) error {
				if op.Name != name {
					return nil
				}
				seen = append(seen, fmt.Sprint(op.Name, " ", op.Path, " ", op.Target, " ", op.Offset, " ", op.Length))
				return errTestFault
			})
			err := test.do(f)
			var pathError *fs.PathError
			if !errors.Is(err, errTestFault) || !errors.As(err, &pathError) || pathError.Op != name {
				t.Errorf("got %v", err)
			}
			if len(seen) != 1 || seen[0] != test.want {
				t.Errorf("saw %q, want %q", seen, test.want)
			}
			f.SetFault(nil)
			if got := paths(f.AllPaths()); got != paths(before) {
				t.Errorf("paths are %s, were %s", got, paths(before))
			}
			if got := getFile(t, f, "/d/f"); got != "text" {
				t.Errorf("the file is %q", got)
			}
			wantNoOpenFiles(t, f) // also if closing failed
		})
	}
}

func TestFaultPartialWrite(t *testing.T) {
	var f FakeFileSystem
	f.SetFault(func(op FakeOp) error {
		if op.Name == "write" && op.Offset+op.Length > 6 {
			return &FakePartial{Bytes: 6 - op.Offset, Err: syscall.ENOSPC}
		}
		return nil
	})
	sink, err := f.Sink(ParsePath("/f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBufferString("0123")
	if err := sink.WriteBuffer(b, 4); err != nil {
		t.Fatal(err)
	}
	_, _ = b.WriteString("456789")
	err = sink.WriteBuffer(b, 6)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if got := string(b.Snapshot()); got != "6789" {
		t.Errorf("left %q, want what was not taken", got)
	}
	_ = sink.Close()
	if got := getFile(t, &f, "/f"); got != "012345" {
		t.Errorf("got %q", got)
	}
}

func TestFaultPartialRead(t *testing.T) {
	var f FakeFileSystem
	putFile(t, &f, "/f", "0123456789")
	f.SetFault(func(op FakeOp) error {
		if op.Name == "read" {
			return &FakePartial{Bytes: 3, Err: syscall.EIO}
		}
		return nil
	})
	h, err := f.OpenReadOnly(ParsePath("/f"))
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 8)
	if n, err := h.ReadAt(p, 2); n != 3 || !errors.Is(err, syscall.EIO) || string(p[:n]) != "234" {
		t.Errorf("got %d, %v, %q", n, err, p)
	}
	f.SetFault(func(FakeOp) error { return &FakePartial{Bytes: 3} })
	if _, err := h.Size(); err != nil {
		t.Error(err)
	}
	if n, err := h.ReadAt(p, 2); n != 3 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := f.Metadata(ParsePath("/f")); !errors.Is(err, io.ErrShortWrite) { // no part of that
		t.Errorf("got %v", err)
	}
	f.SetFault(nil)
	_ = h.Close()
	wantNoOpenFiles(t, &f)
}

// A fault may use the file system itself.
func TestFaultLooksAround(t *testing.T) {
	var f FakeFileSystem
	var before []string
	f.SetFault(func(op FakeOp) error {
		if op.Name == "createDirectory" {
			before = append(before, paths(f.AllPaths()))
			_, err := f.List(ParsePath("/"))
			return err
		}
		return nil
	})
	makeDirectory(t, &f, "/a")
	makeDirectory(t, &f, "/b")
	if got := fmt.Sprintf("%q", before); got != `["" "/a"]` {
		t.Errorf("got %s", got)
	}
}

// The power goes in the middle of a write.
func TestFaultCrashes(t *testing.T) {
	f := unixFake()
	var after *FakeFileSystem
	h, err := f.OpenReadWrite(ParsePath("/f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	f.SyncAll()
	f.SetFault(func(op FakeOp) error {
		if op.Name == "write" && op.Offset == 4 {
			after = f.Crash(CrashOptions{})
		}
		return nil
	})
	_, _ = h.WriteAt([]byte("text"), 0)
	if n, err := h.WriteAt([]byte("more"), 4); n != 0 || !errors.Is(err, ErrPowerLost) {
		t.Errorf("got %d, %v", n, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if got := describe(t, after); got != "/f=" {
		t.Errorf("got %q", got)
	}
}

func TestFakePartialError(t *testing.T) {
	for want, err := range map[string]error{
		"okio: injected after 3 bytes":    &FakePartial{Bytes: 3, Err: errTestFault},
		"okio: short write after 0 bytes": &FakePartial{},
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}
