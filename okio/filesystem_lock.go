package okio

import (
	"errors"
	"fmt"
	"io"
)

// A FileLocker is a [FileSystem] whose files can be locked against other processes. [OS], [OpenRoot] and [FakeFileSystem] are; a [ForwardingFileSystem] is as
// far as the one it forwards to.
type FileLocker interface {
	// LockFile does what the function [LockFile] says.
	LockFile(p Path) (io.Closer, error)
}

// A DirectorySyncer is a [FileSystem] that can make what happened in a directory outlast a crash. [OS] and [OpenRoot] are on Unix, [FakeFileSystem] is; a
// [ForwardingFileSystem] is as far as the one it forwards to.
type DirectorySyncer interface {
	// SyncDirectory does what the function [SyncDirectory] says.
	SyncDirectory(dir Path) error
}

// ErrLocked is wrapped by the error of [LockFile] if somebody else holds the lock.
var ErrLocked = errors.New("okio: file is locked")

// LockFile locks a file, following a link, and creates it if it is absent. It does not wait: if the lock is held, by another process or by this one, it fails with
// [ErrLocked]. Close of the result gives the lock back, as the end of the process does.
//
// The lock keeps nobody from reading, writing or deleting the file who does not ask for the lock, though Windows does. A file that takes the place of a locked one is
// not locked. Where f cannot lock files, such as on some network file systems, the error is [errors.ErrUnsupported].
func LockFile(f FileSystem, p Path) (io.Closer, error) {
	locker, ok := f.(FileLocker)
	if !ok {
		return nil, pathErr("lock", p, unsupported(f, "lock files"))
	}
	return locker.LockFile(p)
}

// SyncDirectory returns when all creations, moves and deletions in the directory until now would survive a crash of the system. What the files hold is up to Sync
// of their handles. Where f cannot do that the error is [errors.ErrUnsupported]; on Windows it cannot, nor need it for the order of such changes.
func SyncDirectory(f FileSystem, dir Path) error {
	syncer, ok := f.(DirectorySyncer)
	if !ok {
		return pathErr("sync", dir, unsupported(f, "sync directories"))
	}
	return syncer.SyncDirectory(dir)
}

func unsupported(f FileSystem, what string) error {
	return fmt.Errorf("%T cannot %s: %w", f, what, errors.ErrUnsupported)
}

// LockFile implements [FileLocker]. OnPathParameter is told "lockFile" and "file".
func (f ForwardingFileSystem) LockFile(p Path) (io.Closer, error) {
	p, err := f.parameter(p, "lockFile", "file")
	if err != nil {
		return nil, err
	}
	return LockFile(f.FileSystem, p)
}

// SyncDirectory implements [DirectorySyncer]. OnPathParameter is told "syncDirectory" and "dir".
func (f ForwardingFileSystem) SyncDirectory(dir Path) error {
	dir, err := f.parameter(dir, "syncDirectory", "dir")
	if err != nil {
		return err
	}
	return SyncDirectory(f.FileSystem, dir)
}

var (
	_ FileLocker      = ForwardingFileSystem{}
	_ DirectorySyncer = ForwardingFileSystem{}
	_ FileLocker      = (*hostFS)(nil)
	_ DirectorySyncer = (*hostFS)(nil)
	_ FileLocker      = (*FakeFileSystem)(nil)
	_ DirectorySyncer = (*FakeFileSystem)(nil)
)
