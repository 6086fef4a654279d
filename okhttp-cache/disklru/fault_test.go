package disklru

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// wantNotStored fails the test unless err says that nothing was stored, for a reason that holds this text.
func (h *harness) wantNotStored(err error, text string) {
	h.t.Helper()
	var lost *NotStoredError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), text) {
		h.t.Fatalf("got error %v, want a NotStoredError about %q", err, text)
	}
}

func TestFaultyWrite(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.faults("write a.0.tmp")
		editor := h.edit("a")
		k, err := editor.Sink(0)
		h.ok(err)
		b := okio.NewBufferString("hello")
		h.ok(k.WriteBuffer(b, 3)) // the writer does not see it
		h.ok(k.WriteBuffer(b, 1))
		h.ok(k.Flush())
		if b.Len() != 1 {
			t.Errorf("%d bytes are left, want 1", b.Len())
		}
		h.faults()
		h.ok(k.WriteBuffer(b, 1)) // nor does the file get what comes later
		h.ok(k.Close())
		h.write(editor, 1, "a")
		h.wantNotStored(editor.Commit(), "faulty write a.0.tmp")
		h.wantAbsent("a")
		h.wantSize(0)
		h.wantExists(false, "a.0", "a.1", "a.0.tmp", "a.1.tmp")
		h.set("a", "b", "b")
	})
}

func TestFaultyUpdate(t *testing.T) {
	for _, fault := range []string{"write a.1.tmp", "close a.1.tmp", "atomicMove a.0.tmp"} {
		t.Run(fault, func(t *testing.T) {
			onSystems(t, func(t *testing.T, h *harness) {
				h.set("a", "old", "old")
				h.faults(fault)
				editor := h.edit("a")
				h.write(editor, 0, "new")
				h.write(editor, 1, "new")
				h.wantNotStored(editor.Commit(), "faulty "+fault)
				h.faults()
				h.wantExists(false, "a.0.tmp", "a.1.tmp")
				if h.store.civilized || strings.HasPrefix(fault, "atomicMove") {
					h.want("a", "old", "old")
				} else {
					h.wantAbsent("a") // with the entry its old values go
					h.wantSize(0)
				}
				h.set("a", "newer", "newer")
				h.reopen()
				h.want("a", "newer", "newer")
			})
		})
	}
}

// If one value got its place and the other did not, there is no entry rather than a mixture.
func TestHalfACommit(t *testing.T) {
	for _, also := range []string{"", "delete a.0", "delete a.1"} {
		t.Run(also, func(t *testing.T) {
			onSystems(t, func(t *testing.T, h *harness) {
				h.set("b", "b", "b")
				h.set("a", "old", "old")
				editor := h.edit("a")
				h.write(editor, 0, "new")
				h.write(editor, 1, "new")
				h.faults("atomicMove a.1.tmp", also)
				h.wantNotStored(editor.Commit(), "faulty atomicMove a.1.tmp")
				h.wantAbsent("a")
				h.want("b", "b", "b")
				h.readUntilCleanup("b")
				h.cleanup() // with a journal that must not say that there is an a
				h.reopen()
				h.wantAbsent("a")
				h.faults()
				h.wantAbsent("a")
				h.set("a", "newer", "newer")
				h.want("a", "newer", "newer")
				h.wantSize(12)
				h.reopen()
				h.want("a", "newer", "newer")
				h.wantSize(12)
			})
		})
	}
}

// An entry that could not be deleted whole can be written again in the same session.
func TestBrokenEntryIsReplaced(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "old", "old")
		editor := h.edit("a")
		h.write(editor, 0, "new")
		h.write(editor, 1, "new")
		h.faults("atomicMove a.1.tmp", "delete a.0")
		h.wantNotStored(editor.Commit(), "faulty atomicMove a.1.tmp")
		h.faults()
		h.wantAbsent("a")
		h.wantRefusedValue("a")
		h.set("a", "newer", "newer")
		h.want("a", "newer", "newer")
		h.wantSize(10)
		h.reopen()
		h.want("a", "newer", "newer")
	})
}

// wantRefusedValue fails the test unless a commit of one value is one too few.
func (h *harness) wantRefusedValue(key string) {
	h.t.Helper()
	editor := h.edit(key)
	h.write(editor, 0, "x")
	var missing *MissingValueError
	if err := editor.Commit(); !errors.As(err, &missing) || missing.Index != 1 {
		h.t.Fatalf("got %v", err)
	}
}

// What is left of an entry that could be deleted in part only is not mixed with what is written later.
func TestHalfAnEntryIsNotUpdated(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		failTrim(h, "a.1")
		h.faults()
		h.limit(100)
		h.ok(h.store.Flush())
		h.wantRefusedValue("a")
		h.wantAbsent("a")
		h.wantSize(10)
		h.set("a", "new", "new")
		h.reopen()
		h.want("a", "new", "new")
	})
}

// A journal that cannot be synced costs the edit, and nothing after it.
func TestJournalCannotBeSynced(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.options.Sync = true
		h.newStore()
		h.set("a", "a", "a")
		h.faults("sync journal")
		h.wantRefused("b", JournalFailed)
		h.faults()
		h.wantRefused("b", JournalFailed)
		h.cleanup()
		h.set("b", "b", "b")

		editor := h.edit("a")
		h.write(editor, 0, "new")
		h.write(editor, 1, "new")
		h.faults("sync journal")
		h.wantNotStored(editor.Commit(), "faulty sync journal")
		h.faults()
		h.cleanup()
		h.want("a", "new", "new") // it is there, and that is on the disk by now
		h.reopen()
		h.want("a", "new", "new")
		h.want("b", "b", "b")
	})
}

// Nor do files or a directory that cannot be synced leave anything behind.
func TestFilesCannotBeSynced(t *testing.T) {
	for _, fault := range []string{"sync a.0.tmp", "sync a.1.tmp", "syncDirectory ."} {
		t.Run(fault, func(t *testing.T) {
			onSystems(t, func(t *testing.T, h *harness) {
				h.options.Sync = true
				h.newStore()
				h.set("a", "old", "old")
				h.set("b", "b", "b")
				editor := h.edit("a")
				h.faults(fault)
				h.write(editor, 0, "new")
				h.write(editor, 1, "new")
				h.wantNotStored(editor.Commit(), "faulty "+fault)
				h.faults()
				if h.store.civilized && fault != "syncDirectory ." {
					h.want("a", "old", "old")
				} else {
					h.wantAbsent("a")
				}
				h.want("b", "b", "b")
				h.set("a", "newer", "newer")
				h.reopen()
				h.want("a", "newer", "newer")
			})
		})
	}
}

func TestSinkCannotBeCreated(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "old", "old")
		h.faults("sink a.1.tmp")
		editor := h.edit("a")
		h.write(editor, 0, "new")
		if _, err := editor.Sink(1); err == nil || !strings.Contains(err.Error(), "faulty sink a.1.tmp") {
			t.Errorf("got %v", err)
		}
		h.wantNotStored(editor.Commit(), "faulty sink a.1.tmp") // not one new value beside an old one
		h.faults()
		if h.store.civilized {
			h.want("a", "old", "old")
		} else {
			h.wantAbsent("a")
		}
	})
}

// What somebody deletes while it is being written is not stored, nor half of it.
func TestDirtyFileDeletedBySomebody(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "old", "old")
		for _, key := range []string{"a", "b"} {
			editor := h.edit(key)
			h.write(editor, 0, "new")
			h.write(editor, 1, "new")
			h.ok(h.fs.Delete(h.dir.Join(key+".1.tmp"), okio.MustExist))
			h.wantNotStored(editor.Commit(), "no such entry")
			h.wantExists(false, key+".0.tmp")
		}
		h.want("a", "old", "old")
		h.wantAbsent("b")
	})
}

func TestDirectoryDeletedDuringEdit(t *testing.T) {
	h := onUnix(t)
	h.set("old", "o", "o")
	first, second := h.edit("a"), h.edit("b")
	h.write(first, 0, "a")
	h.ok(okio.DeleteRecursively(h.fs, h.dir, okio.MustExist))
	h.write(first, 1, "a")
	h.wantNotStored(first.Commit(), "no such entry")
	h.write(second, 0, "b")
	h.write(second, 1, "b")
	h.ok(second.Commit())
	h.want("b", "b", "b")
	h.wantAbsent("a", "old")
	h.wantSize(2)
	other, err := New(h.dir, h.options)
	h.ok(err)
	if err := other.Initialize(); !errors.Is(err, okio.ErrLocked) {
		t.Errorf("the new directory is not locked: %v", err)
	}
	h.reopen()
	h.want("b", "b", "b")
	h.wantAbsent("a", "old")
}

// Somebody deleted the directory and another store took it.
func TestDirectoryTakenByAnother(t *testing.T) {
	h := onUnix(t)
	h.set("old", "o", "o")
	editor := h.edit("a")
	h.ok(okio.DeleteRecursively(h.fs, h.dir, okio.MustExist))
	other, err := Open(h.dir, h.options)
	h.ok(err)
	h.ok(okio.DeleteRecursively(h.fs, h.dir, okio.MustExist))
	h.write(editor, 0, "a") // for this store makes the directory again
	h.ok(editor.Abort())
	h.ok(other.Close())
	h.set("b", "b", "b")
	h.reopen()
	h.want("b", "b", "b")

	editor = h.edit("a")
	h.ok(okio.DeleteRecursively(h.fs, h.dir, okio.MustExist))
	h.ok(okio.CreateDirectories(h.fs, h.dir, 0))
	lock, err := okio.LockFile(h.fs, h.dir.Join(lockName)) // the other one again
	h.ok(err)
	h.ok(h.fs.Delete(h.dir.Join("journal"), 0))
	h.fs.SetFault(func(op okio.FakeOp) error {
		if op.Name == "sink" && op.Path.Name() == "a.0.tmp" {
			return fmt.Errorf("vanished: %w", syscall.ENOENT)
		}
		return nil
	})
	h.write(editor, 0, "dropped")
	h.faults()
	if err := editor.Commit(); err == nil {
		t.Error("Commit: got nil")
	}
	_, err = h.store.Get("b")
	h.wantErr(err, okio.ErrLocked)
	h.ok(lock.Close())
	h.wantAbsent("b")
	h.set("c", "c", "c")
	h.want("c", "c", "c")
}

// A full disk: whatever write fails, and however much of it was done, nothing fails but what is stored, and it is well again when there is room.
func TestDiskFull(t *testing.T) {
	for limit := range 120 {
		h := onUnix(t)
		h.limit(1000)
		h.set("a", "aaa", "aaa")
		room := int64(limit)
		h.fs.SetFault(func(op okio.FakeOp) error {
			if op.Name != "write" {
				return nil
			}
			if room -= op.Length; room < 0 {
				bytes := max(0, room+op.Length)
				room = 0
				return &okio.FakePartial{Bytes: bytes, Err: syscall.ENOSPC}
			}
			return nil
		})
		for i := range 8 {
			h.tryToSet(fmt.Sprint("k", i), "some text", "more")
			if i%3 == 0 {
				h.cleanup()
			}
			h.want("a", "aaa", "aaa")
		}
		h.fs.SetFault(nil)
		h.tryToSet("x", "x", "x")
		h.cleanup()
		h.set("x", "x", "x")
		h.want("x", "x", "x")
		h.want("a", "aaa", "aaa")
		h.reopen()
		h.want("x", "x", "x")
		h.want("a", "aaa", "aaa")
		for i := range 8 {
			if snapshot, err := h.store.Get(fmt.Sprint("k", i)); err == nil {
				h.wantValues(snapshot, "some text", "more")
				h.ok(snapshot.Close())
			}
		}
		if h.log.Len() > 0 {
			t.Fatalf("room for %d bytes: %s", limit, h.log.String())
		}
	}
}

// tryToSet edits an entry as far as that goes.
func (h *harness) tryToSet(key string, values ...string) {
	h.t.Helper()
	editor, err := h.store.Edit(key)
	var refused *RefusedError
	if errors.As(err, &refused) {
		return
	}
	h.ok(err)
	for i, text := range values {
		h.write(editor, i, text)
	}
	if err := editor.Commit(); err != nil {
		h.wantNotStored(err, "")
	}
}

// Permission lost: every operation of a kind fails from some time on.
func TestPermissionLost(t *testing.T) {
	for _, kinds := range []string{"write", "sink", "delete", "atomicMove", "openReadOnly", "metadata", "write sink delete atomicMove openReadOnly metadata appending list source"} {
		onSystems(t, func(t *testing.T, h *harness) {
			h.limit(20)
			h.set("a", "aaa", "aaa")
			h.set("b", "bbb", "bbb")
			h.fs.SetFault(func(op okio.FakeOp) error {
				if strings.Contains(" "+kinds+" ", " "+op.Name+" ") {
					return syscall.EACCES
				}
				return nil
			})
			for _, key := range []string{"a", "b", "c", "d", "e"} {
				if editor, err := h.store.Edit(key); err == nil {
					if k, err := editor.Sink(0); err == nil {
						h.ok(k.WriteBuffer(okio.NewBufferString("new"), 3))
						h.ok(k.Close())
					}
					if k, err := editor.Sink(1); err == nil {
						h.ok(k.WriteBuffer(okio.NewBufferString("new"), 3))
						h.ok(k.Close())
					}
					_ = editor.Commit()
				}
				if snapshot, err := h.store.Get(key); err == nil {
					_ = snapshot.Close()
				}
				h.cleanup()
			}
			h.faults()
			h.cleanup()
			h.reopen()
			for _, key := range []string{"a", "b", "c", "d", "e"} {
				snapshot, err := h.store.Get(key)
				if errors.Is(err, ErrNotFound) {
					continue
				}
				h.ok(err)
				first, second := h.text(snapshot.Source(0)), h.text(snapshot.Source(1))
				if first != second || first != "new" && first != strings.Repeat(key, 3) {
					t.Errorf("%s without %s: got %q and %q", key, kinds, first, second)
				}
				h.ok(snapshot.Close())
			}
			h.set("f", "f", "f")
			h.want("f", "f", "f")
		})
	}
}
