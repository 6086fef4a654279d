package disklru

import (
	"errors"
	"io/fs"

	"github.com/okhttp-go/ok/okio"
)

// lockName is the file whose lock says that a store has the directory. No value has that name, and nobody reads it.
const lockName = "journal.lock"

// A LockedError reports that another store has the directory, in this process or in another one. The next operation tries again.
type LockedError struct {
	Directory okio.Path
}

// Error names the directory.
func (e *LockedError) Error() string {
	return "disklru: " + e.Directory.String() + " is in use by another cache; each needs a directory of its own"
}

// Is makes it an [okio.ErrLocked].
func (e *LockedError) Is(target error) bool { return target == okio.ErrLocked }

// lockDirectory takes the directory for this store, and creates it. Where files cannot be locked it is up to the user that nobody else has it.
func (s *Store) lockDirectory() error {
	if s.lock != nil {
		return nil
	}
	path := s.dir.Join(lockName)
	if m, err := s.metadata(path); err == nil && m != nil && !m.Regular {
		if err := s.deleteValue(path); err != nil {
			return err
		}
	}
	lock, err := okio.LockFile(s.fs, path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.createDirectory(); err != nil {
			return err
		}
		lock, err = okio.LockFile(s.fs, path)
	}
	switch {
	case errors.Is(err, okio.ErrLocked):
		return &LockedError{s.dir}
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return err
	}
	s.lock = lock
	return nil
}

// unlockDirectory leaves the directory to others.
func (s *Store) unlockDirectory() {
	if s.lock != nil {
		_ = s.lock.Close() // nothing was written
		s.lock = nil
	}
}

// restoreDirectory makes up for somebody who deleted the directory while the store is open, its journal and lock with it.
func (s *Store) restoreDirectory() error {
	s.unlockDirectory()
	err := s.createDirectory()
	if err == nil {
		err = s.lockDirectory()
	}
	if err == nil {
		return s.renewJournal()
	}
	// Somebody else may have it now. The next operation finds out.
	for _, e := range s.entries.all() {
		if e.editor != nil {
			e.editor.detach(err)
		}
	}
	s.dropJournal()
	s.initialized = false
	return err
}
