//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package okio

import (
	"errors"
	"os"
)

const canSyncDirectories = false

// lockHostFile says that files cannot be locked here.
func lockHostFile(*os.File) error { return errors.ErrUnsupported }
