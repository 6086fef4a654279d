package disklru

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// A directory that somebody prepared to make the store read, change or delete what is not in it. The store may take what it finds for damage, and do with
// its own directory what it likes.
func TestHostileDirectory(t *testing.T) {
	const outside = "/outside/victim"
	link := func(name, target string) func(h *harness) {
		return func(h *harness) {
			h.ok(h.fs.Delete(h.dir.Join(name), 0))
			h.ok(h.fs.CreateSymlink(h.dir.Join(name), okio.ParsePath(target)))
		}
	}
	directory := func(name string) func(h *harness) {
		return func(h *harness) {
			h.ok(h.fs.Delete(h.dir.Join(name), 0))
			h.writeFile(name+"/inside", "x")
		}
	}
	tests := map[string]func(h *harness){
		"value is a link":                     link("a.0", outside),
		"value is a link to another value":    link("a.0", "b.0"),
		"dirty value is a link":               link("a.0.tmp", outside),
		"dirty value is a link to nothing":    link("a.0.tmp", "/outside/new"),
		"value is a link to a directory":      link("a.0", "/outside"),
		"value is a directory":                directory("a.0"),
		"dirty value is a directory":          directory("a.0.tmp"),
		"journal is a link":                   link("journal", outside),
		"journal is a link to a journal":      link("journal", "/outside/journal"),
		"journal is a link to itself":         link("journal", "journal"),
		"journal is a directory":              directory("journal"),
		"new journal is a link":               link("journal.tmp", outside),
		"new journal is a link to nothing":    link("journal.tmp", "/outside/new"),
		"new journal is a directory":          directory("journal.tmp"),
		"backup is a link":                    link("journal.bkp", outside),
		"backup is a directory":               directory("journal.bkp"),
		"lock is a link":                      link(lockName, outside),
		"lock is a link to nothing":           link(lockName, "/outside/new"),
		"lock is a directory":                 directory(lockName),
		"other name is a link to a directory": link("other", "/outside"),
		"backup is a link and there is no other": func(h *harness) {
			h.ok(h.fs.Delete(h.dir.Join("journal"), 0))
			link("journal.bkp", "/outside/journal")(h)
		},
		"corrupt journal and a link to a directory": func(h *harness) {
			link("other", "/outside")(h)
			h.journal("BOGUS")
		},
		"traversal": func(h *harness) {
			h.journal("CLEAN a 3 3", "CLEAN ../outside/victim 6 6", "DIRTY ../outside/victim")
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			h := onUnix(t)
			h.writeFile("../outside/victim", "secret")
			h.writeFile("../outside/victim.0", "secret")
			h.writeFile("../outside/journal", header+"CLEAN a 3 3\n")
			before := h.outside()
			h.set("a", "aaa", "aaa")
			h.set("b", "bbb", "bbb")
			h.ok(h.store.Close())
			prepare(h)
			h.newStore()
			for range 2 {
				if snapshot, err := h.store.Get("a"); err == nil {
					h.wantValues(snapshot, "aaa", "aaa")
					h.ok(snapshot.Close())
				} else {
					h.wantErr(err, ErrNotFound)
				}
				h.tryToSet("a", "aaa", "aaa")
				h.tryToSet("a", "aaa", "aaa")
				h.want("a", "aaa", "aaa")
				h.store.redundant, h.jobs = rebuildThreshold, []func(){h.store.cleanup}
				h.cleanup()
				h.reopen()
			}
			h.ok(h.store.EvictAll())
			h.ok(h.store.Delete())
			if after := h.outside(); after != before {
				t.Errorf("outside there is\n%s\nafter\n%s", after, before)
			}
		})
	}
}

// outside describes what is not in the directory of the store.
func (h *harness) outside() string {
	h.t.Helper()
	var b strings.Builder
	for _, p := range h.fs.AllPaths() {
		if strings.HasPrefix(p.String(), h.dir.String()) {
			continue
		}
		b.WriteString(p.String())
		if m, err := h.fs.Metadata(p); err == nil && m.Regular {
			src, err := h.fs.Source(p)
			h.ok(err)
			b.WriteString("=" + h.text(src))
			h.ok(src.Close())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The directory itself may be a link: that is its user's business.
func TestDirectoryIsLink(t *testing.T) {
	h := onUnix(t)
	h.ok(okio.CreateDirectories(h.fs, okio.ParsePath("/elsewhere"), 0))
	h.ok(h.fs.CreateSymlink(h.dir, okio.ParsePath("/elsewhere")))
	h.set("a", "a", "a")
	h.reopen()
	h.want("a", "a", "a")
	if _, err := h.fs.Metadata(okio.ParsePath("/elsewhere/a.0")); err != nil {
		t.Error(err)
	}
}

// onHost returns a store in a directory of the host.
func onHost(t testing.TB, o Options) *Store {
	t.Helper()
	if o.AppVersion == 0 {
		o.AppVersion = 100
	}
	if o.ValueCount == 0 {
		o.ValueCount = 2
	}
	if o.MaxSize == 0 {
		o.MaxSize = 1 << 40
	}
	o.Logger = slog.New(slog.DiscardHandler)
	store, err := New(okio.ParsePath(t.TempDir()), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// A named pipe would be waited for by who opens it.
func TestNamedPipes(t *testing.T) {
	store := onHost(t, Options{})
	dir := store.Directory().String()
	pipe := func(name string) {
		t.Helper()
		if err := makePipe(filepath.Join(dir, name)); err != nil {
			t.Skip("no named pipes here: ", err)
		}
	}
	pipe("journal")
	pipe("journal.tmp")
	pipe("a.0")
	pipe("a.0.tmp")
	if _, err := store.Get("a"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	set(t, store, "a", "text", "more")
	if err := os.Remove(filepath.Join(dir, "a.0")); err != nil {
		t.Fatal(err)
	}
	pipe("a.0")
	if _, err := store.Get("a"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	pipe("b.0.tmp")
	set(t, store, "b", "text", "more")
}

// set edits an entry as a whole.
func set(t testing.TB, store *Store, key string, values ...string) {
	t.Helper()
	editor, err := store.Edit(key)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range values {
		k, err := editor.Sink(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.WriteBuffer(okio.NewBufferString(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := editor.Commit(); err != nil {
		t.Fatal(err)
	}
}

// The host as it is: whether open files can be deleted, the store finds out by itself.
func TestHost(t *testing.T) {
	store := onHost(t, Options{})
	set(t, store, "a", "hello", "world")
	if want := runtime.GOOS != "windows"; store.civilized != want {
		t.Logf("open files can be deleted: %v", store.civilized)
	}
	for range 2 {
		snapshot, err := store.Get("a")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(1)))
		if err != nil || string(text) != "world" {
			t.Errorf("got %q, %v", text, err)
		}
		_ = snapshot.Close()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		store, err = Open(store.Directory(), Options{AppVersion: 100, ValueCount: 2, MaxSize: 10})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
	}
}
