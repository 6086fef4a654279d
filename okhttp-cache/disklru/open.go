package disklru

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/okhttp-go/ok/okio"
)

// Initialize opens the directory, which otherwise the first operation does. A directory with a corrupt journal is emptied.
func (s *Store) Initialize() error {
	s.mu.Lock()
	defer s.unlock()
	return s.initialize()
}

// initialize opens the store unless it is open. It fails if the store is closed. If the directory cannot be opened, the next call tries again.
func (s *Store) initialize() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.initialized:
		return nil
	}
	s.reset()
	if err := s.lockDirectory(); err != nil {
		return err
	}
	if err := s.restoreBackup(); err != nil {
		return err
	}
	if err := s.probe(); err != nil {
		return err
	}
	journal, err := s.metadata(s.journalPath)
	if err != nil {
		return err
	}
	if journal != nil {
		err := s.openExisting(journal)
		if err == nil {
			s.initialized = true
			s.afterOpening()
			return nil
		}
		if !curable(err) {
			return err
		}
		s.warning = fmt.Sprintf("DiskLruCache %s is corrupt: %v, removing", s.dir, err)
		s.dropJournal()
		s.reset()
		if err := s.deleteContents(); err != nil {
			s.unwiped = true
			return err
		}
	}
	if err := s.rebuildJournal(); err != nil {
		return err
	}
	s.initialized = true
	s.strays = s.unwiped
	s.afterOpening()
	return nil
}

// restoreBackup completes a rebuild of the journal that was cut short.
func (s *Store) restoreBackup() error {
	backup, err := s.metadata(s.bkpPath)
	if backup == nil || err != nil {
		return err
	}
	journal, err := s.metadata(s.journalPath)
	switch {
	case err != nil:
		return err
	case journal != nil:
		return s.deleteValue(s.bkpPath)
	}
	return s.fs.AtomicMove(s.bkpPath, s.journalPath)
}

// probe finds out whether open files can be deleted. It creates the directory.
func (s *Store) probe() error {
	k, err := s.createSink(s.bkpPath)
	if errors.Is(err, fs.ErrNotExist) { // it was not created for the lock
		if err := s.createDirectory(); err != nil {
			return err
		}
		k, err = s.createSink(s.bkpPath)
	}
	if err != nil {
		return err
	}
	s.civilized = s.fs.Delete(s.bkpPath, okio.MustExist) == nil
	_ = k.Close() // nothing was written
	if s.civilized {
		return nil
	}
	return s.fs.Delete(s.bkpPath, 0)
}

// openExisting takes over what a journal tells.
func (s *Store) openExisting(journal *okio.Metadata) error {
	if !journal.Regular {
		return corruptError("the journal is not a regular file")
	}
	truncated, err := s.readJournal()
	if err != nil {
		return err
	}
	if truncated {
		s.strays = true
		err = s.rebuildJournal()
	} else {
		s.journal, err = s.openJournal()
	}
	if err != nil {
		s.rebuildFailed = true // the entries can be read all the same
	}
	return s.processJournal()
}

// afterOpening schedules what the last session, or the last attempt to open the directory, did not do.
func (s *Store) afterOpening() {
	if s.size > s.maxSize || s.rebuildDue() || s.strays {
		s.scheduleCleanup()
	}
}

// curable reports whether an empty directory would be better than one that cannot be opened because of err. Being short of file descriptors passes.
func curable(err error) bool {
	return !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE)
}
