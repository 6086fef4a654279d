package okio

import (
	"errors"
	"math"
	"os"
	"time"
)

// never is the instant of an operation without a limit.
const never time.Duration = math.MaxInt64

// socketLimit keeps a deadline of a connection in step with a Timeout. Setting a deadline costs more than all the rest of a small
// read, so it is not moved for every operation: one set for an earlier operation stays as long as it is not later than this one's, and
// if it fires before its time the operation goes on under its own.
//
// Instants are durations since epoch, which are cheaper to come by than times.
type socketLimit struct {
	timeout Timeout
	set     func(time.Time) error // SetReadDeadline or SetWriteDeadline of the connection
	epoch   time.Time
	armed   time.Duration // what the connection's deadline is
	due     time.Duration // when the operation under way has to end
}

func (l *socketLimit) init(set func(time.Time) error) {
	l.set, l.epoch, l.armed = set, time.Now(), never
}

// Timeout returns the limits of each operation.
func (l *socketLimit) Timeout() *Timeout { return &l.timeout }

// begin prepares for one operation that starts now. An operation that cannot go on after a deadline fired early asks for an exact one.
func (l *socketLimit) begin(exact bool) error {
	limit := l.timeout.limit
	var now time.Duration
	l.due = never
	if limit > 0 {
		now = time.Since(l.epoch)
		l.due = now + limit
	}
	if at := l.timeout.deadline; !at.IsZero() {
		l.due = min(l.due, at.Sub(l.epoch))
	}
	if l.armed == l.due {
		return nil
	}
	if !exact && limit > 0 && l.armed <= l.due && l.armed-now >= limit/2 {
		return nil
	}
	return l.arm()
}

func (l *socketLimit) arm() error {
	var at time.Time
	if l.due != never {
		at = l.epoch.Add(l.due)
	}
	if err := l.set(at); err != nil {
		return err
	}
	l.armed = l.due
	return nil
}

// early reports whether an operation failed because of the deadline of an earlier one, and if so gives it its own.
func (l *socketLimit) early(err error) bool {
	return l.armed < l.due && errors.Is(err, os.ErrDeadlineExceeded) && l.arm() == nil
}

// failure names the operation in an error that says it ran out of time.
func (l *socketLimit) failure(op string, err error) error {
	if l.due != never && errors.Is(err, os.ErrDeadlineExceeded) {
		return newTimeoutError(op, &l.timeout, l.epoch.Add(l.due), err)
	}
	return err
}
