package okio

import "time"

// Timeout holds the two independent time limits of a stream: a limit for every single operation, which starts afresh with
// each one, and a deadline for the whole sequence of operations. Whichever comes first ends the operation. The zero value
// has neither, so operations wait as long as it takes.
//
// A Timeout belongs to the goroutine that uses its stream, as the stream itself does: set it before an operation, not
// during one. To end an operation from elsewhere, cancel the stream.
//
// An operation that ran out of time returns an error that is [os.ErrDeadlineExceeded] and a [net.Error] whose Timeout method
// reports true. The stream should then be closed: unless its documentation says more, how far the operation got is unknown.
type Timeout struct {
	limit    time.Duration
	deadline time.Time
	fixed    bool // the shared limitless one: setters do nothing, so that it is only ever read
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
// not set counts as endless. Calling restore, once, gives t back the values it had; o is not changed. On the shared Timeout of
// streams that have none it does nothing.
func (t *Timeout) Intersect(o *Timeout) (restore func()) {
	if t.fixed {
		return func() {}
	}
	saved := t.narrow(o)
	return func() { *t = saved }
}

// narrow is Intersect without the closure: it returns the former value, which the caller puts back unless t is fixed.
func (t *Timeout) narrow(o *Timeout) (saved Timeout) {
	saved = *t
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

// none reports that no limit is set, in which case there is no need to ask for the time.
func (t *Timeout) none() bool { return t.limit <= 0 && t.deadline.IsZero() }
