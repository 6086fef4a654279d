package okhttp

import (
	"errors"
	"io"
	"net"
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

// isTimeout reports whether an error is a time limit that was up, of ours or of package net, whose dialer has a type of its own for it.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func isEOF(err error) bool { return err == io.EOF }
