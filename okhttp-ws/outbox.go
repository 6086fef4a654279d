package okws

import (
	"context"
	"slices"
	"time"
)

// outbox holds what is to be sent by nobody in particular: pongs, and the messages of a [WebSocket]. Conn.mu guards it. A goroutine empties it, which lives as long
// as there is something.
type outbox struct {
	pongs    [][]byte // payloads, the oldest first
	messages []outgoing
	size     int64 // of the messages in bytes, until they are written
	queued   int64 // how many there have been
	done     int64 // how many of these were written
	draining bool
	closing  bool          // a close frame was queued
	timer    *time.Timer   // ends the wait for the answer to it
	changed  chan struct{} // closed and forgotten when size shrinks, nil if nobody waits for that
}

// outgoing is a message in the outbox, or the close frame.
type outgoing struct {
	kind     opcode
	payload  []byte
	compress compressChoice
	code     Code
	reason   string
	written  func(error) // nil if nobody asked
}

// compressChoice is what a message's sender wants.
type compressChoice uint8

const (
	compressBySize compressChoice = iota
	compressAlways
	compressNever
)

// maxPongs is how many pings are answered that came while nothing could be sent: the newest (RFC 6455 section 5.5.3).
const maxPongs = 64

// drop forgets what will never be sent. The lock is held.
func (o *outbox) drop(err error) {
	messages := o.messages
	o.pongs, o.messages = nil, nil
	o.wake()
	if slices.ContainsFunc(messages, func(m outgoing) bool { return m.written != nil }) {
		go notWritten(messages, err) // who drops holds the lock
	}
}

// change returns what is closed when the outbox has got smaller. The lock is held.
func (o *outbox) change() <-chan struct{} {
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

// wake tells those who wait for room. The lock is held.
func (o *outbox) wake() {
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

// queuePong has a ping answered.
func (c *Conn) queuePong(payload []byte) {
	c.mu.Lock()
	if c.err == nil && !c.sentClose {
		if len(c.outbox.pongs) == maxPongs {
			c.outbox.pongs = append(c.outbox.pongs[:0], c.outbox.pongs[1:]...)
		}
		c.outbox.pongs = append(c.outbox.pongs, append([]byte(nil), payload...))
		c.hasPongs.Store(true)
	}
	c.mu.Unlock()
	c.kick()
}

// takePongs takes what there is to answer.
func (c *Conn) takePongs() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	pongs := c.outbox.pongs
	c.outbox.pongs = nil
	c.hasPongs.Store(false)
	if c.sentClose {
		return nil
	}
	return pongs
}

// appendPongs answers pings, without sending the end of what is in the buffer. The turn to write is held.
func (c *Conn) appendPongs() error {
	for _, p := range c.takePongs() {
		if err := c.frame(header{op: opPong, fin: true}, p); err != nil {
			return err
		}
	}
	return nil
}

// kick sees to it that somebody empties the outbox.
func (c *Conn) kick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox.draining || c.err != nil || len(c.outbox.pongs) == 0 && len(c.outbox.messages) == 0 {
		return
	}
	c.outbox.draining = true
	go c.drain()
}

// drain empties the outbox.
func (c *Conn) drain() {
	for {
		if !c.takeWriting(0) {
			c.stopDraining()
			return
		}
		err := c.drainSome()
		c.writing.give()
		if err != nil {
			_ = c.fail(err)
		}
		if c.stopDraining() {
			return
		}
	}
}

// stopDraining reports whether there is nothing left to do.
func (c *Conn) stopDraining() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && (len(c.outbox.pongs) > 0 || len(c.outbox.messages) > 0) {
		return false
	}
	c.outbox.draining = false
	return true
}

// drainSome sends pongs, and messages up to a size that is worth one write. The turn is held.
func (c *Conn) drainSome() error {
	if err := c.appendPongs(); err != nil {
		return err
	}
	batch, size := c.takeMessages()
	var err error
	for i := range batch {
		if err = c.writeOutgoing(&batch[i]); err != nil {
			break
		}
	}
	if err == nil && (len(batch) == 0 || batch[0].kind != opClose) { // a close frame went out alone, and the peer may have ended the stream for it
		err = c.flush()
	}
	if err == nil { // otherwise the end of the connection wakes those who wait
		c.mu.Lock()
		c.outbox.size -= size
		c.outbox.done += int64(len(batch))
		c.outbox.wake()
		c.mu.Unlock()
	}
	for _, m := range batch {
		if m.written != nil {
			m.written(err)
		}
	}
	return err
}

// takeMessages takes the messages of one write, or the close frame alone.
func (c *Conn) takeMessages() (batch []outgoing, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.outbox.messages
	n := 0
	for n < len(queue) && (n == 0 || size < written && queue[n].kind != opClose) {
		size += int64(len(queue[n].payload))
		n++
	}
	batch = queue[:n:n]
	if c.outbox.messages = queue[n:]; len(c.outbox.messages) == 0 {
		c.outbox.messages = nil
	}
	return batch, size
}

func (c *Conn) writeOutgoing(m *outgoing) error {
	if m.kind != opClose {
		compress := m.compress == compressAlways && c.deflate.on || m.compress == compressBySize && c.compresses(len(m.payload))
		return c.appendMessage(Type(m.kind), m.payload, compress)
	}
	c.mu.Lock()
	if c.closed == nil && c.err == nil {
		c.outbox.timer = c.closeTimer()
	}
	c.mu.Unlock()
	return c.writeClose(m.code, m.reason)
}

// enqueue puts a message into the outbox, or a close frame. It fails with [ErrQueueFull] where there is no room; wait is then closed when there may be some, nil
// if there never will be.
func (c *Conn) enqueue(m outgoing) (wait <-chan struct{}, err error) {
	c.mu.Lock()
	o := &c.outbox
	switch {
	case c.err != nil:
		err = c.err
	case o.closing || c.sentClose:
		err = ErrClosed
	case m.kind != opClose && o.size+int64(len(m.payload)) > c.cfg.QueueLimit:
		err = ErrQueueFull
		if int64(len(m.payload)) <= c.cfg.QueueLimit {
			wait = o.change()
		}
	default:
		o.messages = append(o.messages, m)
		o.size += int64(len(m.payload))
		o.queued++
		o.closing = m.kind == opClose
	}
	c.mu.Unlock()
	if err == nil {
		c.kick()
	}
	return wait, err
}

// flushed waits until what is in the outbox now is written. What comes later does not prolong that.
func (c *Conn) flushed(ctx context.Context) error {
	last := int64(-1)
	for {
		c.mu.Lock()
		err := c.err
		if last < 0 {
			last = c.outbox.queued
		}
		empty := c.outbox.done >= last
		change := c.outbox.change()
		c.mu.Unlock()
		switch {
		case empty:
			return nil
		case err != nil:
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
