package okhttp

import (
	"errors"
	"io"
	"os"
)

// timeoutError is a time limit of ours that was up.
type timeoutError struct {
	text  string
	cause error
}

func (e *timeoutError) Error() string   { return e.text }
func (e *timeoutError) Timeout() bool   { return true }
func (e *timeoutError) Temporary() bool { return true }

// Is hides that the limit was kept by a context: it is not the caller's deadline that ended.
func (e *timeoutError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

func isEOF(err error) bool { return err == io.EOF }
