package okws

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"time"
	"unsafe"

	"github.com/okhttp-go/ok/okhttp"
)

// written is how much is masked before it goes out: what the processor's caches hold.
const written = 64 << 10

// crumb is how much of a frame's end goes with what is before it: 64 KiB and a header are one write.
const crumb = 4 << 10

// Write sends a message whole and returns when the operating system has it. A peer that does not read makes it wait; a client's write timeout, or
// [Config.WriteTimeout], bounds that.
//
// If ctx ends before it is the message's turn, nothing was sent and the connection is as it was. Once the frame was begun it cannot be taken back, and the end of
// ctx ends the connection. Write does not keep or change p.
func (c *Conn) Write(ctx context.Context, t Type, p []byte) error {
	if err := c.beginWrite(ctx); err != nil {
		return err
	}
	return c.endWrite(ctx, c.writeMessage(t, p, c.compresses(len(p))))
}

// WriteText is Write for text in a string, which is not copied.
func (c *Conn) WriteText(ctx context.Context, text string) error {
	return c.Write(ctx, Text, unsafe.Slice(unsafe.StringData(text), len(text)))
}

// WriteWith is Write with a choice for this message: it is compressed, or not, whatever its size. Without permessage-deflate it is not.
func (c *Conn) WriteWith(ctx context.Context, t Type, p []byte, compress bool) error {
	if err := c.beginWrite(ctx); err != nil {
		return err
	}
	return c.endWrite(ctx, c.writeMessage(t, p, compress && c.agreed.deflate))
}

// compresses reports whether a message of n bytes is to be compressed.
func (c *Conn) compresses(n int) bool { return c.deflate.on && n >= c.deflate.threshold }

// beginWrite takes the turn to write, when no message of fragments is open.
func (c *Conn) beginWrite(ctx context.Context) error {
	for {
		if err := c.turnToWrite(ctx); err != nil {
			return err
		}
		open := c.message
		if open == nil {
			return c.beginFrame(ctx)
		}
		err := c.mayWrite(ctx)
		c.writing.give()
		if err != nil {
			return err
		}
		select {
		case <-open.done:
		case <-c.ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (c *Conn) turnToWrite(ctx context.Context) error {
	if c.writing.try() {
		return nil
	}
	ok, err := c.writing.take(ctx, c.ended)
	if err == nil && !ok {
		err = c.Err()
	}
	return err
}

// beginFrame goes on from having the turn, and gives it back if it fails.
func (c *Conn) beginFrame(ctx context.Context) error {
	if err := c.mayWrite(ctx); err != nil {
		c.writing.give()
		return err
	}
	c.writeWatch.begin(ctx)
	return nil
}

func (c *Conn) mayWrite(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !c.ending.Load() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return c.err
	case c.sentClose:
		return ErrClosed
	}
	return nil
}

// endWrite gives the turn back.
func (c *Conn) endWrite(ctx context.Context, err error) error {
	if c.writeWatch.end() && err == nil {
		err = context.Cause(ctx) // the socket was canceled, if only just
	}
	c.writing.give()
	if err != nil {
		if _, mine := err.(*ArgumentError); mine {
			return err
		}
		return c.fail(err)
	}
	if c.hasPongs.Load() {
		c.kick() // they came in the meantime
	}
	return nil
}

// writeMessage writes a message of one frame. The turn is held.
func (c *Conn) writeMessage(t Type, p []byte, compress bool) error {
	if err := c.appendMessage(t, p, compress); err != nil {
		return err
	}
	return c.flush()
}

// appendMessage is writeMessage without sending the end of what it has in the buffer.
func (c *Conn) appendMessage(t Type, p []byte, compress bool) error {
	if err := checkType(t); err != nil {
		return err
	}
	h := header{op: opcode(t), fin: true}
	if !compress {
		return c.frame(h, p)
	}
	small, err := c.deflate.message(p)
	defer c.deflate.release()
	if err != nil {
		return err
	}
	if !c.deflate.takeover && len(small) >= len(p) && len(p) > 0 {
		return c.frame(h, p)
	}
	h.rsv1 = true
	return c.frame(h, small)
}

func checkType(t Type) error {
	if t != Text && t != Binary {
		return &ArgumentError{"a message is text or binary, not of type " + strconv.Itoa(int(t))}
	}
	return nil
}

// frame appends a frame to what is to be sent, and sends what becomes too much. The turn is held.
func (c *Conn) frame(h header, p []byte) error {
	if c.hasPongs.Load() && !h.op.control() { // what was asked before is answered before
		if err := c.appendPongs(); err != nil {
			return err
		}
	}
	h.length = int64(len(p))
	if c.client {
		h.masked, h.key = true, freshMask()
	}
	if c.cfg.OnFrame != nil {
		c.cfg.OnFrame(frameOf(h, true))
	}
	room := c.out.Reserve(maxHeader)
	n := len(appendHeader(room[:0], h))
	for {
		k := min(len(p), len(room)-n)
		if c.client {
			h.key = h.key.mask(room[n:n+k], p[:k])
		} else {
			copy(room[n:], p[:k])
		}
		c.out.Commit(n + k)
		if p = p[k:]; len(p) == 0 {
			return nil
		}
		if c.out.Len() >= written && len(p) > crumb {
			if err := c.send(); err != nil {
				return err
			}
		}
		room, n = c.out.Reserve(1), 0
	}
}

// send sends what is in the buffer. After an error nothing more is sent, by whoever has the turn next: the peer would take it for the rest of a frame that was torn.
func (c *Conn) send() error {
	if c.torn == nil {
		c.torn = c.sink.WriteBuffer(&c.out, c.out.Len())
	}
	if c.torn != nil {
		c.out.Clear()
	}
	return c.torn
}

func (c *Conn) flush() error {
	if err := c.send(); err != nil {
		return err
	}
	c.torn = c.sink.Flush()
	return c.torn
}

// closePayload is that of a close frame. There is none for CodeNoStatus.
func closePayload(code Code, reason string) []byte {
	if code == CodeNoStatus {
		return nil
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...)
}

// writeClose sends a close frame, unless one was sent, or more cannot be. The turn is held.
func (c *Conn) writeClose(code Code, reason string) error {
	if c.hasPongs.Load() { // what was asked before is answered still (RFC 6455 section 5.5.2)
		if err := c.appendPongs(); err != nil {
			return err
		}
	}
	c.mu.Lock()
	err := c.err
	sent := c.sentClose
	c.sentClose = true
	c.ending.Store(true)
	c.mu.Unlock()
	switch {
	case err != nil:
		return err
	case sent:
		return ErrClosed
	}
	if err := c.frame(header{op: opClose, fin: true}, closePayload(code, reason)); err != nil {
		return err
	}
	c.deflate.close()
	if c.message != nil { // it can never be ended now, and nobody is to wait for that
		close(c.message.done)
		c.message = nil
	}
	if err := c.flush(); !hadEnough(err) {
		return err
	}
	return nil
}

// hadEnough reports whether the peer ended a stream of HTTP/2 because it has all that it wants (RFC 9113 section 8.1), as one does that has answered a close
// frame.
func hadEnough(err error) bool {
	var reset *okhttp.StreamResetError
	return errors.As(err, &reset) && reset.Remote && reset.Code == 0
}

// A pause until the turn to write was had at the latest, for what must be said.
func (c *Conn) takeWriting(limit time.Duration) bool {
	if c.writing.try() {
		return true
	}
	ctx := context.Background()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	ok, _ := c.writing.take(ctx, c.ended)
	return ok
}
