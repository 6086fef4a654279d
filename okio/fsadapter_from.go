package okio

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// FromFS returns a read-only file system of what is in f, such as an [embed.FS]. Its paths are Unix paths, and relative ones start at its root /.
//
// It knows symbolic links if f implements [fs.ReadLinkFS]. A handle of a file that has neither ReadAt nor Seek opens the file again to go back.
// Whatever would change something fails with [fs.ErrPermission]. Close does nothing. The file system is safe for concurrent use if f is.
func FromFS(f fs.FS) FileSystem { return &fromFS{f} }

type fromFS struct{ fs fs.FS }

var _ FileSystem = (*fromFS)(nil)

var errFSReadOnly error = readOnlyError("file system is read-only")

// name returns what package fs calls p.
func (f *fromFS) name(op string, p Path) (string, error) {
	full := ParsePath("/").Resolve(p).Clean()
	if root, ok := full.Root(); !ok || root.String() != "/" {
		return "", pathErr(op, p, fs.ErrNotExist)
	}
	segments := full.Segments()
	if len(segments) == 0 {
		return ".", nil
	}
	name := strings.Join(segments, "/")
	if !fs.ValidPath(name) {
		return "", pathErr(op, p, fs.ErrInvalid)
	}
	return name, nil
}

func (f *fromFS) Canonicalize(p Path) (Path, error) {
	const op = "canonicalize"
	if _, err := f.name(op, p); err != nil {
		return Path{}, err
	}
	rest := ParsePath("/").Resolve(p).Clean().Segments()
	at := ParsePath("/")
	for hops := 0; len(rest) > 0; {
		next := at.child(rest[0])
		m, err := f.Metadata(next)
		if err != nil {
			return Path{}, pathErr(op, p, err)
		}
		rest = rest[1:]
		if m.SymlinkTarget == nil {
			at = next
			continue
		}
		if hops++; hops > maxFSHops {
			return Path{}, pathErr(op, p, errors.New("symlink cycle?"))
		}
		if m.SymlinkTarget.IsAbs() {
			return Path{}, pathErr(op, p, errors.New("a link leads out of the file system: "+m.SymlinkTarget.String()))
		}
		target := at.Resolve(*m.SymlinkTarget).Clean()
		rest = slices.Concat(target.Segments(), rest)
		at = ParsePath("/")
	}
	if _, err := f.Metadata(at); err != nil {
		return Path{}, pathErr(op, p, err)
	}
	return at, nil
}

// maxFSHops is how many symbolic links one path may lead through.
const maxFSHops = 40

func (f *fromFS) Metadata(p Path) (Metadata, error) {
	name, err := f.name("metadata", p)
	if err != nil {
		return Metadata{}, err
	}
	info, err := fs.Lstat(f.fs, name)
	if err != nil {
		return Metadata{}, pathErr("metadata", p, err)
	}
	m := Metadata{Regular: info.Mode().IsRegular(), Directory: info.IsDir(), Size: -1, Modified: info.ModTime()}
	switch {
	case m.Regular:
		m.Size = info.Size()
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := fs.ReadLink(f.fs, name)
		if err != nil {
			return Metadata{}, pathErr("metadata", p, err)
		}
		link := ParsePath(target)
		m.SymlinkTarget = &link
	}
	return m, nil
}

func (f *fromFS) List(dir Path) ([]Path, error) {
	name, err := f.name("list", dir)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(f.fs, name)
	if err != nil {
		return nil, pathErr("list", dir, err)
	}
	list := make([]Path, len(entries))
	for i, e := range entries {
		list[i] = dir.child(e.Name())
	}
	slices.SortFunc(list, Path.Compare)
	return list, nil
}

// open opens a file that is not a directory.
func (f *fromFS) open(p Path) (fs.File, string, error) {
	name, err := f.name("open", p)
	if err != nil {
		return nil, "", err
	}
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, "", pathErr("open", p, err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errIsDirectory
	}
	if err != nil {
		_ = file.Close()
		return nil, "", pathErr("open", p, err)
	}
	return file, name, nil
}

func (f *fromFS) Source(p Path) (Source, error) {
	file, _, err := f.open(p)
	if err != nil {
		return nil, err
	}
	return FromReader(file), nil
}

func (f *fromFS) OpenReadOnly(p Path) (*FileHandle, error) {
	file, name, err := f.open(p)
	if err != nil {
		return nil, err
	}
	switch at := file.(type) {
	case io.ReaderAt:
		return NewReadOnlyFileHandle(randomFile{file, at}), nil
	case io.Seeker:
		return NewReadOnlyFileHandle(&seekingFile{File: file, seeker: at}), nil
	}
	return NewReadOnlyFileHandle(&reopenedFile{fs: f.fs, name: name, file: file}), nil
}

func (f *fromFS) OpenReadWrite(p Path, _ OpenMode) (*FileHandle, error) {
	return nil, pathErr("open", p, errFSReadOnly)
}

func (f *fromFS) Sink(p Path, _ OpenMode) (Sink, error) {
	return nil, pathErr("open", p, errFSReadOnly)
}

func (f *fromFS) Appending(p Path, _ OpenMode) (Sink, error) {
	return nil, pathErr("open", p, errFSReadOnly)
}

func (f *fromFS) CreateDirectory(p Path, _ OpenMode) error {
	return pathErr("mkdir", p, errFSReadOnly)
}

func (f *fromFS) AtomicMove(from, _ Path) error   { return pathErr("rename", from, errFSReadOnly) }
func (f *fromFS) Delete(p Path, _ OpenMode) error { return pathErr("remove", p, errFSReadOnly) }
func (f *fromFS) CreateSymlink(at, _ Path) error  { return pathErr("symlink", at, errFSReadOnly) }
func (f *fromFS) Close() error                    { return nil }
