package http2

import (
	"errors"
	"os"
	"time"
)

// waiter is one who waits for something on the connection. What it waits for is guarded by Conn.mu.
type waiter struct {
	wake        chan struct{} // has room for one
	timer       *time.Timer   // nil until needed
	waits       bool
	interrupted bool // was made to leave the place of the reader
}

// init prepares for being woken, which the leader need not. Conn.mu is held.
func (w *waiter) init() {
	if w.wake == nil {
		w.wake = make(chan struct{}, 1)
	}
}

// tell wakes the waiter, if it waits. Conn.mu is held.
func (w *waiter) tell() {
	if w.waits {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// due returns what tells that an instant, unless zero, has come. Stop has to follow.
func (w *waiter) due(at time.Time) <-chan time.Time {
	switch {
	case at.IsZero():
		return nil
	case w.timer == nil:
		w.timer = time.NewTimer(time.Until(at))
	default:
		w.timer.Reset(time.Until(at))
	}
	return w.timer.C
}

func (w *waiter) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// until is what a waiter waits for. It is asked under Conn.mu.
type until interface{ ready() bool }

// await waits until something is ready, and reads for all if nobody else does. It fails when the deadline, unless zero, has passed; whether
// the connection failed is for ready to say. Conn.mu is held, and is again on return.
func (c *Conn) await(w *waiter, deadline time.Time, u until) error {
	c.recent = true
	for !u.ready() {
		c.waiting++
		c.flushAside() // what was held back until now must be on its way
		var err error
		select {
		case c.reading <- struct{}{}:
			c.mu.Unlock()
			err = c.lead(w, deadline, u)
		default:
			w.init()
			w.waits = true
			c.mu.Unlock()
			err = c.follow(w, deadline, u)
		}
		c.mu.Lock()
		w.waits = false
		if c.waiting--; c.waiting == 0 {
			c.watchQuiet()
		}
		if err != nil && !u.ready() {
			return err
		}
	}
	return nil
}

// follow waits for something to change, or for the place of the reader.
func (c *Conn) follow(w *waiter, deadline time.Time, u until) error {
	due := w.due(deadline)
	defer w.stop()
	select {
	case <-w.wake:
		return nil
	case c.reading <- struct{}{}:
		return c.lead(w, deadline, u)
	case <-due:
		return os.ErrDeadlineExceeded
	}
}

// lead reads for all, from the place of the reader, until what the waiter waits for is ready.
func (c *Conn) lead(w *waiter, deadline time.Time, u until) error {
	c.mu.Lock()
	c.leader = w
	for {
		over := c.err != nil
		done := u.ready() || w.interrupted
		c.mu.Unlock()
		if over || done && !c.received.buffered() {
			break
		}
		err := c.received.step(deadline, !done)
		c.mu.Lock()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.leave(w)
			return err
		}
		if err != nil {
			c.leave(w)
			return nil // the connection has failed
		}
	}
	c.mu.Lock()
	c.leave(w)
	return nil
}

// leave gives the place of the reader up. Conn.mu is held, and is not on return.
func (c *Conn) leave(w *waiter) {
	if c.leader = nil; w.interrupted {
		w.interrupted = false
		c.disarm()
	}
	c.mu.Unlock()
	<-c.reading
}

// interrupt makes a waiter look again at what it waits for, also if it is reading. Conn.mu is held.
func (c *Conn) interrupt(w *waiter) {
	if c.leader == w && !w.interrupted {
		w.interrupted = true
		_ = c.raw.SetReadDeadline(time.Unix(1, 0))
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
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.watched = false
	if c.waiting > 0 { // the last of them goes on watching
		c.mu.Unlock()
		return
	}
	if c.recent {
		c.recent = false
		c.watchQuiet()
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	select {
	case c.reading <- struct{}{}:
	default: // who waits meanwhile goes on watching
		return
	}
	for {
		if err := c.received.step(time.Time{}, true); err != nil {
			<-c.reading
			return
		}
		c.mu.Lock()
		over, wanted := c.err != nil, c.waiting > 0
		c.mu.Unlock()
		if over || wanted && !c.received.buffered() {
			break
		}
	}
	<-c.reading
	c.mu.Lock()
	defer c.mu.Unlock()
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
