package disklru

import "github.com/okhttp-go/ok/okio"

// complete ends an edit that is attached. The error says why what was to succeed did not.
func (s *Store) complete(d *Editor, success bool) error {
	if !success {
		s.settle(d, false)
		return nil
	}
	if err := s.publish(d); err != nil {
		s.settle(d, false)
		return err
	}
	if !s.durable {
		s.settle(d, true)
		return nil
	}
	return s.completeDurably(d)
}

// publish gives the values that were written their places.
func (s *Store) publish(d *Editor) error {
	e := d.entry
	if e.zombie {
		return &NotStoredError{e.key, d.err}
	}
	files, err := s.written(d)
	if err != nil {
		return err
	}
	moved := false
	for i, m := range files {
		if m == nil {
			continue
		}
		e.generation++
		s.forget(e)
		if err := s.fs.AtomicMove(s.dirtyPath(e.key, i), s.cleanPath(e.key, i)); err != nil {
			// If there are values of two edits now, the entry is none any more.
			e.broken = e.broken || moved
			return &NotStoredError{e.key, err}
		}
		moved = true
		s.size += m.Size - e.lengths[i]
		e.lengths[i] = m.Size
	}
	e.broken = false
	return nil
}

// written returns what is at the files of the values that the edit wrote, nil for others.
func (s *Store) written(d *Editor) ([]*okio.Metadata, error) {
	e := d.entry
	files := make([]*okio.Metadata, s.valueCount)
	for i, written := range d.written {
		if !written {
			if !e.readable {
				return nil, &MissingValueError{e.key, i}
			}
			continue
		}
		path := s.dirtyPath(e.key, i)
		m, err := s.metadata(path)
		switch {
		case err != nil:
			return nil, &NotStoredError{e.key, err}
		case m == nil:
			return nil, &NotStoredError{e.key, ErrNotFound}
		case !m.Regular:
			return nil, &NotStoredError{e.key, okio.ErrNotRegular}
		}
		files[i] = m
	}
	return files, nil
}

// settle leaves an edit behind: its files, if it did not succeed, the editor, and the state of the entry in the journal.
func (s *Store) settle(d *Editor, success bool) {
	e := d.entry
	d.lost.Store(true)
	if done, ok := s.reach(e); ok {
		defer done()
	} else {
		e.editor = nil
		return
	}
	if !success {
		for i, written := range d.written {
			if written {
				_ = s.deleteValue(s.dirtyPath(e.key, i)) // the next edit of the key replaces it
			}
		}
	}
	e.editor = nil
	if e.zombie || e.broken {
		e.readable = e.readable && !e.broken
		_ = s.removeEntry(e) // the journal says that the entry is not whole
		return
	}
	s.redundant++
	if success {
		e.readable = true
		e.sequence = s.nextSequence
		s.nextSequence++
	}
	if e.readable {
		s.record(opClean, e, true)
	} else {
		s.entries.remove(e)
		s.record(opRemove, e, true)
	}
	if s.size > s.maxSize || s.rebuildDue() {
		s.scheduleCleanup()
	}
	if success {
		s.catchUp(e)
	}
}
