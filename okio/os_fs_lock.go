package okio

import (
	"errors"
	"io"
	"os"
)

// lockTries bounds how often somebody may delete the file that we are about to lock.
const lockTries = 10

// LockFile implements [FileLocker].
func (f *hostFS) LockFile(p Path) (io.Closer, error) {
	const op = "lock"
	name, err := f.name(op, p)
	if err != nil {
		return nil, err
	}
	for range lockTries {
		file, err := f.open(p, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		if err := lockHostFile(file); err != nil {
			_ = file.Close() // nothing was written
			return nil, f.fail(op, p, err)
		}
		// What is locked has to be what others find there.
		locked, err := file.Stat()
		if err == nil {
			if present, statErr := f.calls.Stat(name); statErr == nil && os.SameFile(locked, present) {
				return file, nil // which gives the lock back when it is closed
			}
		}
		_ = file.Close() // nothing was written
		if err != nil {
			return nil, f.fail(op, p, err)
		}
	}
	return nil, f.fail(op, p, errors.New("the file is deleted again and again"))
}

// SyncDirectory implements [DirectorySyncer].
func (f *hostFS) SyncDirectory(dir Path) error {
	const op = "sync"
	name, err := f.name(op, dir)
	if err != nil {
		return err
	}
	info, err := f.calls.Stat(name)
	if err == nil && !info.IsDir() {
		err = errNotDirectory
	}
	if err != nil {
		return f.fail(op, dir, err)
	}
	if !canSyncDirectories {
		return pathErr(op, dir, unsupported(f, "sync directories"))
	}
	file, err := f.calls.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return f.fail(op, dir, err)
	}
	defer file.Close() // nothing was written
	return f.fail(op, dir, file.Sync())
}
