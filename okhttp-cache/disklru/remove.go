package disklru

import (
	"errors"

	"github.com/okhttp-go/ok/okio"
)

// Remove removes an entry and reports whether there was one. An edit of it that is under way will store nothing. Snapshots of it can still be read; where open
// files cannot be deleted, its own vanish with the last of them.
func (s *Store) Remove(key string) (bool, error) {
	s.mu.Lock()
	defer s.unlock()
	if err := s.ready(key); err != nil {
		return false, err
	}
	e := s.entries.find(key)
	if e == nil {
		return false, nil
	}
	if err := s.removeEntry(e); err != nil {
		return false, err
	}
	if s.size <= s.maxSize {
		s.trimFailed = false
	}
	_ = s.syncJournal() // a journal that cannot be written is made anew
	return true, nil
}

// removeEntry deletes the files of an entry and forgets it, or lets it be a zombie until that is possible. If a file cannot be deleted, the entry stays
// with those that are left.
func (s *Store) removeEntry(e *entry) error {
	done, ok := s.reach(e)
	if !ok {
		return nil
	}
	defer done()
	if !s.civilized && (e.readers > 0 || e.editor != nil) {
		if e.readers > 0 {
			s.record(opDirty, e, true) // for the next session to remove it, if this one does not come to it
		}
		e.zombie = true
		if e.editor != nil {
			e.editor.lost.Store(true) // what it writes from now on would be for nothing
		}
		return nil
	}
	if e.editor != nil {
		e.editor.detach(nil)
	}
	s.forget(e)
	for i := range s.valueCount {
		e.generation++
		if err := s.deleteValue(s.cleanPath(e.key, i)); err != nil {
			if i > 0 {
				e.broken, e.readable = true, false // an edit of some of its values must not go with the others
			}
			return err
		}
		s.size -= e.lengths[i]
		e.lengths[i] = 0
	}
	e.readable = false
	s.redundant++
	s.record(opRemove, e, false)
	s.entries.remove(e)
	if s.rebuildDue() {
		s.scheduleCleanup()
	}
	return nil
}

// reach reports whether the files with the key of e are those of e. They are not if the directory was opened anew since, or if the store is closed and
// another one has it. The function returned is to be called when the files are not needed any more.
func (s *Store) reach(e *entry) (done func(), ok bool) {
	if s.entries.byKey[e.key] != e {
		return nil, false
	}
	if !s.closed || s.lock != nil {
		return func() {}, true
	}
	lock, err := okio.LockFile(s.fs, s.dir.Join(lockName))
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return func() {}, true
	case err != nil:
		return nil, false
	}
	return func() { _ = lock.Close() }, true // nothing was written
}
