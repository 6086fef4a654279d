package okcache

import (
	"iter"
	"log/slog"

	"github.com/okhttp-go/ok/okhttp-cache/disklru"
	"github.com/okhttp-go/ok/okio"
)

// DiskConfig is what a store on a disk may be told. The zero value will do.
type DiskConfig struct {
	// FileSystem is where the directory is; nil means the host's.
	FileSystem okio.FileSystem
	// Sync makes what is stored survive a loss of power, and keeps one from mixing two responses, at the cost of forced writes. See package
	// disklru for what a loss of power can do without it.
	Sync bool
	// Memory is how many bytes of small files, mostly heads of responses, are kept in memory as well, so that they need not be opened again as long as they have not
	// changed. 0 means 1 MiB for the host's files and none for others; a negative number means none.
	Memory int64
	// Logger is told when a directory is corrupt and emptied; nil means [slog.Default].
	Logger *slog.Logger
}

// appVersion is what OkHttp writes into the journals of its caches.
const appVersion = 201105

// NewDiskStore returns a store in a directory, in OkHttp's format, of at most maxSize bytes. It may delete anything in the directory, which no
// other process may use at the same time. It does no I/O until it is used, and fails only for a maxSize below 1. It is safe for concurrent use.
func NewDiskStore(dir string, maxSize int64, c DiskConfig) (Store, error) {
	if c.Memory == 0 && (c.FileSystem == nil || c.FileSystem == okio.OS()) {
		c.Memory = 1 << 20
	}
	s, err := disklru.New(okio.ParsePath(dir), disklru.Options{
		FileSystem: c.FileSystem, AppVersion: appVersion, ValueCount: valueCount, MaxSize: maxSize, Sync: c.Sync, Memory: c.Memory, Logger: c.Logger,
	})
	if err != nil {
		return nil, err
	}
	return diskStore{s}, nil
}

type diskStore struct{ *disklru.Store }

func (s diskStore) Get(key string) (Snapshot, error) {
	snapshot, err := s.Store.Get(key)
	if err != nil {
		return nil, err
	}
	return diskSnapshot{snapshot}, nil
}

func (s diskStore) Edit(key string) (Editor, error) { return diskEditor(s.Store.Edit(key)) }

func (s diskStore) Snapshots() iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		it := s.Store.Snapshots()
		defer it.Close()
		for it.Next() {
			if !yield(diskSnapshot{it.Snapshot()}, nil) {
				return
			}
		}
		if err := it.Err(); err != nil {
			yield(nil, err)
		}
	}
}

type diskSnapshot struct{ *disklru.Snapshot }

func (s diskSnapshot) Edit() (Editor, error) { return diskEditor(s.Snapshot.Edit()) }

// diskEditor keeps an interface from being a nil pointer.
func diskEditor(e *disklru.Editor, err error) (Editor, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}
