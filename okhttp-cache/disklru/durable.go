package disklru

import (
	"errors"

	"github.com/okhttp-go/ok/okio"
)

// What Options.Sync does is here. The order of an edit is: DIRTY is on the disk before its files are created; their contents are before they get
// their places; these are before CLEAN is written; that is before Commit returns. So no loss of power leaves a CLEAN that speaks of other files.
//
// The disk is not waited for under the lock of the store.

// unlocked runs f without the lock.
func (s *Store) unlocked(f func() error) error {
	s.mu.Unlock()
	defer s.mu.Lock()
	return f()
}

// syncJournal returns when all records are on the disk. It gives the lock up meanwhile.
func (s *Store) syncJournal() error {
	journal := s.journal
	switch {
	case !s.durable:
		return nil
	case journal == nil:
		return errNoJournal
	}
	s.journalFault(journal.flush())
	if s.journalFailed {
		return errNoJournal
	}
	if err := s.unlocked(journal.handle.Sync); err != nil && s.journal == journal {
		s.journalFault(err)
		return err
	}
	return nil // a journal that took the place of this one was synced as a whole
}

var errNoJournal = errors.New("the journal cannot be written")

// completeDurably goes on with an edit whose values have their places.
func (s *Store) completeDurably(d *Editor) error {
	e := d.entry
	d.published = true
	err := s.unlocked(s.syncDirectory)
	if !d.attached() {
		return &NotStoredError{e.key, d.err}
	}
	if err != nil || e.zombie {
		e.broken = true
		s.settle(d, false)
		return &NotStoredError{e.key, err}
	}
	s.settle(d, true)
	if err := s.syncJournal(); err != nil {
		return &NotStoredError{e.key, err}
	}
	return nil
}

// syncDirectory returns when what was moved in the directory is so on the disk.
func (s *Store) syncDirectory() error {
	if !s.durable {
		return nil
	}
	err := okio.SyncDirectory(s.fs, s.dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // where that is so, files are moved in order
	}
	return err
}

// createDirectory creates the directory and those above.
func (s *Store) createDirectory() error {
	if err := okio.CreateDirectories(s.fs, s.dir, 0); err != nil || !s.durable {
		return err
	}
	dir := s.dir
	for parent, ok := dir.Parent(); ok; parent, ok = dir.Parent() {
		if okio.SyncDirectory(s.fs, parent) != nil {
			return nil // those further up were not made by us
		}
		dir = parent
	}
	return nil
}
