package okio

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

const canSyncDirectories = false

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// What LockFileEx is called with and answers.
const (
	lockFileExclusive    = 2 // LOCKFILE_EXCLUSIVE_LOCK
	lockFileAtOnce       = 1 // LOCKFILE_FAIL_IMMEDIATELY
	errorLockViolation   = syscall.Errno(33)
	errorInvalidFunction = syscall.Errno(1)
)

// lockHostFile locks an open file, until it is closed, against everybody who opens the file anew.
func lockHostFile(file *os.File) error {
	const everything = 1<<32 - 1
	done, _, err := lockFileEx.Call(file.Fd(), lockFileExclusive|lockFileAtOnce, 0, everything, everything, uintptr(unsafe.Pointer(new(syscall.Overlapped))))
	switch {
	case done != 0:
		return nil
	case errors.Is(err, errorLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return ErrLocked
	case errors.Is(err, errorInvalidFunction):
		return errors.ErrUnsupported
	}
	return err
}
