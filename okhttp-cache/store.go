package okcache

import (
	"io"
	"io/fs"
	"iter"
	"unsafe"

	"github.com/okhttp-go/ok/okio"
)

// A Store keeps what a [Cache] stores: entries of two values each, the head of a response (0) and its body (1), up to a size. [NewDiskStore] and
// [NewMemoryStore] make one, [Encrypted] one over another; anything else that keeps these promises will do. It is safe for concurrent use.
//
// An error of a store never fails a call: what cannot be read is a miss, and what cannot be written is not stored.
type Store interface {
	// Get returns an entry as it is now, and makes it the one used last. The snapshot must be closed. If there is no such entry the error is an
	// [fs.ErrNotExist].
	Get(key string) (Snapshot, error)

	// Edit begins to write an entry, which need not exist. Nobody sees what is written until Commit. There is one editor of an entry at a time; others
	// get an error.
	Edit(key string) (Editor, error)

	// Remove removes an entry and reports whether there was one. An edit of it that is under way stores nothing; snapshots can still be read.
	Remove(key string) (bool, error)

	// Snapshots returns the entries that are there now, the one not used for longest first. It is no use of an entry. Each snapshot is closed before the next
	// comes. An error ends it.
	Snapshots() iter.Seq2[Snapshot, error]

	// Size returns how many bytes are stored, MaxSize how many may be.
	Size() (int64, error)
	MaxSize() int64
	// SetMaxSize sets how many bytes may be stored. What is too much goes in the background.
	SetMaxSize(n int64) error

	// Flush evicts what is too much, and hands what was written over to wherever it is kept.
	Flush() error
	// EvictAll removes all entries. Edits that are under way store nothing.
	EvictAll() error
	// Close ends the use of the store. Entries stay where they are kept.
	Close() error
}

// A Snapshot is an entry at one time. Later edits do not change it. It is used by one goroutine at a time.
//
// One that has the method ReaderAt(value int) io.ReaderAt can be read at any place without reading what comes before, unless that returns nil: see
// [Config.Ranges].
type Snapshot interface {
	Key() string
	// Source returns the source of a value, the same one each time.
	Source(value int) okio.Source
	// Length returns the length of a value in bytes.
	Length(value int) int64
	// Edit begins to write the entry, unless it has changed since. What is not written stays as it is.
	Edit() (Editor, error)
	Close() error
}

type readerAtSnapshot interface{ ReaderAt(value int) io.ReaderAt }

// An Editor writes an entry. It ends with Commit or Abort. It is used by one goroutine at a time.
type Editor interface {
	// Sink returns where to write a value. It may hide its faults up to Commit.
	Sink(value int) (okio.Sink, error)
	// Commit publishes what was written; a new entry needs all of its values. It fails if nothing was stored.
	Commit() error
	// Abort drops what was written.
	Abort() error
}

// errNoEntry is the error of stores that have no such entry.
var errNoEntry error = noEntryError{}

type noEntryError struct{}

func (noEntryError) Error() string        { return "okcache: no such entry" }
func (noEntryError) Is(target error) bool { return target == fs.ErrNotExist }

// readMetadata reads the head of an entry, which is not larger than it may be.
func readMetadata(s Snapshot) (string, error) {
	n := s.Length(metadataValue)
	if n > maxMetadata {
		return "", &CorruptError{1, "it is too long"}
	}
	if s, ok := s.(readerAtSnapshot); ok {
		if at := s.ReaderAt(metadataValue); at != nil {
			return readText(at, int(n))
		}
	}
	var b okio.Buffer
	defer b.Clear()
	src := s.Source(metadataValue)
	for b.Len() < n {
		if _, err := src.ReadBuffer(&b, n-b.Len()); err != nil {
			return "", err
		}
	}
	return b.ReadText(n)
}

// readText reads n bytes in one go.
func readText(at io.ReaderAt, n int) (string, error) {
	p := make([]byte, n)
	if got, err := at.ReadAt(p, 0); got < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return "", err
	}
	return unsafe.String(unsafe.SliceData(p), n), nil // nobody else has p
}

// maxMetadata bounds the head of an entry: a client accepts no heads of responses that are nearly as large.
const maxMetadata = 16 << 20
