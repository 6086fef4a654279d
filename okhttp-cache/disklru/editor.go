package disklru

import (
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/okhttp-go/ok/okio"
)

// An Editor writes the values of an entry. It ends with Commit or Abort, after which everything fails with [ErrEditDone]. It is used by one goroutine at
// a time.
//
// An entry may be removed, or the store closed, while it is edited. The editor notices nothing of that but by the error of Commit: what is written is dropped.
type Editor struct {
	store *Store
	entry *entry
	sinks []*valueSink // of each value the last; nil if there is none
	lost  atomic.Bool  // nothing more will be stored: sinks drop what they are given

	// With the lock of the store.
	written   []bool // values that were begun
	published bool   // values have their places, and the journal does not say so yet
	done      bool
	err       error // the first fault
}

// attached reports whether the edit can still become something.
func (d *Editor) attached() bool { return d.entry.editor == d }

// Source returns the committed value i, the one before this edit. It fails with [ErrNotFound] if there is none.
func (d *Editor) Source(i int) (okio.Source, error) {
	s := d.store
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case d.done:
		return nil, ErrEditDone
	case !d.attached() || !d.entry.readable || d.entry.zombie:
		return nil, ErrNotFound
	}
	path := s.cleanPath(d.entry.key, i)
	m, err := s.metadata(path)
	switch {
	case err != nil:
		return nil, err
	case m == nil || !m.Regular || m.Size != d.entry.lengths[i]:
		return nil, ErrNotFound
	}
	return s.fs.Source(path)
}

// Sink returns a sink that writes value i from its start, over what this edit wrote before. A value of an existing entry that is not written stays as it is.
//
// Writing never fails: after a fault the sink drops what it is given, and Commit fails with a [*NotStoredError].
func (d *Editor) Sink(i int) (okio.Sink, error) {
	if k := d.sinks[i]; k != nil {
		_ = k.Close() // it does not fail
		d.sinks[i] = nil
	}
	s := d.store
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case d.done:
		return nil, ErrEditDone
	case !d.attached() || d.lost.Load():
		return okio.Discard(), nil
	}
	d.written[i] = true
	k, err := d.createSink(i)
	if errors.Is(err, fs.ErrNotExist) {
		if s.restoreDirectory() == nil && d.attached() {
			k, err = d.createSink(i)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.detach(err)
		return okio.Discard(), nil
	case err != nil:
		d.detach(err)
		return nil, err
	}
	d.sinks[i] = k
	return k, nil
}

// Commit publishes what was written, and closes sinks that are still open. Of a new entry all values must have been written: a
// [*MissingValueError] tells of one that was not. A [*NotStoredError] says that nothing was stored, which who writes to a cache need not care about.
func (d *Editor) Commit() error { return d.finish(true) }

// Abort drops what was written. The entry stays what it was.
func (d *Editor) Abort() error { return d.finish(false) }

// finish ends the edit.
func (d *Editor) finish(success bool) error {
	for i, k := range d.sinks {
		if k != nil {
			_ = k.Close() // it does not fail, but takes as long as writing
			d.sinks[i] = nil
		}
	}
	s := d.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.done {
		return ErrEditDone
	}
	d.done = true
	var err error
	switch {
	case d.attached():
		err = s.complete(d, success)
	case success:
		err = &NotStoredError{d.entry.key, d.err}
	}
	if !success || err != nil {
		_ = s.syncJournal() // it says that the entry is what it was; without that a loss of power costs the entry
	}
	return err
}

// detach ends the edit for everybody but its user, because of err or because the entry is removed. Where open files cannot be deleted that has to wait for
// the user.
func (d *Editor) detach(err error) {
	if !d.attached() {
		return
	}
	if d.err == nil {
		d.err = err
	}
	d.lost.Store(true)
	if !d.store.civilized {
		d.entry.zombie = true
		return
	}
	d.entry.broken = d.entry.broken || d.published
	d.store.settle(d, false)
}

// fault detaches the editor after a failure of a sink.
func (d *Editor) fault(err error) {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	d.detach(err)
}
