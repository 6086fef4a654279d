package okio

import (
	"errors"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// never is the instant of an operation without a limit.
const never time.Duration = math.MaxInt64

// socketLimit keeps a deadline of a connection in step with a Timeout. Setting a deadline costs more than all the rest of a
// small read, so it is not moved for every operation: one set for an earlier operation stays as long as it is not later than
// this one's, and if it fires before its time the operation goes on under its own.
//
// Instants are durations since epoch, which are cheaper to come by than times.
type socketLimit struct {
	timeout Timeout
	set     func(time.Time) error // SetReadDeadline or SetWriteDeadline of the connection
	epoch   time.Time
	due     time.Duration // when the operation under way has to end
	watch   disarmWatch   // of the operation under way

	mu    sync.Mutex   // held while the connection's deadline changes: Disarm does that too, in any goroutine
	armed atomic.Int64 // what it is, a time.Duration
}

func (l *socketLimit) init(set func(time.Time) error) {
	l.set, l.epoch = set, time.Now()
	l.armed.Store(int64(never))
	l.timeout.onDisarm = l.disarm
	l.timeout.onInterrupt = l.interrupt
	l.start()
}

// Timeout returns the limits of each operation.
func (l *socketLimit) Timeout() *Timeout { return &l.timeout }

// start begins an operation: what Disarm, called from now on, takes the limits off.
func (l *socketLimit) start() { l.watch = l.timeout.watch() }

// begin prepares for one read or write of the operation, which starts now. One that cannot go on after a deadline fired
// early asks for an exact one.
func (l *socketLimit) begin(exact bool) error {
	if l.timeout.interrupted.Load() {
		return os.ErrDeadlineExceeded
	}
	limit := l.timeout.limit
	var now time.Duration
	l.due = never
	if limit > 0 {
		now = time.Since(l.epoch)
		if l.due = now + limit; l.due < now { // beyond what a Duration holds
			l.due = never
		}
	}
	if at := l.timeout.deadline; !at.IsZero() {
		l.due = min(l.due, at.Sub(l.epoch))
	}
	if l.due != never && l.watch.disarmed() {
		l.due = never
	}
	armed := time.Duration(l.armed.Load())
	if armed == l.due {
		return nil
	}
	if !exact && limit > 0 && armed <= l.due && armed-now >= limit/2 {
		return nil
	}
	return l.arm()
}

func (l *socketLimit) arm() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch.disarmed() {
		l.due = never
	}
	var at time.Time
	if l.due != never {
		at = l.epoch.Add(l.due)
	}
	if l.timeout.interrupted.Load() {
		return os.ErrDeadlineExceeded // the deadline that interrupts stays
	}
	if err := l.set(at); err != nil {
		return err
	}
	l.armed.Store(int64(l.due))
	return nil
}

// interrupt has whatever is under way run out of time. The next operation after that is over sets its own deadline.
func (l *socketLimit) interrupt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.armed.Swap(0) // the epoch has passed. First: it may fire for an operation that begins after Resume, which has to see that it is not its own
	if l.set(longAgo) != nil {
		l.armed.Store(before)
	}
}

var longAgo = time.Unix(1, 0)

// disarm takes the deadline away from whatever is under way. The next read or write sets its own.
func (l *socketLimit) disarm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Duration(l.armed.Load()) != never && !l.timeout.interrupted.Load() && l.set(time.Time{}) == nil {
		l.armed.Store(int64(never))
	}
}

// early reports whether a read or write failed because of a deadline that is not its own, one of an earlier operation or one
// that was disarmed just when it fired, and if so gives it its own.
func (l *socketLimit) early(err error) bool {
	if l.timeout.interrupted.Load() {
		return false
	}
	if l.due == never && time.Duration(l.armed.Load()) == never || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	if l.due != never && l.watch.disarmed() {
		l.due = never
		return l.arm() == nil
	}
	return time.Duration(l.armed.Load()) < l.due && l.arm() == nil
}

// failure names the operation in an error that says it ran out of time.
func (l *socketLimit) failure(op string, err error) error {
	if l.timeout.interrupted.Load() && errors.Is(err, os.ErrDeadlineExceeded) {
		return &timeoutError{op: op, cause: err, early: true}
	}
	if l.due != never && errors.Is(err, os.ErrDeadlineExceeded) {
		return newTimeoutError(op, &l.timeout, l.epoch.Add(l.due), err)
	}
	return err
}
