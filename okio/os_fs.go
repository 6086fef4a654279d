package okio

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// OS returns the file system of the host. It is safe for concurrent use and need not be closed.
//
// Relative paths start at the working directory of the process. Files are created with permissions 0666 and directories with 0777, less the
// umask. AtomicMove is the rename of the host, on Windows as well, and works within one volume; Sync of a handle is its fsync. Created
// is known on macOS, BSD and Windows.
//
// A path with backslashes means the same on Unix as on Windows, C:\Users excepted, which is [fs.ErrInvalid]. Unix names that hold a backslash can be
// listed, walked and deleted, but not parsed.
func OS() FileSystem { return systemFS }

var systemFS = &hostFS{calls: systemCalls{}}

// A hostFS is a FileSystem on the calls of the host.
type hostFS struct {
	calls   hostCalls
	sandbox *sandbox // nil for the whole system
}

// hostCalls is what a hostFS is made of; [os.Root] has them all.
type hostCalls interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	Mkdir(name string, perm fs.FileMode) error
	Remove(name string) error
	Rename(from, to string) error
	Symlink(target, at string) error
}

type systemCalls struct{}

func (systemCalls) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (systemCalls) Stat(name string) (fs.FileInfo, error)     { return os.Stat(name) }
func (systemCalls) Lstat(name string) (fs.FileInfo, error)    { return os.Lstat(name) }
func (systemCalls) Readlink(name string) (string, error)      { return os.Readlink(name) }
func (systemCalls) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (systemCalls) Remove(name string) error                  { return os.Remove(name) }
func (systemCalls) Rename(from, to string) error              { return os.Rename(from, to) }
func (systemCalls) Symlink(target, at string) error           { return os.Symlink(target, at) }

// name is what the host calls the path.
func (f *hostFS) name(op string, p Path) (string, error) {
	name, err := hostName(p, hostSlash)
	if err == nil && f.sandbox != nil {
		err = f.sandbox.check(p)
	}
	if err != nil {
		return "", pathErr(op, p, err)
	}
	return name, nil
}

// hostName is what a host with this slash calls the path.
func hostName(p Path, slash byte) (string, error) {
	name := p.String()
	if strings.IndexByte(name, 0) >= 0 {
		return "", invalidError(fmt.Sprintf("name has a NUL byte: %q", name))
	}
	if slash == '/' && p.slash() == '\\' && strings.Contains(name, `\`) {
		if p.hasVolume() || strings.HasPrefix(name, `\\`) {
			return "", invalidError("Windows volume or server on a system that has none")
		}
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return name, nil
}

// fail gives an error of the host the path and, in a sandbox, its meaning.
func (f *hostFS) fail(op string, p Path, err error) error {
	if err == nil {
		return nil
	}
	return f.sandbox.explain(pathErr(op, p, err))
}

// Canonicalize implements [FileSystem].
func (f *hostFS) Canonicalize(p Path) (Path, error) {
	const op = "canonicalize"
	name, err := f.name(op, p)
	if err != nil {
		return Path{}, err
	}
	if f.sandbox != nil {
		resolved, err := f.resolve(p)
		return resolved, f.fail(op, p, err)
	}
	switch {
	case filepath.IsAbs(name):
	case filepath.VolumeName(name) != "": // C:file starts at a directory that only the host knows
		name, err = filepath.Abs(name)
	default: // not filepath.Abs, which would clean link/.. away
		var dir string
		dir, err = os.Getwd()
		name = dir + string(os.PathSeparator) + name
	}
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return Path{}, f.fail(op, p, err)
	}
	return hostPath(name), nil
}

// Metadata implements [FileSystem].
func (f *hostFS) Metadata(p Path) (Metadata, error) {
	const op = "metadata"
	name, err := f.name(op, p)
	if err != nil {
		return Metadata{}, err
	}
	info, err := f.calls.Lstat(name)
	if err != nil {
		return Metadata{}, f.fail(op, p, err)
	}
	m := Metadata{Regular: info.Mode().IsRegular(), Directory: info.IsDir(), Size: -1, Modified: hostTime(info.ModTime())}
	m.Created, m.Accessed = hostTimes(info)
	if m.Regular {
		m.Size = info.Size()
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := f.calls.Readlink(name)
		if err != nil {
			return Metadata{}, f.fail(op, p, err)
		}
		target := hostPath(text)
		m.SymlinkTarget = &target
	}
	return m, nil
}

// List implements [FileSystem].
func (f *hostFS) List(dir Path) ([]Path, error) {
	const op = "list"
	name, err := f.name(op, dir)
	if err != nil {
		return nil, err
	}
	// Not opened before it is known to be a directory: opening a named pipe would wait for its other end.
	info, err := f.calls.Stat(name)
	if err == nil && !info.IsDir() {
		err = errNotDirectory
	}
	if err != nil {
		return nil, f.fail(op, dir, err)
	}
	file, err := f.calls.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, f.fail(op, dir, err)
	}
	defer file.Close()
	names, err := file.Readdirnames(-1)
	if err != nil {
		return nil, f.fail(op, dir, err)
	}
	paths := make([]Path, len(names))
	for i, name := range names {
		paths[i] = dir.child(name)
	}
	slices.SortFunc(paths, Path.Compare)
	return paths, nil
}

// open opens what is not a directory.
func (f *hostFS) open(p Path, flag int, m OpenMode) (*os.File, error) {
	const op = "open"
	if err := m.checkOpen(p); err != nil {
		return nil, err
	}
	name, err := f.name(op, p)
	if err != nil {
		return nil, err
	}
	if flag != os.O_RDONLY && m&MustExist == 0 {
		flag |= os.O_CREATE
	}
	if m&MustCreate != 0 {
		flag |= os.O_EXCL
	}
	file, err := f.calls.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, f.fail(op, p, err)
	}
	if info, err := file.Stat(); err != nil || info.IsDir() {
		_ = file.Close() // nothing was written
		if err == nil {
			err = errIsDirectory
		}
		return nil, f.fail(op, p, err)
	}
	return file, nil
}

// OpenReadOnly implements [FileSystem].
func (f *hostFS) OpenReadOnly(p Path) (*FileHandle, error) {
	file, err := f.open(p, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return NewReadOnlyFileHandle(hostFile{file}), nil
}

// OpenReadWrite implements [FileSystem].
func (f *hostFS) OpenReadWrite(p Path, m OpenMode) (*FileHandle, error) {
	file, err := f.open(p, os.O_RDWR, m)
	if err != nil {
		return nil, err
	}
	return NewFileHandle(hostFile{file}), nil
}

// Source implements [FileSystem].
func (f *hostFS) Source(p Path) (Source, error) {
	file, err := f.open(p, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return FromReader(file), nil
}

// Sink implements [FileSystem].
func (f *hostFS) Sink(p Path, m OpenMode) (Sink, error) {
	file, err := f.open(p, os.O_WRONLY|os.O_TRUNC, m)
	if err != nil {
		return nil, err
	}
	return ToWriter(file), nil
}

// Appending implements [FileSystem]. Several writers at a time append whole writes, where the host does so.
func (f *hostFS) Appending(p Path, m OpenMode) (Sink, error) {
	file, err := f.open(p, os.O_WRONLY|os.O_APPEND, m)
	if err != nil {
		return nil, err
	}
	return ToWriter(file), nil
}

// CreateDirectory implements [FileSystem].
func (f *hostFS) CreateDirectory(p Path, m OpenMode) error {
	const op = "mkdir"
	if err := m.check(op, p, MustCreate); err != nil {
		return err
	}
	name, err := f.name(op, p)
	if err != nil {
		return err
	}
	if err = f.calls.Mkdir(name, 0o777); err == nil {
		return nil
	}
	// Hosts have several errors for a root or a directory that exists.
	if m&MustCreate == 0 {
		if info, statErr := f.calls.Stat(name); statErr == nil && info.IsDir() {
			return nil
		}
	}
	return f.fail(op, p, err)
}

// Delete implements [FileSystem].
func (f *hostFS) Delete(p Path, m OpenMode) error {
	const op = "delete"
	if err := m.check(op, p, MustExist); err != nil {
		return err
	}
	name, err := f.name(op, p)
	if err != nil {
		return err
	}
	err = f.calls.Remove(name)
	if m&MustExist == 0 && isNotExist(err) {
		return nil
	}
	return f.fail(op, p, err)
}

// CreateSymlink implements [FileSystem].
func (f *hostFS) CreateSymlink(at, target Path) error {
	const op = "symlink"
	atName, err := f.name(op, at)
	if err != nil {
		return err
	}
	targetName, err := hostName(target, hostSlash)
	if err == nil && f.sandbox != nil {
		err = f.sandbox.checkTarget(at, target)
	}
	if err == nil {
		err = f.calls.Symlink(targetName, atName)
	}
	if link, ok := err.(*os.LinkError); ok {
		err = link.Err
	}
	if err != nil {
		return f.fail(op, at, fmt.Errorf("to %s: %w", target, err))
	}
	return nil
}

// Close implements [FileSystem].
func (f *hostFS) Close() error { return nil }

// A hostFile is a File on an open file of the host.
type hostFile struct{ *os.File }

// Size implements [ReadableFile].
func (f hostFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
