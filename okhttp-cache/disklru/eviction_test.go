package disklru

import (
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

func TestGrowMaxSize(t *testing.T) { // fact 21
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		h.set("a", "a", "aaa")
		h.set("b", "bb", "bbbb")
		h.ok(h.store.SetMaxSize(20))
		h.set("c", "c", "c")
		h.ok(h.store.Flush())
		h.wantSize(12)
		if n := h.store.MaxSize(); n != 20 {
			t.Errorf("MaxSize: got %d", n)
		}
	})
}

func TestShrinkMaxSize(t *testing.T) { // fact 22
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(20)
		h.set("a", "a", "aaa")
		h.set("b", "bb", "bbbb")
		h.set("c", "c", "c")
		h.wantSize(12)
		h.cleanup()
		h.ok(h.store.SetMaxSize(10))
		if len(h.jobs) != 1 {
			t.Errorf("%d cleanups are scheduled, want 1", len(h.jobs))
		}
		h.cleanup()
		h.wantSize(8)
		h.wantAbsent("a")
	})
}

func TestEviction(t *testing.T) { // fact 23
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		h.set("a", "a", "aaa")
		h.set("b", "bb", "bbbb")
		h.wantSize(10)
		h.set("c", "c", "c")
		h.wantSize(12) // until it is trimmed
		h.ok(h.store.Flush())
		h.wantSize(8)
		h.wantAbsent("a")
		h.want("b", "bb", "bbbb")
		h.want("c", "c", "c")
		h.wantExists(false, "a.0", "a.1")

		h.set("d", "d", "d")
		h.ok(h.store.Flush())
		h.wantSize(10)
		h.want("b", "bb", "bbbb")
		h.want("c", "c", "c")
		h.want("d", "d", "d")

		h.set("e", "eeee", "eeee")
		h.ok(h.store.Flush())
		h.wantSize(10)
		h.wantAbsent("a", "b", "c")
		h.want("d", "d", "d")
		h.want("e", "eeee", "eeee")
	})
}

// Those who write faster than the cleanup comes do its work: a store is never above its limit by more than one entry.
func TestOneEntryAboveLimit(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		for i := range 20 {
			h.set(string(rune('a'+i)), "123", "")
			if size, err := h.store.Size(); err != nil || size > 13 {
				t.Fatalf("size %d, %v", size, err)
			}
		}
		h.cleanup()
		h.wantSize(9)
		h.want("t", "123", "")
		h.want("s", "123", "")
		h.want("r", "123", "")
	})
}

func TestEvictionByUpdate(t *testing.T) { // fact 24
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		h.set("a", "a", "aa")
		h.set("b", "b", "bb")
		h.set("c", "c", "cc")
		h.wantSize(9)
		h.set("b", "b", "bbbb")
		h.wantSize(11)
		h.ok(h.store.Flush())
		h.wantSize(8)
		h.wantAbsent("a")
		h.want("b", "b", "bbbb")
		h.want("c", "c", "cc")
	})
}

func TestEvictionByUse(t *testing.T) { // fact 25
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		for _, key := range strings.Fields("a b c d e") {
			h.set(key, "1", "1")
		}
		h.want("b", "1", "1")
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

func TestEntryLargerThanStore(t *testing.T) { // fact 27
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		h.set("a", "aaaaa", "aaaaaa")
		h.ok(h.store.Flush())
		h.wantSize(0)
		h.wantAbsent("a")
	})
}

func TestCloseEvicts(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(10)
		h.set("a", "aaaaa", "aaaaa")
		h.set("b", "b", "b")
		h.reopen()
		h.wantSize(2)
		h.wantExists(false, "a.0", "a.1")
	})
}

// OkHttp waits for the next commit.
func TestOpenWithSmallerLimitEvicts(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("a", "aaaaa", "aaaaa")
		h.set("b", "b", "b")
		h.options.MaxSize = 5
		h.reopen()
		h.wantSize(12)
		if !h.cleanup() {
			t.Fatal("no cleanup is scheduled")
		}
		h.wantSize(2)
	})
}

func TestShrinkBelowEditedEntry(t *testing.T) { // fact 41
	onSystems(t, func(t *testing.T, h *harness) {
		h.limit(20)
		h.set("a", "aaaaa", "aaaaa")
		editor := h.edit("a")
		h.ok(h.store.SetMaxSize(1))
		h.ok(h.store.Flush()) // which ends
		if h.store.civilized {
			h.wantSize(0)
		} else {
			h.wantSize(10) // it is deleted when the edit has ended
		}
		h.wantAbsent("a")
		if err := editor.Commit(); err == nil {
			t.Error("Commit: got nil")
		}
		h.wantSize(0)
		h.wantAbsent("a")
		h.wantExists(false, "a.0", "a.1")
	})
}

func TestEvictAllWhileReading(t *testing.T) { // fact 43
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "abc", "def")
		snapshot := h.get("k1")
		h.ok(h.store.EvictAll())
		h.wantExists(!h.store.civilized, "k1.0", "k1.1")
		h.wantAbsent("k1")
		if !h.store.civilized {
			h.wantSize(6)
			if !strings.HasSuffix(h.readFile("journal"), "DIRTY k1\n") {
				t.Error("the journal does not say that the entry is to go")
			}
			h.wantRefused("k1", Reading)
		}
		h.wantValues(snapshot, "abc", "def")
		h.ok(snapshot.Source(0).Close())
		h.ok(snapshot.Source(0).Close()) // which counts once
		h.wantExists(!h.store.civilized, "k1.0", "k1.1")
		h.ok(snapshot.Close())
		h.ok(snapshot.Close())
		h.wantExists(false, "k1.0", "k1.1")
		h.wantSize(0)
		h.set("k1", "x", "y")
	})
}

func TestRemoveAbsent(t *testing.T) { // fact 29
	onSystems(t, func(t *testing.T, h *harness) {
		if there, err := h.store.Remove("a"); there || err != nil {
			t.Errorf("got %v, %v, want false, nil", there, err)
		}
	})
}

func TestRemoveDeletesAtOnce(t *testing.T) { // fact 9
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "a", "b")
		h.remove("k1")
		h.wantExists(false, "k1.0", "k1.1")
		h.wantAbsent("k1")
		h.ok(h.store.Flush())
		h.wantJournal("DIRTY k1", "CLEAN k1 1 1", "REMOVE k1")
	})
}

func TestFileDeletedBySomebody(t *testing.T) { // facts 37, 38
	onSystems(t, func(t *testing.T, h *harness) {
		for _, name := range []string{"a.0", "a.1"} {
			h.set("a", "a", "a")
			h.ok(h.fs.Delete(h.dir.Join(name), okio.MustExist))
			h.wantAbsent("a")
			h.wantSize(0)
			h.wantExists(false, "a.0", "a.1")

			h.set("a", "a", "a")
			h.ok(h.fs.Delete(h.dir.Join(name), okio.MustExist))
			h.remove("a")
			h.wantSize(0)
		}
	})
}

// failTrim makes a store whose oldest entry cannot be deleted.
func failTrim(h *harness, file string) {
	h.t.Helper()
	h.limit(10)
	h.set("a", "aa", "aaa")
	h.set("b", "bb", "bbb")
	h.faults("delete " + file)
	h.set("c", "cc", "ccc")
	h.cleanup()
	h.wantRefused("d", CleanupFailed)
	h.wantRefused("c", CleanupFailed)
}

func TestFailedTrim(t *testing.T) { // fact 47
	repairs := map[string]func(h *harness){
		"evict all": func(h *harness) { h.ok(h.store.EvictAll()) },
		"remove":    func(h *harness) { h.remove("a") },
		"flush":     func(h *harness) { h.ok(h.store.Flush()) },
		"cleanup":   func(h *harness) { h.cleanup() },
	}
	for name, repair := range repairs {
		t.Run(name, func(t *testing.T) {
			onSystems(t, func(t *testing.T, h *harness) {
				failTrim(h, "a.0")
				for _, key := range []string{"a", "b", "c"} {
					h.want(key, strings.Repeat(key, 2), strings.Repeat(key, 3))
				}
				h.want("a", "aa", "aaa") // which makes it the newest
				h.faults()
				repair(h)
				h.set("d", "d", "d")
				h.want("d", "d", "d")
			})
		})
	}
}

func TestFailedTrimAndSufficientRemove(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		failTrim(h, "a.0") // of 15 bytes, where there may be 10
		h.remove("b")
		h.set("d", "", "")
		h.wantSize(10)
	})
}

func TestFailedTrimOfHalfAnEntry(t *testing.T) { // fact 48
	onSystems(t, func(t *testing.T, h *harness) {
		failTrim(h, "a.1")
		h.wantAbsent("a")
		h.faults()
		h.wantAbsent("a")
		h.want("b", "bb", "bbb")
		h.want("c", "cc", "ccc")
		h.wantSize(10)
	})
}

func TestDirectoryDeletedWhileOpen(t *testing.T) { // fact 40
	h := onUnix(t)
	h.set("a", "a", "a")
	h.ok(okio.DeleteRecursively(h.fs, h.dir, okio.MustExist))
	h.wantAbsent("a")
	h.set("a", "b", "c")
	h.want("a", "b", "c")
	h.reopen()
	h.want("a", "b", "c") // other than with OkHttp, which writes a journal that nobody finds
}
