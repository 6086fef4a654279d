package okio

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Fact 137.
func TestFakeOpenFiles(t *testing.T) {
	f := unixFake()
	putFile(t, f, "/a", "a")
	putFile(t, f, "/b", "b")
	first, err := f.Source(ParsePath("/b"))
	if err != nil {
		t.Fatal(err)
	}
	second, _ := f.Source(ParsePath("/a"))
	third, _ := f.Source(ParsePath("b"))
	sink, _ := f.Sink(ParsePath("/c"), 0)
	handle, _ := f.OpenReadOnly(ParsePath("/a"))
	fromHandle, _ := handle.Source(0)
	if got := paths(f.OpenPaths()); got != "/b /a /b /c /a" {
		t.Errorf("open: %s", got)
	}
	if err := f.Delete(ParsePath("/b"), 0); err != nil {
		t.Fatal(err)
	}
	_ = handle.Close()
	if got := paths(f.OpenPaths()); got != "/b /a /b /c /a" {
		t.Errorf("open: %s", got)
	}
	err = f.CheckNoOpenFiles()
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	if !strings.HasPrefix(text, "okio: expected 0 open files, but found:\n    /b (file opened for READ here: ") ||
		strings.Count(text, "\n") != 5 || !strings.Contains(text, "\n    /c (file opened for WRITE here: ") || strings.Count(text, "fake_filesystem_open_test.go:") != 5 {
		t.Errorf("got %s", text)
	}
	var b Buffer
	if n, err := third.ReadBuffer(&b, 10); n != 1 || err != nil { // deleted, and still open
		t.Errorf("got %d, %v", n, err)
	}
	for _, c := range []interface{ Close() error }{first, second, third, sink, fromHandle} {
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Error(err)
		}
	}
	wantNoOpenFiles(t, f)
}

func TestFakeReadingTwiceIsAllowed(t *testing.T) {
	var f FakeFileSystem
	putFile(t, &f, "/a", "a")
	first, err := f.Source(ParsePath("/a"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.Source(ParsePath("/a"))
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	_ = second.Close()
	wantNoOpenFiles(t, &f)
}

// The reference gives each writer a file of its own.
func TestFakeWritersShareTheFile(t *testing.T) {
	f := unixFake()
	putFile(t, f, "/a", "0123456789")
	if err := f.SetExtra(ParsePath("/a"), "key", "value"); err != nil {
		t.Fatal(err)
	}
	one, err := f.OpenReadWrite(ParsePath("/a"), 0)
	if err != nil {
		t.Fatal(err)
	}
	two, err := f.OpenReadWrite(ParsePath("/a"), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = one.WriteAt([]byte("A"), 1)
	_, _ = two.WriteAt([]byte("B"), 2)
	_ = one.Close()
	_ = two.Close()
	if got := getFile(t, f, "/a"); got != "0AB3456789" {
		t.Errorf("got %q", got)
	}
	m, _ := f.Metadata(ParsePath("/a"))
	if m.Extras["key"] != "value" {
		t.Errorf("extras %v", m.Extras)
	}
}

func TestFakeClose(t *testing.T) {
	var f FakeFileSystem
	putFile(t, &f, "/f", "text")
	source, err := f.Source(ParsePath("/f"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Metadata(ParsePath("/f")); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := f.Delete(ParsePath("/f"), 0); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	var b Buffer
	if n, err := source.ReadBuffer(&b, 10); n != 4 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if err := f.CheckNoOpenFiles(); err == nil {
		t.Error("the source is open")
	}
	_ = source.Close()
	wantNoOpenFiles(t, &f)
}

func TestFakeConcurrently(t *testing.T) {
	f := unixFake()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			own := ParsePath(fmt.Sprint("/", i))
			for range 50 {
				putFile(t, f, own.String(), "text")
				putFile(t, f, "/shared", "text")
				_ = f.AtomicMove(own, ParsePath("/moved"))
				_, _ = f.List(ParsePath("/"))
				_, _ = readFile(f, "/moved")
				_ = f.Delete(own, 0)
				f.AfterCrash(CrashOptions{Seed: uint64(i)})
			}
		})
	}
	group.Wait()
	wantNoOpenFiles(t, f)
	if got := paths(f.AllPaths()); got != "/moved /shared" {
		t.Errorf("got %s", got)
	}
}
