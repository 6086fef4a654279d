package okio

import (
	"errors"
	"os"
	"time"
)

// socketLimit keeps a deadline of a connection in step with a Timeout. It remembers what is set, so that a stream without
// limits neither asks for the time nor makes a call.
type socketLimit struct {
	timeout Timeout
	set     func(time.Time) error // SetReadDeadline or SetWriteDeadline of the connection
	at      time.Time             // what was last set, zero if nothing
}

// Timeout returns the limits of each operation.
func (l *socketLimit) Timeout() *Timeout { return &l.timeout }

// arm prepares for one operation that starts now.
func (l *socketLimit) arm() error {
	at := l.timeout.deadline
	if l.timeout.limit > 0 {
		at, _ = l.timeout.Next(time.Now())
	}
	if at.Equal(l.at) {
		return nil
	}
	if err := l.set(at); err != nil {
		return err
	}
	l.at = at
	return nil
}

// failure names the operation in an error that says it ran out of time.
func (l *socketLimit) failure(op string, err error) error {
	if !l.at.IsZero() && errors.Is(err, os.ErrDeadlineExceeded) {
		return newTimeoutError(op, &l.timeout, l.at, err)
	}
	return err
}
