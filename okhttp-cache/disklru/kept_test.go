package disklru

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// onKeeping runs a test in a bubble, with a store that may keep so many bytes.
func onKeeping(t *testing.T, memory int64, test func(h *harness, opened func() string)) {
	synctest.Test(t, func(t *testing.T) {
		h := onUnix(t)
		h.options.Memory = memory
		h.newStore()
		var log []string
		h.fs.SetFault(func(op okio.FakeOp) error {
			if op.Name == "openReadOnly" {
				log = append(log, op.Path.Name())
			}
			return nil
		})
		test(h, func() string {
			names := strings.Join(log, " ")
			log = nil
			return names
		})
	})
}

func wantOpened(t *testing.T, opened func() string, want string) {
	t.Helper()
	if got := opened(); got != want {
		t.Errorf("opened %q, want %q", got, want)
	}
}

// What was read is not opened again, once a change of it would show.
func TestKept(t *testing.T) {
	onKeeping(t, 100, func(h *harness, opened func() string) {
		h.set("k", "head", "body")
		h.want("k", "head", "body")
		h.want("k", "head", "body")
		wantOpened(h.t, opened, "k.0 k.1 k.0 k.1") // another change could have the same time
		time.Sleep(time.Minute)
		h.want("k", "head", "body")
		wantOpened(h.t, opened, "k.0 k.1")
		snapshot := h.get("k")
		var p [6]byte
		if n, err := snapshot.ReaderAt(1).ReadAt(p[:], 2); n != 2 || err == nil || string(p[:n]) != "dy" {
			h.t.Errorf("%d, %v, %q", n, err, p)
		}
		h.wantValues(snapshot, "head", "body")
		h.ok(snapshot.Close())
		wantOpened(h.t, opened, "")

		h.set("k", "HEAD", "BODY")
		h.want("k", "HEAD", "BODY")
		time.Sleep(time.Minute)
		h.want("k", "HEAD", "BODY")
		h.want("k", "HEAD", "BODY")
		wantOpened(h.t, opened, "k.0 k.1 k.0 k.1")
	})
}

// A snapshot shows what it was made of, whatever becomes of the entry.
func TestKeptSnapshot(t *testing.T) {
	onKeeping(t, 100, func(h *harness, _ func() string) {
		h.set("k", "head", "body")
		time.Sleep(time.Minute)
		h.want("k", "head", "body")
		snapshot := h.get("k")
		h.set("k", "HEAD", "BODY")
		h.wantValues(snapshot, "head", "body")
		h.ok(snapshot.Close())
		if _, err := snapshot.Source(0).ReadBuffer(new(okio.Buffer), 1); err != okio.ErrClosed {
			h.t.Error(err)
		}
		h.want("k", "HEAD", "BODY")
	})
}

// What somebody else does to the files is seen as it is without memory.
func TestKeptAndChanged(t *testing.T) {
	for name, change := range map[string]func(h *harness, p okio.Path) error{
		"deleted": func(h *harness, p okio.Path) error { return h.fs.Delete(p, 0) },
		"cut":     func(h *harness, p okio.Path) error { return putText(h.fs, p, "h") },
		"other":   func(h *harness, p okio.Path) error { return putText(h.fs, p, "HEAD") },
	} {
		t.Run(name, func(t *testing.T) {
			onKeeping(t, 100, func(h *harness, _ func() string) {
				h.set("k", "head", "body")
				time.Sleep(time.Minute)
				h.want("k", "head", "body")
				h.ok(change(h, h.store.cleanPath("k", 0)))
				if name == "other" {
					h.want("k", "HEAD", "body")
					return
				}
				h.wantAbsent("k")
				h.wantSize(0)
			})
		})
	}
}

// A file that takes the place of an open one is not what is read through that, however old its time is.
func TestKeptAndReplacedWhileOpen(t *testing.T) {
	onKeeping(t, 100, func(h *harness, _ func() string) {
		h.set("k", "head", "body")
		time.Sleep(time.Minute)
		other := h.dir.Join("other")
		h.ok(putText(h.fs, other, "HEAD"))
		time.Sleep(time.Minute)
		snapshot := h.get("k")
		h.ok(h.fs.AtomicMove(other, h.store.cleanPath("k", 0)))
		h.wantValues(snapshot, "head", "body")
		h.ok(snapshot.Close())
		h.want("k", "HEAD", "body")
		h.want("k", "HEAD", "body")
	})
}

// Who opens a file while the store is opened anew has an entry of before.
func TestOpenedAnewMeanwhile(t *testing.T) {
	h := onUnix(t)
	h.set("k", "head", "body")
	once := true
	h.fs.SetFault(func(op okio.FakeOp) error {
		if op.Name == "openReadOnly" && op.Path.Name() == "k.0" && once {
			once = false
			h.store.mu.Lock() // which Get has given up
			h.store.dropJournal()
			h.store.initialized = false // as after a directory that was deleted could not be made again
			h.store.mu.Unlock()
			return h.store.Initialize()
		}
		return nil
	})
	h.wantAbsent("k")
	if once || h.store.entries.len() != 1 || len(h.store.entries.all()) != 1 {
		t.Errorf("%d entries, %d in order", h.store.entries.len(), len(h.store.entries.all()))
	}
	h.want("k", "head", "body")
}

// putText writes a file, over one that is there.
func putText(fs okio.FileSystem, p okio.Path, text string) error {
	k, err := fs.Sink(p, 0)
	if err != nil {
		return err
	}
	defer k.Close()
	return k.WriteBuffer(okio.NewBufferString(text), int64(len(text)))
}

// The memory is bounded, and what is removed takes none.
func TestKeptIsBounded(t *testing.T) {
	onKeeping(t, 20, func(h *harness, opened func() string) {
		for i := range 4 {
			h.set(fmt.Sprint("k", i), "head", "body")
		}
		h.set("long", strings.Repeat("x", 21), strings.Repeat("x", maxKept+1))
		time.Sleep(time.Minute)
		for i := range 4 {
			h.want(fmt.Sprint("k", i), "head", "body")
		}
		h.want("long", strings.Repeat("x", 21), strings.Repeat("x", maxKept+1))
		opened()
		h.want("k3", "head", "body")
		wantOpened(h.t, opened, "")
		h.want("k0", "head", "body")
		wantOpened(h.t, opened, "k0.0 k0.1")
		if h.store.kept.size > 20 {
			h.t.Errorf("%d bytes", h.store.kept.size)
		}
		h.ok(h.store.EvictAll())
		if h.store.kept.size != 0 || h.store.kept.order.Len() != 0 {
			h.t.Errorf("%d bytes of %d entries", h.store.kept.size, h.store.kept.order.Len())
		}
	})
}
