package disklru

import (
	"errors"
	"io/fs"
	"strconv"

	"github.com/okhttp-go/ok/okio"
)

// cleanPath is the file of a published value. The key was checked, so that it is a name.
func (s *Store) cleanPath(key string, i int) okio.Path {
	return s.dir.Join(key + "." + strconv.Itoa(i))
}

// dirtyPath is the file of a value that is being written.
func (s *Store) dirtyPath(key string, i int) okio.Path {
	return s.dir.Join(key + "." + strconv.Itoa(i) + ".tmp")
}

// metadata describes what is at p, nil if that is nothing.
func (s *Store) metadata(p okio.Path) (*okio.Metadata, error) {
	m, err := s.fs.Metadata(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &m, nil
}

// createSink creates a file to be written. Whatever has its name is removed, rather than written to: it may be a link.
func (s *Store) createSink(p okio.Path) (okio.Sink, error) {
	return create(s, p, s.fs.Sink)
}

// createHandle is createSink for a file that can be synced.
func (s *Store) createHandle(p okio.Path) (*okio.FileHandle, error) {
	return create(s, p, s.fs.OpenReadWrite)
}

func create[T any](s *Store, p okio.Path, open func(okio.Path, okio.OpenMode) (T, error)) (T, error) {
	file, err := open(p, okio.MustCreate)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if m, _ := s.metadata(p); m == nil {
		return file, err
	}
	if err := s.deleteValue(p); err != nil {
		return file, err
	}
	return open(p, okio.MustCreate)
}

// deleteValue deletes the file of a value, and what else somebody put in its place. It need not exist.
func (s *Store) deleteValue(p okio.Path) error {
	err := s.fs.Delete(p, 0)
	if err != nil {
		if m, _ := s.metadata(p); m != nil && m.Directory {
			return okio.DeleteRecursively(s.fs, p, 0)
		}
	}
	return err
}

// deleteContents deletes what is in the directory but its lock, as far as it can, and returns the first error.
func (s *Store) deleteContents() error {
	children, first := s.fs.List(s.dir)
	if errors.Is(first, fs.ErrNotExist) {
		return nil
	}
	for _, p := range children {
		if p.Name() == lockName {
			continue
		}
		if err := okio.DeleteRecursively(s.fs, p, 0); err != nil && first == nil {
			first = err
		}
	}
	return first
}
