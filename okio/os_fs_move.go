package okio

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// AtomicMove implements [FileSystem].
func (f *hostFS) AtomicMove(from, to Path) error {
	const op = "rename"
	fromName, err := f.name(op, from)
	if err != nil {
		return err
	}
	toName, err := f.name(op, to)
	if err != nil {
		return err
	}
	source, err := f.calls.Lstat(fromName)
	if err != nil || fromName == toName {
		return f.fail(op, from, err)
	}
	// Hosts disagree about directories that would be replaced, an empty one say.
	if target, err := f.calls.Lstat(toName); err == nil && target.IsDir() {
		if os.SameFile(source, target) && f.sameDirectory(from, to) {
			return nil
		}
		if !os.SameFile(source, target) {
			return f.fail(op, to, errDirectoryInTheWay)
		}
	} else if err == nil && os.SameFile(source, target) && f.separateNames(from, to) {
		return f.fail(op, from, f.calls.Remove(fromName)) // a rename would leave both, as POSIX has it
	}
	if err := f.calls.Rename(fromName, toName); err != nil {
		if link, ok := err.(*os.LinkError); ok {
			err = link.Err
		}
		return f.fail(op, from, fmt.Errorf("to %s: %w", to, err))
	}
	return nil
}

// sameDirectory reports whether two names of one directory are the same up to links and "..", not up to case: changing that is a move.
func (f *hostFS) sameDirectory(a, b Path) bool {
	a, err := f.Canonicalize(a)
	if err != nil {
		return false
	}
	b, err = f.Canonicalize(b)
	return err == nil && a == b
}

// separateNames reports whether two paths of one file are two hard links rather than one, reached in two ways or spelled in two. Hosts that
// ignore case tell only by the names that they list.
func (f *hostFS) separateNames(a, b Path) bool {
	dirA, okA := a.Parent()
	dirB, okB := b.Parent()
	if !okA || !okB {
		return false
	}
	if !f.hardLinks(dirA, dirB) {
		return true
	}
	if a.Name() == b.Name() {
		return false
	}
	list, err := f.List(dirA)
	if err != nil {
		return false
	}
	listed := func(name string) bool {
		return slices.ContainsFunc(list, func(p Path) bool { return p.Name() == name })
	}
	return listed(a.Name()) && listed(b.Name())
}

// hardLinks implements [linkTeller].
func (f *hostFS) hardLinks(a, b Path) bool {
	stat := func(p Path) (fs.FileInfo, error) {
		name, err := f.name("metadata", p)
		if err != nil {
			return nil, err
		}
		return f.calls.Stat(name)
	}
	infoA, err := stat(a)
	if err != nil {
		return false
	}
	infoB, err := stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}

var errDirectoryInTheWay error = existsError("a directory is in the way")
