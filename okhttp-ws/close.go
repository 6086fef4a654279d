package okws

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Close sends a close frame and waits for the peer's, whose code and reason [Conn.Err] returns afterwards as a [*CloseError]. Messages that come in the meantime go to
// another goroutine that waits for one, and are dropped when none does. A peer that does not answer within [Config.CloseTimeout] is cut off, and the error is a timeout.
//
// After the peer's close frame, which Read has answered, Close does nothing and returns nil, as it does when it is called again. A code or reason that cannot be
// sent is an [*ArgumentError], and the connection goes on.
func (c *Conn) Close(code Code, reason string) error {
	if err := checkClose(code, reason); err != nil {
		return err
	}
	timer := c.closeTimer()
	defer timer.Stop()
	if !c.takeWriting(c.cfg.CloseTimeout) {
		return c.closeResult(c.closeTimedOut())
	}
	err := c.writeClose(code, reason)
	c.writing.give()
	if err != nil && err != ErrClosed {
		return c.closeResult(c.fail(err))
	}
	return c.closeResult(c.awaitClose())
}

// closeTimer cuts the connection off when the peer takes too long.
func (c *Conn) closeTimer() *time.Timer {
	if c.cfg.CloseTimeout < 0 {
		timer := time.AfterFunc(time.Hour, func() {})
		timer.Stop()
		return timer
	}
	return time.AfterFunc(c.cfg.CloseTimeout, func() { _ = c.closeTimedOut() })
}

func (c *Conn) closeTimedOut() error {
	return c.fail(&closeTimeout{canceledError{fmt.Sprintf("okws: canceled: the peer did not answer the close frame within %v", c.cfg.CloseTimeout)}})
}

// closeTimeout is a cancellation because the peer did not close. It is a timeout too.
type closeTimeout struct{ canceledError }

func (*closeTimeout) Timeout() bool   { return true }
func (*closeTimeout) Temporary() bool { return false }

// awaitClose waits for the peer's close frame, and reads if nobody else does.
func (c *Conn) awaitClose() error {
	for {
		ok, _ := c.reading.take(context.Background(), c.ended)
		if !ok {
			return c.Err()
		}
		err := c.mayRead(context.Background())
		if err != nil {
			c.reading.give()
			if closed, ok := err.(*CloseError); ok && !c.manual {
				c.answer(closed)
			}
			return err
		}
		err = c.passOver()
		if err = c.endRead(context.Background(), err); err != nil {
			return err
		}
	}
}

// passOver drops messages, up to one that somebody waits for. The turn to read is held.
func (c *Conn) passOver() error {
	for {
		if err := c.nextMessage(c.cfg.MaxMessage); err != nil {
			return err
		}
		if c.readers.Load() > 0 {
			c.begun = true
			return nil
		}
	}
}

// closeResult is nil if the peer's close frame came.
func (c *Conn) closeResult(err error) error {
	if closed := (*CloseError)(nil); errors.As(err, &closed) {
		return nil
	}
	return err
}

// CloseNow ends the connection without a word to the peer. Whatever is under way fails with [ErrClosed], as does what comes later. It does not wait and never fails; after
// the connection has ended it does nothing: where that was a violation of the protocol, the peer keeps a second to read the close frame that names it,
// for which a goroutine stays that long.
func (c *Conn) CloseNow() error {
	if _, done := c.end(ErrClosed); !done {
		c.cut(ErrClosed)
	}
	if stream, ok := c.socket.(*tunnel); ok {
		stream.Cancel(ErrClosed) // it is the handler's, who returns now
	}
	return nil
}
