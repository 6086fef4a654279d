package disklru

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// The calls of a store in a new directory, in the order that OkHttp has, but for those of the lock.
func TestOrderOfCalls(t *testing.T) {
	h := onUnix(t)
	h.ok(okio.CreateDirectories(h.fs, h.dir, 0))
	var calls []string
	h.fs.SetFault(func(op okio.FakeOp) error {
		call := op.Name + " " + op.Path.Name()
		if op.Name == "atomicMove" {
			call += " " + op.Target.Name()
		}
		calls = append(calls, call)
		return nil
	})
	h.wantSize(0)
	want := []string{
		"metadata journal.lock", "lockFile journal.lock",
		"metadata journal.bkp",
		"sink journal.bkp", "delete journal.bkp", "close journal.bkp",
		"metadata journal",
		"sink journal.tmp", "write journal.tmp", "close journal.tmp",
		"metadata journal",
		"atomicMove journal.tmp journal",
		"appending journal",
	}
	if !slices.Equal(calls, want) {
		t.Errorf("got %q\nwant %q", calls, want)
	}
	calls = nil
	h.wantSize(0)
	if len(calls) > 0 {
		t.Errorf("a second Size calls %q", calls)
	}
}

func TestNewDoesNothing(t *testing.T) {
	h := onUnix(t)
	if paths := h.fs.AllPaths(); len(paths) > 0 {
		t.Errorf("there are %v", paths)
	}
	h.ok(h.store.Flush())
	h.ok(h.store.SetMaxSize(5))
	h.ok(h.store.Close())
	if paths := h.fs.AllPaths(); len(paths) > 0 || len(h.jobs) > 0 {
		t.Errorf("there are %v", paths)
	}
}

func TestClosed(t *testing.T) { // fact 54
	for _, used := range []bool{false, true} {
		onSystems(t, func(t *testing.T, h *harness) {
			if used {
				h.set("a", "a", "a")
			}
			if h.store.IsClosed() {
				t.Error("closed before Close")
			}
			h.ok(h.store.Close())
			h.ok(h.store.Close())
			if !h.store.IsClosed() {
				t.Error("not closed after Close")
			}
			_, err := h.store.Get("a")
			h.wantErr(err, ErrClosed)
			_, err = h.store.Edit("a")
			h.wantErr(err, ErrClosed)
			_, err = h.store.Remove("a")
			h.wantErr(err, ErrClosed)
			_, err = h.store.Get("not a key")
			h.wantErr(err, ErrClosed)
			h.wantErr(h.store.EvictAll(), ErrClosed)
			h.wantErr(h.store.Initialize(), ErrClosed)
			if used {
				h.wantErr(h.store.Flush(), ErrClosed)
				h.wantSize(2)
			}
			if ErrClosed.Error() != "disklru: cache is closed" {
				t.Errorf("got %v", ErrClosed)
			}
		})
	}
}

// A cleanup that comes after Close finds nothing to do.
func TestCleanupAfterClose(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(1)
		h.set("a", "a", "a")
		jobs := h.jobs
		h.reopen()
		h.set("b", "", "b")
		for _, job := range jobs {
			job()
		}
		h.want("b", "", "b")
	})
}

func TestFailedWipe(t *testing.T) { // fact 53
	onSystems(t, func(t *testing.T, h *harness) {
		h.writeFile("a.0", "a")
		h.writeFile("b.0", "a")
		h.journal("BOGUS")
		h.faults("delete a.0")
		if _, err := h.store.Get("a"); err == nil || !strings.Contains(err.Error(), "faulty delete a.0") {
			t.Fatalf("got %v", err)
		}
		if h.store.IsClosed() {
			t.Fatal("it says that it is closed")
		}
		h.wantExists(false, "b.0") // what could be deleted is
		h.faults()
		h.wantAbsent("a")
		h.wantSize(0)
		h.cleanup()
		h.wantExists(false, "a.0")
		h.set("a", "b", "c")
		h.want("a", "b", "c")
	})
}

// A file that cannot be deleted costs nothing but its room.
func TestDirtyFileCannotBeDeleted(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("b", "b", "b")
		editor := h.edit("a")
		h.write(editor, 0, "a")
		h.faults("delete a.0.tmp", "write journal")
		_ = editor.Abort()
		_ = h.store.Close()
		h.wantExists(true, "a.0.tmp")
		h.faults("delete a.0.tmp")
		h.newStore()
		h.want("b", "b", "b")
		h.wantAbsent("a")
		h.faults()
		h.reopen()
		h.want("b", "b", "b")
		h.wantExists(false, "a.0.tmp")
	})
}

// Errors that pass do not cost the entries.
func TestJournalCannotBeOpened(t *testing.T) {
	for _, test := range []struct {
		err   error
		keeps bool
	}{
		{syscall.EMFILE, true},
		{syscall.ENFILE, true},
		{errors.New("bad sector"), false},
	} {
		onSystems(t, func(t *testing.T, h *harness) {
			h.set("a", "a", "a")
			h.ok(h.store.Close())
			h.newStore()
			h.fs.SetFault(func(op okio.FakeOp) error {
				if op.Name == "source" {
					return test.err
				}
				return nil
			})
			err := h.store.Initialize()
			h.faults()
			if test.keeps {
				h.wantErr(err, test.err)
				h.want("a", "a", "a")
				return
			}
			h.ok(err)
			h.wantAbsent("a")
		})
	}
}

// OkHttp takes over the size of what it read before the journal turned out to be corrupt.
func TestNothingOfFailedAttemptIsKept(t *testing.T) { // with fact 14
	onSystems(t, func(t *testing.T, h *harness) {
		h.journal("CLEAN a 10 10", "READ a", "READ a", "BOGUS")
		h.faults("delete journal")
		if err := h.store.Initialize(); err == nil {
			t.Fatal("got nil")
		}
		h.faults()
		h.journal("CLEAN b 1 1")
		h.writeFile("b.0", "b")
		h.writeFile("b.1", "b")
		h.wantSize(2)
		if h.store.redundant != 0 {
			t.Errorf("%d superfluous records", h.store.redundant)
		}
		h.want("b", "b", "b")
	})
}

// A logger may use the store, or what stands on it.
func TestLoggerUsesStore(t *testing.T) {
	h := onUnix(t)
	h.options.Logger = slog.New(storeHandler{slog.NewTextHandler(&h.log, nil), h})
	h.newStore()
	h.journal("BOGUS")
	h.wantAbsent("a")
	if !strings.Contains(h.log.String(), "is corrupt") {
		t.Errorf("log %s", h.log.String())
	}
}

type storeHandler struct {
	slog.Handler
	h *harness
}

func (s storeHandler) Handle(ctx context.Context, r slog.Record) error {
	s.h.wantSize(0)
	return s.Handler.Handle(ctx, r)
}

func TestDelete(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.writeFile("dir1/dir2/other", "x")
		h.ok(h.store.Delete())
		if !h.store.IsClosed() {
			t.Error("not closed")
		}
		if left, err := h.fs.List(h.dir); err != nil || len(left) > 1 || len(left) == 1 && left[0].Name() != lockName {
			t.Errorf("there are %v, %v", left, err)
		}
		h.newStore()
		h.wantAbsent("a")
		h.set("a", "b", "b")
	})
}

func TestLock(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		second, err := New(h.dir, h.options)
		h.ok(err)
		_, getErr := second.Get("a")
		_, editErr := second.Edit("a")
		_, removeErr := second.Remove("a")
		_, sizeErr := second.Size()
		it := second.Snapshots()
		for _, err := range []error{getErr, editErr, removeErr, sizeErr, second.EvictAll(), it.Err(), second.Initialize()} {
			var locked *LockedError
			if !errors.As(err, &locked) || locked.Directory != h.dir || !errors.Is(err, okio.ErrLocked) {
				t.Errorf("got %v", err)
			}
			if want := "disklru: " + h.dir.String() + " is in use by another cache; each needs a directory of its own"; err.Error() != want {
				t.Errorf("got %q, want %q", err, want)
			}
		}
		h.set("b", "b", "b") // the first one notices nothing
		h.ok(h.store.Close())
		h.store = second // as soon as it has gone, the other one takes over
		h.want("a", "a", "a")
		h.want("b", "b", "b")
	})
}

// A store that was never opened has no lock to keep.
func TestLockAfterFailure(t *testing.T) {
	h := onUnix(t)
	h.journal("BOGUS")
	h.faults("delete journal")
	if err := h.store.Initialize(); err == nil {
		t.Fatal("got nil")
	}
	h.ok(h.store.Close())
	h.faults()
	h.newStore()
	h.wantSize(0)
}

func TestWithoutLocks(t *testing.T) {
	h := onUnix(t)
	h.options.FileSystem = struct{ okio.FileSystem }{h.fs}
	h.newStore()
	h.set("a", "a", "a")
	h.wantExists(false, lockName)
	h.reopen()
	h.want("a", "a", "a")
}

func TestSweep(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.ok(h.store.Close())
		strays := []string{"b.0", "b.1", "c.0.tmp", "a-b.1.tmp"}
		others := []string{"README", "b.2", "b.00", "b.0.bak", "UPPER.0", "d.0x", ".0", "b.tmp", "dir/b.0"}
		for _, name := range slices.Concat(strays, others) {
			h.writeFile(name, "stray")
		}
		h.newStore()
		h.want("a", "a", "a")
		if h.cleanup() {
			t.Error("a session that ended as it should is swept after")
		}
		h.ok(h.store.Close())
		h.writeFile("journal", h.readFile("journal")+"DIRTY e\n")
		h.newStore()
		editor := h.edit("c")
		h.write(editor, 0, "new")
		h.cleanup()
		h.wantExists(false, "b.0", "b.1", "a-b.1.tmp")
		h.wantExists(true, others...)
		h.write(editor, 1, "new")
		h.ok(editor.Commit())
		h.want("a", "a", "a")
		h.want("c", "new", "new")
	})
}
