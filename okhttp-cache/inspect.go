package okcache

import (
	"fmt"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-cache/disklru"
	"github.com/okhttp-go/ok/okio"
)

// Inspection is what [Inspect] finds in a directory.
type Inspection struct {
	// Entries are the stored responses, the one not used for longest first.
	Entries []*Entry
	// Problems are what is damaged or left over.
	Problems []disklru.Problem
	// Size is how many bytes are stored.
	Size int64

	report *disklru.Report
}

// Inspect reads the directory of a cache without changing or locking it, even while a cache has it open. It fails if there is no cache; whatever
// is wrong with one that is there is among the problems. A directory that [Encrypted] wrote shows nothing but problems.
func Inspect(dir string) (*Inspection, error) {
	return inspect(okio.OS(), dir)
}

func inspect(fsys okio.FileSystem, dir string) (*Inspection, error) {
	report, err := disklru.Inspect(okio.ParsePath(dir), disklru.Options{FileSystem: fsys, AppVersion: appVersion, ValueCount: valueCount})
	if err != nil {
		return nil, err
	}
	in := &Inspection{Problems: report.Problems, Size: report.Size, report: report}
	for _, e := range report.Entries {
		if err := in.examine(e); err != nil {
			in.Problems = append(in.Problems, disklru.Problem{Name: e.Key + ".0", Detail: err.Error()})
		}
	}
	return in, nil
}

// examine reads the head of an entry and holds it against the body.
func (in *Inspection) examine(reported disklru.ReportedEntry) error {
	s := &inspected{in.report, reported, [valueCount]okio.Source{}}
	defer s.Close()
	text, err := readMetadata(s)
	if err != nil {
		return err
	}
	if isIndex(text) {
		return nil
	}
	e, err := parseEntry(text)
	if err == nil {
		err = checkBody(s, e)
	}
	if err != nil {
		return err
	}
	if e.method == "GET" && keyOf(e.url) != reported.Key {
		return &CorruptError{1, "the entry of " + redacted(e.url) + " is filed as " + reported.Key + ", not as " + keyOf(e.url)}
	}
	in.Entries = append(in.Entries, e.public(reported.Key, reported.Lengths[metadataValue], reported.Lengths[bodyValue]))
	return nil
}

func redacted(url string) string {
	u, err := okhttp.ParseURL(url)
	if err != nil {
		return quote(url)
	}
	return u.Redacted()
}

// Body opens the body of an entry as it is stored, compressed if it came compressed. The caller closes it. It fails if the entry has gone since.
func (in *Inspection) Body(e *Entry) (okio.Source, error) {
	return in.report.Source(e.Key, bodyValue)
}

// inspected is an entry of a directory that no store has opened.
type inspected struct {
	report  *disklru.Report
	entry   disklru.ReportedEntry
	sources [valueCount]okio.Source
}

func (s *inspected) Key() string            { return s.entry.Key }
func (s *inspected) Length(value int) int64 { return s.entry.Lengths[value] }

func (s *inspected) Source(value int) okio.Source {
	if s.sources[value] == nil {
		src, err := s.report.Source(s.entry.Key, value)
		if err != nil {
			src = failedSource{err}
		}
		s.sources[value] = src
	}
	return s.sources[value]
}

func (s *inspected) Edit() (Editor, error) { return nil, fmt.Errorf("okcache: %w", okio.ErrReadOnly) }

func (s *inspected) Close() error {
	for _, src := range s.sources {
		if src != nil {
			src.Close()
		}
	}
	return nil
}

// failedSource could not be opened.
type failedSource struct{ err error }

func (f failedSource) ReadBuffer(*okio.Buffer, int64) (int64, error) { return 0, f.err }
func (f failedSource) Close() error                                  { return nil }
