package disklru

import (
	"errors"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

func TestEditIsDoneOnce(t *testing.T) { // fact 8
	for name, end := range map[string]func(*Editor) error{"commit": (*Editor).Commit, "abort": (*Editor).Abort} {
		t.Run(name, func(t *testing.T) {
			onSystems(t, func(t *testing.T, h *harness) {
				editor := h.edit("k1")
				h.write(editor, 0, "A")
				h.write(editor, 1, "B")
				h.ok(end(editor))
				_, err := editor.Sink(0)
				h.wantErr(err, ErrEditDone)
				_, err = editor.Source(0)
				h.wantErr(err, ErrEditDone)
				h.wantErr(editor.Commit(), ErrEditDone)
				h.wantErr(editor.Abort(), ErrEditDone)
			})
		})
	}
}

func TestRemoveDuringEdit(t *testing.T) { // fact 10
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "a", "a")
		editor := h.edit("k1")
		h.write(editor, 0, "bb")
		h.write(editor, 1, "bb")
		h.remove("k1")
		h.wantAbsent("k1")
		var lost *NotStoredError
		if err := editor.Commit(); !errors.As(err, &lost) || lost.Err != nil {
			t.Errorf("got error %v, want a NotStoredError", err)
		}
		h.wantAbsent("k1")
		h.wantSize(0)
		h.wantExists(false, "k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp")
		h.set("k1", "c", "c")
		h.want("k1", "c", "c")
	})
}

func TestKeys(t *testing.T) { // fact 18
	onSystems(t, func(t *testing.T, h *harness) {
		for _, key := range []string{"has_space ", "has_CR\r", "has_LF\n", "has_invalid/", "has_invalid☃", "", "Upper", "..", strings.Repeat("k", 125), strings.Repeat("k", 121)} {
			want := `disklru: keys must match regex [a-z0-9_-]{1,120}: ` + quoted(key)
			_, getErr := h.store.Get(key)
			_, editErr := h.store.Edit(key)
			_, removeErr := h.store.Remove(key)
			for _, err := range []error{getErr, editErr, removeErr} {
				var keyErr *KeyError
				if !errors.As(err, &keyErr) || keyErr.Key != key || err.Error() != want {
					t.Errorf("key %q: got %v, want %s", key, err, want)
				}
			}
		}
		for _, key := range []string{strings.Repeat("1", 120), "-20384573948576", "k", "_", "-", "abc-123_"} {
			h.set(key, "a", "b")
			h.want(key, "a", "b")
		}
	})
}

func quoted(s string) string {
	if s == "has_invalid☃" {
		return `"has_invalid☃"`
	}
	return `"` + strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(s) + `"`
}

func TestCreationNeedsAllValues(t *testing.T) { // fact 19
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 1, "A")
		var missing *MissingValueError
		err := editor.Commit()
		if !errors.As(err, &missing) || missing.Index != 0 || !strings.HasSuffix(err.Error(), "Newly created entry didn't create value for index 0") {
			t.Errorf("got %v", err)
		}
		h.wantExists(false, "k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp")
		h.wantAbsent("k1")
		h.wantErr(editor.Abort(), ErrEditDone)

		h.set("k1", "B", "C")
		h.want("k1", "B", "C")
	})
}

func TestUpdateOfOneValue(t *testing.T) { // fact 20
	onSystems(t, func(t *testing.T, h *harness) {
		h.set("k1", "A", "B")
		h.set("k1", "C")
		h.want("k1", "C", "B")
		editor := h.edit("k1")
		h.write(editor, 1, "DD")
		h.ok(editor.Commit())
		h.want("k1", "C", "DD")
		h.wantSize(3)
		editor = h.edit("k1")
		h.ok(editor.Commit())
		h.want("k1", "C", "DD")
	})
}

func TestEditorSource(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 0, "A")
		_, err := editor.Source(0) // what is not committed cannot be read
		h.wantErr(err, ErrNotFound)
		h.write(editor, 1, "B")
		h.ok(editor.Commit())

		editor = h.edit("k1")
		src, err := editor.Source(1)
		h.ok(err)
		if got := h.text(src); got != "B" {
			t.Errorf("got %q, want B", got)
		}
		h.ok(src.Close())
		h.ok(h.fs.Delete(h.dir.Join("k1.0"), okio.MustExist))
		_, err = editor.Source(0)
		h.wantErr(err, ErrNotFound)
		h.ok(editor.Abort())
	})
}

func TestSinkStartsAnew(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 0, "first, which is longer")
		open, err := editor.Sink(1)
		h.ok(err)
		h.ok(open.WriteBuffer(okio.NewBufferString("first"), 5))
		h.write(editor, 0, "second")
		h.write(editor, 1, "b")
		h.wantErr(open.WriteBuffer(okio.NewBufferString("more"), 4), okio.ErrClosed)
		h.ok(editor.Commit())
		h.want("k1", "second", "b")
	})
}

func TestCommitClosesSinks(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 0, "a")
		k, err := editor.Sink(1)
		h.ok(err)
		h.ok(k.WriteBuffer(okio.NewBufferString("bb"), 2))
		h.ok(editor.Commit())
		h.ok(k.WriteBuffer(okio.NewBufferString("late"), 4)) // it is dropped
		h.ok(k.Flush())
		h.ok(k.Close())
		h.want("k1", "a", "bb")
	})
}

func TestSinkRejectsWrongCounts(t *testing.T) {
	h := onUnix(t)
	editor := h.edit("k1")
	k, err := editor.Sink(0)
	h.ok(err)
	b := okio.NewBufferString("abc")
	for _, n := range []int64{-1, 4} {
		if err := k.WriteBuffer(b, n); err == nil || b.Len() != 3 {
			t.Errorf("%d of 3 bytes: got %v, %d left", n, err, b.Len())
		}
	}
	h.ok(k.WriteBuffer(b, 2)) // that was no fault of the store
	h.write(editor, 1, "x")
	h.ok(editor.Commit())
	h.want("k1", "ab", "x")
}

func TestEditWhileEditing(t *testing.T) {
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.wantRefused("k1", Editing)
		h.write(editor, 0, "a")
		h.write(editor, 1, "a")
		h.ok(editor.Commit())
		editor = h.edit("k1")
		h.wantRefused("k1", Editing)
		h.ok(editor.Abort())
		h.ok(h.edit("k1").Abort())
	})
}

func TestSnapshotEdit(t *testing.T) { // fact 39, where open files can be deleted
	h := onUnix(t)
	h.set("k1", "a", "a")
	snapshot := h.get("k1")
	defer snapshot.Close()
	editor := h.edit("k1")
	h.write(editor, 0, "b")
	h.ok(editor.Abort())
	editor, err := snapshot.Edit()
	h.ok(err)
	h.write(editor, 0, "c")
	h.ok(editor.Commit())
	_, err = snapshot.Edit()
	h.wantReason(err, Stale)
	h.wantValues(snapshot, "a", "a")

	evicted := h.get("k1")
	defer evicted.Close()
	h.ok(h.store.EvictAll())
	_, err = evicted.Edit()
	h.wantReason(err, Stale)
	h.set("k1", "d", "d")
	_, err = evicted.Edit()
	h.wantReason(err, Stale)
	h.want("k1", "d", "d")
}

// The first commit of a session on an entry of the session before is a change, other than with OkHttp.
func TestSnapshotEditOfRestoredEntry(t *testing.T) {
	h := onUnix(t)
	h.set("k1", "a", "a")
	h.reopen()
	snapshot := h.get("k1")
	defer snapshot.Close()
	h.set("k1", "b", "b")
	_, err := snapshot.Edit()
	h.wantReason(err, Stale)
}

func TestDetachedEditor(t *testing.T) { // facts 49, 50, 51
	h := onUnix(t)
	h.set("k1", "old", "old")
	editor := h.edit("k1")
	k, err := editor.Sink(0)
	h.ok(err)
	h.ok(h.store.EvictAll())
	h.ok(k.WriteBuffer(okio.NewBufferString("dropped"), 7))
	h.ok(k.Close())
	_, err = editor.Source(0)
	h.wantErr(err, ErrNotFound)
	h.write(editor, 1, "dropped") // a sink that was made later
	h.wantExists(false, "k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp")

	h.set("k1", "aa", "bb")
	if err := editor.Commit(); err == nil {
		t.Error("Commit of a detached editor: got nil")
	}
	h.want("k1", "aa", "bb")
	h.wantSize(4)
}

func TestDetachedEditorOfEditedKey(t *testing.T) {
	h := onUnix(t)
	first := h.edit("k1")
	h.write(first, 0, "first")
	k, err := first.Sink(1)
	h.ok(err)
	h.remove("k1")
	second := h.edit("k1")
	h.write(second, 0, "second")
	h.ok(k.WriteBuffer(okio.NewBufferString("first"), 5))
	h.write(second, 1, "second")
	h.write(first, 0, "first")
	h.ok(first.Abort())
	h.ok(second.Commit())
	h.want("k1", "second", "second")
}

func TestEvictAllDuringCreation(t *testing.T) { // fact 42
	onSystems(t, func(t *testing.T, h *harness) {
		editor := h.edit("k1")
		h.write(editor, 0, "a")
		h.write(editor, 1, "a")
		h.ok(h.store.EvictAll())
		h.wantAbsent("k1")
		if err := editor.Commit(); err == nil {
			t.Error("Commit: got nil")
		}
		h.wantAbsent("k1")
		h.wantSize(0)
		h.wantExists(false, "k1.0", "k1.1", "k1.0.tmp", "k1.1.tmp")
	})
}

func TestArguments(t *testing.T) { // fact 28
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{ValueCount: 0, MaxSize: 10}, "disklru: valueCount <= 0"},
		{Options{ValueCount: -1, MaxSize: 10}, "disklru: valueCount <= 0"},
		{Options{ValueCount: 2, MaxSize: 0}, "disklru: maxSize <= 0"},
		{Options{ValueCount: 2, MaxSize: -1}, "disklru: maxSize <= 0"},
	} {
		_, err := New(okio.ParsePath("/cache"), test.options)
		var argument *ArgumentError
		if !errors.As(err, &argument) || err.Error() != test.want {
			t.Errorf("%+v: got %v, want %s", test.options, err, test.want)
		}
		if _, err := Open(okio.ParsePath("/cache"), test.options); !errors.As(err, &argument) {
			t.Errorf("Open: got %v", err)
		}
	}
	h := onUnix(t)
	for _, n := range []int64{0, -1} {
		if err := h.store.SetMaxSize(n); err == nil || err.Error() != "disklru: maxSize <= 0" {
			t.Errorf("SetMaxSize(%d): got %v", n, err)
		}
	}
}
