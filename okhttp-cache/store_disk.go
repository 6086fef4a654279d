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
	// Sync makes what is stored outlast a loss of power, and makes sure that one does not mix two responses, at the cost of forced writes. See package
	// disklru for what a loss of power can do without it.
	Sync bool
	// Memory is how many bytes of small files are in memory as well, the heads of responses above all: what was used before is then answered without opening
	// them, as long as they are what they were. 0 means 1 MiB for the host's files and none for others, and a negative number none.
	Memory int64
	// Logger is told when a directory is corrupt and emptied; nil means [slog.Default].
	Logger *slog.Logger
}

// appVersion is what OkHttp writes into the journals of its caches.
const appVersion = 201105

// NewDiskStore returns a store in a directory, which it may delete anything in and which no other process may use at the same time. Its format is that of
// OkHttp: each can read what the other wrote. It does no I/O before it is used. It fails only for a maximal size below 1.
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
