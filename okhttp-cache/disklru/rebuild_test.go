package disklru

import (
	"fmt"
	"testing"
)

// readUntilCleanup gets entries until that schedules the cleanup.
func (h *harness) readUntilCleanup(keys ...string) {
	h.t.Helper()
	for reads := 0; len(h.jobs) == 0; reads++ {
		if reads > 2*rebuildThreshold {
			h.t.Fatal("nothing is scheduled")
		}
		h.ok(h.get(keys[reads%len(keys)]).Close())
	}
}

func TestRebuildIsDue(t *testing.T) { // fact 30
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		h.readUntilCleanup("a", "b")
		if h.store.redundant != rebuildThreshold {
			t.Errorf("%d superfluous records, want %d", h.store.redundant, rebuildThreshold)
		}
		h.cleanup()
		h.wantJournal("CLEAN a 1 1", "CLEAN b 1 1")
		if h.store.redundant != 0 {
			t.Errorf("%d superfluous records, want 0", h.store.redundant)
		}
		h.ok(h.store.Flush())
	})
}

func TestRebuildIsDueAfterReopening(t *testing.T) { // fact 30
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		for i := range rebuildThreshold {
			h.ok(h.get("a").Close())
			h.ok(h.get("b").Close())
			h.reopen()
			h.ok(h.store.Initialize())
			if len(h.jobs) > 0 {
				if reads := 2 * (i + 1); reads < rebuildThreshold-10 || reads > rebuildThreshold {
					t.Errorf("scheduled after %d reads", reads)
				}
				return
			}
		}
		t.Error("nothing is scheduled")
	})
}

func TestRebuildIsNotDueForManyEntries(t *testing.T) {
	h := onUnix(t)
	lines := make([]string, 3000)
	for i := range lines {
		lines[i] = fmt.Sprintf("CLEAN k%d 0 0", i)
	}
	h.journal(lines...)
	h.ok(h.store.Initialize())
	entries := h.store.entries.len()
	h.store.redundant = entries - 1
	if entries <= rebuildThreshold || h.store.rebuildDue() {
		t.Errorf("%d entries: due %v", entries, h.store.rebuildDue())
	}
	h.store.redundant = entries
	if !h.store.rebuildDue() {
		t.Error("not due")
	}
}

func TestRebuildKeepsEdits(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		update, create := h.edit("a"), h.edit("c")
		h.readUntilCleanup("b")
		h.cleanup()
		h.wantJournal("DIRTY a", "DIRTY c", "CLEAN b 1 1")
		h.write(update, 0, "AA")
		h.ok(update.Commit())
		h.ok(create.Abort())
		h.ok(h.store.Close())
		h.wantJournal("DIRTY a", "DIRTY c", "CLEAN b 1 1", "CLEAN a 2 1", "REMOVE c")
	})
}

// What a failing rename to journal.bkp makes of the store.
const failedRebuild = "atomicMove journal.bkp"

func TestFailedRebuildRefusesEdits(t *testing.T) { // fact 31
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		h.faults(failedRebuild)
		h.readUntilCleanup("a", "b")
		h.cleanup()
		h.wantRefused("a", CleanupFailed)
		h.wantRefused("c", CleanupFailed)
		snapshot := h.get("a")
		_, err := snapshot.Edit()
		h.wantReason(err, map[bool]RefusedReason{true: CleanupFailed, false: Reading}[h.store.civilized])
		h.wantValues(snapshot, "a", "a")
		h.ok(snapshot.Close())
		h.want("b", "b", "b")

		h.cleanup() // which fails again
		h.wantRefused("a", CleanupFailed)
		h.want("b", "b", "b")
		h.faults()
		h.cleanup()
		h.wantJournal("CLEAN a 1 1", "CLEAN b 1 1")
		h.set("c", "c", "c")
		h.reopen()
		h.want("a", "a", "a")
		h.want("b", "b", "b")
		h.want("c", "c", "c")
	})
}

// failRebuildWithEditors fails a rebuild while c, d and e are being created.
func failRebuildWithEditors(h *harness) (c, d, e *Editor) {
	h.t.Helper()
	h.set("a", "a", "a")
	h.set("b", "b", "b")
	h.faults(failedRebuild)
	h.readUntilCleanup("a", "b")
	c, d, e = h.edit("c"), h.edit("d"), h.edit("e")
	for _, editor := range []*Editor{c, d, e} {
		h.write(editor, 0, "x")
		h.write(editor, 1, "y")
	}
	h.cleanup()
	h.wantRefused("f", CleanupFailed)
	return c, d, e
}

func TestFailedRebuildAndEditors(t *testing.T) { // fact 32
	onSystems(t, func(t *testing.T, h *harness) {
		c, d, e := failRebuildWithEditors(h)
		h.ok(c.Commit())
		h.want("c", "x", "y")
		h.ok(d.Abort())
		h.faults()
		h.cleanup()
		h.wantJournal("CLEAN a 1 1", "CLEAN b 1 1", "DIRTY e", "CLEAN c 1 1")
		h.ok(e.Commit())
		h.want("e", "x", "y")
	})
}

func TestFailedRebuildAndReopening(t *testing.T) { // fact 33
	onSystems(t, func(t *testing.T, h *harness) {
		c, d, e := failRebuildWithEditors(h)
		h.ok(c.Commit())
		h.ok(d.Abort())
		h.ok(h.store.Close())
		h.faults()
		_ = e.Commit()
		h.newStore()
		h.wantSize(4)
		h.wantAbsent("c", "d", "e")
		h.want("a", "a", "a")
		h.want("b", "b", "b")
	})
}

func TestFailedRebuildAndRemoval(t *testing.T) { // fact 34
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "aa", "a")
		h.set("b", "b", "b")
		h.faults(failedRebuild)
		h.readUntilCleanup("a", "b")
		h.cleanup()
		h.remove("a")
		h.wantSize(2)
		h.ok(h.store.Close())
		h.faults()
		h.newStore()
		h.wantSize(5) // nothing tells that a is gone
		h.wantAbsent("a")
		h.wantSize(2)
		h.want("b", "b", "b")
	})
}

func TestFailedRebuildAndEvictAll(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.faults(failedRebuild)
		h.readUntilCleanup("a")
		h.cleanup()
		h.ok(h.store.EvictAll())
		h.wantSize(0)
		h.wantRefused("a", CleanupFailed)
		h.faults()
		h.cleanup()
		h.wantJournal()
		h.set("a", "b", "b")
	})
}

// The states of 1.5: wherever a rebuild is cut short, the next session has all entries.
func TestRebuildCutShort(t *testing.T) {
	for _, fault := range []string{"sink journal.tmp", "write journal.tmp", failedRebuild, "atomicMove journal.tmp", "delete journal.bkp", "appending journal"} {
		t.Run(fault, func(t *testing.T) {
			onSystems(t, func(t *testing.T, h *harness) {
				h.set("a", "a", "a")
				h.readUntilCleanup("a")
				h.faults(fault)
				h.cleanup()
				h.wantRefused("b", CleanupFailed)
				h.want("a", "a", "a")
				h.ok(h.store.Close())
				h.faults()
				h.newStore()
				h.want("a", "a", "a")
				h.wantExists(false, "journal.bkp", "journal.tmp")
				h.set("b", "b", "b")
			})
		})
	}
}

func TestJournalFault(t *testing.T) { // fact 45
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		h.faults("write journal")
		h.wantRefused("c", JournalFailed)
		h.faults()
		h.wantRefused("c", JournalFailed) // nothing is appended to what may be half a line
		h.reopen()
		h.want("a", "a", "a")
		h.want("b", "b", "b")
		h.wantAbsent("c")
		h.set("c", "c", "c")
	})
}

// OkHttp refuses edits until it is opened anew.
func TestJournalFaultIsRepaired(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.faults("write journal", "write journal.tmp")
		h.wantRefused("b", JournalFailed)
		if !h.cleanup() {
			t.Fatal("no cleanup is scheduled")
		}
		h.wantRefused("b", CleanupFailed)
		h.faults()
		h.cleanup()
		h.wantJournal("CLEAN a 1 1")
		h.set("b", "b", "b")
		h.reopen()
		h.want("a", "a", "a")
		h.want("b", "b", "b")
	})
}

func TestJournalFaultAtCommit(t *testing.T) { // fact 46
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		editor := h.edit("c")
		h.write(editor, 0, "c")
		h.write(editor, 1, "c")
		h.faults("write journal")
		h.ok(editor.Commit())
		h.want("c", "c", "c")
		h.faults()
		h.wantRefused("d", JournalFailed)
		h.reopen()
		h.wantAbsent("c")
		h.want("a", "a", "a")
		h.want("b", "b", "b")
	})
}

func TestJournalFaultAtAbortAndRemove(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "a", "a")
		h.set("b", "b", "b")
		editor := h.edit("c")
		h.faults("write journal")
		h.ok(editor.Abort())
		h.wantAbsent("c")
		h.remove("a")
		h.wantAbsent("a")
		h.faults()
		h.wantRefused("d", JournalFailed)
		h.reopen()
		h.wantSize(4) // a, which is not there
		h.wantAbsent("a", "c")
		h.wantSize(2)
		h.want("b", "b", "b")
	})
}
