package disklrumodel

import (
	"fmt"
	"slices"
	"strings"
)

const values = 2

// A version is the values of an entry.
type version [values]string

func (v version) size() (n int64) {
	for _, text := range v {
		n += int64(len(text))
	}
	return n
}

// An entry is one of the model.
type entry struct {
	key      string
	readable bool
	values   version
	sequence int // of its last commit, for snapshots to be stale
	editor   *editor
	readers  int // open values, on Windows
	zombie   bool
}

// An editor is one that the script has open.
type editor struct {
	entry   *entry
	values  version
	written [values]bool
	lost    bool
}

// A snapshot is one that the script has open.
type snapshot struct {
	entry    *entry
	values   version
	sequence int
	counted  bool
}

// A model is what a store should be like.
type model struct {
	windows bool
	limit   int64
	commits int
	entries []*entry // the one not used for longest first
	journal []string // the same as the journal has it: keys in the order of their last records
	doomed  []string // keys that the next session drops
}

func (m *model) find(key string) *entry {
	for _, e := range m.entries {
		if e.key == key {
			return e
		}
	}
	return nil
}

// touch makes an entry the one used last.
func (m *model) touch(e *entry) {
	m.entries = append(slices.DeleteFunc(m.entries, func(o *entry) bool { return o == e }), e)
}

// record says that the journal got a record of a key.
func (m *model) record(key string) { m.journal = append(m.forgotten(key), key) }

// forgotten is the order of the journal without a key.
func (m *model) forgotten(key string) []string {
	return slices.DeleteFunc(m.journal, func(k string) bool { return k == key })
}

func (m *model) size() (n int64) {
	for _, e := range m.entries {
		if e.readable {
			n += e.values.size()
		}
	}
	return n
}

// remove removes an entry, or makes it a zombie.
func (m *model) remove(e *entry) {
	if m.windows && (e.readers > 0 || e.editor != nil) {
		if e.readers > 0 {
			m.record(e.key)
			m.doom(e.key)
		}
		e.zombie = true
		if e.editor != nil {
			e.editor.lost = true
		}
		return
	}
	if e.editor != nil {
		e.editor.lost = true
		e.editor = nil
	}
	e.readable = false
	m.entries = slices.DeleteFunc(m.entries, func(o *entry) bool { return o == e })
	m.journal = m.forgotten(e.key)
	m.spare(e.key)
}

// doom says that the last record of a key in the journal is DIRTY.
func (m *model) doom(key string) {
	if !slices.Contains(m.doomed, key) {
		m.doomed = append(m.doomed, key)
	}
}

func (m *model) spare(key string) {
	m.doomed = slices.DeleteFunc(m.doomed, func(k string) bool { return k == key })
}

func (m *model) trim() {
	for m.size() > m.limit {
		i := slices.IndexFunc(m.entries, func(e *entry) bool { return !e.zombie })
		if i < 0 {
			return
		}
		m.remove(m.entries[i])
	}
}

// end ends an edit that is attached, and reports whether it was stored.
func (m *model) end(d *editor, success bool) bool {
	e := d.entry
	e.editor = nil
	if e.zombie {
		m.remove(e)
		return false
	}
	for _, written := range d.written {
		success = success && (written || e.readable)
	}
	if success {
		for i, written := range d.written {
			if written {
				e.values[i] = d.values[i]
			}
		}
		m.commits++
		e.readable, e.sequence = true, m.commits
	}
	m.spare(e.key)
	if e.readable {
		m.record(e.key)
		return success
	}
	m.entries = slices.DeleteFunc(m.entries, func(o *entry) bool { return o == e })
	m.journal = m.forgotten(e.key)
	return false
}

// close ends a session in which the process closed the store, and begins the next.
func (m *model) close() {
	for _, e := range m.entries {
		if e.editor == nil {
			continue
		}
		e.editor.lost = true
		e.editor = nil
		if m.windows {
			continue // the journal says DIRTY
		}
		if e.readable {
			m.record(e.key)
		} else {
			m.journal = m.forgotten(e.key)
		}
		m.spare(e.key)
	}
	m.open()
}

// open begins a session with what the journal says.
func (m *model) open() {
	before := m.entries
	m.entries = nil
	for _, key := range m.journal {
		i := slices.IndexFunc(before, func(e *entry) bool { return e.key == key })
		if i < 0 || slices.Contains(m.doomed, key) {
			continue
		}
		old := before[i]
		m.entries = append(m.entries, &entry{key: key, readable: true, values: old.values})
	}
	m.journal = nil
	for _, e := range m.entries {
		m.journal = append(m.journal, e.key)
	}
	m.doomed = nil
}

// files returns the names that should be in the directory, but for those of the journal.
func (m *model) files() string {
	var names []string
	for _, e := range m.entries {
		for i := range values {
			if e.readable {
				names = append(names, fmt.Sprintf("%s.%d", e.key, i))
			}
			if e.editor != nil && e.editor.written[i] {
				names = append(names, fmt.Sprintf("%s.%d.tmp", e.key, i))
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// order returns the keys that an iteration shows.
func (m *model) order() (keys []string) {
	for _, e := range m.entries {
		if e.readable && !e.zombie && !(m.windows && e.editor != nil) {
			keys = append(keys, e.key)
		}
	}
	return keys
}
