package okcache

import (
	"container/list"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/okhttp-go/ok/okio"
)

// NewMemoryStore returns a store in memory, for tests and for programs that want nothing on disk. Whatever exceeds maxSize bytes is evicted at
// once. Entries being written may take as much again; what does not fit into that is not stored. Bodies are read without being copied. It is safe
// for concurrent use.
func NewMemoryStore(maxSize int64) Store {
	return &memoryStore{max: maxSize, entries: map[string]*memoryEntry{}, edits: map[string]*memoryEditor{}}
}

// memoryStore has one mutex, which guards all of it and its entries.
type memoryStore struct {
	mu      sync.Mutex
	max     int64
	size    int64
	entries map[string]*memoryEntry
	order   list.List // of entries, the one used last at the back
	edits   map[string]*memoryEditor
	writing int64 // bytes of all edits
	closed  bool
}

// memoryEntry is never modified once it is stored: an edit replaces it.
type memoryEntry struct {
	key    string
	values [valueCount]*okio.Buffer
	place  *list.Element
}

var (
	errStoreClosed = errors.New("okcache: the store is closed")
	errEdited      = errors.New("okcache: the entry is being edited")
	errChanged     = errors.New("okcache: the entry has changed")
	errEditDone    = errors.New("okcache: the edit is done already")
	errTooLarge    = errors.New("okcache: the entry is too large for the store, or too many are being written")
	errEvicted     = errors.New("okcache: the entry was removed while it was written")
)

func (e *memoryEntry) size() (n int64) {
	for _, v := range e.values {
		n += v.Len()
	}
	return n
}

func (s *memoryStore) Get(key string) (Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errStoreClosed
	}
	e := s.entries[key]
	if e == nil {
		return nil, errNoEntry
	}
	s.order.MoveToBack(e.place)
	return s.snapshot(e), nil
}

func (s *memoryStore) snapshot(e *memoryEntry) *memorySnapshot {
	t := &memorySnapshot{store: s, entry: e}
	for i, v := range e.values {
		t.lengths[i] = v.Len()
		t.sources[i] = v.Clone()
	}
	return t
}

func (s *memoryStore) Edit(key string) (Editor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.edit(key)
}

func (s *memoryStore) edit(key string) (Editor, error) {
	switch {
	case s.closed:
		return nil, errStoreClosed
	case s.edits[key] != nil:
		return nil, errEdited
	}
	e := &memoryEditor{store: s, key: key}
	s.edits[key] = e
	return e, nil
}

func (s *memoryStore) Remove(key string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false, errStoreClosed
	}
	e := s.entries[key]
	if e != nil {
		s.drop(e)
	}
	edited := s.edits[key] != nil
	delete(s.edits, key)
	return e != nil || edited, nil
}

func (s *memoryStore) drop(e *memoryEntry) {
	s.size -= e.size()
	s.order.Remove(e.place)
	delete(s.entries, e.key)
}

func (s *memoryStore) trim() {
	for s.size > s.max && s.order.Len() > 0 {
		s.drop(s.order.Front().Value.(*memoryEntry))
	}
}

func (s *memoryStore) Snapshots() iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		s.mu.Lock()
		keys := make([]string, 0, s.order.Len())
		for at := s.order.Front(); at != nil; at = at.Next() {
			keys = append(keys, at.Value.(*memoryEntry).key)
		}
		s.mu.Unlock()
		for _, key := range keys {
			s.mu.Lock()
			e := s.entries[key]
			if e == nil || s.closed {
				s.mu.Unlock()
				continue
			}
			t := s.snapshot(e)
			s.mu.Unlock()
			goOn := yield(t, nil)
			t.Close()
			if !goOn {
				return
			}
		}
	}
}

func (s *memoryStore) Size() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size, nil
}

func (s *memoryStore) MaxSize() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.max
}

func (s *memoryStore) SetMaxSize(n int64) error {
	if n < 1 {
		return fmt.Errorf("okcache: a maximal size of %d", n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.max = n
	s.trim()
	return nil
}

func (s *memoryStore) Flush() error { return nil }

func (s *memoryStore) EvictAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.entries)
	clear(s.edits)
	s.order.Init()
	s.size = 0
	return nil
}

func (s *memoryStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	clear(s.edits)
	return nil
}

// memorySnapshot shares its bytes with the entry.
type memorySnapshot struct {
	store   *memoryStore
	entry   *memoryEntry
	lengths [valueCount]int64
	sources [valueCount]*okio.Buffer
}

func (t *memorySnapshot) Key() string                  { return t.entry.key }
func (t *memorySnapshot) Source(value int) okio.Source { return t.sources[value] }
func (t *memorySnapshot) Length(value int) int64       { return t.lengths[value] }

func (t *memorySnapshot) Edit() (Editor, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if t.store.entries[t.entry.key] != t.entry {
		return nil, errChanged
	}
	return t.store.edit(t.entry.key)
}

func (t *memorySnapshot) Close() error {
	for _, b := range t.sources {
		b.Clear()
	}
	return nil
}

type memoryEditor struct {
	store  *memoryStore
	key    string
	values [valueCount]*okio.Buffer
	size   int64 // guarded by the store
	done   bool
}

func (e *memoryEditor) Sink(value int) (okio.Sink, error) {
	if e.done {
		return nil, errEditDone
	}
	if former := e.values[value]; former != nil {
		e.store.grow(e, -former.Len())
	}
	e.values[value] = new(okio.Buffer)
	return &memorySink{e, e.values[value]}, nil
}

// grow accounts for what an edit takes, unless that is too much.
func (s *memoryStore) grow(e *memoryEditor, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > 0 && s.writing+n > s.max {
		return false
	}
	e.size += n
	s.writing += n
	return true
}

// end takes an edit out of the account. The caller has the lock.
func (e *memoryEditor) end() {
	e.done = true
	e.store.writing -= e.size
	e.size = 0
}

// memorySink leaves its buffer what it is when it is closed.
type memorySink struct {
	editor *memoryEditor
	buffer *okio.Buffer
}

func (k *memorySink) WriteBuffer(src *okio.Buffer, n int64) error {
	switch {
	case k.editor.done:
		return errEditDone
	case n < 0 || n > src.Len():
		return k.buffer.WriteBuffer(src, n) // which says what is wrong
	case !k.editor.store.grow(k.editor, n):
		return errTooLarge
	}
	return k.buffer.WriteBuffer(src, n)
}

func (k *memorySink) Flush() error { return nil }
func (k *memorySink) Close() error { return nil }

// Commit stores what was written in the place of the entry that was there, of which a value stays that was not.
func (e *memoryEditor) Commit() error {
	s := e.store
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.done:
		return errEditDone
	case s.edits[e.key] != e:
		e.end()
		return errEvicted
	}
	e.end()
	delete(s.edits, e.key)
	former := s.entries[e.key]
	stored := &memoryEntry{key: e.key, values: e.values}
	for i, v := range stored.values {
		switch {
		case v != nil:
		case former == nil:
			return fmt.Errorf("okcache: value %d of a new entry was not written", i)
		default:
			stored.values[i] = former.values[i]
		}
	}
	if former != nil {
		s.drop(former)
	}
	stored.place = s.order.PushBack(stored)
	s.entries[e.key] = stored
	s.size += stored.size()
	s.trim()
	return nil
}

func (e *memoryEditor) Abort() error {
	s := e.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.done {
		return errEditDone
	}
	e.end()
	if s.edits[e.key] == e {
		delete(s.edits, e.key)
	}
	return nil
}
