package okio

import "slices"

// A ForwardingFileSystem passes every operation on to another file system. It is embedded in a type that observes or changes some of them, or used
// as it is with functions that look at all paths on their way. What [Copy], [Walk] and their like do is made of the operations of the file system
// that they are given, so they meet these functions and overridden methods step by step.
//
// The functions may be called concurrently if the file system is used so.
type ForwardingFileSystem struct {
	// FileSystem is what the operations are passed on to.
	FileSystem

	// OnPathParameter returns the path to pass on in place of p, or an error that the operation then fails with. It is told the operation, such as
	// "openReadOnly" or "atomicMove", and the parameter, and called for each path of an operation in turn:
	//
	//	canonicalize, metadata, delete      path
	//	list, createDirectory               dir
	//	syncDirectory                       dir
	//	openReadOnly, openReadWrite         file
	//	lockFile                            file
	//	source, sink, appending             file
	//	atomicMove, createSymlink           source, then target
	//
	// Nil passes all paths on as they are.
	OnPathParameter func(p Path, operation, parameter string) (Path, error)

	// OnPathResult returns the path to return in place of p, or an error that the operation then fails with. It is called for the results of
	// "canonicalize", for each path that "list" returns, and for the target of a link that "metadata" returns. Nil returns all paths as they are.
	OnPathResult func(p Path, operation string) (Path, error)
}

var _ FileSystem = ForwardingFileSystem{}

func (f ForwardingFileSystem) parameter(p Path, operation, parameter string) (Path, error) {
	if f.OnPathParameter == nil {
		return p, nil
	}
	return f.OnPathParameter(p, operation, parameter)
}

func (f ForwardingFileSystem) result(p Path, operation string) (Path, error) {
	if f.OnPathResult == nil {
		return p, nil
	}
	return f.OnPathResult(p, operation)
}

// Canonicalize implements [FileSystem].
func (f ForwardingFileSystem) Canonicalize(p Path) (Path, error) {
	p, err := f.parameter(p, "canonicalize", "path")
	if err != nil {
		return Path{}, err
	}
	full, err := f.FileSystem.Canonicalize(p)
	if err != nil {
		return Path{}, err
	}
	return f.result(full, "canonicalize")
}

// Metadata implements [FileSystem].
func (f ForwardingFileSystem) Metadata(p Path) (Metadata, error) {
	p, err := f.parameter(p, "metadata", "path")
	if err != nil {
		return Metadata{}, err
	}
	m, err := f.FileSystem.Metadata(p)
	if err != nil {
		return Metadata{}, err
	}
	if m.SymlinkTarget != nil {
		target, err := f.result(*m.SymlinkTarget, "metadata")
		if err != nil {
			return Metadata{}, err
		}
		m.SymlinkTarget = &target
	}
	return m, nil
}

// List implements [FileSystem]. The paths are sorted after OnPathResult has seen them.
func (f ForwardingFileSystem) List(dir Path) ([]Path, error) {
	dir, err := f.parameter(dir, "list", "dir")
	if err != nil {
		return nil, err
	}
	list, err := f.FileSystem.List(dir)
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list) // the other file system may keep it
	for i, p := range list {
		if list[i], err = f.result(p, "list"); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, Path.Compare)
	return list, nil
}

// OpenReadOnly implements [FileSystem].
func (f ForwardingFileSystem) OpenReadOnly(p Path) (*FileHandle, error) {
	p, err := f.parameter(p, "openReadOnly", "file")
	if err != nil {
		return nil, err
	}
	return f.FileSystem.OpenReadOnly(p)
}

// OpenReadWrite implements [FileSystem].
func (f ForwardingFileSystem) OpenReadWrite(p Path, m OpenMode) (*FileHandle, error) {
	p, err := f.parameter(p, "openReadWrite", "file")
	if err != nil {
		return nil, err
	}
	return f.FileSystem.OpenReadWrite(p, m)
}

// Source implements [FileSystem].
func (f ForwardingFileSystem) Source(p Path) (Source, error) {
	p, err := f.parameter(p, "source", "file")
	if err != nil {
		return nil, err
	}
	return f.FileSystem.Source(p)
}

// Sink implements [FileSystem].
func (f ForwardingFileSystem) Sink(p Path, m OpenMode) (Sink, error) {
	p, err := f.parameter(p, "sink", "file")
	if err != nil {
		return nil, err
	}
	return f.FileSystem.Sink(p, m)
}

// Appending implements [FileSystem].
func (f ForwardingFileSystem) Appending(p Path, m OpenMode) (Sink, error) {
	p, err := f.parameter(p, "appending", "file")
	if err != nil {
		return nil, err
	}
	return f.FileSystem.Appending(p, m)
}

// CreateDirectory implements [FileSystem].
func (f ForwardingFileSystem) CreateDirectory(p Path, m OpenMode) error {
	p, err := f.parameter(p, "createDirectory", "dir")
	if err != nil {
		return err
	}
	return f.FileSystem.CreateDirectory(p, m)
}

// AtomicMove implements [FileSystem].
func (f ForwardingFileSystem) AtomicMove(from, to Path) error {
	from, to, err := f.two(from, to, "atomicMove")
	if err != nil {
		return err
	}
	return f.FileSystem.AtomicMove(from, to)
}

// Delete implements [FileSystem].
func (f ForwardingFileSystem) Delete(p Path, m OpenMode) error {
	p, err := f.parameter(p, "delete", "path")
	if err != nil {
		return err
	}
	return f.FileSystem.Delete(p, m)
}

// CreateSymlink implements [FileSystem].
func (f ForwardingFileSystem) CreateSymlink(at, target Path) error {
	at, target, err := f.two(at, target, "createSymlink")
	if err != nil {
		return err
	}
	return f.FileSystem.CreateSymlink(at, target)
}

func (f ForwardingFileSystem) two(source, target Path, operation string) (Path, Path, error) {
	source, err := f.parameter(source, operation, "source")
	if err == nil {
		target, err = f.parameter(target, operation, "target")
	}
	return source, target, err
}

// Close closes the file system that the operations are passed on to.
func (f ForwardingFileSystem) Close() error { return f.FileSystem.Close() }
