package disklru

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// A harness is a store on a fake file system whose cleanup runs when the test says so.
type harness struct {
	t       *testing.T
	fs      *okio.FakeFileSystem
	dir     okio.Path
	options Options
	store   *Store
	log     strings.Builder
	jobs    []func() // scheduled cleanups
}

// onSystems runs a test on a fake file system of each kind.
func onSystems(t *testing.T, test func(t *testing.T, h *harness)) {
	for name, emulate := range map[string]func(*okio.FakeFileSystem){
		"unix":    (*okio.FakeFileSystem).EmulateUnix,
		"windows": (*okio.FakeFileSystem).EmulateWindows,
	} {
		t.Run(name, func(t *testing.T) {
			fs := &okio.FakeFileSystem{}
			emulate(fs)
			test(t, newHarness(t, fs))
		})
	}
}

// onUnix runs a test where open files can be deleted.
func onUnix(t *testing.T) *harness {
	fs := &okio.FakeFileSystem{}
	fs.EmulateUnix()
	return newHarness(t, fs)
}

// onWindows runs a test where they cannot.
func onWindows(t *testing.T) *harness {
	fs := &okio.FakeFileSystem{}
	fs.EmulateWindows()
	return newHarness(t, fs)
}

func newHarness(t *testing.T, fs *okio.FakeFileSystem) *harness {
	h := &harness{t: t, fs: fs, dir: fs.WorkingDirectory().Join("cache")}
	h.options = Options{FileSystem: fs, AppVersion: 100, ValueCount: 2, MaxSize: 1 << 40, Logger: slog.New(slog.NewTextHandler(&h.log, nil))}
	h.newStore()
	t.Cleanup(func() {
		fs.SetFault(nil)
		_ = h.store.Close()
		if err := fs.CheckNoOpenFiles(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// newStore makes a store without opening it.
func (h *harness) newStore() {
	h.t.Helper()
	store, err := New(h.dir, h.options)
	if err != nil {
		h.t.Fatal(err)
	}
	h.jobs = nil
	store.schedule = func(job func()) { h.jobs = append(h.jobs, job) }
	h.store = store
}

// reopen closes the store and takes another on the same directory.
func (h *harness) reopen() {
	h.t.Helper()
	h.ok(h.store.Close())
	h.newStore()
}

// limit makes the store one with a maximal size.
func (h *harness) limit(n int64) {
	h.t.Helper()
	h.options.MaxSize = n
	h.ok(h.store.SetMaxSize(n))
}

func (h *harness) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// wantErr fails the test unless err is want.
func (h *harness) wantErr(err, want error) {
	h.t.Helper()
	if !errors.Is(err, want) {
		h.t.Fatalf("got error %v, want %v", err, want)
	}
}

func (h *harness) edit(key string) *Editor {
	h.t.Helper()
	editor, err := h.store.Edit(key)
	h.ok(err)
	return editor
}

// wantRefused fails the test unless an edit is refused for the reason.
func (h *harness) wantRefused(key string, reason RefusedReason) {
	h.t.Helper()
	editor, err := h.store.Edit(key)
	if err == nil {
		_ = editor.Abort()
	}
	h.wantReason(err, reason)
}

func (h *harness) wantReason(err error, reason RefusedReason) {
	h.t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Reason != reason {
		h.t.Fatalf("got error %v, want a refusal: %v", err, reason)
	}
}

// write writes a value.
func (h *harness) write(editor *Editor, i int, text string) {
	h.t.Helper()
	k, err := editor.Sink(i)
	h.ok(err)
	h.ok(k.WriteBuffer(okio.NewBufferString(text), int64(len(text))))
	h.ok(k.Close())
}

// set edits an entry as a whole.
func (h *harness) set(key string, values ...string) {
	h.t.Helper()
	editor := h.edit(key)
	for i, text := range values {
		h.write(editor, i, text)
	}
	h.ok(editor.Commit())
}

// get opens a snapshot.
func (h *harness) get(key string) *Snapshot {
	h.t.Helper()
	snapshot, err := h.store.Get(key)
	h.ok(err)
	return snapshot
}

func (h *harness) text(src okio.Source) string {
	h.t.Helper()
	text, err := io.ReadAll(okio.NewBufferedSource(src))
	h.ok(err)
	return string(text)
}

// want fails the test unless the entry has these values.
func (h *harness) want(key string, values ...string) {
	h.t.Helper()
	snapshot := h.get(key)
	h.wantValues(snapshot, values...)
	h.ok(snapshot.Close())
}

func (h *harness) wantValues(snapshot *Snapshot, values ...string) {
	h.t.Helper()
	for i, want := range values {
		if have := h.text(snapshot.Source(i)); have != want || snapshot.Length(i) != int64(len(want)) {
			h.t.Fatalf("value %d of %s: got %q of length %d, want %q", i, snapshot.Key(), have, snapshot.Length(i), want)
		}
	}
}

// wantAbsent fails the test unless there are no entries with these keys.
func (h *harness) wantAbsent(keys ...string) {
	h.t.Helper()
	for _, key := range keys {
		if snapshot, err := h.store.Get(key); !errors.Is(err, ErrNotFound) {
			if err == nil {
				_ = snapshot.Close()
			}
			h.t.Fatalf("Get(%s): got error %v, want %v", key, err, ErrNotFound)
		}
	}
}

func (h *harness) wantSize(want int64) {
	h.t.Helper()
	size, err := h.store.Size()
	h.ok(err)
	if size != want {
		h.t.Fatalf("got size %d, want %d", size, want)
	}
}

func (h *harness) remove(key string) {
	h.t.Helper()
	there, err := h.store.Remove(key)
	h.ok(err)
	if !there {
		h.t.Fatalf("Remove(%s): got false, want true", key)
	}
}

// cleanup runs what was scheduled and reports whether there was something.
func (h *harness) cleanup() bool {
	jobs := h.jobs
	h.jobs = nil
	for _, job := range jobs {
		job()
	}
	return len(jobs) > 0
}

// header is what the journals of the tests start with.
const header = "libcore.io.DiskLruCache\n1\n100\n2\n\n"

// wantJournal fails the test unless the journal on the disk has these records.
func (h *harness) wantJournal(records ...string) {
	h.t.Helper()
	want := header
	for _, r := range records {
		want += r + "\n"
	}
	if have := h.readFile("journal"); have != want {
		h.t.Fatalf("got journal\n%s\nwant\n%s", have, want)
	}
}

// journal writes a journal of records.
func (h *harness) journal(records ...string) {
	h.t.Helper()
	h.writeFile("journal", header+strings.Join(append(records, ""), "\n"))
}

func (h *harness) writeFile(name, text string) {
	h.t.Helper()
	p := h.dir.Join(name)
	parent, _ := p.Parent()
	h.ok(okio.CreateDirectories(h.fs, parent, 0))
	k, err := h.fs.Sink(p, 0)
	h.ok(err)
	h.ok(k.WriteBuffer(okio.NewBufferString(text), int64(len(text))))
	h.ok(k.Close())
}

func (h *harness) readFile(name string) string {
	h.t.Helper()
	src, err := h.fs.Source(h.dir.Join(name))
	h.ok(err)
	defer src.Close()
	return h.text(src)
}

func (h *harness) exists(name string) bool {
	_, err := h.fs.Metadata(h.dir.Join(name))
	return err == nil
}

func (h *harness) wantExists(want bool, names ...string) {
	h.t.Helper()
	for _, name := range names {
		if h.exists(name) != want {
			h.t.Fatalf("%s exists: got %v, want %v; there are %v", name, !want, want, h.fs.AllPaths())
		}
	}
}

// faults makes operations fail: the keys are an operation and a name in the directory, as in "delete a.0".
func (h *harness) faults(faulty ...string) {
	h.fs.SetFault(func(op okio.FakeOp) error {
		for _, f := range faulty {
			name, file, _ := strings.Cut(f, " ")
			if op.Name == name && (op.Path == h.dir.Join(file) || op.Target == h.dir.Join(file)) {
				return fmt.Errorf("faulty %s", f)
			}
		}
		return nil
	})
}
