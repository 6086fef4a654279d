package disklru

import (
	"strings"
	"testing"
)

// "Fact N" refers to the list of what OkHttp's own tests assert, in the order of its store and its HTTP cache.

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
		h.wantExists(false, "k1.0.tmp", "k1.1.tmp") // the record is there before any file
		h.ok(editor.Abort())
	})
}

func TestJournalOfCommit(t *testing.T) { // fact 3
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "AB", "C")
		h.wantJournal("DIRTY k1", "CLEAN k1 2 1")
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

func TestJournalOfAbortedUpdate(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "AB", "C")
		editor := h.edit("k1")
		h.write(editor, 0, "longer")
		h.ok(editor.Abort())
		h.wantJournal("DIRTY k1", "CLEAN k1 2 1", "DIRTY k1", "CLEAN k1 2 1")
		h.want("k1", "AB", "C")
	})
}

func TestCloseDuringEdit(t *testing.T) { // fact 5
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 0, "AB")
		h.write(editor, 1, "C")
		h.ok(h.store.Close())
		want := []string{"DIRTY k1"}
		if h.store.civilized {
			want = append(want, "REMOVE k1")
		}
		h.wantJournal(want...)
		if err := editor.Commit(); err == nil {
			t.Error("Commit after Close: got nil, want an error")
		}
		h.wantJournal(want...)
		h.wantExists(false, "k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp")
	})
}

func TestNoReadOfUncommittedEntry(t *testing.T) { // fact 6
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 0, "AB")
		h.wantAbsent("k1")
		h.write(editor, 1, "C")
		h.wantAbsent("k1")
		h.ok(editor.Commit())
		h.ok(h.store.Close())
		h.wantJournal("DIRTY k1", "CLEAN k1 2 1")
	})
}

func TestJournalOfReads(t *testing.T) { // fact 7
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "AB", "C")
		h.set("k2", "DEF", "G")
		h.want("k1", "AB", "C")
		h.wantJournal("DIRTY k1", "CLEAN k1 2 1", "DIRTY k2", "CLEAN k2 3 1") // READ is written when there is more
		h.ok(h.store.Close())
		h.wantJournal("DIRTY k1", "CLEAN k1 2 1", "DIRTY k2", "CLEAN k2 3 1", "READ k1")
	})
}

func TestOpenWithDirtyEntry(t *testing.T) { // fact 12
	onSystems(t, func(t *testing.T, h *harness) {
		for _, name := range []string{"k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp"} {
			h.writeFile(name, "A")
		}
		h.journal("CLEAN k1 1 1", "DIRTY k1")
		h.ok(h.store.Initialize())
		h.wantExists(false, "k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp")
		h.wantAbsent("k1")
		h.wantSize(0)
	})
}

// Facts 13 to 16, and what else makes a journal corrupt: the directory is emptied, whatever is in it.
func TestCorruptJournal(t *testing.T) {
	records := func(lines ...string) string { return header + strings.Join(append(lines, ""), "\n") }
	tests := []struct {
		name, journal, log string
	}{
		{"version", strings.Replace(header, "\n1\n", "\n0\n", 1), "unexpected journal header: [libcore.io.DiskLruCache, 0, 2, ]"},
		{"app version", strings.Replace(header, "100", "101", 1), "unexpected journal header: [libcore.io.DiskLruCache, 1, 2, ]"},
		{"value count", strings.Replace(header, "\n2\n", "\n1\n", 1), "unexpected journal header: [libcore.io.DiskLruCache, 1, 1, ]"},
		{"fifth line", strings.TrimSuffix(header, "\n") + "x\n", "unexpected journal header: [libcore.io.DiskLruCache, 1, 2, x]"},
		{"magic", "x" + header, "unexpected journal header: [xlibcore.io.DiskLruCache, 1, 2, ]"},
		{"empty", "", "unexpected end of the journal header"},
		{"short header", header[:len(header)-1], "unexpected end of the journal header"},
		{"unknown word", records("CLEAN k1 1 1", "BOGUS"), "unexpected journal line: BOGUS"},
		{"unknown word with key", records("CLEAN k1 1 1", "BOGUS k1"), "unexpected journal line: BOGUS k1"},
		{"word of other case", records("clean k1 1 1"), "unexpected journal line: clean k1 1 1"},
		{"length", records("CLEAN k1 0000x001 1"), "unexpected journal line: [0000x001, 1]"},
		{"negative length", records("CLEAN k1 -1 1"), "unexpected journal line: [-1, 1]"},
		{"large length", records("CLEAN k1 9223372036854775808 1"), "unexpected journal line: [9223372036854775808, 1]"},
		{"sum of lengths", records("CLEAN k1 4611686018427387903 0", "CLEAN k2 0 1"), "unexpected journal: lengths add up to more than 62 bits"},
		{"many lengths", records("CLEAN k1 1 1 1"), "unexpected journal line: [1, 1, 1]"},
		{"few lengths", records("CLEAN k1 1"), "unexpected journal line: [1]"},
		{"no lengths", records("CLEAN k1"), "unexpected journal line: CLEAN k1"},
		{"space behind lengths", records("CLEAN k1 1 1 "), "unexpected journal line: [1, 1, ]"},
		{"two spaces", records("CLEAN k1 1  1"), "unexpected journal line: [1, , 1]"},
		{"dirty with more", records("DIRTY k1 x"), "unexpected journal line: DIRTY k1 x"},
		{"read with more", records("READ k1 x"), "unexpected journal line: READ k1 x"},
		{"remove with more", records("REMOVE k1 x"), "unexpected journal line: REMOVE k1 x"},
		{"space behind key", records("READ k1 "), "unexpected journal line: READ k1 "},
		{"no key", records("READ "), "unexpected journal line: READ "},
		{"empty line", records("", "READ k1"), "unexpected journal line: "},
		{"glued records", records("READ k1READ k2 "), "unexpected journal line: READ k1READ k2 "},
		{"key with dots", records("CLEAN ../../victim 1 1"), "unexpected journal line: CLEAN ../../victim 1 1"},
		{"key with slash", records("DIRTY dir1/victim"), "unexpected journal line: DIRTY dir1/victim"},
		{"key of 121", records("READ " + strings.Repeat("k", 121)), "unexpected journal line: READ kkk"},
		{"binary", records("\x00\x01\xff garbage"), "unexpected journal line: "},
		{"giant line", records(strings.Repeat("x", 1<<20)), "unexpected journal line: xxx"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			onSystems(t, func(t *testing.T, h *harness) {
				for _, name := range []string{"k1.0", "k1.1", "otherFile0", "g1.0", "dir1/otherFile1", "dir1/dir2/otherFile1", "../victim.0"} {
					h.writeFile(name, "A")
				}
				h.writeFile("journal", test.journal)
				h.wantSize(0)
				h.wantAbsent("k1")
				h.wantExists(false, "k1.0", "k1.1", "otherFile0", "g1.0", "dir1")
				h.wantExists(true, "../victim.0")
				h.wantJournal()
				if !strings.Contains(h.log.String(), "level=WARN msg=\"DiskLruCache ") || !strings.Contains(h.log.String(), "cache is corrupt: "+test.log) ||
					!strings.Contains(h.log.String(), ", removing\"") || len(h.log.String()) > 1000 {
					t.Errorf("got log %s, want it to tell of %q", h.log.String(), test.log)
				}
				h.set("k1", "B", "C")
				h.reopen()
				h.want("k1", "B", "C")
			})
		})
	}
}

func TestJournalReplay(t *testing.T) {
	key120 := strings.Repeat("k", 120)
	tests := []struct {
		name    string
		records []string
		order   string // keys, the oldest first
		size    int64
	}{
		{"nothing", nil, "", 0},
		{"clean", []string{"CLEAN a 1 2", "CLEAN b 3 4"}, "a b", 10},
		{"clean again", []string{"CLEAN a 1 2", "CLEAN b 3 4", "CLEAN a 10 20"}, "b a", 37},
		{"read", []string{"CLEAN a 1 2", "CLEAN b 3 4", "READ a"}, "b a", 10},
		{"read of none", []string{"READ a"}, "a", 0},
		{"remove", []string{"CLEAN a 1 2", "CLEAN b 3 4", "REMOVE a"}, "b", 7},
		{"remove of none", []string{"REMOVE a"}, "", 0},
		{"dirty", []string{"DIRTY a", "CLEAN a 1 2", "DIRTY a", "CLEAN b 1 1"}, "b", 2},
		{"dirty then clean", []string{"DIRTY a", "DIRTY b", "CLEAN b 1 1", "CLEAN a 2 2"}, "b a", 6},
		{"dirty then remove", []string{"DIRTY a", "REMOVE a", "CLEAN a 5 5"}, "a", 10},
		{"carriage returns", []string{"CLEAN a 1 2\r", "READ a\r"}, "a", 3},
		{"longest key", []string{"CLEAN " + key120 + " 1 2"}, key120, 3},
		{"zeros and signs", []string{"CLEAN a 001 +2"}, "a", 3},
		{"largest sum", []string{"CLEAN a 4611686018427387902 0", "CLEAN b 0 1"}, "a b", 1<<62 - 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := onUnix(t)
			h.journal(test.records...)
			h.wantSize(test.size)
			var order []string
			for _, e := range h.store.entries.all() {
				order = append(order, e.key)
			}
			if got := strings.Join(order, " "); got != test.order || h.log.Len() > 0 {
				t.Errorf("got keys %q, want %q; log %s", got, test.order, h.log.String())
			}
		})
	}
}

func TestTruncatedJournal(t *testing.T) { // fact 17
	onSystems(t, func(t *testing.T, h *harness) {
		h.writeFile("k1.0", "A")
		h.writeFile("k1.1", "B")
		h.writeFile("k2.0", "A")
		h.writeFile("k2.1", "B")
		h.writeFile("journal", header+"CLEAN k2 1 1\nCLEAN k1 1 1") // no end of line
		h.wantAbsent("k1")
		h.wantJournal("CLEAN k2 1 1") // nothing is glued to the rest
		h.set("k1", "C", "D")
		h.reopen()
		h.want("k1", "C", "D")
		h.want("k2", "A", "B")
	})
}

func TestBackupIsRestored(t *testing.T) { // fact 35
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "AB", "C")
		h.ok(h.store.Close())
		h.ok(h.fs.AtomicMove(h.dir.Join("journal"), h.dir.Join("journal.bkp")))
		h.writeFile("journal.tmp", "half of a jour")
		h.newStore()
		h.want("k1", "AB", "C")
		h.wantExists(false, "journal.bkp", "journal.tmp")
		h.wantExists(true, "journal")
	})
}

func TestJournalWinsOverBackup(t *testing.T) { // fact 36
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "A", "B")
		h.ok(h.store.Close())
		h.writeFile("journal.bkp", h.readFile("journal"))
		h.newStore()
		h.set("k2", "F", "G")
		h.ok(h.store.Close())
		h.writeFile("journal.bkp", header)
		h.newStore()
		h.want("k1", "A", "B")
		h.want("k2", "F", "G")
		h.wantExists(false, "journal.bkp")
	})
}

func TestRecencyOutlastsReopening(t *testing.T) { // fact 26
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		for _, key := range strings.Fields("a b c d e") {
			h.set(key, "1", "1")
		}
		h.want("b", "1", "1")
		h.reopen()
		h.set("f", "1", "1")
		h.set("g", "1", "1")
		h.ok(h.store.Flush())
		h.wantSize(10)
		h.wantAbsent("a", "c")
		for _, key := range strings.Fields("b d e f g") {
			h.want(key, "1", "1")
		}
	})
}
