package disklru

import (
	"container/list"
	"io"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// A keptValue is a small value in memory. It stands for the file as long as that has the same time: somebody may delete or change it behind our back, and
// that is to be noticed as it is with other values.
type keptValue struct {
	text     string
	modified time.Time
}

// maxKept is the length up to which a value is kept.
const maxKept = 4 << 10

// keptEntry is what is kept of an entry.
type keptEntry struct {
	values []*keptValue // nil for what is not kept
	place  *list.Element
}

// keptValues bounds what is kept of all entries together. What came first goes first.
type keptValues struct {
	size  int64
	order list.List // of *entry
}

// keeps reports whether a value of that length may be kept.
func (s *Store) keeps(length int64) bool { return 0 < length && length <= min(maxKept, s.memory) }

// current reports whether the file is still what is kept. If not, what is read of it may be kept. The file is looked at before it is opened: another may take its
// place at any time, and what is kept with the time of a former one will not be taken for it.
func (v *snapshotValue) current(path okio.Path) bool {
	kept, s := v.kept, v.snapshot.store
	v.kept = nil
	if !s.keeps(v.length) {
		return false
	}
	m, err := s.fs.Metadata(path)
	switch {
	case err != nil || !m.Regular || m.Size != v.length:
		return false
	case kept != nil && m.Modified.Equal(kept.modified):
		v.kept = kept
		return true
	case settled(m.Modified, time.Now()):
		v.modified = m.Modified
	}
	return false
}

// settled reports whether a change from now on will show in the time of the file. That is coarse: a few milliseconds, or two seconds where no part of a
// second is told.
func settled(modified, now time.Time) bool {
	coarse := 100 * time.Millisecond
	if modified.Nanosecond() == 0 {
		coarse = 3 * time.Second
	}
	return !modified.IsZero() && modified.Add(coarse).Before(now)
}

// keep remembers a value of which p is all, if it may.
func (v *snapshotValue) keep(p []byte) {
	t := v.snapshot
	s, e := t.store, t.entry
	if int64(len(p)) != v.length || v.modified.IsZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || e.generation != t.generation || s.entries.byKey[e.key] != e {
		return
	}
	if e.kept == nil {
		e.kept = &keptEntry{make([]*keptValue, s.valueCount), s.kept.order.PushBack(e)}
	}
	if former := e.kept.values[v.index]; former != nil {
		s.kept.size -= int64(len(former.text))
	}
	e.kept.values[v.index] = &keptValue{string(p), v.modified}
	s.kept.size += v.length
	for s.kept.size > s.memory {
		s.forget(s.kept.order.Front().Value.(*entry))
	}
}

// forget drops what is kept of an entry.
func (s *Store) forget(e *entry) {
	if e.kept == nil {
		return
	}
	for _, k := range e.kept.values {
		if k != nil {
			s.kept.size -= int64(len(k.text))
		}
	}
	s.kept.order.Remove(e.kept.place)
	e.kept = nil
}

// A valueReaderAt reads a value at any place.
type valueReaderAt struct{ *snapshotValue }

func (v valueReaderAt) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case v.closed.Load():
		return 0, okio.ErrClosed
	case v.kept == nil:
		n, err := v.file.ReadAt(p, off)
		if off == 0 {
			v.keep(p[:n])
		}
		return n, err
	case off < 0:
		return 0, &ArgumentError{"read before the beginning"}
	}
	n := copy(p, v.kept.text[min(off, v.length):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
