package okio

import (
	"fmt"
	"os"
	"time"
)

// timeoutError says which operation ran out of time and which of the two limits ended it.
type timeoutError struct {
	op    string        // "read" or "write"
	limit time.Duration // the limit of one operation, or 0 if the deadline was what ended it
	cause error         // what the connection reported, nil for a wait of our own
	early bool          // Interrupt ended it
}

// newTimeoutError describes an operation that had until at; whichever limit of t gave that instant is named.
func newTimeoutError(op string, t *Timeout, at time.Time, cause error) error {
	e := &timeoutError{op: op, limit: t.limit, cause: cause}
	if !t.deadline.IsZero() && !t.deadline.After(at) {
		e.limit = 0
	}
	return e
}

func (e *timeoutError) Error() string {
	if e.early {
		return "okio: " + e.op + " interrupted"
	}
	if e.limit > 0 {
		return fmt.Sprintf("okio: %s timeout after %v", e.op, e.limit)
	}
	return fmt.Sprintf("okio: %s timeout: deadline reached", e.op)
}

// Timeout and Temporary make it a net.Error.
func (e *timeoutError) Timeout() bool   { return true }
func (e *timeoutError) Temporary() bool { return true }

func (e *timeoutError) Is(target error) bool { return target == os.ErrDeadlineExceeded }
func (e *timeoutError) Unwrap() error        { return e.cause }
