package okio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// OpenRoot returns a file system of what is in the directory that r has open. Nothing outside of it can be reached, by no name and no symbolic
// link, not even if links are changed at the same time: it stands on the promises of [os.Root], which says what they exclude.
//
// Paths are relative and start at the root, which is ".". Absolute paths, volumes and paths with ".." fail with [ErrOutsideRoot], also those whose ".."
// would stay inside: clean a path before if it may have them. So does everything that meets a link which is absolute or climbs above the root,
// and the creation of such a link. Links that stay inside are followed. Names with a NUL byte are [fs.ErrInvalid].
// Canonicalize returns a relative path.
//
// It is safe for concurrent use. It does not own r: Close does nothing, and after r.Close everything fails with [fs.ErrClosed].
func OpenRoot(r *os.Root) FileSystem {
	s := &sandbox{}
	if _, err := r.Lstat(".."); err != nil {
		s.escape = errors.Unwrap(err) // not exported, but the same for all
	}
	if errors.Is(s.escape, fs.ErrClosed) {
		s.escape = nil
	}
	return &hostFS{calls: r, sandbox: s}
}

// ErrOutsideRoot is wrapped by the error of every operation on the file system of [OpenRoot] that would have left the root.
var ErrOutsideRoot = errors.New("okio: outside of the root")

// A sandbox checks the names that go to an os.Root, and says in our words what it refuses.
type sandbox struct {
	escape error // how the os.Root says that a link leads out, nil if unknown
}

// check rejects paths that need more than the root to be understood.
func (s *sandbox) check(p Path) error {
	_, parts, _ := p.split()
	switch {
	case p.IsAbs(), p.hasVolume(), filepath.VolumeName(p.String()) != "":
		return outsideError("absolute path in a file system that starts at a root of its own")
	case slices.Contains(parts, ".."):
		return outsideError("path has .. in a file system that cannot leave its root")
	}
	return nil
}

// checkTarget rejects the target of a link that would lead out if nothing on the way was a link.
func (s *sandbox) checkTarget(at, target Path) error {
	if target.IsAbs() || target.hasVolume() || filepath.VolumeName(target.String()) != "" {
		return outsideError("absolute target of a link in a file system that starts at a root of its own")
	}
	dir, _ := at.Parent()
	if _, parts, _ := dir.Resolve(target).Clean().split(); slices.Contains(parts, "..") {
		return outsideError("target of a link above the root of the file system")
	}
	return nil
}

// explain translates the refusal of an os.Root.
func (s *sandbox) explain(err error) error {
	if s == nil || s.escape == nil || !errors.Is(err, s.escape) {
		return err
	}
	if e, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: e.Op, Path: e.Path, Err: errClimbingLink}
	}
	return errClimbingLink
}

var errClimbingLink error = outsideError("leads out of the root, itself or through a symbolic link")

// outsideError is the text of an ErrOutsideRoot.
type outsideError string

func (e outsideError) Error() string { return string(e) }

func (outsideError) Is(target error) bool { return target == ErrOutsideRoot }

// maxLinks is how many symbolic links Canonicalize follows before it takes them for a cycle.
const maxLinks = 255

var errLinkCycle = errors.New("too many symbolic links, probably a cycle")

// resolve follows the links of a path within the sandbox.
func (f *hostFS) resolve(p Path) (Path, error) {
	_, todo, _ := p.split()
	var done []string
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return Path{}, errClimbingLink
			}
			done = done[:len(done)-1]
			continue
		}
		done = append(done, part)
		name := strings.Join(done, string(os.PathSeparator))
		info, err := f.calls.Lstat(name)
		switch {
		case err != nil:
			return Path{}, err
		case info.Mode()&fs.ModeSymlink == 0:
			if len(todo) > 0 && !info.IsDir() {
				return Path{}, errNotDirectory
			}
			continue
		}
		if links++; links > maxLinks {
			return Path{}, errLinkCycle
		}
		target, err := f.calls.Readlink(name)
		if err != nil {
			return Path{}, err
		}
		if target = filepath.ToSlash(target); strings.HasPrefix(target, "/") || filepath.VolumeName(target) != "" {
			return Path{}, errClimbingLink
		}
		todo = append(strings.Split(target, "/"), todo...)
		done = done[:len(done)-1]
	}
	return hostPath(strings.Join(done, string(os.PathSeparator))), nil
}
