package okio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// A FileSystem opens, lists and changes files. [OS] is that of the host and [OpenRoot] a sandboxed part of it. Anything that implements the
// interface is one; [NewFileHandle] does the larger part of the work.
//
// Errors are those of package io/fs: an absent file is [fs.ErrNotExist], an unwelcome one [fs.ErrExist], a wrong argument
// [fs.ErrInvalid], each wrapped with the path, usually by an [*fs.PathError]. What [Walk], [Copy], [CreateDirectories] and
// [DeleteRecursively] do is made of these operations.
//
// Symbolic links in the directories of a path are followed always. The methods say what becomes of a link at the end of the path.
//
// A FileSystem is safe for concurrent use as far as its documentation says so; those of [OS] and [OpenRoot] are.
type FileSystem interface {
	// Canonicalize returns the absolute path of an existing file with all links resolved and without "..". A relative path starts at the
	// working directory. A file system that has no absolute paths, such as that of OpenRoot, returns a relative one.
	Canonicalize(p Path) (Path, error)

	// Metadata describes the file or directory, or the link itself if p is one.
	Metadata(p Path) (Metadata, error)

	// List returns the paths of what is in the directory, as dir plus a name, sorted by [Path.Compare]. It follows a link. It fails on
	// anything but a directory.
	List(dir Path) ([]Path, error)

	// OpenReadOnly opens an existing file, following a link. The handle refuses to write.
	OpenReadOnly(p Path) (*FileHandle, error)

	// OpenReadWrite opens a file, following a link, and creates it if it is absent. It does not truncate it.
	OpenReadWrite(p Path, m OpenMode) (*FileHandle, error)

	// Source opens an existing file to be read from its start, following a link.
	Source(p Path) (Source, error)

	// Sink opens a file to be written from its start, following a link: an existing file is truncated, an absent one created. Flush of the
	// sink hands over what was written, but does not force it to the disk, as Sync of a FileHandle does.
	Sink(p Path, m OpenMode) (Sink, error)

	// Appending opens a file to be written at its end, following a link, and creates it if it is absent.
	Appending(p Path, m OpenMode) (Sink, error)

	// CreateDirectory creates a directory in one that exists. If the directory is there already it does nothing, or fails under
	// MustCreate. MustExist is not allowed.
	CreateDirectory(p Path, m OpenMode) error

	// AtomicMove gives a file, a directory or a link itself another place in the same file system. A file or link at that place is replaced, so
	// that at every instant there is either the old or the new one; an existing directory is never replaced. Moving something onto itself
	// does nothing.
	AtomicMove(from, to Path) error

	// Delete removes a file, a link itself or an empty directory. If there is none it does nothing, or fails under MustExist. MustCreate is not
	// allowed.
	Delete(p Path, m OpenMode) error

	// CreateSymlink creates a symbolic link at a place where nothing is. The target is kept as it is, need not exist, and if it is relative
	// starts at the directory of the link.
	CreateSymlink(at, target Path) error

	// Close releases what the file system holds. That of OS and OpenRoot does nothing.
	io.Closer
}

// OpenMode says what must or must not be there when an operation on a [FileSystem] starts. Zero asks for neither. The check and the operation are one
// step: of several that try at the same time to create a file under MustCreate, one succeeds.
type OpenMode uint8

const (
	// MustCreate makes the operation fail with [fs.ErrExist] if the file exists.
	MustCreate OpenMode = 1 << iota

	// MustExist makes the operation fail with [fs.ErrNotExist] if the file is absent.
	MustExist
)

// String names the bits.
func (m OpenMode) String() string {
	var names []string
	if m&MustCreate != 0 {
		names = append(names, "MustCreate")
	}
	if m&MustExist != 0 {
		names = append(names, "MustExist")
	}
	if rest := m &^ (MustCreate | MustExist); rest != 0 || m == 0 {
		names = append(names, fmt.Sprintf("%#x", uint8(rest)))
	}
	return strings.Join(names, "|")
}

// check fails if m has a bit that is not allowed, or both MustCreate and MustExist, which nothing can fulfil.
func (m OpenMode) check(op string, p Path, allowed OpenMode) error {
	var problem invalidError
	switch {
	case m&^allowed != 0:
		problem = invalidError("mode " + m.String() + " is not allowed, only " + allowed.String())
	case m == MustCreate|MustExist:
		problem = "mode has both MustCreate and MustExist"
	default:
		return nil
	}
	return pathErr(op, p, problem)
}

// checkOpen is check for the operations that open a file.
func (m OpenMode) checkOpen(p Path) error { return m.check("open", p, MustCreate|MustExist) }

// invalidError is the text of an fs.ErrInvalid.
type invalidError string

func (e invalidError) Error() string { return string(e) }

func (invalidError) Is(target error) bool { return target == fs.ErrInvalid }

var (
	errIsDirectory  = errors.New("is a directory")
	errNotDirectory = errors.New("not a directory")
)

// pathErr wraps err with the facts. One that a lower layer wrapped already, with a path of its own, is unwrapped first.
func pathErr(op string, p Path, err error) error {
	if inner, ok := err.(*fs.PathError); ok {
		err = inner.Err
	}
	return &fs.PathError{Op: op, Path: p.String(), Err: err}
}

// existsError is the text of an fs.ErrExist.
type existsError string

func (e existsError) Error() string { return string(e) }

func (existsError) Is(target error) bool { return target == fs.ErrExist }

// Metadata describes a file, a directory or a link.
type Metadata struct {
	// Regular and Directory tell the kind. Both are false for links and for what else a host has, such as devices.
	Regular, Directory bool

	// SymlinkTarget is what a symbolic link holds, nil if this is not one. A relative target starts at the directory of the link.
	SymlinkTarget *Path

	// Size is the number of bytes of a regular file, and -1 if it is unknown.
	Size int64

	// Created is the time of birth, Modified that of the last change of the contents and Accessed that of the last reading. They are as
	// precise as the host has them, and zero where it has none.
	Created, Modified, Accessed time.Time

	// Extras is whatever else a file system tells, under keys of its own types. It is nil if there is nothing.
	Extras map[any]any
}

// String lists what is known.
func (m Metadata) String() string {
	var facts []string
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	if m.Regular {
		add("regular")
	}
	if m.Directory {
		add("directory")
	}
	if m.SymlinkTarget != nil {
		add("symlink=%s", *m.SymlinkTarget)
	}
	if m.Size >= 0 {
		add("size=%d", m.Size)
	}
	for _, at := range []struct {
		name string
		time time.Time
	}{{"created", m.Created}, {"modified", m.Modified}, {"accessed", m.Accessed}} {
		if !at.time.IsZero() {
			add("%s=%s", at.name, at.time.Format(time.RFC3339Nano))
		}
	}
	if len(m.Extras) > 0 {
		add("extras=%v", m.Extras)
	}
	return "Metadata(" + strings.Join(facts, ", ") + ")"
}
