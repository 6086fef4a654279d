package disklru

// anySequence lets an entry be edited whatever its state.
const anySequence = -1

// Edit begins to write the values of an entry, which need not exist. Until [Editor.Commit] nobody sees what is written. There is one editor of
// an entry at a time. It fails with a [*RefusedError] if the entry cannot be edited now.
func (s *Store) Edit(key string) (*Editor, error) { return s.edit(key, anySequence) }

func (s *Store) edit(key string, sequence int64) (*Editor, error) {
	s.mu.Lock()
	defer s.unlock()
	if err := s.ready(key); err != nil {
		return nil, err
	}
	e := s.entries.find(key)
	if reason := s.refusal(e, sequence); reason != 0 {
		return nil, &RefusedError{key, reason}
	}
	isNew := e == nil
	if isNew {
		e = s.newEntry(key)
	}
	// Before there are files of the edit the journal tells of it, so that no file is ever forgotten.
	s.record(opDirty, e, true)
	if s.journalFailed {
		return nil, &RefusedError{key, JournalFailed}
	}
	if isNew {
		s.entries.add(e)
	}
	d := &Editor{store: s, entry: e, written: make([]bool, s.valueCount), sinks: make([]*valueSink, s.valueCount)}
	e.editor = d
	if s.durable {
		if err := s.syncJournal(); err != nil {
			if d.attached() {
				s.settle(d, false)
			}
			return nil, &RefusedError{key, JournalFailed}
		}
	}
	return d, nil
}

// refusal says why an entry cannot be edited, 0 if it can. There may be no entry.
func (s *Store) refusal(e *entry, sequence int64) RefusedReason {
	switch {
	case sequence != anySequence && (e == nil || e.sequence != sequence):
		return Stale
	case e != nil && e.editor != nil:
		return Editing
	case e != nil && e.readers > 0:
		return Reading
	case s.trimFailed || s.rebuildFailed:
		s.scheduleCleanup()
		return CleanupFailed
	}
	return 0
}
