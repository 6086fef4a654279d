package okio

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// outcomes are the different states that crashes with many seeds leave, each as "path=contents" or "path/" in order.
func outcomes(t *testing.T, f *FakeFileSystem, o CrashOptions) []string {
	t.Helper()
	seen := make(map[string]bool)
	for seed := range uint64(400) {
		o.Seed = seed + 1
		state := describe(t, f.AfterCrash(o))
		if again := describe(t, f.AfterCrash(o)); again != state {
			t.Fatalf("seed %d gave %q and %q", o.Seed, state, again)
		}
		seen[state] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func describe(t *testing.T, f *FakeFileSystem) string {
	t.Helper()
	var parts []string
	for _, p := range f.AllPaths() {
		m, err := f.Metadata(p)
		if err != nil {
			t.Fatal(err)
		}
		if m.Directory {
			parts = append(parts, p.String()+"/")
			continue
		}
		parts = append(parts, p.String()+"="+getFile(t, f, p.String()))
	}
	return strings.Join(parts, " ")
}

func syncFile(t *testing.T, f *FakeFileSystem, path string) {
	t.Helper()
	h, err := f.OpenReadWrite(ParsePath(path), MustExist)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Sync(), h.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestCrashWorstCase(t *testing.T) {
	f := unixFake()
	makeDirectory(t, f, "/d")
	putFile(t, f, "/d/synced", "old")
	syncFile(t, f, "/d/synced")
	putFile(t, f, "/d/synced", "newer")
	putFile(t, f, "/d/lost", "text")
	if err := f.Delete(ParsePath("/d/synced"), MustExist); err != nil {
		t.Fatal(err)
	}
	if got, want := describe(t, f.AfterCrash(CrashOptions{})), "/d/ /d/synced=old"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := describe(t, f), "/d/ /d/lost=text"; got != want {
		t.Errorf("the file system itself has %q, want %q", got, want)
	}
	f.SyncAll()
	if got, want := describe(t, f.AfterCrash(CrashOptions{})), "/d/ /d/lost=text"; got != want {
		t.Errorf("after SyncAll: got %q, want %q", got, want)
	}
}

func TestCrashWhenDirectoriesAreDurable(t *testing.T) {
	tests := []struct {
		directories                FakeDirectories
		before, synced, afterwards string
	}{
		{DirectoriesJournaled, "", "/a= /b=b", "/a= /b=b"},
		{DirectoriesSynchronous, "/a= /b=", "/a= /b=b", "/a= /b=b /c="},
		{DirectoriesDeferred, "", "", ""},
	}
	for _, test := range tests {
		f := unixFake()
		f.Directories = test.directories
		check := func(want string) {
			t.Helper()
			if got := describe(t, f.AfterCrash(CrashOptions{})); got != want {
				t.Errorf("%d: got %q, want %q", test.directories, got, want)
			}
		}
		putFile(t, f, "/a", "a")
		putFile(t, f, "/b", "b")
		check(test.before)
		syncFile(t, f, "/b")
		check(test.synced)
		putFile(t, f, "/c", "c")
		check(test.afterwards)
		f.SyncAll()
		check("/a=a /b=b /c=c")
		if after := f.AfterCrash(CrashOptions{}); after.Directories != test.directories || !after.AllowSymlinks {
			t.Error("settings are lost")
		}
	}
}

func TestCrashTearsTheFirstLostWrite(t *testing.T) {
	f := unixFake()
	h, err := f.OpenReadWrite(ParsePath("/f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	_, _ = h.WriteAt([]byte("one"), 0)
	if err := h.Sync(); err != nil {
		t.Fatal(err)
	}
	_, _ = h.WriteAt([]byte("TWO"), 0)
	_ = h.Truncate(5)
	_, _ = h.WriteAt([]byte("3"), 7)
	want := []string{"/f=TWO", "/f=TWO\x00\x00", "/f=TWO\x00\x00\x00\x003", "/f=TWe", "/f=Tne", "/f=one"}
	if got := outcomes(t, f, CrashOptions{}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// Any combination, for which all parts of the first write are there with and without the last.
	got := outcomes(t, f, CrashOptions{Reorder: true})
	for _, one := range []string{"one", "Tne", "TWe", "TWO"} {
		for _, rest := range []string{"", "\x00\x00", "\x00\x00\x00\x003"} {
			if !slices.Contains(got, "/f="+one+rest) {
				t.Errorf("%q is missing in %q", one+rest, got)
			}
		}
	}
	if len(got) != 12 {
		t.Errorf("got %q", got)
	}
}

func TestCrashLosesTheLastDirectoryOperations(t *testing.T) {
	f := unixFake()
	putFile(t, f, "/f", "old")
	f.SyncAll()
	putFile(t, f, "/new", "new")
	syncFile(t, f, "/new")
	_ = f.AtomicMove(ParsePath("/new"), ParsePath("/f"))
	makeDirectory(t, f, "/d")
	_ = f.AtomicMove(ParsePath("/f"), ParsePath("/d/f"))
	want := []string{"/d/ /d/f=new", "/d/ /f=new", "/f=new", "/f=old /new=new"}
	if got := outcomes(t, f, CrashOptions{}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What befalls those who replace a file without syncing the new one.
func TestCrashAfterRenameWithoutSync(t *testing.T) {
	f := unixFake()
	putFile(t, f, "/f", "old")
	f.SyncAll()
	putFile(t, f, "/new", "n")
	_ = f.AtomicMove(ParsePath("/new"), ParsePath("/f"))
	want := []string{"/f=", "/f=n", "/f=old", "/f=old /new=", "/f=old /new=n"}
	if got := outcomes(t, f, CrashOptions{}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCrashEndsTheOldWorld(t *testing.T) {
	f := unixFake()
	f.SetFault(func(FakeOp) error { return nil })
	h, err := f.OpenReadWrite(ParsePath("/f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	sink, _ := h.Sink(0)
	source, _ := h.Source(0)
	_, _ = h.WriteAt([]byte("text"), 0)
	_ = h.Sync()
	after := f.Crash(CrashOptions{})

	_, readErr := h.ReadAt(make([]byte, 1), 0)
	_, writeErr := h.WriteAt([]byte("x"), 0)
	_, sizeErr := h.Size()
	_, sourceErr := source.ReadBuffer(new(Buffer), 1)
	_, metadataErr := f.Metadata(ParsePath("/f"))
	_, openErr := f.Sink(ParsePath("/g"), 0)
	for i, err := range []error{readErr, writeErr, sizeErr, sourceErr, metadataErr, openErr, h.Sync(), h.Truncate(0),
		sink.WriteBuffer(NewBufferString("x"), 1), f.Delete(ParsePath("/f"), 0), f.SetExtra(ParsePath("/f"), 1, 1)} {
		if !errors.Is(err, ErrPowerLost) {
			t.Errorf("%d: got %v", i, err)
		}
	}
	if err := errors.Join(source.Close(), sink.Close(), h.Close()); err != nil {
		t.Errorf("close: %v", err)
	}
	wantNoOpenFiles(t, f)
	wantNoOpenFiles(t, after)
	putFile(t, after, "/g", "lives")
	if got := describe(t, after); got != "/f=text /g=lives" {
		t.Errorf("got %q", got)
	}
	if got := describe(t, after.AfterCrash(CrashOptions{})); got != "/f=text" { // what was found after a crash is durable
		t.Errorf("got %q", got)
	}
}

// A program that replaces a file safely is right at each of its moments; one that does not sync is not.
func TestCrashAtEveryMoment(t *testing.T) {
	replace := func(f *FakeFileSystem, safely bool) error {
		h, err := f.OpenReadWrite(ParsePath("/new"), MustCreate)
		if err != nil {
			return err
		}
		if _, err := h.WriteAt([]byte("new"), 0); err != nil {
			return err
		}
		if safely {
			if err := h.Sync(); err != nil {
				return err
			}
		}
		if err := h.Close(); err != nil {
			return err
		}
		return f.AtomicMove(ParsePath("/new"), ParsePath("/f"))
	}
	for _, safely := range []bool{true, false} {
		f := unixFake()
		putFile(t, f, "/f", "old")
		f.SyncAll()
		found := make(map[string]bool)
		look := func() {
			for seed := range uint64(50) {
				found[getFile(t, f.AfterCrash(CrashOptions{Seed: seed}), "/f")] = true
			}
		}
		moments := 0
		f.SetFault(func(FakeOp) error { moments++; look(); return nil })
		if err := replace(f, safely); err != nil {
			t.Fatal(err)
		}
		look()
		if safely && (moments != 5 || fmt.Sprint(slices.Sorted(maps.Keys(found))) != "[new old]") {
			t.Errorf("%d moments: %v", moments, found)
		}
		if !safely && !found[""] {
			t.Errorf("nothing was lost: %v", found)
		}
	}
}

func TestCrashForgetsTheOldest(t *testing.T) {
	f := unixFake()
	h, err := f.OpenReadWrite(ParsePath("/f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for range maxFakePending + 1 {
		_, _ = h.WriteAt([]byte("x"), 0)
		_ = f.CreateDirectory(ParsePath("/d"), 0)
		_ = f.Delete(ParsePath("/d"), 0)
	}
	node := f.rootNode(ParsePath("/")).children["f"]
	if len(node.pending) > maxFakePending || len(f.journal) > maxFakeJournal {
		t.Errorf("%d writes and %d operations are kept", len(node.pending), len(f.journal))
	}
	if got := getFile(t, f.AfterCrash(CrashOptions{}), "/f"); got != "x" {
		t.Errorf("got %q", got)
	}
}

// The contents of a file are those of a slice with the same changes, and durable after Sync.
func TestFakeWriteModel(t *testing.T) {
	var n fakeNode
	var model []byte
	for i := range 2000 {
		size := len(model)
		switch i % 4 {
		case 0, 1:
			at := (i * 7919) % (size + 5)
			data := []byte(fmt.Sprint(i))
			n.write(fakeWrite{at: int64(at), data: data})
			for len(model) < at+len(data) {
				model = append(model, 0)
			}
			copy(model[at:], data)
		case 2:
			to := (i * 104729) % (size + 1)
			n.write(fakeWrite{at: int64(to)})
			model = slices.Clone(model[:to])
		case 3:
			n.write(fakeWrite{at: int64(size + 3)})
			model = append(model, 0, 0, 0)
		}
		if i%10 == 0 {
			n.commit(len(n.pending))
			if string(n.durableData) != string(model) || n.pendingBytes != 0 {
				t.Fatalf("step %d: durable %q, want %q", i, n.durableData, model)
			}
		}
		if string(n.data) != string(model) {
			t.Fatalf("step %d: got %q, want %q", i, n.data, model)
		}
	}
}
