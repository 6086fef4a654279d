package disklru

import (
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/okhttp-go/ok/okio"
)

// An Editor writes the values of an entry. It ends with Commit or Abort, after which everything fails with [ErrEditDone]. It is used by one goroutine at
// a time.
//
// An entry may be removed, or the store closed, while it is edited. The editor notices nothing of that but by the error of Commit: what is written is dropped.
type Editor struct {
	store   *Store
	entry   *entry
	written []bool       // values of a new entry that were begun
	sinks   []*valueSink // of each value the last
	done    bool
	lost    atomic.Bool // nothing will be stored
	err     error       // why; the first fault
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
	case m == nil || !m.Regular:
		return nil, ErrNotFound
	}
	return s.fs.Source(path)
}

// Sink returns a sink that writes value i from its start, over what this edit wrote before. A value of an existing entry that is not written stays as it is.
//
// Writing never fails: after a fault the sink drops what it is given, and Commit fails with a [*NotStoredError].
func (d *Editor) Sink(i int) (okio.Sink, error) {
	s := d.store
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case d.done:
		return nil, ErrEditDone
	case !d.attached():
		return okio.Discard(), nil
	}
	if !d.entry.readable {
		d.written[i] = true
	}
	k := &valueSink{editor: d}
	err := k.create(s.dirtyPath(d.entry.key, i))
	if errors.Is(err, fs.ErrNotExist) {
		return okio.Discard(), nil
	}
	if err != nil {
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
	if err := d.closeSinks(); err != nil {
		return err
	}
	s := d.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.done {
		return ErrEditDone
	}
	d.done = true
	if !d.attached() {
		if success {
			return &NotStoredError{d.entry.key, d.err}
		}
		return nil
	}
	return s.complete(d, success)
}

// closeSinks closes what the user did not. It holds no lock, because closing can take as long as writing.
func (d *Editor) closeSinks() error {
	s := d.store
	s.mu.Lock()
	if d.done {
		s.mu.Unlock()
		return ErrEditDone
	}
	sinks := d.sinks
	s.mu.Unlock()
	for _, k := range sinks {
		if k != nil {
			_ = k.Close() // it does not fail
		}
	}
	return nil
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
	_ = d.store.complete(d, false) // which fails for files that are in the way of nothing
}

// fault detaches the editor after a failure of a sink.
func (d *Editor) fault(err error) {
	s := d.store
	s.mu.Lock()
	defer s.mu.Unlock()
	d.detach(err)
}

// A valueSink writes a file and hides that it failed.
type valueSink struct {
	editor *Editor

	mu     sync.Mutex
	sink   okio.Sink
	failed bool
	closed bool
}

func (k *valueSink) create(p okio.Path) (err error) {
	k.sink, err = k.editor.store.createSink(p)
	return err
}

// WriteBuffer implements [okio.Sink].
func (k *valueSink) WriteBuffer(src *okio.Buffer, n int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed && !k.editor.lost.Load():
		return okio.ErrClosed
	case k.failed || k.editor.lost.Load() || n < 0 || n > src.Len():
		return okio.Discard().WriteBuffer(src, n)
	}
	before := src.Len()
	if err := k.sink.WriteBuffer(src, n); err != nil {
		k.hide(err)
		return src.Skip(n - (before - src.Len()))
	}
	return nil
}

// Flush implements [okio.Sink].
func (k *valueSink) Flush() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed || k.closed || k.editor.lost.Load() {
		return nil
	}
	if err := k.sink.Flush(); err != nil {
		k.hide(err)
	}
	return nil
}

// Close implements [okio.Sink].
func (k *valueSink) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil
	}
	k.closed = true
	if err := k.sink.Close(); err != nil {
		k.hide(err)
	}
	return nil
}

// hide tells the editor of a fault instead of the writer.
func (k *valueSink) hide(err error) {
	if !k.failed {
		k.failed = true
		k.editor.fault(err)
	}
}
