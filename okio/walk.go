package okio

import (
	"errors"
	"iter"
	"slices"
)

// Walk iterates over everything beneath dir, depth first: a directory, then what is in it, in the order of List. The paths are dir plus a relative path;
// dir itself is not among them. Every range over the result walks anew, and a directory is listed only when the walk has come to it, so that
// what was added or removed until then counts.
//
// With follow, symbolic links to directories are entered, dir is in any case. A link that leads to a directory whose contents the walk is
// in already ends it with a [*SymlinkCycleError]. If dir cannot be listed, the walk ends with that error. An error comes with the path it is about. A
// directory further down that cannot be listed counts as empty.
func Walk(f FileSystem, dir Path, follow bool) iter.Seq2[Path, error] {
	return func(yield func(Path, error) bool) {
		children, err := f.List(dir)
		if err != nil {
			yield(dir, err)
			return
		}
		w := &walker{f: f, follow: follow}
		if follow && len(children) > 0 {
			if err := w.enter(dir); err != nil {
				yield(dir, err)
				return
			}
		}
		w.push(children)
		for len(w.levels) > 0 {
			p, ok := w.next()
			if !ok {
				continue
			}
			if !yield(p, nil) {
				return
			}
			children, err := w.list(p)
			if err != nil {
				yield(p, err)
				return
			}
			if len(children) > 0 {
				w.push(children)
			}
		}
	}
}

// A SymlinkCycleError ends a [Walk] that follows symbolic links and has come to a directory that it is in.
type SymlinkCycleError struct {
	Path Path // as the walk came to it
}

// Error names the path.
func (e *SymlinkCycleError) Error() string { return "okio: symlink cycle at " + e.Path.String() }

// A walker keeps what is still to be visited in each of the directories it is in.
type walker struct {
	f      FileSystem
	follow bool
	levels [][]Path
	real   []Path // if following, the canonical path of each
}

func (w *walker) push(children []Path) { w.levels = append(w.levels, children) }

// next takes the first path of the innermost directory, or leaves that directory if there is none.
func (w *walker) next() (Path, bool) {
	last := len(w.levels) - 1
	if len(w.levels[last]) == 0 {
		w.levels = w.levels[:last]
		if w.follow {
			w.real = w.real[:min(last, len(w.real))]
		}
		return Path{}, false
	}
	p := w.levels[last][0]
	w.levels[last] = w.levels[last][1:]
	return p, true
}

// enter remembers a directory that is to be pushed next.
func (w *walker) enter(dir Path) error {
	real, err := w.f.Canonicalize(dir)
	if err != nil {
		return err
	}
	if slices.Contains(w.real, real) {
		return &SymlinkCycleError{dir}
	}
	w.real = append(w.real, real)
	return nil
}

// list returns the children of p if it is a directory, and remembers it if there are any.
func (w *walker) list(p Path) ([]Path, error) {
	m, err := w.f.Metadata(p)
	if err != nil || !m.Directory && (m.SymlinkTarget == nil || !w.follow) {
		return nil, nil
	}
	children, err := w.f.List(p)
	if err != nil || len(children) == 0 {
		return nil, nil
	}
	if !w.follow {
		return children, nil
	}
	err = w.enter(p)
	var cycle *SymlinkCycleError
	switch {
	case err == nil:
		return children, nil
	case errors.As(err, &cycle):
		return nil, err
	}
	return nil, nil // gone meanwhile
}
