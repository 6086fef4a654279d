package http2

import (
	"context"
	"os"
	"time"
)

// seat is where somebody waits who is woken by others. It is guarded by Conn.mu; only its channel is not. Seats are used again: a call that waits
// makes no channel and sets no timer of its own.
type seat struct {
	wake       chan struct{} // has room for one
	told       bool          // and has one
	expired    bool          // because the time is up
	until      time.Time     // unless zero
	stay       stay
	among      *seats
	prev, next *seat
}

func (k *seat) tell() {
	if !k.told {
		k.told = true
		k.wake <- struct{}{}
	}
}

// seats are those in use, the longest first.
type seats struct{ first, last *seat }

func (l *seats) add(k *seat) {
	if k.prev = l.last; k.prev != nil {
		k.prev.next = k
	} else {
		l.first = k
	}
	l.last = k
}

func (l *seats) remove(k *seat) {
	if k.prev != nil {
		k.prev.next = k.next
	} else {
		l.first = k.next
	}
	if k.next != nil {
		k.next.prev = k.prev
	} else {
		l.last = k.prev
	}
	k.prev, k.next = nil, nil
}

// wakeFirst has the one who waits for the longest take the place of the reader, or pass it on.
func (l *seats) wakeFirst() {
	if l.first != nil {
		l.first.tell()
	}
}

// maxSpareSeats is how many seats a connection keeps for those who come.
const maxSpareSeats = 256

// park gives a waiter a seat among others who wait for the same. The lock is held.
func (c *Conn) park(w *waiter, s *Stream, deadline time.Time, among *seats) *seat {
	k := c.spare
	if k == nil {
		k = &seat{wake: make(chan struct{}, 1)}
	} else {
		c.spare, k.next = k.next, nil
		c.spares--
	}
	k.until = deadline
	k.stay.begin(c, s)
	c.alarmBy(deadline)
	k.among = among
	among.add(k)
	w.seat = k
	return k
}

// unpark takes the seat back. It fails if the time was up. The lock is held.
func (c *Conn) unpark(w *waiter) (err error) {
	k := w.seat
	w.seat = nil
	k.among.remove(k)
	if k.expired {
		err = os.ErrDeadlineExceeded
	}
	if k.told {
		select {
		case <-k.wake:
		default: // it was taken
		}
	}
	k.told, k.expired = false, false
	k.stay.end()
	if c.spares < maxSpareSeats {
		k.next, c.spare = c.spare, k
		c.spares++
	}
	return err
}

// slowTime is from when on a wait is worth watching the context that may end it. As the alarm is that of all waits, it may be twice as long.
const slowTime = 5 * time.Millisecond

// stay is a time spent on behalf of a stream, whose context is watched once that has become long. Most are too short for it to pay, and a context that
// ends meanwhile is noticed when it has. It is guarded by Conn.mu.
type stay struct {
	stream *Stream
	round  uint64 // of the alarm
}

func (y *stay) begin(c *Conn, s *Stream) {
	if s == nil || s.context == nil || s.unwatch != nil {
		return
	}
	y.stream, y.round = s, c.round
	c.alarmSoon()
}

func (y *stay) end() { y.stream = nil }

// slow reports whether a stay goes on whose stream has yet to be watched, and has it watched if it was there when the alarm rang last.
func (y *stay) slow(c *Conn) bool {
	switch s := y.stream; {
	case s == nil:
		return false
	case y.round == c.round:
		return true
	default:
		s.watch()
		y.stream = nil
		return false
	}
}

// alarmBy has the alarm ring by an instant, unless zero. The lock is held.
func (c *Conn) alarmBy(at time.Time) {
	if at.IsZero() || c.err != nil || !c.alarmAt.IsZero() && !at.Before(c.alarmAt) {
		return
	}
	c.alarmAt = at
	if d := time.Until(at); c.alarm == nil {
		c.alarm = time.AfterFunc(d, c.ring)
	} else {
		c.alarm.Reset(d)
	}
}

// alarmSoon has the alarm ring in a moment. The lock is held.
func (c *Conn) alarmSoon() {
	if !c.alarmIsSoon {
		c.alarmIsSoon = true
		c.alarmBy(time.Now().Add(slowTime))
	}
}

// ring wakes those whose time is up, and has the contexts watched of those who have been at something for long.
func (c *Conn) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alarmAt, c.alarmIsSoon = time.Time{}, false
	now, next := time.Now(), time.Time{}
	soon := c.leading.slow(c)
	soon = c.sending.slow(c) || soon
	for _, among := range [...]*seats{&c.parked, &c.queued} {
		for k := among.first; k != nil; k = k.next {
			soon = k.stay.slow(c) || soon
			switch {
			case k.until.IsZero():
			case !now.Before(k.until):
				k.expired = true
				k.tell()
			case next.IsZero() || k.until.Before(next):
				next = k.until
			}
		}
	}
	c.round++
	if soon {
		c.alarmSoon()
	}
	c.alarmBy(next)
}

// Bind ends the stream with a context: it is reset then, and whoever waits for it fails with the cause. That takes up to 10 ms for a context that ends
// soon after a wait began. Unbind has to follow, unless the stream came to its end.
func (s *Stream) Bind(ctx context.Context) {
	if s.conn != nil {
		s.conn.mu.Lock()
		defer s.conn.mu.Unlock()
	}
	if ctx != nil && ctx.Done() != nil && !s.removed {
		s.context = ctx
	}
}

// Watch has the end of the context noticed at once from now on, also while nobody waits for the stream. It does nothing for one that came to its end.
func (s *Stream) Watch() {
	if s.over.Load() {
		return
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.watch()
}

// watch is Watch. The lock is held.
func (s *Stream) watch() {
	ctx := s.context
	if ctx == nil || s.unwatch != nil {
		return
	}
	s.unwatch = context.AfterFunc(ctx, func() { s.Cancel(Cancel, context.Cause(ctx)) })
}

// Unbind parts the stream from its context, and reports whether that has not ended yet.
func (s *Stream) Unbind() bool {
	if s.over.Load() {
		return true // it is unbound already
	}
	if s.conn != nil {
		s.conn.mu.Lock()
		defer s.conn.mu.Unlock()
	}
	if s.context == nil {
		return true
	}
	on := s.context.Err() == nil
	s.unbind()
	return on
}

// unbind is Unbind. The lock is held.
func (s *Stream) unbind() {
	if s.unwatch != nil {
		s.unwatch()
		s.unwatch = nil
	}
	s.context = nil
}
