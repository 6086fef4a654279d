package okio

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// CreateDirectories creates the directory p and those above it that are absent. If p is there already it does nothing, or fails with [fs.ErrExist]
// under MustCreate. It fails if p, or what it would have to be in, exists and is not a directory. MustExist is not allowed.
func CreateDirectories(f FileSystem, p Path, m OpenMode) error {
	const op = "mkdir"
	if err := m.check(op, p, MustCreate); err != nil {
		return err
	}
	var absent []Path
	for dir := p; ; {
		exists, err := isDirectory(f, dir)
		if err != nil {
			return err
		}
		if exists {
			break
		}
		absent = append(absent, dir)
		parent, ok := dir.Parent()
		if !ok {
			break // CreateDirectory knows why there is no such root
		}
		dir = parent
	}
	if len(absent) == 0 && m&MustCreate != 0 {
		return pathErr(op, p, existsError("already exists"))
	}
	for _, dir := range slices.Backward(absent) {
		mode := OpenMode(0)
		if dir == p {
			mode = m
		}
		if err := f.CreateDirectory(dir, mode); err != nil {
			return err
		}
	}
	return nil
}

// isDirectory reports whether p is a directory or a link to one. It fails if p is something else.
func isDirectory(f FileSystem, p Path) (bool, error) {
	m, err := f.Metadata(p)
	if err == nil && m.SymlinkTarget != nil {
		var real Path
		if real, err = f.Canonicalize(p); err != nil {
			return false, pathErr("mkdir", p, fmt.Errorf("a symbolic link that leads nowhere is in the way: %w", err))
		}
		m, err = f.Metadata(real)
	}
	switch {
	case isNotExist(err):
		return false, nil
	case err != nil:
		return false, err
	case !m.Directory:
		return false, pathErr("mkdir", p, existsError("a file that is not a directory is in the way"))
	}
	return true, nil
}

// DeleteRecursively deletes p and everything beneath it. Symbolic links are deleted, not followed. If there is no p it does nothing, or fails with
// [fs.ErrNotExist] under MustExist. What vanishes meanwhile is fine. It ends at the first file that cannot be deleted. MustCreate is not allowed.
func DeleteRecursively(f FileSystem, p Path, m OpenMode) error {
	if err := m.check("delete", p, MustExist); err != nil {
		return err
	}
	return deleteTree(f, p, m)
}

func deleteTree(f FileSystem, p Path, m OpenMode) error {
	// What keeps a directory from being listed keeps it from being deleted, unless it is empty, and that error says more.
	if meta, err := f.Metadata(p); err == nil && meta.Directory {
		children, _ := f.List(p)
		for _, child := range children {
			if err := deleteTree(f, child, 0); err != nil {
				return err
			}
		}
	}
	return f.Delete(p, m)
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
