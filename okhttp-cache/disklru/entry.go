package disklru

// An entry is what the store knows of a key.
type entry struct {
	key     string
	lengths []int64 // of the published values

	readable bool    // it was published
	dirty    bool    // while the journal is read: it says that an edit began
	broken   bool    // its files are of two edits, or were in part deleted: it is to be removed
	zombie   bool    // it is to be removed as soon as nobody uses it; only on file systems where open files cannot be deleted
	editor   *Editor // nil if nobody edits it
	readers  int     // open value files; counted only on such file systems

	sequence   int64 // of the last commit
	generation int64 // changes whenever a value file is renamed or deleted

	kept *keptEntry // in memory, nil for nothing

	older, newer *entry // in the order of use
}

// An entryMap has entries by key and in the order of use.
type entryMap struct {
	byKey map[string]*entry
	ends  entry // its newer is the oldest entry, its older the newest
}

func newEntryMap() *entryMap {
	m := &entryMap{byKey: make(map[string]*entry)}
	m.ends.older, m.ends.newer = &m.ends, &m.ends
	return m
}

func (m *entryMap) len() int { return len(m.byKey) }

// find returns the entry and makes it the one used last. It returns nil if there is none.
func (m *entryMap) find(key string) *entry {
	e := m.byKey[key]
	if e != nil {
		m.touch(e)
	}
	return e
}

// touch makes e the entry used last.
func (m *entryMap) touch(e *entry) {
	if m.ends.older != e {
		e.unlink()
		m.append(e)
	}
}

func (m *entryMap) add(e *entry) {
	m.byKey[e.key] = e
	m.append(e)
}

func (m *entryMap) append(e *entry) {
	e.older, e.newer = m.ends.older, &m.ends
	e.older.newer, e.newer.older = e, e
}

func (e *entry) unlink() {
	e.older.newer, e.newer.older = e.newer, e.older
	e.older, e.newer = nil, nil
}

// remove forgets e, if it is there.
func (m *entryMap) remove(e *entry) {
	if m.byKey[e.key] == e {
		delete(m.byKey, e.key)
		e.unlink()
	}
}

// next returns the entry used next after e, or the oldest if e is nil; nil at the end.
func (m *entryMap) next(e *entry) *entry {
	if e == nil {
		e = &m.ends
	}
	if e.newer == &m.ends {
		return nil
	}
	return e.newer
}

// all returns the entries, the oldest first.
func (m *entryMap) all() []*entry {
	all := make([]*entry, 0, m.len())
	for e := m.next(nil); e != nil; e = m.next(e) {
		all = append(all, e)
	}
	return all
}
