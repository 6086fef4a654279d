package okio

import (
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// A FakeFileSystem is a [FileSystem] in memory for tests: of code that uses files, and of what that does when they fail. It tells which files are still open,
// fails operations on demand ([FakeFileSystem.SetFault]), and loses what was not synced when its power is cut ([FakeFileSystem.Crash]).
//
// The zero value is empty and ready. It is as strict as the strictest host about open files, links and moves over directories; EmulateUnix and
// EmulateWindows give it the freedoms of one. Names with a NUL byte are [fs.ErrInvalid]; those that Windows does not have are so only after
// EmulateWindows. Roots such as /, C:\ and \\server exist as soon as they are named. Names are compared by their bytes,
// also in Windows paths. A file has at most 1 GiB.
//
// Parts ".." of a path are removed before its links are followed. The times of a file change as follows: creating sets all three; reading and
// listing set the time of access; writing, changing the size, opening for writing and closing after that set the times of access and of modification, also those of
// the directory when a file in it is opened for writing, created, moved or deleted; following a link sets the link's time of access.
//
// A FakeFileSystem and its open files are safe for concurrent use, except that the exported fields are set before and that each source and sink is used by one
// goroutine at a time.
type FakeFileSystem struct {
	// AllowMovingOpenFiles lets files be moved, and be replaced by moving another there, while they are open. Unix does.
	AllowMovingOpenFiles bool

	// AllowDeletingOpenFiles lets files be deleted while they are open; those who have them open keep them. Unix does.
	AllowDeletingOpenFiles bool

	// AllowClobberingEmptyDirectories lets a directory be moved over a file. Windows does.
	AllowClobberingEmptyDirectories bool

	// AllowWritesWhileWriting lets a file be opened for writing more than once at a time. Unix and Windows do.
	AllowWritesWhileWriting bool

	// AllowReadsWhileWriting lets a file be open for reading and for writing at the same time. Unix and Windows do.
	AllowReadsWhileWriting bool

	// AllowSymlinks lets CreateSymlink create links. Links that exist work in any case. Unix does.
	AllowSymlinks bool

	// Clock returns the present for the times of files. Nil stands for time.Now. It is called with a lock held and must not use the
	// file system.
	Clock func() time.Time

	// Directories says when operations on directories are durable, which matters to Crash.
	Directories FakeDirectories

	mu           sync.Mutex
	windowsNames bool // only those that Windows has
	directory    Path // the working directory; zero for /
	roots        map[Path]*fakeNode
	open         []*fakeFile // in the order of opening
	journal      [][]fakeEntry
	fault        func(FakeOp) error
	closed       bool
	crashed      bool
}

var _ FileSystem = (*FakeFileSystem)(nil)

// EmulateUnix makes the file system as permissive as that of a Unix system: open files may be moved, deleted, read and written by others, and there are
// symbolic links. The working directory becomes /, unless it is a path with / already.
func (f *FakeFileSystem) EmulateUnix() {
	f.emulate("/", "/", false)
	f.AllowMovingOpenFiles = true
	f.AllowDeletingOpenFiles = true
	f.AllowClobberingEmptyDirectories = false
	f.AllowWritesWhileWriting = true
	f.AllowReadsWhileWriting = true
	f.AllowSymlinks = true
}

// EmulateWindows makes the file system as permissive as that of Windows: open files may be read and written by others, but not moved or deleted, and a
// directory may be moved over a file. AllowSymlinks stays what it is. The working directory becomes F:\, unless it is a path with \ already.
//
// From then on, names with control characters or one of <>:"|?* are [fs.ErrInvalid], and so are CON, PRN, AUX, NUL, COM1 to COM9 and LPT1 to LPT9, with or
// without an extension. Dots and spaces at the end of a name, which Windows drops, are kept.
func (f *FakeFileSystem) EmulateWindows() {
	f.emulate(`\`, `F:\`, true)
	f.AllowMovingOpenFiles = false
	f.AllowDeletingOpenFiles = false
	f.AllowClobberingEmptyDirectories = true
	f.AllowWritesWhileWriting = true
	f.AllowReadsWhileWriting = true
}

func (f *FakeFileSystem) emulate(slash, directory string, windowsNames bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.windowsNames = windowsNames
	if !strings.Contains(f.workingDirectory().String(), slash) {
		f.directory = ParsePath(directory)
	}
}

// SetWorkingDirectory sets the directory at which relative paths start; it begins as /. It need not exist. A relative path is an error.
func (f *FakeFileSystem) SetWorkingDirectory(p Path) error {
	if !p.IsAbs() {
		return invalidError("okio: expected an absolute path but was " + p.String())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.directory = p
	return nil
}

// WorkingDirectory returns the directory at which relative paths start.
func (f *FakeFileSystem) WorkingDirectory() Path {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.workingDirectory()
}

func (f *FakeFileSystem) workingDirectory() Path {
	if f.directory == (Path{}) {
		return ParsePath("/")
	}
	return f.directory
}

func (f *FakeFileSystem) now() time.Time {
	if f.Clock == nil {
		return time.Now()
	}
	return f.Clock()
}

// AllPaths returns the canonical paths of everything in the file system but the roots, sorted.
func (f *FakeFileSystem) AllPaths() []Path {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []Path
	for root, node := range f.roots {
		all = node.appendPaths(all, root)
	}
	slices.SortFunc(all, Path.Compare)
	return all
}

func (n *fakeNode) appendPaths(all []Path, directory Path) []Path {
	for name, child := range n.children {
		path := directory.child(name)
		all = child.appendPaths(append(all, path), path)
	}
	return all
}

// SetExtra puts a value into the extras of what is at p, which its metadata then has, or removes it if value is nil. Extras stay with a file that is
// moved and are not copied with its bytes.
func (f *FakeFileSystem) SetExtra(p Path, key, value any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.check()
	spot := fakeSpot{}
	if err == nil {
		spot, err = f.walk(p, false)
	}
	if err == nil && spot.node == nil {
		err = errFakeNoFile
	}
	if err != nil {
		return pathErr("setExtra", p, err)
	}
	if value == nil {
		delete(spot.node.extras, key)
		return nil
	}
	if spot.node.extras == nil {
		spot.node.extras = make(map[any]any)
	}
	spot.node.extras[key] = value
	return nil
}

// Canonicalize implements [FileSystem].
func (f *FakeFileSystem) Canonicalize(p Path) (Path, error) {
	spot, err := f.existing("canonicalize", p, true)
	if err != nil {
		return Path{}, err
	}
	defer f.mu.Unlock()
	return spot.path, nil
}

// existing begins an operation on something that is there. It returns with the lock held if there is no error.
func (f *FakeFileSystem) existing(op string, p Path, follow bool) (fakeSpot, error) {
	spot, err := f.spot(FakeOp{Name: op, Path: p}, 0, 0, follow)
	if err == nil && spot.node == nil {
		f.mu.Unlock()
		err = pathErr(op, p, errFakeNoFile)
	}
	return spot, err
}

// spot begins an operation in a mode of those allowed, and walks to its path. It returns with the lock held if there is no error.
func (f *FakeFileSystem) spot(op FakeOp, m, allowed OpenMode, follow bool) (fakeSpot, error) {
	if err := m.check(op.Name, op.Path, allowed); err != nil {
		return fakeSpot{}, err
	}
	if err := f.begin(op); err != nil {
		return fakeSpot{}, err
	}
	spot, err := f.walk(op.Path, follow)
	if err != nil {
		f.mu.Unlock()
		return fakeSpot{}, pathErr(op.Name, op.Path, err)
	}
	return spot, nil
}

// Metadata implements [FileSystem].
func (f *FakeFileSystem) Metadata(p Path) (Metadata, error) {
	spot, err := f.existing("metadata", p, false)
	if err != nil {
		return Metadata{}, err
	}
	defer f.mu.Unlock()
	return spot.node.metadata(), nil
}

// List implements [FileSystem].
func (f *FakeFileSystem) List(dir Path) ([]Path, error) {
	spot, err := f.existing("list", dir, true)
	if err != nil {
		return nil, err
	}
	defer f.mu.Unlock()
	if !spot.node.isDirectory() {
		return nil, pathErr("list", dir, errNotDirectory)
	}
	spot.node.accessed = f.now()
	list := make([]Path, 0, len(spot.node.children))
	for name := range spot.node.children {
		list = append(list, dir.child(name))
	}
	slices.SortFunc(list, Path.Compare)
	return list, nil
}

// CreateDirectory implements [FileSystem]. A root exists always and can be created again even under MustCreate.
func (f *FakeFileSystem) CreateDirectory(p Path, m OpenMode) error {
	const op = "createDirectory"
	spot, err := f.spot(FakeOp{Name: op, Path: p}, m, MustCreate, false)
	if err != nil {
		return err
	}
	defer f.mu.Unlock()
	switch {
	case spot.root:
		return nil
	case spot.node.isDirectory() && m&MustCreate == 0:
		return nil
	case spot.node.isLink() && m&MustCreate == 0:
		if target, err := f.walk(p, true); err == nil && target.node.isDirectory() {
			return nil
		}
		return pathErr(op, p, errFakeExists)
	case spot.node != nil:
		return pathErr(op, p, errFakeExists)
	case spot.parent == nil:
		return pathErr(op, p, errFakeNoParent)
	}
	f.change(fakeEntry{spot.parent, spot.name, newFakeNode(fs.ModeDir, f.now())})
	return nil
}

// AtomicMove implements [FileSystem].
func (f *FakeFileSystem) AtomicMove(from, to Path) error {
	const op = "atomicMove"
	source, err := f.spot(FakeOp{Name: op, Path: from, Target: to}, 0, 0, false)
	if err != nil {
		return err
	}
	defer f.mu.Unlock()
	target, err := f.walk(to, false)
	if err != nil {
		return pathErr(op, to, err)
	}
	switch {
	case source.node == nil:
		return pathErr(op, from, errFakeNoSource)
	case source.node == target.node:
		return nil
	case source.root:
		return pathErr(op, from, errFakeRoot)
	case target.node.isDirectory():
		return pathErr(op, to, errFakeTarget)
	case target.parent == nil:
		return pathErr(op, to, errFakeNoParent)
	case source.node.holds(target.parent):
		return pathErr(op, to, errFakeBeneath)
	case !f.AllowMovingOpenFiles && f.opened(func(o *fakeFile) bool { return source.node.holds(o.node) }):
		return pathErr(op, from, errFakeOpenSource)
	case !f.AllowMovingOpenFiles && f.opened(func(o *fakeFile) bool { return target.node == o.node }):
		return pathErr(op, to, errFakeOpenTarget)
	case source.node.isDirectory() && target.node != nil && !f.AllowClobberingEmptyDirectories:
		return pathErr(op, to, errFakeMixed)
	}
	f.change(fakeEntry{source.parent, source.name, nil}, fakeEntry{target.parent, target.name, source.node})
	return nil
}

// Delete implements [FileSystem].
func (f *FakeFileSystem) Delete(p Path, m OpenMode) error {
	const op = "delete"
	spot, err := f.spot(FakeOp{Name: op, Path: p}, m, MustExist, false)
	if err != nil {
		return err
	}
	defer f.mu.Unlock()
	switch {
	case spot.node == nil && m&MustExist != 0:
		return pathErr(op, p, errFakeNoFile)
	case spot.node == nil:
		return nil
	case len(spot.node.children) > 0:
		return pathErr(op, p, errFakeNonEmpty)
	case spot.root:
		return pathErr(op, p, errFakeRoot)
	case !f.AllowDeletingOpenFiles && f.opened(func(o *fakeFile) bool { return o.node == spot.node }):
		return pathErr(op, p, errFakeOpen)
	}
	f.change(fakeEntry{spot.parent, spot.name, nil})
	return nil
}

// CreateSymlink implements [FileSystem].
func (f *FakeFileSystem) CreateSymlink(at, target Path) error {
	const op = "createSymlink"
	spot, err := f.spot(FakeOp{Name: op, Path: at, Target: target}, 0, 0, false)
	if err != nil {
		return err
	}
	defer f.mu.Unlock()
	switch {
	case spot.node != nil:
		return pathErr(op, at, errFakeExists)
	case spot.parent == nil:
		return pathErr(op, at, errFakeNoParent)
	case !f.AllowSymlinks:
		return pathErr(op, at, errFakeNoSymlinks)
	}
	if err := f.checkTarget(spot.path, target); err != nil {
		return pathErr(op, at, err)
	}
	link := newFakeNode(fs.ModeSymlink, f.now())
	link.target = target
	f.change(fakeEntry{spot.parent, spot.name, link})
	return nil
}

// Close makes every later operation on a path fail with [ErrClosed]. Files that are open keep working and must be closed by those who opened
// them. A second call does nothing.
func (f *FakeFileSystem) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}
