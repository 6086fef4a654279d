package okio

import (
	"errors"
	"fmt"
	"io/fs"
)

// errZipReadOnly is why nothing in an archive changes.
var errZipReadOnly error = readOnlyError("zip file systems are read-only")

// readOnlyError is the text of an fs.ErrPermission.
type readOnlyError string

func (e readOnlyError) Error() string { return string(e) }

func (readOnlyError) Is(target error) bool {
	return target == fs.ErrPermission || target == errors.ErrUnsupported
}

// OpenZip returns a read-only file system of what is in the zip archive at p in f. Its paths are Unix paths, and relative ones start at its root /.
//
// Entries are stored or deflated, also in archives with zip64 records and comments; of two with the same name the last counts, and directories that have
// no entry of their own exist without times. Encrypted and spanned archives are not supported. An archive that is damaged or contradicts itself,
// has entries that overlap, or a name that leads out of it, such as ../a or C:\a, fails to open with a [*ZipError]; so does reading an entry that does not
// have its size, or at its end not its CRC-32, or whose local header has another name. The memory used is proportional to the central directory, which is checked against the size of the file first.
//
// Metadata has times of NTFS where the archive has them, or else the extended ones of Unix, or else those of MS-DOS, which are in the local time zone and even
// seconds. Symbolic links appear as files that contain their target. OpenReadOnly, which would need random access, fails with
// [errors.ErrUnsupported]; Source reads. Whatever would change something fails with [fs.ErrPermission].
//
// Every operation opens the archive anew and closes it before it returns, except that a source keeps it open until it is closed itself. If the archive
// changes meanwhile, anything may come out of it. Close does nothing. The file system is safe for concurrent use if f is.
func OpenZip(f FileSystem, p Path) (FileSystem, error) {
	z := &zipFileSystem{archives: f, archive: p, tree: zipTree{root: newZipDirectoryNode(nil)}}
	h, err := f.OpenReadOnly(p)
	if err != nil {
		return nil, err
	}
	err = z.load(h)
	if closeErr := h.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, z.name(err, nil)
	}
	return z, nil
}

type zipFileSystem struct {
	archives FileSystem
	archive  Path
	tree     zipTree
}

func (z *zipFileSystem) load(h *FileHandle) error {
	size, err := h.Size()
	if err != nil {
		return err
	}
	d, err := findZipDirectory(h, size)
	if err != nil {
		return err
	}
	return readZipEntries(h, d, z.tree.add)
}

// name completes an error of the parser, which does not know what archive and entry it reads.
func (z *zipFileSystem) name(err error, e *zipEntry) error {
	if problem, ok := err.(*ZipError); ok {
		problem.Archive = z.archive
		if e != nil && problem.Entry == "" {
			problem.Entry = e.name
		}
	}
	return err
}

// at returns what is at p and its canonical path; a node of nil if there is nothing.
func (z *zipFileSystem) at(p Path) (*zipNode, Path) {
	full := ParsePath("/").Resolve(p).Clean()
	if root, ok := full.Root(); !ok || root.String() != "/" {
		return nil, full
	}
	return z.tree.find(full.Segments()), full
}

func (z *zipFileSystem) existing(op string, p Path) (*zipNode, Path, error) {
	n, full := z.at(p)
	if n == nil {
		return nil, full, pathErr(op, p, fs.ErrNotExist)
	}
	return n, full, nil
}

func (z *zipFileSystem) Canonicalize(p Path) (Path, error) {
	_, full, err := z.existing("canonicalize", p)
	return full, err
}

func (z *zipFileSystem) Metadata(p Path) (Metadata, error) {
	n, _, err := z.existing("metadata", p)
	if err != nil {
		return Metadata{}, err
	}
	m := Metadata{Regular: !n.directory, Directory: n.directory, Size: -1}
	e := n.entry
	if e == nil {
		return m, nil
	}
	if m.Regular {
		m.Size = e.size
	}
	local, err := z.local(e)
	if err != nil {
		return Metadata{}, err
	}
	times := e.ntfs.or(local.times).or(e.dos)
	m.Modified, m.Accessed, m.Created = times.modified, times.accessed, times.created
	return m, nil
}

// local reads the local header of e.
func (z *zipFileSystem) local(e *zipEntry) (zipLocal, error) {
	h, err := z.archives.OpenReadOnly(z.archive)
	if err != nil {
		return zipLocal{}, err
	}
	local, err := readZipLocal(h, e)
	if closeErr := h.Close(); err == nil {
		err = closeErr
	}
	return local, z.name(err, e)
}

func (z *zipFileSystem) List(dir Path) ([]Path, error) {
	n, _, err := z.existing("list", dir)
	if err != nil {
		return nil, err
	}
	if !n.directory {
		return nil, pathErr("list", dir, errNotDirectory)
	}
	names := n.names()
	list := make([]Path, len(names))
	for i, name := range names {
		list[i] = dir.child(name)
	}
	return list, nil
}

func (z *zipFileSystem) Source(p Path) (Source, error) {
	n, _, err := z.existing("open", p)
	if err != nil {
		return nil, err
	}
	if n.directory {
		return nil, pathErr("open", p, errIsDirectory)
	}
	h, err := z.archives.OpenReadOnly(z.archive)
	if err != nil {
		return nil, err
	}
	source, err := z.open(h, n.entry)
	if closeErr := h.Close(); err == nil && closeErr != nil {
		_ = source.Close()
		err = closeErr
	}
	if err != nil {
		return nil, z.name(err, n.entry)
	}
	return source, nil
}

// open returns a source of the contents of e, which keeps h's file open.
func (z *zipFileSystem) open(h *FileHandle, e *zipEntry) (Source, error) {
	local, err := readZipLocal(h, e)
	if err != nil {
		return nil, err
	}
	switch {
	case e.method != zipStored && e.method != zipDeflated:
		return nil, unsupportedZip("compression method=%d, expected 0 or 8", e.method)
	case e.method == zipStored && e.size != e.compressed:
		return nil, badZip("a stored entry has %d bytes of data but a size of %d", e.compressed, e.size)
	}
	raw, err := h.Source(local.data)
	if err != nil {
		return nil, err
	}
	source := NewLimitSource(raw, e.compressed, false)
	if e.method == zipDeflated {
		source = NewLimitSource(NewInflaterSource(source), e.size, true)
	}
	return &zipSource{up: source, z: z, entry: e}, nil
}

func (z *zipFileSystem) OpenReadOnly(p Path) (*FileHandle, error) {
	if _, _, err := z.existing("open", p); err != nil {
		return nil, err
	}
	return nil, pathErr("open", p, fmt.Errorf("zip entries have no random access: %w", errors.ErrUnsupported))
}

func (z *zipFileSystem) OpenReadWrite(p Path, _ OpenMode) (*FileHandle, error) {
	return nil, pathErr("open", p, readOnlyError("zip entries are not writable"))
}

func (z *zipFileSystem) Sink(p Path, _ OpenMode) (Sink, error) {
	return nil, pathErr("open", p, errZipReadOnly)
}

func (z *zipFileSystem) Appending(p Path, _ OpenMode) (Sink, error) {
	return nil, pathErr("open", p, errZipReadOnly)
}

func (z *zipFileSystem) CreateDirectory(p Path, _ OpenMode) error {
	return pathErr("mkdir", p, errZipReadOnly)
}

func (z *zipFileSystem) AtomicMove(from, _ Path) error {
	return pathErr("rename", from, errZipReadOnly)
}

func (z *zipFileSystem) Delete(p Path, _ OpenMode) error {
	return pathErr("remove", p, errZipReadOnly)
}

func (z *zipFileSystem) CreateSymlink(at, _ Path) error {
	return pathErr("symlink", at, errZipReadOnly)
}

func (z *zipFileSystem) Close() error { return nil }
