package disklru

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// Many goroutines do everything at once: nobody sees a mixture, files are all closed in the end, and the size is that of the files.
func TestConcurrentUse(t *testing.T) {
	for _, sync := range []bool{false, true} {
		for name, emulate := range map[string]func(*okio.FakeFileSystem){
			"unix": (*okio.FakeFileSystem).EmulateUnix, "windows": (*okio.FakeFileSystem).EmulateWindows,
		} {
			t.Run(fmt.Sprintf("%s sync %v", name, sync), func(t *testing.T) { testConcurrentUse(t, emulate, sync) })
		}
	}
}

func testConcurrentUse(t *testing.T, emulate func(*okio.FakeFileSystem), durable bool) {
	fs := &okio.FakeFileSystem{}
	emulate(fs)
	dir := fs.WorkingDirectory().Join("cache")
	options := Options{FileSystem: fs, AppVersion: 1, ValueCount: 2, MaxSize: 4000, Sync: durable, Logger: slog.New(slog.DiscardHandler)}
	store, err := Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	var users sync.WaitGroup
	for u := range uint64(8) {
		users.Go(func() {
			random := rand.New(rand.NewPCG(u, 0))
			for n := range 400 {
				key := fmt.Sprint("k", random.IntN(12))
				switch random.IntN(20) {
				case 0:
					if _, err := store.Remove(key); err != nil {
						t.Error(err)
					}
				case 1:
					if err := store.Flush(); err != nil {
						t.Error(err)
					}
				case 2:
					if random.IntN(10) == 0 {
						if err := store.EvictAll(); err != nil {
							t.Error(err)
						}
					}
				case 3:
					it := store.Snapshots()
					for it.Next() {
						checkPair(t, it.Snapshot())
					}
					if it.Err() != nil {
						t.Error(it.Err())
					}
					_ = it.Close()
				case 4, 5, 6, 7, 8:
					writePair(t, store, key, fmt.Sprintf("%d of %d", n, u), random.IntN(5) == 0)
				default:
					snapshot, err := store.Get(key)
					if err != nil {
						if !errors.Is(err, ErrNotFound) {
							t.Error(err)
						}
						continue
					}
					checkPair(t, snapshot)
					_ = snapshot.Close()
				}
			}
		})
	}
	users.Wait()
	if err := store.Flush(); err != nil {
		t.Error(err)
	}
	size, err := store.Size()
	if err != nil || size > 4000 || size < 0 {
		t.Errorf("size %d, %v", size, err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	func() { // behind a cleanup that still runs
		store.mu.Lock()
		defer store.mu.Unlock()
	}()
	if err := fs.CheckNoOpenFiles(); err != nil {
		t.Error(err)
	}
	var files int64
	for _, p := range fs.AllPaths() {
		if name := p.Name(); strings.HasPrefix(name, "k") {
			m, err := fs.Metadata(p)
			if err != nil {
				t.Fatal(err)
			}
			files += m.Size
		}
	}
	if files != size {
		t.Errorf("files of %d bytes, size %d", files, size)
	}
	store, err = Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if again, err := store.Size(); err != nil || again != size {
		t.Errorf("size %d after reopening, %v, want %d", again, err, size)
	}
}

// writePair writes the same text into both values, in pieces.
func writePair(t *testing.T, store *Store, key, text string, abort bool) {
	editor, err := store.Edit(key)
	if refused := (*RefusedError)(nil); errors.As(err, &refused) {
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	for i := range 2 {
		k, err := editor.Sink(i)
		if err != nil {
			t.Error(err)
			continue
		}
		for range 20 {
			if err := k.WriteBuffer(okio.NewBufferString(text), int64(len(text))); err != nil {
				t.Error(err)
			}
		}
		if i == 0 {
			_ = k.Close()
		}
	}
	end := editor.Commit
	if abort {
		end = editor.Abort
	}
	lost := (*NotStoredError)(nil)
	if err := end(); err != nil && !errors.As(err, &lost) {
		t.Error(err)
	}
}

func checkPair(t *testing.T, snapshot *Snapshot) {
	first, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(0)))
	if err != nil {
		t.Error(err)
	}
	second, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(1)))
	if err != nil {
		t.Error(err)
	}
	if string(first) != string(second) || len(first) == 0 || int64(len(first)) != snapshot.Length(0) {
		t.Errorf("%s has %q and %q", snapshot.Key(), first, second)
	}
}
