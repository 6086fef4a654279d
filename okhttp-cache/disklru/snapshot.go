package disklru

import (
	"errors"
	"io"
	"io/fs"

	"github.com/okhttp-go/ok/okio"
)

// Get returns a snapshot of the entry and makes it the one used last. It must be closed. If there is no entry, or none that can be read, it fails with
// [ErrNotFound]. So does an entry of which a file is absent, or has another length than was written: it is removed.
func (s *Store) Get(key string) (*Snapshot, error) {
	s.mu.Lock()
	defer s.unlock()
	if err := s.ready(key); err != nil {
		return nil, err
	}
	e := s.entries.find(key)
	if e == nil {
		return nil, ErrNotFound
	}
	snapshot, err := s.snapshot(e)
	if err != nil {
		return nil, err
	}
	s.redundant++
	s.entries.touch(e)
	s.record(opRead, e, false)
	if s.rebuildDue() {
		s.scheduleCleanup()
	}
	return snapshot, nil
}

// snapshotTries is how often files are opened without the lock. After that nobody may change the entry meanwhile.
const snapshotTries = 3

// snapshot opens the values of an entry. It gives the lock up while it does, so that the entry is looked at again afterwards.
func (s *Store) snapshot(e *entry) (*Snapshot, error) {
	for try := 1; ; try++ {
		switch {
		case s.closed:
			return nil, ErrClosed
		case s.entries.byKey[e.key] != e: // it was removed, or the directory opened anew
			return nil, ErrNotFound
		case e.broken && e.editor == nil:
			_ = s.removeEntry(e) // perhaps it can be deleted now
			return nil, ErrNotFound
		case !e.readable || e.zombie || !s.civilized && e.editor != nil:
			return nil, ErrNotFound
		}
		snapshot := s.newSnapshot(e)
		generation := e.generation
		if try < snapshotTries {
			s.mu.Unlock()
		}
		err := snapshot.open()
		if try < snapshotTries {
			s.mu.Lock()
		}
		same := e.generation == generation && s.entries.byKey[e.key] == e && !s.closed
		if err == nil && same {
			return snapshot, nil
		}
		snapshot.closeLocked()
		if !same {
			continue
		}
		if damaged(err) {
			_ = s.removeEntry(e) // what cannot be removed is not readable
			return nil, ErrNotFound
		}
		return nil, err
	}
}

// damaged reports whether a value file is not what was written.
func damaged(err error) bool {
	var length *lengthError
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, okio.ErrNotRegular) || errors.As(err, &length)
}

// A Snapshot is the values of an entry at one time. Later edits of the entry do not change it. It must be closed, and is used by one goroutine at a time.
type Snapshot struct {
	store      *Store
	entry      *entry
	sequence   int64
	generation int64
	counted    bool // the entry counts its readers
	values     []snapshotValue
	few        [2]snapshotValue // room for values
}

// newSnapshot returns the snapshot of an entry as it is now, with no file open.
func (s *Store) newSnapshot(e *entry) *Snapshot {
	t := &Snapshot{store: s, entry: e, sequence: e.sequence, generation: e.generation, counted: !s.civilized}
	if t.values = t.few[:min(len(e.lengths), len(t.few))]; len(e.lengths) > len(t.few) {
		t.values = make([]snapshotValue, len(e.lengths))
	}
	for i, n := range e.lengths {
		v := &t.values[i]
		v.snapshot, v.index, v.length = t, i, n
		if e.kept != nil {
			v.kept = e.kept.values[i]
		}
	}
	if t.counted {
		e.readers += len(t.values)
	}
	return t
}

// open opens the files of all values, or as many as it can.
func (t *Snapshot) open() error {
	for i := range t.values {
		v := &t.values[i]
		path := t.store.cleanPath(t.entry.key, i)
		if v.current(path) {
			continue
		}
		file, size, err := okio.OpenRegular(t.store.fs, path)
		if err != nil {
			return err
		}
		v.file = file
		if size != v.length {
			return &lengthError{path, v.length, size}
		}
	}
	return nil
}

// Key returns the key of the entry.
func (t *Snapshot) Key() string { return t.entry.key }

// Length returns the length of value i in bytes.
func (t *Snapshot) Length(i int) int64 { return t.values[i].length }

// Source returns the source of value i, always the same. Closing it closes the file of that value; Close of the snapshot closes all.
func (t *Snapshot) Source(i int) okio.Source { return &t.values[i] }

// ReaderAt returns what reads value i at any place, as long as neither its source nor the snapshot is closed.
func (t *Snapshot) ReaderAt(i int) io.ReaderAt { return valueReaderAt{&t.values[i]} }

// Edit edits the entry as [Store.Edit] does, unless it has changed since. It can be called after Close, too, as it has to be where open files cannot be replaced.
func (t *Snapshot) Edit() (*Editor, error) {
	return t.store.edit(t.entry.key, t.sequence)
}

// Close closes the files. A second call does nothing.
func (t *Snapshot) Close() error {
	for i := range t.values {
		_ = t.values[i].Close() // nothing was written
	}
	return nil
}

// closeLocked is Close for who has the lock of the store.
func (t *Snapshot) closeLocked() {
	for i := range t.values {
		if t.values[i].closeFile() {
			t.released()
		}
	}
}

// released says that a value file is not open any more.
func (t *Snapshot) released() {
	e := t.entry
	if !t.counted {
		return
	}
	e.readers--
	if e.readers == 0 && e.zombie && e.editor == nil {
		_ = t.store.removeEntry(e) // if it stays, the journal says that it is to go
	}
}
