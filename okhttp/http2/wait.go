package http2

import (
	"errors"
	"os"
	"time"
)

// waiter is one who waits for something on the connection. It is guarded by Conn.mu.
type waiter struct {
	seat        *seat // while somebody else reads for it
	interrupted bool  // was made to leave the place of the reader
}

// tell wakes the waiter, if it does not read itself.
func (w *waiter) tell() {
	if w.seat != nil {
		w.seat.tell()
	}
}

// until is what a waiter waits for. It is asked under Conn.mu.
type until interface{ ready() bool }

// await waits until something is ready, and reads for all if nobody else does. It fails when the deadline, unless zero, has passed; whether
// the connection failed is for ready to say. The stream is the one on whose behalf it waits, nil for none. Conn.mu is held, and is again on return.
func (c *Conn) await(w *waiter, s *Stream, deadline time.Time, u until) (err error) {
	c.recent = true
	for err == nil && !u.ready() {
		c.waiting++
		c.flushAside() // what was held back until now must be on its way
		if c.led {
			err = c.follow(w, s, deadline)
		} else {
			err = c.lead(w, s, deadline, u)
		}
		if c.waiting--; c.waiting == 0 {
			c.watchQuiet()
		}
	}
	if !c.led {
		c.parked.wakeFirst() // this one may have been woken to read
	}
	if u.ready() {
		return nil
	}
	return err
}

// follow waits for something to change, the place of the reader among it. Conn.mu is held, and is again on return.
func (c *Conn) follow(w *waiter, s *Stream, deadline time.Time) error {
	k := c.park(w, s, deadline, &c.parked)
	c.mu.Unlock()
	<-k.wake
	c.mu.Lock()
	return c.unpark(w)
}

// lead reads for all, from the place of the reader, until what the waiter waits for is ready. Conn.mu is held, and is again on return.
func (c *Conn) lead(w *waiter, s *Stream, deadline time.Time, u until) (err error) {
	c.led, c.leader = true, w
	c.leading.begin(c, s)
	for c.err == nil {
		done := u.ready() || w.interrupted
		if done && !c.received.buffered() {
			break
		}
		c.mu.Unlock()
		err = c.received.step(deadline, !done)
		c.mu.Lock()
		if err != nil {
			break
		}
	}
	if w.interrupted {
		w.interrupted = false
		c.disarm()
	}
	c.led, c.leader = false, nil
	c.leading.end()
	c.parked.wakeFirst()
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil // the connection may have failed, which is for others to say
	}
	return err
}

// Attended reports whether somebody reads, so that what the peer says is heard. A connection that nobody waits on is not read for some milliseconds, and
// then by a goroutine of its own until somebody does.
func (c *Conn) Attended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.led || c.err != nil
}

// CatchUp takes what the peer has sent while nobody read, so that [Conn.Usable] knows of a goodbye among it. It reads once, waits no longer than that for something to come, with
// 0 not at all, and reports whether something came. It does nothing while somebody reads.
func (c *Conn) CatchUp(wait time.Duration) (came bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.led || c.err != nil {
		return false
	}
	c.led = true
	c.mu.Unlock()
	deadline := past
	if wait > 0 {
		deadline = time.Now().Add(wait)
	}
	var err error
	for err == nil && !came { // the deadline of an earlier wait may end a read before its time
		before := c.received.in.Len()
		err = c.received.step(deadline, true)
		came = c.received.in.Len() > before
	}
	if came {
		_ = c.received.step(deadline, false) // a failure is that of the connection
	}
	c.mu.Lock()
	c.led = false
	c.parked.wakeFirst()
	if c.waiting == 0 {
		c.watchQuiet()
	}
	return came
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// interrupt makes a waiter look again at what it waits for, also if it is reading. Conn.mu is held.
func (c *Conn) interrupt(w *waiter) {
	if c.leader == w && !w.interrupted {
		w.interrupted = true
		_ = c.raw.SetReadDeadline(past)
		return
	}
	w.tell()
}

// disarm takes the deadline off the socket. Conn.mu is held.
func (c *Conn) disarm() {
	c.armed = time.Time{}
	_ = c.raw.SetReadDeadline(time.Time{})
}

// readWhileQuiet reads when nobody has waited for a moment, until somebody does.
func (c *Conn) readWhileQuiet() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watched = false
	switch {
	case c.err != nil, c.led, c.waiting > 0: // who reads, or the last to wait, goes on watching
		return
	case c.recent:
		c.recent = false
		c.watchQuiet()
		return
	}
	c.led = true
	for c.err == nil && (c.waiting == 0 || c.received.buffered()) {
		c.mu.Unlock()
		err := c.received.step(time.Time{}, true)
		c.mu.Lock()
		if err != nil {
			break
		}
	}
	c.led = false
	c.parked.wakeFirst()
	if c.waiting == 0 { // they have left already
		c.watchQuiet()
	}
}

// watchQuiet has it noticed when nobody waits for a while, which costs something only if it is not watched already. The lock is held.
func (c *Conn) watchQuiet() {
	if !c.watched && c.err == nil {
		c.watched = true
		c.quiet.Reset(quietTime)
	}
}
