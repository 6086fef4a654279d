package okio

import (
	"sync/atomic"
	"time"
)

// Timeout holds the two independent time limits of a stream: a limit for every single operation, which starts afresh with
// each one, and a deadline for the whole sequence of operations. Whichever comes first ends the operation. The zero value
// has neither, so operations wait as long as it takes.
//
// A Timeout belongs to the goroutine that uses its stream, as the stream itself does: set it before an operation, not during
// one. To end an operation from elsewhere, cancel the stream, or interrupt it where it is to be used again. Only Disarm, Interrupt and Resume may be
// called by any goroutine at any time. A Timeout must not be copied.
//
// An operation that ran out of time returns an error that is [os.ErrDeadlineExceeded] and a [net.Error] whose Timeout method
// reports true. The stream should then be closed: unless its documentation says more, how far the operation got is unknown.
type Timeout struct {
	limit    time.Duration
	deadline time.Time
	fixed    bool // the shared limitless one: setters do nothing, so that it is only ever read

	canceled <-chan struct{} // closed when the stream is canceled, for those who wait on its behalf; nil if it never is
	onDisarm func()          // what else the stream does to be disarmed
	disarms  atomic.Uint32   // how often that was asked for

	interrupted atomic.Bool
	onInterrupt func() // what else the stream does to be interrupted; the flag is set
	onResume    func() // and when that is over
}

// Limited is implemented by streams that can block and obey a [Timeout].
type Limited interface {
	// Timeout returns the limits of this stream, never nil and always the same one.
	Timeout() *Timeout
}

var noTimeout = Timeout{fixed: true}

// TimeoutOf returns the limits of stream if it is [Limited], and otherwise a shared Timeout that has no limits and ignores
// every attempt to set one. The result is never nil.
func TimeoutOf(stream any) *Timeout {
	if l, ok := stream.(Limited); ok {
		if t := l.Timeout(); t != nil {
			return t
		}
	}
	return &noTimeout
}

// SetLimit bounds each later operation to d. Zero or less removes the bound.
func (t *Timeout) SetLimit(d time.Duration) {
	if !t.fixed {
		t.limit = max(d, 0)
	}
}

// Limit returns the bound of a single operation, 0 if there is none.
func (t *Timeout) Limit() time.Duration { return t.limit }

// SetDeadline makes every operation that is still waiting at the given instant fail, and every later one fail at once if it
// has to wait. The zero time removes the deadline.
func (t *Timeout) SetDeadline(at time.Time) {
	if !t.fixed {
		t.deadline = at
	}
}

// Deadline returns the instant given to SetDeadline, the zero time if there is none.
func (t *Timeout) Deadline() time.Time { return t.deadline }

// Next returns the instant at which an operation that starts now runs out of time: the earlier of now plus the limit and
// the deadline, which may lie in the past. It returns false if neither is set.
func (t *Timeout) Next(now time.Time) (at time.Time, ok bool) {
	if t.limit <= 0 {
		return t.deadline, !t.deadline.IsZero()
	}
	at = now.Add(t.limit)
	if !t.deadline.IsZero() && t.deadline.Before(at) {
		at = t.deadline
	}
	return at, true
}

// Intersect narrows t to what o allows too: the smaller of both limits and the earlier of both deadlines, where one that is
// not set counts as endless. Calling restore, once, gives t back the values it had; o is not changed. On the shared Timeout
// of streams that have none it does nothing.
func (t *Timeout) Intersect(o *Timeout) (restore func()) {
	if t.fixed {
		return func() {}
	}
	saved := t.narrow(o)
	return func() { t.restore(saved) }
}

// limits are the values of a Timeout.
type limits struct {
	limit    time.Duration
	deadline time.Time
}

// narrow is Intersect without the closure: it returns the former values, for restore.
func (t *Timeout) narrow(o *Timeout) (saved limits) {
	saved = limits{t.limit, t.deadline}
	if t.fixed {
		return saved
	}
	if o.limit > 0 && (t.limit <= 0 || o.limit < t.limit) {
		t.limit = o.limit
	}
	if !o.deadline.IsZero() && (t.deadline.IsZero() || o.deadline.Before(t.deadline)) {
		t.deadline = o.deadline
	}
	return saved
}

func (t *Timeout) restore(saved limits) {
	if !t.fixed {
		t.limit, t.deadline = saved.limit, saved.deadline
	}
}

// Disarm takes the limits off the operation that the stream is at, if it is at one: a read or write that is under way will
// not run out of time any more, however long it takes. The limits stay set and later operations obey them; an operation that
// has run out of time already fails all the same. It is for whoever finds out in the middle of an operation that it should
// take as long as it wants, as when a connection becomes a web socket.
//
// Unlike the other methods it may be called by any goroutine at any time. Sockets, pipes and throttled streams obey it, with
// whatever wraps them. A pipe that is folded passes it on to nobody: disarm the Timeout of the sink that it was folded to.
func (t *Timeout) Disarm() {
	if t.fixed {
		return
	}
	t.disarms.Add(1)
	if t.onDisarm != nil {
		t.onDisarm()
	}
}

// Interrupt ends the operation that the stream is at as if its time were up, and every later one that would have to wait, until Resume. It is for whoever
// waits on behalf of somebody who may lose interest while the stream stays good: what an interrupted read did not take is there for the next one. An
// interrupted write leaves a stream as a timed-out one does.
//
// Sockets of [NewSocket], those of HTTP/2 streams for reading, and whatever wraps these obey it; other streams do not, as [Timeout.Interruptible] tells.
func (t *Timeout) Interrupt() {
	if t.onInterrupt != nil {
		t.interrupted.Store(true)
		t.onInterrupt()
	}
}

// Resume lets operations wait again after Interrupt. It does nothing if there was none.
func (t *Timeout) Resume() {
	if t.interrupted.Swap(false) && t.onResume != nil {
		t.onResume()
	}
}

// Interruptible reports whether Interrupt has an effect.
func (t *Timeout) Interruptible() bool { return t.onInterrupt != nil }

// HandleInterrupt is for those who implement a stream: Interrupt and Resume of its Timeout call these functions. Interrupt may be called
// before an operation begins that is then to fail with an error that is [os.ErrDeadlineExceeded]. Call it before the stream is used.
func (t *Timeout) HandleInterrupt(interrupt, resume func()) {
	if !t.fixed {
		t.onInterrupt, t.onResume = interrupt, resume
	}
}

// A disarmWatch belongs to an operation and tells whether Disarm was called since it began.
type disarmWatch struct {
	timeout *Timeout
	disarms uint32
}

// watch begins an operation.
func (t *Timeout) watch() disarmWatch { return disarmWatch{t, t.disarms.Load()} }

func (w disarmWatch) disarmed() bool { return w.timeout.disarms.Load() != w.disarms }

// none reports that no limit is set, in which case there is no need to ask for the time.
func (t *Timeout) none() bool { return t.limit <= 0 && t.deadline.IsZero() }
