package disklru

import "testing"

// The names of tests and subtests "fact N" refer to the list of what OkHttp's own tests assert.

func TestJournalIsHeaderOnly(t *testing.T) { // fact 1
	onSystems(t, func(t *testing.T, h *harness) {
		h.ok(h.store.Initialize())
		h.ok(h.store.Close())
		h.wantJournal()
	})
}

func TestJournalHasDirtyAtOnce(t *testing.T) { // fact 2
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.wantJournal("DIRTY k1")
		h.ok(editor.Abort())
	})
}

func TestJournalOfCommit(t *testing.T) { // fact 3
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "AB", "C")
		h.ok(h.store.Close())
		h.wantJournal("DIRTY k1", "CLEAN k1 2 1")
	})
}

func TestJournalOfAbort(t *testing.T) { // fact 4
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 0, "AB")
		h.write(editor, 1, "C")
		h.ok(editor.Abort())
		h.ok(h.store.Close())
		h.wantJournal("DIRTY k1", "REMOVE k1")
		h.wantExists(false, "k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp")
	})
}

func TestJournalOfReads(t *testing.T) { // fact 7
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "a", "a")
		h.set("k2", "b", "b")
		h.want("k1", "a", "a")
		h.ok(h.store.Close())
		h.wantJournal("DIRTY k1", "CLEAN k1 1 1", "DIRTY k2", "CLEAN k2 1 1", "READ k1")
	})
}
