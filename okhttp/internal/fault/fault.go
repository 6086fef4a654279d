// Package fault holds the error types that the codecs and the client share, so that a user matches one type whichever layer
// found the fault. The public packages alias them.
package fault

import (
	"cmp"
	"fmt"
	"strconv"
)

// ProtocolError reports that a peer, or a body handed to us, broke the rules of HTTP. It is never retried.
type ProtocolError struct {
	// Detail says what came and what was expected.
	Detail string
	// Err is the cause, if there is one: io.ErrUnexpectedEOF for a message cut short.
	Err error
}

func (e *ProtocolError) Error() string { return "protocol error: " + e.Detail }

// Unwrap returns the cause.
func (e *ProtocolError) Unwrap() error { return e.Err }

// Protocolf makes a ProtocolError without a cause.
func Protocolf(format string, args ...any) *ProtocolError {
	return &ProtocolError{Detail: fmt.Sprintf(format, args...)}
}

// TooLargeError reports that a peer sent more than a limit allows.
type TooLargeError struct {
	// What is the thing that was limited: "response head", "chunk size line".
	What string
	// Limit is the largest size allowed.
	Limit int64
	// Unit is what Limit counts, "fields"; empty for bytes.
	Unit string
}

func (e *TooLargeError) Error() string {
	return e.What + " is larger than the limit of " + strconv.FormatInt(e.Limit, 10) + " " + cmp.Or(e.Unit, "bytes")
}

// Quote renders what a peer sent for an error message, cut short so that no message grows with its input.
func Quote(s string) string {
	const most = 64
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
