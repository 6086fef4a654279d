package disklru

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

func TestReaderKeepsWhatItOpened(t *testing.T) { // fact 11
	h := onUnix(t)
	h.set("k1", "aaa", "bbb")
	old := h.get("k1")
	h.set("k1", "cc", "dddd")
	recent := h.get("k1")
	h.wantValues(old, "aaa", "bbb")
	h.wantValues(recent, "cc", "dddd")
	h.ok(old.Close())
	h.ok(recent.Close())
}

func TestReadWhileEditing(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "a", "b")
		editor := h.edit("k1")
		h.write(editor, 0, "c")
		if h.store.civilized {
			h.want("k1", "a", "b")
		} else {
			h.wantAbsent("k1")
		}
		h.ok(editor.Commit())
		h.want("k1", "c", "b")
	})
}

func TestEditWhileReading(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "a", "b")
		first, second := h.get("k1"), h.get("k1")
		if h.store.civilized {
			h.set("k1", "c", "d")
		} else {
			h.wantRefused("k1", Reading)
			h.ok(first.Close())
			h.wantRefused("k1", Reading)
		}
		h.wantValues(second, "a", "b")
		h.ok(second.Close())
		h.ok(first.Close())
		h.set("k1", "e", "f")
		h.want("k1", "e", "f")
	})
}

// Where a value cannot be replaced while it is read, that can be put off until it is not.
func TestEditOfClosedSnapshot(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "a", "b")
		snapshot := h.get("k1")
		if !h.store.civilized {
			_, err := snapshot.Edit()
			h.wantReason(err, Reading)
		}
		h.ok(snapshot.Close())
		editor, err := snapshot.Edit()
		h.ok(err)
		h.write(editor, 0, "c")
		h.ok(editor.Commit())
		h.want("k1", "c", "b")
		_, err = snapshot.Edit()
		h.wantReason(err, Stale)
	})
}

func TestSnapshot(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "hello", "")
		snapshot := h.get("k1")
		if snapshot.Key() != "k1" || snapshot.Length(0) != 5 || snapshot.Length(1) != 0 {
			t.Errorf("got key %q, lengths %d and %d", snapshot.Key(), snapshot.Length(0), snapshot.Length(1))
		}
		if snapshot.Source(0) != snapshot.Source(0) {
			t.Error("Source returns another each time")
		}
		var b [3]byte
		if n, err := snapshot.ReaderAt(0).ReadAt(b[:], 2); n != 3 || err != nil || string(b[:]) != "llo" {
			t.Errorf("ReadAt: got %d, %v, %q", n, err, b)
		}
		h.wantValues(snapshot, "hello", "")
		h.ok(snapshot.Close())
		if _, err := snapshot.Source(0).ReadBuffer(new(okio.Buffer), 1); !errors.Is(err, okio.ErrClosed) {
			t.Errorf("reading after Close: got %v", err)
		}
		if _, err := snapshot.ReaderAt(0).ReadAt(b[:], 0); !errors.Is(err, okio.ErrClosed) {
			t.Errorf("ReadAt after Close: got %v", err)
		}
	})
}

func TestAbsentIsNotExist(t *testing.T) {
	h := onUnix(t)
	if _, err := h.store.Get("a"); !errors.Is(err, ErrNotFound) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A file that is not what was written is no value. OkHttp looks at nothing but whether it is there.
func TestFileOfOtherLength(t *testing.T) {
	for _, text := range []string{"", "a", "aaa"} {
		onSystems(t, func(t *testing.T, h *harness) {
			h.set("a", "xx", "aa")
			h.set("b", "b", "b")
			h.writeFile("a.1", text)
			h.wantAbsent("a")
			h.wantSize(2)
			h.wantExists(false, "a.0", "a.1")
			h.want("b", "b", "b")
		})
	}
}

// Being short of files, say, costs a call its cache but not the cache its entry.
func TestFileCannotBeOpened(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "b")
		for _, fault := range []string{"openReadOnly a.0", "openReadOnly a.1", "metadata a.0"} {
			h.faults(fault)
			if _, err := h.store.Get("a"); err == nil || errors.Is(err, ErrNotFound) {
				t.Errorf("%s: got %v", fault, err)
			}
			h.faults()
			h.want("a", "a", "b")
		}
	})
}

func TestReadAfterClose(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "aaa", "b")
		h.set("b", "bbb", "b")
		a, b := h.get("a"), h.get("b")
		h.remove("b")
		h.ok(h.store.Close())
		h.wantValues(a, "aaa", "b")
		h.wantValues(b, "bbb", "b")
		h.ok(a.Close())
		h.ok(b.Close())
		h.wantExists(false, "b.0", "b.1") // zombies vanish even then
		h.newStore()
		h.want("a", "aaa", "b")
		h.wantAbsent("b")
	})
}

// A zombie of a closed store leaves alone what another store has made of its key.
func TestZombieOfClosedStore(t *testing.T) {
	h := onWindows(t)
	h.set("a", "old", "old")
	old := h.get("a")
	h.remove("a")
	editor := h.edit("b")
	h.write(editor, 0, "old")
	h.write(editor, 1, "old")
	h.ok(h.store.Close())
	h.newStore()
	h.set("b", "new", "new")
	h.wantValues(old, "old", "old")
	h.ok(old.Close())
	if err := editor.Commit(); err == nil {
		t.Error("Commit: got nil")
	}
	h.want("b", "new", "new")
	h.wantAbsent("a")
	h.set("a", "new", "new")
	h.reopen()
	h.want("a", "new", "new")
	h.want("b", "new", "new")
}

func TestIterator(t *testing.T) { // fact 44
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a1", "a2")
		h.set("b", "b1", "b2")
		h.set("c", "c1", "c2")
		h.get("a").Close() // which makes it the newest
		it := h.store.Snapshots()
		defer it.Close()
		h.set("d", "d1", "d2") // added: not seen
		h.remove("c")          // removed: not seen
		h.set("b", "b3", "b4") // updated: seen

		for _, want := range [][]string{{"b", "b3", "b4"}, {"a", "a1", "a2"}} {
			if !it.Next() {
				t.Fatalf("no entry, %v, want %s", it.Err(), want[0])
			}
			if key := it.Snapshot().Key(); key != want[0] {
				t.Fatalf("got %s, want %s", key, want[0])
			}
			h.wantValues(it.Snapshot(), want[1:]...)
		}
		again := it.Next()
		if again || it.Next() || it.Err() != nil || it.Snapshot() != nil {
			t.Errorf("after the end: snapshot %v, error %v", it.Snapshot(), it.Err())
		}
		h.ok(h.store.Flush())
		if journal := h.readFile("journal"); journal[len(journal)-len("CLEAN b 2 2\n"):] != "CLEAN b 2 2\n" {
			t.Errorf("iterating is told in the journal: %s", journal)
		}
	})
}

func TestIteratorRemove(t *testing.T) { // fact 44
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		it := h.store.Snapshots()
		defer it.Close()
		if err := it.Remove(); err != ErrRemoveBeforeNext || err.Error() != "disklru: remove() before next()" {
			t.Errorf("Remove before Next: got %v", err)
		}
		if !it.Next() {
			t.Fatal("no entry")
		}
		h.ok(it.Remove())
		h.wantErr(it.Remove(), ErrRemoveBeforeNext)
		h.wantValues(it.Snapshot(), "a", "a") // still there for who has it open
		h.ok(it.Close())
		h.wantAbsent("a")
		h.want("b", "b", "b")
		h.wantErr(it.Remove(), ErrRemoveBeforeNext)
	})
}

func TestIteratorOfClosedStore(t *testing.T) { // fact 44
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		it := h.store.Snapshots()
		h.ok(h.store.Close())
		if it.Next() || it.Err() != nil {
			t.Errorf("Next after Close: got an entry, or error %v", it.Err())
		}
		h.ok(it.Close())
		it = h.store.Snapshots()
		if it.Next() || !errors.Is(it.Err(), ErrClosed) {
			t.Errorf("iterator of a closed store: got error %v", it.Err())
		}
	})
}

func TestIteratorSkipsCreation(t *testing.T) { // fact 52
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		editor := h.edit("b")
		h.write(editor, 0, "b")
		h.write(editor, 1, "b")
		it := h.store.Snapshots()
		keys := ""
		for it.Next() {
			keys += it.Snapshot().Key()
		}
		h.ok(it.Close())
		if keys != "a" {
			t.Errorf("got %s, want a", keys)
		}
		h.ok(editor.Commit())
		h.want("b", "b", "b")
	})
}

func TestIteratorSkipsDamage(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		h.set("c", "c", "c")
		h.writeFile("a.0", "longer")
		h.ok(h.fs.Delete(h.dir.Join("b.1"), okio.MustExist))
		it := h.store.Snapshots()
		defer it.Close()
		if !it.Next() || it.Snapshot().Key() != "c" || it.Next() || it.Err() != nil {
			t.Errorf("got error %v", it.Err())
		}
		h.wantSize(2)

		h.faults("openReadOnly c.0")
		it = h.store.Snapshots()
		if it.Next() || it.Err() == nil {
			t.Error("a file that cannot be opened: got no error")
		}
	})
}
