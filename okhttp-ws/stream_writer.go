package okws

import (
	"context"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// fragment is how much of a message of unknown length goes into a frame.
const fragment = 32 << 10

// NextWriter begins a message of unknown length. It goes out in fragments of 32 KiB, between which pings, pongs and a close frame may be sent; other
// messages wait until the writer was closed. ctx is for the writer too, as with [Conn.Write]: when it has ended, writing and closing fail, which gives the message up if
// nothing of it was sent, and ends the connection otherwise.
func (c *Conn) NextWriter(ctx context.Context, t Type) (*MessageWriter, error) {
	if err := checkType(t); err != nil {
		return nil, err
	}
	if err := c.beginWrite(ctx); err != nil {
		return nil, err
	}
	w := &messageWriter{kind: opcode(t), done: make(chan struct{})}
	c.message = w
	return &MessageWriter{c, ctx, w}, c.endWrite(ctx, nil)
}

// MessageWriter writes a message piece by piece. It must be closed, which sends the end of the message. It is safe for use by several goroutines.
type MessageWriter struct {
	conn  *Conn
	ctx   context.Context
	state *messageWriter
}

// messageWriter is an open message. It belongs to who has the turn to write.
type messageWriter struct {
	kind   opcode        // of the next frame
	done   chan struct{} // closed when other messages may be sent, or never any more
	held   []byte        // not yet sent, or not yet compressed
	flate  *flate.Writer // once there is too much to hold, and compression was agreed on
	begun  bool          // a frame was sent
	torn   bool          // an error came in between
	closed bool
	whole  atomic.Bool // its end was sent
}

// Write appends to the message. It returns when the operating system has what came together so far of whole fragments.
func (w *MessageWriter) Write(p []byte) (int, error) {
	if err := w.do(func(c *Conn, m *messageWriter) error { return m.write(c, p) }); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush sends what was written so far.
func (w *MessageWriter) Flush() error {
	return w.do(func(c *Conn, m *messageWriter) error { return m.flush(c) })
}

// Close ends the message. Closing it again does nothing.
func (w *MessageWriter) Close() error {
	if w.state.whole.Load() {
		return nil
	}
	return w.do(func(c *Conn, m *messageWriter) error { return m.end(c) })
}

func (w *MessageWriter) do(f func(*Conn, *messageWriter) error) error {
	c := w.conn
	err := c.turnToWrite(w.ctx)
	if err == nil {
		err = c.beginFrame(w.ctx)
	}
	if err != nil {
		if w.ctx.Err() != nil {
			w.giveUp()
		}
		return err
	}
	if w.state.closed {
		err = &ArgumentError{"the message was ended already"}
	} else if err = f(c, w.state); err != nil {
		w.state.torn = true
	}
	return c.endWrite(w.ctx, err)
}

// giveUp ends a message whose context has ended, so that nobody waits for the rest. It does not wait for the turn itself.
func (w *MessageWriter) giveUp() {
	c := w.conn
	if c.writing.try() {
		w.state.giveUp(c, w.ctx)
		return
	}
	go func() {
		if c.takeWriting(0) {
			w.state.giveUp(c, w.ctx)
		}
	}()
}

// giveUp gives the turn back. The peer waits for the end of what was begun: it cannot be taken back, and the connection ends.
func (m *messageWriter) giveUp(c *Conn, ctx context.Context) {
	if m.closed || c.message != m {
		c.writing.give()
		return
	}
	if m.begun {
		m.torn = true
		c.writing.give()
		_ = c.fail(context.Cause(ctx))
		return
	}
	if m.flate != nil {
		c.deflate.abandon(m.flate)
	}
	m.closed, m.held, m.flate, c.message = true, nil, nil, nil
	close(m.done)
	c.writing.give()
}

func (m *messageWriter) write(c *Conn, p []byte) error {
	for len(p) > 0 {
		if m.flate != nil {
			if _, err := m.flate.Write(p); err != nil {
				return err
			}
			return m.sendPacked(c, fragment)
		}
		n := min(len(p), fragment-len(m.held))
		m.held = append(m.held, p[:n]...)
		if p = p[n:]; len(m.held) == fragment && len(p) > 0 {
			if err := m.spill(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// spill sends what is held as a fragment, or begins to compress.
func (m *messageWriter) spill(c *Conn) error {
	if !c.deflate.on || m.begun {
		return m.send(c, m.take(), false)
	}
	w, err := c.deflate.begin()
	if err != nil {
		return err
	}
	m.flate = w
	if _, err := w.Write(m.take()); err != nil {
		return err
	}
	return m.sendPacked(c, fragment)
}

// take returns what was held, which is valid until the next write.
func (m *messageWriter) take() []byte {
	p := m.held
	m.held = m.held[:0]
	return p
}

// sendPacked sends what was compressed, if it is so much that a fragment can do without its end: the end of a flush is not sent.
func (m *messageWriter) sendPacked(c *Conn, least int) error {
	const end = 4
	out := c.deflate.out
	if len(out.bytes) < least+end {
		return nil
	}
	n := len(out.bytes) - end
	if err := m.send(c, out.bytes[:n], false); err != nil {
		return err
	}
	out.bytes = append(out.bytes[:0], out.bytes[n:]...)
	return nil
}

func (m *messageWriter) send(c *Conn, p []byte, final bool) error {
	err := c.frame(header{op: m.kind, fin: final, rsv1: m.flate != nil && !m.begun}, p)
	m.kind, m.begun = opContinuation, true
	if err != nil {
		return err
	}
	return c.flush()
}

func (m *messageWriter) flush(c *Conn) error {
	if m.flate == nil {
		if len(m.held) == 0 {
			return nil
		}
		return m.send(c, m.take(), false)
	}
	if err := m.flate.Flush(); err != nil {
		return err
	}
	// The end of the flush is part of the stream when more follows.
	p := c.deflate.out.bytes
	c.deflate.out.bytes = p[:0]
	return m.send(c, p, false)
}

func (m *messageWriter) end(c *Conn) (err error) {
	switch {
	case m.flate != nil:
		if err = m.flate.Flush(); err == nil {
			err = m.send(c, withoutFlush(c.deflate.out.bytes), true)
		}
		c.deflate.end(m.flate)
		c.deflate.release()
	case m.begun:
		err = m.send(c, m.held, true)
	default:
		if err = c.appendMessage(Type(m.kind), m.held, c.compresses(len(m.held))); err == nil {
			err = c.flush()
		}
	}
	m.closed, m.held, m.flate, c.message = true, nil, nil, nil
	m.whole.Store(err == nil)
	close(m.done)
	return err
}
