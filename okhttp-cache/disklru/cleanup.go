package disklru

// scheduleCleanup lets the cleanup run on a goroutine of its own, unless it is going to already.
func (s *Store) scheduleCleanup() {
	if !s.cleaning {
		s.cleaning = true
		s.schedule(s.cleanup)
	}
}

// cleanup gets the size below its limit and the journal rid of superfluous records. What fails is tried again by the next cleanup.
func (s *Store) cleanup() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleaning = false
	if err := s.trimInTurns(); err != nil {
		s.trimFailed = true
	}
	if s.initialized && !s.closed && s.rebuildDue() {
		_ = s.renewJournal() // edits are refused, and each schedules another cleanup
	}
	if s.strays {
		s.strays = false
		s.sweep()
	}
}

// trim evicts entries until the size is within its limit.
func (s *Store) trim() error {
	for {
		more, err := s.evictOldest()
		if !more {
			return err
		}
	}
}

// catchUp evicts what exceeded the limit before e was committed, if the cleanup has not come to it: so the store is never above the limit by more than
// one entry, however many write at a time.
func (s *Store) catchUp(e *entry) {
	var own int64
	for _, n := range e.lengths {
		own += n
	}
	for s.size-own > s.maxSize && !s.trimFailed {
		more, err := s.evictOldest()
		if err != nil {
			s.trimFailed = true
		}
		if !more {
			return
		}
	}
}

// trimInTurns is trim for the background: between two entries others get the lock.
func (s *Store) trimInTurns() error {
	for s.initialized && !s.closed {
		more, err := s.evictOldest()
		if !more {
			return err
		}
		s.mu.Unlock()
		s.mu.Lock()
	}
	return nil
}

// evictOldest removes the entry that was not used for longest if the size exceeds its limit, and reports whether it did.
func (s *Store) evictOldest() (more bool, err error) {
	if s.size > s.maxSize {
		for e := s.entries.next(nil); e != nil; e = s.entries.next(e) {
			if !e.zombie {
				err := s.removeEntry(e)
				return err == nil, err
			}
		}
	}
	s.trimFailed = false
	return false, nil
}
