//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package okio

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

const canSyncDirectories = true

// lockHostFile locks an open file, until it is closed, against everybody who opens the file anew.
func lockHostFile(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		case errors.Is(err, syscall.EINTR): // again
		case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK):
			return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
		default:
			return err
		}
	}
}
