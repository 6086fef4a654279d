package disklru

import (
	"io"
	"log/slog"
	"sync"

	"github.com/okhttp-go/ok/okio"
)

// A Store keeps entries in the files of a directory, up to a size: entries that were not used for longest go first. Each entry has a key and the same
// number of values. It is safe for concurrent use.
type Store struct {
	fs         okio.FileSystem
	dir        okio.Path
	appVersion int
	valueCount int
	durable    bool
	memory     int64
	logger     *slog.Logger
	schedule   func(job func())

	journalPath, tmpPath, bkpPath okio.Path

	mu sync.Mutex

	lock    io.Closer // of the directory, nil where there is none
	warning string    // for the logger, as soon as the mutex is free

	// What the journal tells, see reset.
	entries   *entryMap
	size      int64
	redundant int // records of the journal that tell nothing any more
	kept      keptValues

	maxSize      int64
	nextSequence int64
	civilized    bool // open files can be deleted
	initialized  bool
	closed       bool

	journal       *journalWriter // nil before the store is open, after Close, and while no journal can be written
	journalFailed bool           // writing to it did
	trimFailed    bool
	rebuildFailed bool
	cleaning      bool // the cleanup is scheduled
	strays        bool // there may be files that the journal does not know
	unwiped       bool // a corrupt directory could not be emptied
}

// reset makes s a store without entries.
func (s *Store) reset() {
	s.entries = newEntryMap()
	s.size, s.redundant = 0, 0
	s.kept = keptValues{}
	s.journalFailed, s.trimFailed, s.rebuildFailed, s.strays = false, false, false, false
}

func (s *Store) newEntry(key string) *entry {
	return &entry{key: key, lengths: make([]int64, s.valueCount)}
}

// unlock gives the mutex back and tells the logger what happened: it may be code that uses the store.
func (s *Store) unlock() {
	warning := s.warning
	s.warning = ""
	s.mu.Unlock()
	if warning != "" {
		s.logger.Warn(warning)
	}
}

// Directory returns the directory of the store.
func (s *Store) Directory() okio.Path { return s.dir }

// ready opens the store for an operation on a key.
func (s *Store) ready(key string) error {
	if err := s.initialize(); err != nil {
		return err
	}
	if !validKey(key) {
		return &KeyError{key}
	}
	return nil
}

// MaxSize returns how many bytes the values of all entries may have together.
func (s *Store) MaxSize() int64 {
	s.mu.Lock()
	defer s.unlock()
	return s.maxSize
}

// SetMaxSize sets how many bytes the values of all entries may have together, at least 1. It is a soft limit: an entry is evicted after the commit that exceeds
// it, in the background, so that the size is above the limit for that long; an entry that is larger is evicted at once, and all others before it.
func (s *Store) SetMaxSize(n int64) error {
	if n <= 0 {
		return &ArgumentError{"maxSize <= 0"}
	}
	s.mu.Lock()
	defer s.unlock()
	s.maxSize = n
	if s.initialized && !s.closed {
		s.scheduleCleanup()
	}
	return nil
}

// Size returns how many bytes the values of all entries have together. Values that are being written do not count until they are committed, and the files of
// the journal never. A store that is closed tells what it was.
func (s *Store) Size() (int64, error) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return s.size, nil
	}
	if err := s.initialize(); err != nil {
		return 0, err
	}
	return s.size, nil
}

// IsClosed reports whether Close was called.
func (s *Store) IsClosed() bool {
	s.mu.Lock()
	defer s.unlock()
	return s.closed
}

// Flush evicts what exceeds the maximal size and hands the journal over to the file system, with [Options.Sync] to the disk. It does nothing before the
// first operation.
func (s *Store) Flush() error {
	s.mu.Lock()
	defer s.unlock()
	switch {
	case !s.initialized:
		return nil
	case s.closed:
		return ErrClosed
	}
	if err := s.trim(); err != nil {
		return err
	}
	if s.journal == nil {
		return nil
	}
	if err := s.journal.flush(); err != nil {
		s.journalFault(err)
		return err
	}
	return s.syncJournal()
}

// Close aborts the edits that are under way, evicts what exceeds the maximal size and closes the files of the store. What was committed stays in the
// directory. Snapshots can still be read, and must be closed. It returns what went wrong in evicting; the store is closed all the same. A second call
// does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.unlock()
	return s.close()
}

func (s *Store) close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	defer s.unlockDirectory()
	if !s.initialized {
		return nil
	}
	for _, e := range s.entries.all() {
		if e.editor != nil {
			e.editor.detach(nil)
		}
	}
	err := s.trim()
	s.dropJournal()
	return err
}

// Delete closes the store and deletes everything in its directory, whoever made it.
func (s *Store) Delete() error {
	s.mu.Lock()
	defer s.unlock()
	lock := s.lock
	s.lock = nil
	_ = s.close() // what could not be evicted goes now
	err := s.deleteContents()
	if lock != nil {
		_ = s.fs.Delete(s.dir.Join(lockName), 0) // where open files cannot be deleted it stays, and is of use to the next store
		_ = lock.Close()                         // nothing was written
	}
	return err
}

// EvictAll removes all entries. Edits that are under way will store nothing. It goes on after an entry that cannot be removed and returns the first error.
func (s *Store) EvictAll() error {
	s.mu.Lock()
	if err := s.initialize(); err != nil {
		s.unlock()
		return err
	}
	all := s.entries.all()
	s.unlock()

	var first error
	for _, e := range all {
		if err := s.evict(e); err != nil && first == nil {
			first = err
		}
	}
	s.mu.Lock()
	defer s.unlock()
	if first == nil {
		s.trimFailed = false
	}
	_ = s.syncJournal() // a journal that cannot be written is made anew
	return first
}

// evict removes an entry if it is still there. Others get a turn between two of them.
func (s *Store) evict(e *entry) error {
	s.mu.Lock()
	defer s.unlock()
	if s.closed || s.entries.byKey[e.key] != e {
		return nil
	}
	return s.removeEntry(e)
}
