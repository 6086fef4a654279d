package okio

import (
	"errors"
	"io/fs"
)

// ErrPowerLost is what every operation on a [FakeFileSystem] and its files fails with after [FakeFileSystem.Crash].
var ErrPowerLost = errors.New("okio: power lost")

// A fakeProblem says why a fake file system refuses an operation, and which error of package fs that is.
type fakeProblem struct {
	text string
	is   error // nil if it is none of them
}

func (e *fakeProblem) Error() string { return e.text }
func (e *fakeProblem) Unwrap() error { return e.is }

var (
	errFakeNoFile      = &fakeProblem{"no such file", fs.ErrNotExist}
	errFakeNoParent    = &fakeProblem{"parent directory does not exist", fs.ErrNotExist}
	errFakeNoSource    = &fakeProblem{"source doesn't exist", fs.ErrNotExist}
	errFakeExists      = &fakeProblem{"already exists", fs.ErrExist}
	errFakeDestination = &fakeProblem{"destination is a directory", nil}
	errFakeWriting     = &fakeProblem{"file is already open for writing", nil}
	errFakeReading     = &fakeProblem{"file is already open for reading", nil}
	errFakeNotFile     = &fakeProblem{"not a file", nil}
	errFakeTarget      = &fakeProblem{"target is a directory", nil}
	errFakeOpenSource  = &fakeProblem{"source is open", nil}
	errFakeOpenTarget  = &fakeProblem{"target is open", nil}
	errFakeMixed       = &fakeProblem{"source is a directory and target is a file", nil}
	errFakeBeneath     = &fakeProblem{"target is inside source", fs.ErrInvalid}
	errFakeNonEmpty    = &fakeProblem{"non-empty directory", nil}
	errFakeOpen        = &fakeProblem{"file is open", nil}
	errFakeRoot        = &fakeProblem{"a root cannot be moved or deleted", fs.ErrInvalid}
	errFakeNoSymlinks  = &fakeProblem{"symlinks are not supported", errors.ErrUnsupported}
	errFakeTooLarge    = &fakeProblem{"file would be larger than 1 GiB, which is the most that a fake file can be", nil}
)
