package disklru

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/okhttp-go/ok/okio"
)

// Errors that say in which state a [Store], an [Editor] or an [Iterator] is.
var (
	// ErrClosed is the error of operations on a store after Close.
	ErrClosed = errors.New("disklru: cache is closed")

	// ErrEditDone is the error of every operation on an [Editor] after its Commit or Abort.
	ErrEditDone = errors.New("disklru: edit is done already")

	// ErrRemoveBeforeNext is the error of [Iterator.Remove] where there is nothing to remove: before Next, or a second time after it.
	ErrRemoveBeforeNext = errors.New("disklru: remove() before next()")
)

// ErrNotFound says that a store has no such entry or value. It is an [fs.ErrNotExist].
var ErrNotFound error = notFoundError{}

type notFoundError struct{}

func (notFoundError) Error() string { return "disklru: no such entry" }

func (notFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// A KeyError reports a key that no entry can have.
type KeyError struct {
	Key string
}

// Error shows the rule and the key.
func (e *KeyError) Error() string {
	return fmt.Sprintf("disklru: keys must match regex [a-z0-9_-]{1,120}: %q", e.Key)
}

// An ArgumentError reports an option that makes no store.
type ArgumentError struct {
	Problem string
}

// Error tells the problem.
func (e *ArgumentError) Error() string { return "disklru: " + e.Problem }

// A RefusedError reports that an entry cannot be edited now. The caller does without: that is how the store keeps faults away from those who use it.
type RefusedError struct {
	Key    string
	Reason RefusedReason
}

// Error tells the key and the reason.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("disklru: edit of %s refused: %s", e.Key, e.Reason)
}

// RefusedReason is why an edit was refused.
type RefusedReason uint8

// The reasons, in the order in which they are looked at.
const (
	// Stale: the entry is not what the snapshot shows any more.
	Stale RefusedReason = iota + 1
	// Editing: the entry has an editor.
	Editing
	// Reading: a snapshot of the entry is open, on a file system where open files cannot be replaced.
	Reading
	// CleanupFailed: the last attempt to get below the maximal size or to rebuild the journal failed. Another is on its way.
	CleanupFailed
	// JournalFailed: the journal cannot be written. A new one is on its way.
	JournalFailed
)

// String says the reason in words.
func (r RefusedReason) String() string {
	switch r {
	case Stale:
		return "the entry has changed since the snapshot"
	case Editing:
		return "it is being edited"
	case Reading:
		return "it is being read"
	case CleanupFailed:
		return "the last cleanup failed"
	case JournalFailed:
		return "the journal cannot be written"
	}
	return fmt.Sprintf("RefusedReason(%d)", uint8(r))
}

// A NotStoredError is what [Editor.Commit] returns when the edit came to nothing though its user did all that is to be done: a value could not be
// written, or the entry was removed meanwhile. The store is as if the edit had been aborted, but that a value that could not be written costs the entry where open files
// cannot be replaced, as on Windows. With [Options.Sync] it can also say that the entry is there, but not certain to outlast a loss of power.
type NotStoredError struct {
	Key string
	Err error // what went wrong first, nil if the entry was removed or the store closed
}

// Error tells the key and the cause.
func (e *NotStoredError) Error() string {
	if e.Err == nil {
		return "disklru: edit of " + e.Key + " not stored: the entry was removed"
	}
	return "disklru: edit of " + e.Key + " not stored: " + e.Err.Error()
}

// Unwrap returns what went wrong.
func (e *NotStoredError) Unwrap() error { return e.Err }

// A MissingValueError is what [Editor.Commit] returns for a new entry of which a value was not written.
type MissingValueError struct {
	Key   string
	Index int
}

// Error tells the first value that is missing.
func (e *MissingValueError) Error() string {
	return fmt.Sprintf("disklru: Newly created entry didn't create value for index %d", e.Index)
}

// A corruptError is why the contents of a directory cannot be used.
type corruptError string

func (e corruptError) Error() string { return string(e) }

// A lengthError reports a value file that has not the length that the journal says.
type lengthError struct {
	path       okio.Path
	want, have int64
}

func (e *lengthError) Error() string {
	return fmt.Sprintf("disklru: %s has %d bytes, expected %d", e.path, e.have, e.want)
}
