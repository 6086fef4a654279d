package disklrumodel

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp-cache/disklru"
	"github.com/okhttp-go/ok/okio"
)

// A step is one operation: Kind is the name of it, Key that of the entry if it needs one, Slot which editor or snapshot, Value which value, N a number.
type step struct {
	Kind, Key   string
	Slot, Value int
	N           int
}

const slots = 3

// A machine is a store and the model of it.
type machine struct {
	model
	fs      *okio.FakeFileSystem
	options disklru.Options
	store   *disklru.Store

	editors   [slots]*openEditor
	snapshots [slots]*openSnapshot
	written   int // for each value to be another
}

type openEditor struct {
	*editor
	real *disklru.Editor
}

type openSnapshot struct {
	*snapshot
	real  *disklru.Snapshot
	store *disklru.Store
}

var directory = okio.ParsePath("/cache")

func newMachine(windows, sync bool, limit int64) (*machine, error) {
	m := &machine{fs: &okio.FakeFileSystem{}}
	if windows {
		m.fs.EmulateWindows()
	} else {
		m.fs.EmulateUnix()
	}
	m.windows, m.limit = windows, limit
	m.options = disklru.Options{AppVersion: 1, ValueCount: values, MaxSize: limit, Sync: sync, Logger: slog.New(slog.DiscardHandler)}
	return m, m.openStore()
}

func (m *machine) openStore() (err error) {
	m.options.FileSystem, m.options.MaxSize = m.fs, m.limit
	m.store, err = disklru.Open(directory, m.options)
	return err
}

// operations are what a step may be.
var operations = map[string]func(m *machine, s step) error{
	"get":           (*machine).get,
	"read":          (*machine).read,
	"closeSnapshot": (*machine).closeSnapshot,
	"edit":          (*machine).edit,
	"editSnapshot":  (*machine).editSnapshot,
	"write":         (*machine).write,
	"source":        (*machine).source,
	"commit":        func(m *machine, s step) error { return m.end(s, true) },
	"abort":         func(m *machine, s step) error { return m.end(s, false) },
	"remove":        (*machine).remove,
	"evictAll":      (*machine).evictAll,
	"limit":         (*machine).setLimit,
	"iterate":       (*machine).iterate,
	"reopen":        (*machine).reopen,
	"kill":          (*machine).kill,
}

// do makes a step and returns what is wrong then.
func (m *machine) do(s step) error {
	if err := operations[s.Kind](m, s); err != nil {
		return err
	}
	m.trim()
	if err := m.store.Flush(); err != nil {
		return err
	}
	if size, err := m.store.Size(); err != nil || size != m.size() {
		return fmt.Errorf("size %d, %v, want %d", size, err, m.size())
	}
	var names []string
	for _, p := range m.fs.AllPaths() {
		if name := p.Name(); len(p.Segments()) > 1 && !strings.HasPrefix(name, "journal") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if have, want := strings.Join(names, " "), m.files(); have != want {
		return fmt.Errorf("files %q, want %q", have, want)
	}
	return nil
}

func (m *machine) get(s step) error {
	if m.snapshots[s.Slot] != nil {
		return m.read(s)
	}
	real, err := m.store.Get(s.Key)
	e := m.find(s.Key)
	if e != nil {
		m.touch(e)
	}
	if e == nil || !e.readable || e.zombie || m.windows && e.editor != nil {
		if !errors.Is(err, disklru.ErrNotFound) {
			return fmt.Errorf("error %v, want %v", err, disklru.ErrNotFound)
		}
		return nil
	}
	if err != nil {
		return err
	}
	m.journal = append(m.forgotten(s.Key), s.Key)
	open := &openSnapshot{&snapshot{entry: e, values: e.values, sequence: e.sequence, counted: m.windows}, real, m.store}
	if open.counted {
		e.readers++
	}
	m.snapshots[s.Slot] = open
	return m.read(s)
}

// read compares a part of what a snapshot has, at any place.
func (m *machine) read(s step) error {
	open := m.snapshots[s.Slot]
	if open == nil {
		return nil
	}
	want := open.values[s.Value]
	if n := open.real.Length(s.Value); n != int64(len(want)) {
		return fmt.Errorf("length %d, want %d", n, len(want))
	}
	have := make([]byte, len(want))
	if _, err := open.real.ReaderAt(s.Value).ReadAt(have, 0); err != nil && err != io.EOF || string(have) != want {
		return fmt.Errorf("value %q, %v, want %q", have, err, want)
	}
	return nil
}

func (m *machine) closeSnapshot(s step) error {
	open := m.snapshots[s.Slot]
	if open == nil {
		return nil
	}
	m.snapshots[s.Slot] = nil
	for i, want := range open.values {
		have, err := io.ReadAll(okio.NewBufferedSource(open.real.Source(i)))
		if err != nil || string(have) != want {
			return fmt.Errorf("value %d is %q, %v, want %q", i, have, err, want)
		}
	}
	if err := open.real.Close(); err != nil {
		return err
	}
	if e := open.entry; open.counted {
		e.readers--
		if e.readers == 0 && e.zombie && e.editor == nil {
			m.model.remove(e)
		}
	}
	return nil
}

// refusal is why an edit should be refused, 0 for not at all.
func (m *machine) refusal(e *entry) disklru.RefusedReason {
	switch {
	case e == nil:
		return 0
	case e.editor != nil:
		return disklru.Editing
	case e.readers > 0:
		return disklru.Reading
	}
	return 0
}

func (m *machine) edit(s step) error {
	if m.editors[s.Slot] != nil {
		return nil
	}
	e := m.find(s.Key)
	if e != nil {
		m.touch(e)
	}
	real, err := m.store.Edit(s.Key)
	return m.edited(s, e, s.Key, real, err, m.refusal(e))
}

func (m *machine) editSnapshot(s step) error {
	open := m.snapshots[s.Value%slots]
	if open == nil || m.editors[s.Slot] != nil {
		return nil
	}
	if open.store != m.store {
		if _, err := open.real.Edit(); !errors.Is(err, disklru.ErrClosed) {
			return fmt.Errorf("error %v, want %v", err, disklru.ErrClosed)
		}
		return nil
	}
	key := open.entry.key
	e := m.find(key)
	if e != nil {
		m.touch(e)
	}
	reason := m.refusal(e)
	if e != open.entry || e.sequence != open.sequence {
		reason = disklru.Stale
	}
	real, err := open.real.Edit()
	return m.edited(s, e, key, real, err, reason)
}

func (m *machine) edited(s step, e *entry, key string, real *disklru.Editor, err error, reason disklru.RefusedReason) error {
	if reason != 0 {
		var refused *disklru.RefusedError
		if !errors.As(err, &refused) || refused.Reason != reason || refused.Key != key {
			return fmt.Errorf("error %v, want a refusal: %v", err, reason)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if e == nil {
		e = &entry{key: key}
		m.entries = append(m.entries, e)
	}
	m.record(key)
	m.doom(key)
	e.editor = &editor{entry: e}
	m.editors[s.Slot] = &openEditor{e.editor, real}
	return nil
}

func (m *machine) write(s step) error {
	d := m.editors[s.Slot]
	if d == nil {
		return nil
	}
	m.written++
	text := fmt.Sprint(m.written, strings.Repeat("x", s.N))
	sink, err := d.real.Sink(s.Value)
	if err != nil {
		return err
	}
	if err := sink.WriteBuffer(okio.NewBufferString(text), int64(len(text))); err != nil {
		return err
	}
	if err := sink.Close(); err != nil {
		return err
	}
	if !d.lost {
		d.values[s.Value], d.written[s.Value] = text, true
	}
	return nil
}

func (m *machine) source(s step) error {
	d := m.editors[s.Slot]
	if d == nil {
		return nil
	}
	src, err := d.real.Source(s.Value)
	if d.lost || !d.entry.readable {
		if !errors.Is(err, disklru.ErrNotFound) {
			return fmt.Errorf("error %v, want %v", err, disklru.ErrNotFound)
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	have, err := io.ReadAll(okio.NewBufferedSource(src))
	if want := d.entry.values[s.Value]; err != nil || string(have) != want {
		return fmt.Errorf("source is %q, %v, want %q", have, err, want)
	}
	return nil
}

func (m *machine) end(s step, success bool) error {
	d := m.editors[s.Slot]
	if d == nil {
		return nil
	}
	m.editors[s.Slot] = nil
	lost, creation := d.lost, !d.entry.readable
	stored := false
	if d.entry.editor == d.editor {
		stored = m.model.end(d.editor, success && !lost)
	}
	if !success {
		return d.real.Abort()
	}
	err := d.real.Commit()
	var notStored *disklru.NotStoredError
	var missing *disklru.MissingValueError
	switch {
	case stored && err == nil, lost && errors.As(err, &notStored), !lost && !stored && creation && errors.As(err, &missing):
		return nil
	}
	return fmt.Errorf("commit: error %v; lost %v, stored %v", err, lost, stored)
}

func (m *machine) remove(s step) error {
	e := m.find(s.Key)
	there, err := m.store.Remove(s.Key)
	if err != nil || there != (e != nil) {
		return fmt.Errorf("removed %v, %v, want %v", there, err, e != nil)
	}
	if e != nil {
		m.touch(e)
		m.model.remove(e)
	}
	return nil
}

func (m *machine) evictAll(step) error {
	for _, e := range slices.Clone(m.entries) {
		m.model.remove(e)
	}
	return m.store.EvictAll()
}

func (m *machine) setLimit(s step) error {
	m.limit = int64(s.N)*3 + 1
	return m.store.SetMaxSize(m.limit)
}

func (m *machine) iterate(s step) error {
	it := m.store.Snapshots()
	defer it.Close()
	for i, key := range m.order() {
		if !it.Next() {
			return fmt.Errorf("iteration ends before %s: %v", key, it.Err())
		}
		e := m.find(key)
		if it.Snapshot().Key() != key || it.Snapshot().Length(s.Value) != int64(len(e.values[s.Value])) {
			return fmt.Errorf("iteration is at %s, want %s", it.Snapshot().Key(), key)
		}
		if i == s.N {
			if m.windows {
				e.readers++ // the iterator reads it
			}
			m.touch(e)
			m.model.remove(e)
			if err := it.Remove(); err != nil {
				return err
			}
			if m.windows {
				if e.readers--; e.readers == 0 && e.editor == nil {
					m.model.remove(e)
				}
			}
		}
	}
	if it.Next() || it.Err() != nil {
		return fmt.Errorf("iteration does not end, or with %v", it.Err())
	}
	return nil
}

// settle ends what would be in the way of the next session, on Windows, where that is not ours to promise.
func (m *machine) settle() error {
	for slot := range slots {
		if m.windows {
			if err := m.closeSnapshot(step{Slot: slot}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *machine) reopen(step) error {
	if err := m.settle(); err != nil {
		return err
	}
	m.close()
	if err := m.store.Close(); err != nil {
		return err
	}
	return m.openStore()
}

// kill ends the process: what it wrote is there, and what it had in memory is not.
func (m *machine) kill(step) error {
	m.fs.SyncAll()
	m.fs = m.fs.Crash(okio.CrashOptions{})
	m.editors, m.snapshots = [slots]*openEditor{}, [slots]*openSnapshot{}
	m.open()
	return m.openStore()
}

// shut closes everything and looks for files that are still open.
func (m *machine) shut() error {
	for slot := range slots {
		if err := m.closeSnapshot(step{Slot: slot}); err != nil {
			return err
		}
		if err := m.end(step{Slot: slot}, false); err != nil {
			return err
		}
	}
	if err := m.store.Close(); err != nil {
		return err
	}
	return m.fs.CheckNoOpenFiles()
}
