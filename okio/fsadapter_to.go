package okio

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"
)

// ToFS returns an [fs.FS] of what is beneath root in f. It implements [fs.ReadDirFS], [fs.StatFS] and [fs.ReadLinkFS], and its files [io.Seeker] and
// [io.ReaderAt] as far as f has random access. Links are followed wherever they lead, as [os.DirFS] does, so that it confines names but not links. Since a
// [Metadata] has no permissions, all may read files and directories. It is as safe for concurrent use as f is.
func ToFS(f FileSystem, root Path) fs.FS { return &toFS{f, root} }

type toFS struct {
	files FileSystem
	root  Path
}

var (
	_ fs.ReadDirFS  = (*toFS)(nil)
	_ fs.StatFS     = (*toFS)(nil)
	_ fs.ReadLinkFS = (*toFS)(nil)
)

// path returns what f calls name.
func (t *toFS) path(name string) (Path, error) {
	if !fs.ValidPath(name) || strings.IndexByte(name, 0) >= 0 {
		return Path{}, fs.ErrInvalid
	}
	p := t.root
	if name == "." {
		return p, nil
	}
	for s := range strings.SplitSeq(name, "/") {
		if !t.mayName(s) {
			return Path{}, fs.ErrInvalid
		}
		p = p.child(s)
	}
	return p, nil
}

// mayName reports whether name is one name and not a way elsewhere: ..\x is a valid name for package fs and a path on Windows.
func (t *toFS) mayName(name string) bool {
	windows := hostSlash == '\\' || t.root.slash() == '\\'
	return !windows || !strings.ContainsAny(name, `\:`)
}

// fsErr gives an error the name that the caller used.
func fsErr(op, name string, err error) error {
	if inner, ok := err.(*fs.PathError); ok {
		err = inner.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// stat describes name, or what it leads to if it is a link and follow.
func (t *toFS) stat(op, name string, follow bool) (toInfo, Path, error) {
	p, err := t.path(name)
	if err != nil {
		return toInfo{}, p, fsErr(op, name, err)
	}
	m, err := t.files.Metadata(p)
	// The root is resolved in any case, since there it stands for a directory.
	if err == nil && m.SymlinkTarget != nil && (follow || name == ".") {
		var full Path
		if full, err = t.files.Canonicalize(p); err == nil {
			m, err = t.files.Metadata(full)
		}
	}
	if err != nil {
		return toInfo{}, p, fsErr(op, name, err)
	}
	return toInfo{base(name), m}, p, nil
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func (t *toFS) Stat(name string) (fs.FileInfo, error) {
	info, _, err := t.stat("stat", name, true)
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (t *toFS) Lstat(name string) (fs.FileInfo, error) {
	info, _, err := t.stat("lstat", name, false)
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (t *toFS) ReadLink(name string) (string, error) {
	info, _, err := t.stat("readlink", name, false)
	if err != nil {
		return "", err
	}
	if info.m.SymlinkTarget == nil {
		return "", fsErr("readlink", name, fs.ErrInvalid)
	}
	return info.m.SymlinkTarget.String(), nil
}

func (t *toFS) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := t.path(name)
	if err != nil {
		return nil, fsErr("readdir", name, err)
	}
	list, err := t.files.List(p)
	if err != nil {
		return nil, fsErr("readdir", name, err)
	}
	entries := make([]fs.DirEntry, 0, len(list))
	for _, child := range list {
		childName := child.Name()
		if !fs.ValidPath(childName) || !t.mayName(childName) {
			continue // there is no way to ask for it
		}
		m, err := t.files.Metadata(child)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return entries, fsErr("readdir", name, err)
		}
		entries = append(entries, toInfo{childName, m})
	}
	return entries, nil
}

func (t *toFS) Open(name string) (fs.File, error) {
	info, p, err := t.stat("open", name, true)
	if err != nil {
		return nil, err
	}
	if info.m.Directory {
		return &toDirectory{fs: t, name: name, info: info}, nil
	}
	h, err := t.files.OpenReadOnly(p)
	if err == nil {
		return &toRandomFile{name: name, info: info, h: h}, nil
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return nil, fsErr("open", name, err)
	}
	source, err := t.files.Source(p)
	if err != nil {
		return nil, fsErr("open", name, err)
	}
	return &toFile{name: name, info: info, source: NewBufferedSource(source)}, nil
}

// A toInfo is a FileInfo and a DirEntry.
type toInfo struct {
	name string
	m    Metadata
}

func (i toInfo) Name() string               { return i.name }
func (i toInfo) Size() int64                { return max(i.m.Size, 0) }
func (i toInfo) ModTime() time.Time         { return i.m.Modified }
func (i toInfo) IsDir() bool                { return i.m.Directory }
func (i toInfo) Sys() any                   { return i.m }
func (i toInfo) Type() fs.FileMode          { return i.Mode().Type() }
func (i toInfo) Info() (fs.FileInfo, error) { return i, nil }
func (i toInfo) String() string             { return fs.FormatFileInfo(i) }

func (i toInfo) Mode() fs.FileMode {
	switch {
	case i.m.Directory:
		return fs.ModeDir | 0o555
	case i.m.SymlinkTarget != nil:
		return fs.ModeSymlink | 0o777
	case i.m.Regular:
		return 0o444
	}
	return fs.ModeIrregular | 0o444
}

// A toFile is an open file that can only be read on.
type toFile struct {
	name   string
	info   toInfo
	source *BufferedSource
	closed bool
}

func (f *toFile) Stat() (fs.FileInfo, error) {
	if f.closed {
		return nil, fsErr("stat", f.name, fs.ErrClosed)
	}
	return f.info, nil
}

func (f *toFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, fsErr("read", f.name, fs.ErrClosed)
	}
	n, err := f.source.Read(p)
	if err != nil && err != io.EOF {
		err = fsErr("read", f.name, err)
	}
	return n, err
}

func (f *toFile) Close() error {
	if f.closed {
		return fsErr("close", f.name, fs.ErrClosed)
	}
	f.closed = true
	return f.source.Close()
}

// A toRandomFile is an open file that can be read anywhere. Only ReadAt may be called concurrently.
type toRandomFile struct {
	name   string
	info   toInfo
	h      *FileHandle
	at     int64
	closed bool
}

func (f *toRandomFile) Stat() (fs.FileInfo, error) {
	size, err := f.h.Size()
	if err != nil {
		return nil, fsErr("stat", f.name, err)
	}
	info := f.info
	info.m.Size = size
	return info, nil
}

func (f *toRandomFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 || len(p) == 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (f *toRandomFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.h.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = fsErr("read", f.name, err)
	}
	return n, err
}

func (f *toRandomFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		size, err := f.h.Size()
		if err != nil {
			return 0, fsErr("seek", f.name, err)
		}
		offset += size
	default:
		return 0, fsErr("seek", f.name, fs.ErrInvalid)
	}
	if offset < 0 {
		return 0, fsErr("seek", f.name, fs.ErrInvalid)
	}
	f.at = offset
	return offset, nil
}

func (f *toRandomFile) Close() error {
	if f.closed {
		return fsErr("close", f.name, fs.ErrClosed)
	}
	f.closed = true
	return f.h.Close()
}

// A toDirectory is an open directory. It is listed when its entries are first asked for.
type toDirectory struct {
	fs     *toFS
	name   string
	info   toInfo
	rest   []fs.DirEntry
	listed bool
	closed bool
}

func (d *toDirectory) Stat() (fs.FileInfo, error) {
	if d.closed {
		return nil, fsErr("stat", d.name, fs.ErrClosed)
	}
	return d.info, nil
}

func (d *toDirectory) Read([]byte) (int, error) { return 0, fsErr("read", d.name, errIsDirectory) }

func (d *toDirectory) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.closed {
		return nil, fsErr("readdir", d.name, fs.ErrClosed)
	}
	if !d.listed {
		entries, err := d.fs.ReadDir(d.name)
		if err != nil {
			return nil, err
		}
		d.rest, d.listed = entries, true
	}
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	entries := d.rest[:n:n]
	d.rest = d.rest[n:]
	return entries, nil
}

func (d *toDirectory) Close() error {
	if d.closed {
		return fsErr("close", d.name, fs.ErrClosed)
	}
	d.closed = true
	return nil
}
