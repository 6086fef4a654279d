package disklru

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// A Report is what [Inspect] finds in a directory.
type Report struct {
	// Entries are what a store would have, the one not used for longest first.
	Entries []ReportedEntry
	// Problems are what is not as it should be. A store mends or drops it when it opens the directory or comes to the entry.
	Problems []Problem
	// Size is how many bytes the entries have together, as the journal tells.
	Size int64

	store *Store // which is never opened
}

// A ReportedEntry is an entry as the journal tells of it.
type ReportedEntry struct {
	Key     string
	Lengths []int64
}

// A Problem is something in a directory that is not as it should be.
type Problem struct {
	Name   string // of the file, or the key of the entry
	Detail string
}

// String returns the name and what is wrong.
func (p Problem) String() string { return p.Name + ": " + p.Detail }

// Inspect reads a directory as [Open] does, but changes nothing, takes no lock and mends nothing, so that it may look at a directory that a store has open:
// what that writes meanwhile can look like a problem. It fails if there is no journal or it cannot be read at all; a corrupt one is a problem, and there
// are no entries then, as a store would have none.
func Inspect(dir okio.Path, o Options) (*Report, error) {
	if o.MaxSize == 0 {
		o.MaxSize = 1 // it makes no difference
	}
	s, err := New(dir, o)
	if err != nil {
		return nil, err
	}
	r := &Report{store: s}
	if _, err := s.fs.Metadata(s.journalPath); errors.Is(err, fs.ErrNotExist) {
		if _, err := s.fs.Metadata(s.bkpPath); err != nil {
			return nil, fmt.Errorf("disklru: %s has no journal: %w", dir, fs.ErrNotExist)
		}
		r.problem(s.bkpPath.Name(), "a journal was being rebuilt; this is the one before")
		s.journalPath = s.bkpPath
	}
	truncated, err := s.readJournal()
	var corrupt corruptError
	switch {
	case errors.As(err, &corrupt):
		r.problem(s.journalPath.Name(), err.Error())
		return r, nil
	case err != nil:
		return nil, err
	case truncated:
		r.problem(s.journalPath.Name(), "the last line has no end")
	}
	known := map[string]bool{}
	for e := s.entries.next(nil); e != nil; e = s.entries.next(e) {
		for i := range s.valueCount {
			known[s.cleanPath(e.key, i).Name()], known[s.dirtyPath(e.key, i).Name()] = true, true
		}
		if e.dirty {
			r.problem(e.key, "an edit was not finished")
			continue
		}
		if r.examine(s, e) {
			r.Entries = append(r.Entries, ReportedEntry{e.key, append([]int64(nil), e.lengths...)})
			for _, n := range e.lengths {
				r.Size += n
			}
		}
	}
	return r, r.strangers(s, known)
}

func (r *Report) problem(name, detail string) {
	r.Problems = append(r.Problems, Problem{name, detail})
}

// examine holds the files of an entry against the journal, and reports whether all are there.
func (r *Report) examine(s *Store, e *entry) bool {
	good := true
	for i, want := range e.lengths {
		path := s.cleanPath(e.key, i)
		m, err := s.fs.Metadata(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			r.problem(path.Name(), "the file is missing")
		case err != nil:
			r.problem(path.Name(), err.Error())
		case !m.Regular:
			r.problem(path.Name(), "it is no regular file")
		case m.Size != want:
			r.problem(path.Name(), fmt.Sprintf("the file has %d bytes, but the journal tells of %d", m.Size, want))
		default:
			continue
		}
		good = false
	}
	return good
}

// strangers tells of files that belong to no entry.
func (r *Report) strangers(s *Store, known map[string]bool) error {
	paths, err := s.fs.List(s.dir)
	if err != nil {
		return err
	}
	for _, p := range paths {
		switch name := p.Name(); {
		case p == s.journalPath || name == lockName:
		case name == s.tmpPath.Name() || name == s.bkpPath.Name():
			r.problem(name, "a journal was being rebuilt")
		case strings.HasSuffix(name, ".tmp"):
			r.problem(name, "a value that was being written")
		case !known[name]:
			r.problem(name, "it belongs to no entry")
		}
	}
	return nil
}

// Source opens a value of one of the entries.
func (r *Report) Source(key string, value int) (okio.Source, error) {
	return r.store.fs.Source(r.store.cleanPath(key, value))
}
