package disklru

import (
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/okhttp-go/ok/okio"
)

// Get returns a snapshot of the entry and makes it the one used last. It must be closed. If there is no entry, or none that can be read, it fails with
// [ErrNotFound]. So does an entry of which a file is absent, or has another length than was written: it is removed.
func (s *Store) Get(key string) (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
		case !e.readable || e.zombie || !s.civilized && e.editor != nil:
			return nil, ErrNotFound
		}
		snapshot := &Snapshot{store: s, entry: e, sequence: e.sequence, counted: !s.civilized, values: make([]snapshotValue, s.valueCount)}
		for i, n := range e.lengths {
			v := &snapshot.values[i]
			v.snapshot, v.length = snapshot, n
		}
		generation := e.generation
		if !s.civilized {
			e.readers += s.valueCount
		}
		if try < snapshotTries {
			s.mu.Unlock()
		}
		err := snapshot.open()
		if try < snapshotTries {
			s.mu.Lock()
		}
		if err == nil && e.generation == generation && !s.closed {
			return snapshot, nil
		}
		snapshot.closeLocked()
		if e.generation != generation || s.closed {
			continue
		}
		if mismatch := (*mismatchError)(nil); errors.As(err, &mismatch) || errors.Is(err, fs.ErrNotExist) {
			_ = s.removeEntry(e) // what cannot be removed is not readable
			return nil, ErrNotFound
		}
		return nil, err
	}
}

// A Snapshot is the values of an entry at one time. Later edits of the entry do not change it. It must be closed, and is used by one goroutine at a time.
type Snapshot struct {
	store    *Store
	entry    *entry
	sequence int64
	counted  bool // the entry counts its readers
	values   []snapshotValue
}

// A snapshotValue is an open value file and a source of it.
type snapshotValue struct {
	snapshot *Snapshot
	length   int64
	file     *okio.FileHandle
	source   okio.Source
	closed   atomic.Bool
}

// open opens the files of all values, or as many as it can.
func (t *Snapshot) open() error {
	for i := range t.values {
		v := &t.values[i]
		path := t.store.cleanPath(t.entry.key, i)
		m, err := t.store.fs.Metadata(path)
		if err != nil {
			return err
		}
		if !m.Regular || m.Size != v.length {
			return &mismatchError{path, v.length, m}
		}
		if v.file, err = t.store.fs.OpenReadOnly(path); err != nil {
			return err
		}
		if v.source, err = v.file.Source(0); err != nil {
			return err
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
func (t *Snapshot) ReaderAt(i int) io.ReaderAt { return t.values[i].file }

// Edit edits the entry as [Store.Edit] does, unless it has changed since.
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
		if v := &t.values[i]; v.closed.CompareAndSwap(false, true) {
			v.closeFile()
			t.released()
		}
	}
}

// ReadBuffer implements [okio.Source].
func (v *snapshotValue) ReadBuffer(dst *okio.Buffer, max int64) (int64, error) {
	return v.source.ReadBuffer(dst, max)
}

// Read implements [io.Reader]. Large reads of a [okio.BufferedSource] come here directly.
func (v *snapshotValue) Read(p []byte) (int, error) { return v.source.(io.Reader).Read(p) }

// Close implements [okio.Source].
func (v *snapshotValue) Close() error {
	if !v.closed.CompareAndSwap(false, true) {
		return nil
	}
	v.closeFile()
	if t := v.snapshot; t.counted {
		t.store.mu.Lock()
		defer t.store.mu.Unlock()
		t.released()
	}
	return nil
}

func (v *snapshotValue) closeFile() {
	if v.source != nil {
		_ = v.source.Close() // nothing was written
	}
	if v.file != nil {
		_ = v.file.Close() // nothing was written
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
