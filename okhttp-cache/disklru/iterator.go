package disklru

import "errors"

// An Iterator goes over the entries that were there when it was made, the one not used for longest first. Entries that were added since are not seen, those
// that were edited are seen as they are now, those that were removed are skipped, and so are those without a committed value. Iterating is no use of an
// entry: the order stays what it is.
//
//	it := store.Snapshots()
//	defer it.Close()
//	for it.Next() {
//		fmt.Println(it.Snapshot().Key())
//	}
//	return it.Err()
//
// It is used by one goroutine at a time.
type Iterator struct {
	store     *Store
	rest      []*entry
	snapshot  *Snapshot
	removable bool
	err       error
}

// Snapshots returns an iterator over the entries. It must be closed.
func (s *Store) Snapshots() *Iterator {
	s.mu.Lock()
	defer s.unlock()
	it := &Iterator{store: s}
	if it.err = s.initialize(); it.err == nil {
		it.rest = s.entries.all()
	}
	return it
}

// Next goes to the next entry and reports whether there is one. It closes the snapshot of the one before. It reports false as soon as the store is closed.
func (it *Iterator) Next() bool {
	it.release()
	s := it.store
	s.mu.Lock()
	defer s.unlock()
	for len(it.rest) > 0 && !s.closed && it.err == nil {
		e := it.rest[0]
		it.rest = it.rest[1:]
		snapshot, err := s.snapshot(e)
		switch {
		case err == nil:
			it.snapshot, it.removable = snapshot, true
			return true
		case errors.Is(err, ErrClosed):
			return false
		case err != ErrNotFound:
			it.err = err
		}
	}
	return false
}

// Snapshot returns the entry that Next went to, nil if there is none. It is closed by the next call of Next or Close.
func (it *Iterator) Snapshot() *Snapshot { return it.snapshot }

// Remove removes the entry that Next went to, whatever became of it since. Before Next, and a second time after it, that is an
// [ErrRemoveBeforeNext]. It does not tell whether files could be deleted.
func (it *Iterator) Remove() error {
	if !it.removable {
		return ErrRemoveBeforeNext
	}
	it.removable = false
	_, _ = it.store.Remove(it.snapshot.Key())
	return nil
}

// Err returns what ended the iteration before its end. That the store was closed is no error.
func (it *Iterator) Err() error { return it.err }

// Close closes the present snapshot and ends the iteration. A second call does nothing.
func (it *Iterator) Close() error {
	it.release()
	it.rest = nil
	return nil
}

func (it *Iterator) release() {
	if it.snapshot != nil {
		_ = it.snapshot.Close() // it does not fail
		it.snapshot, it.removable = nil, false
	}
}
