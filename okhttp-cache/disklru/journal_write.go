package disklru

import "github.com/okhttp-go/ok/okio"

// A journalWriter appends records. After a failure it drops what it is given, so that nothing follows half a line.
type journalWriter struct {
	sink   *okio.BufferedSink
	handle *okio.FileHandle // nil if it is not to be synced
	line   []byte
}

// openJournal opens the journal to append to it.
func (s *Store) openJournal() (*journalWriter, error) {
	if !s.durable {
		sink, err := s.fs.Appending(s.journalPath, 0)
		if err != nil {
			return nil, err
		}
		return &journalWriter{sink: okio.NewBufferedSink(sink)}, nil
	}
	handle, err := s.fs.OpenReadWrite(s.journalPath, 0)
	if err != nil {
		return nil, err
	}
	sink, err := handle.Appending()
	if err != nil {
		_ = handle.Close() // nothing was written
		return nil, err
	}
	return &journalWriter{sink: okio.NewBufferedSink(sink), handle: handle}, nil
}

func (w *journalWriter) write(op operation, key string, lengths []int64, flush bool) error {
	w.line = appendRecord(w.line[:0], op, key, lengths)
	if _, err := w.sink.Write(w.line); err != nil {
		return err
	}
	if flush {
		return w.sink.Flush()
	}
	return nil
}

func (w *journalWriter) flush() error { return w.sink.Flush() }

func (w *journalWriter) close() error {
	err := w.sink.Close()
	if w.handle != nil {
		if closeErr := w.handle.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}

// record appends a record to the journal. If that fails the store refuses edits until there is a new journal, which it begins to make.
func (s *Store) record(op operation, e *entry, flush bool) {
	if s.journal == nil {
		return // rebuilding it failed
	}
	var lengths []int64
	if op == opClean {
		lengths = e.lengths
	}
	s.journalFault(s.journal.write(op, e.key, lengths, flush))
}

func (s *Store) journalFault(err error) {
	if err != nil {
		s.journalFailed = true
		s.scheduleCleanup()
	}
}

// dropJournal closes the journal. Until there is another, records are dropped.
func (s *Store) dropJournal() {
	if s.journal != nil {
		_ = s.journal.close() // who needs what was not flushed makes another one
		s.journal = nil
	}
}

// rebuildThreshold is how many records at least must be superfluous before the journal is written anew.
const rebuildThreshold = 2000

func (s *Store) rebuildDue() bool {
	return s.journalFailed || s.rebuildFailed || s.redundant >= rebuildThreshold && s.redundant >= s.entries.len()
}

// renewJournal is rebuildJournal for a store that is open. If it fails, edits are refused until it succeeds.
func (s *Store) renewJournal() error {
	if err := s.rebuildJournal(); err != nil {
		s.rebuildFailed = true
		s.dropJournal()
		return err
	}
	s.redundant = 0
	return nil
}

// rebuildJournal writes a journal of the present entries, in the order of use.
func (s *Store) rebuildJournal() error {
	s.dropJournal() // what it could not write is in the new one
	if err := s.writeJournal(); err != nil {
		return err
	}
	m, err := s.metadata(s.journalPath)
	if err != nil {
		return err
	}
	if m != nil {
		if err := s.fs.AtomicMove(s.journalPath, s.bkpPath); err != nil {
			return err
		}
	}
	if err := s.fs.AtomicMove(s.tmpPath, s.journalPath); err != nil {
		return err
	}
	if m != nil {
		if err := s.fs.Delete(s.bkpPath, 0); err != nil {
			return err
		}
	}
	if err := s.syncDirectory(); err != nil {
		return err
	}
	journal, err := s.openJournal()
	if err != nil {
		return err
	}
	s.journal = journal
	s.journalFailed, s.rebuildFailed = false, false
	return nil
}

// writeJournal writes journal.tmp.
func (s *Store) writeJournal() (err error) {
	var k okio.Sink
	if s.durable {
		var handle *okio.FileHandle
		if handle, err = s.createHandle(s.tmpPath); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = handle.Sync()
			}
			if closeErr := handle.Close(); err == nil {
				err = closeErr
			}
		}()
		k, err = handle.Sink(0)
	} else {
		k, err = s.createSink(s.tmpPath)
	}
	if err != nil {
		return err
	}
	sink := okio.NewBufferedSink(k)
	defer func() {
		if closeErr := sink.Close(); err == nil {
			err = closeErr
		}
	}()
	line := appendHeader(nil, s.appVersion, s.valueCount)
	for e := s.entries.next(nil); ; e = s.entries.next(e) {
		if _, err := sink.Write(line); err != nil || e == nil {
			return err
		}
		if e.editor != nil || e.dirty || e.broken || e.zombie {
			line = appendRecord(line[:0], opDirty, e.key, nil)
		} else {
			line = appendRecord(line[:0], opClean, e.key, e.lengths)
		}
	}
}
