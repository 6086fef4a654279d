package okws

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"unicode/utf8"
)

// Read returns the next message whole. The bytes belong to the caller.
//
// The end of ctx ends the call alone: what has come of a message by then is there for the next call of Read, ReadInto or [Conn.Messages], while [Conn.NextReader] and
// [Conn.Discard] drop it with the rest of its message. Any other error is final: a [*CloseError] after the peer's close frame, which is answered with the same code; a
// [*ProtocolError] for what may not be; what failed below otherwise.
func (c *Conn) Read(ctx context.Context) (Type, []byte, error) { return c.ReadInto(ctx, nil) }

// ReadInto is Read that appends the message to dst and returns all of it. With room enough in dst nothing is allocated. What is
// behind dst in its capacity is free to be overwritten, past the end of the message too.
func (c *Conn) ReadInto(ctx context.Context, dst []byte) (Type, []byte, error) {
	if err := c.beginRead(ctx); err != nil {
		return 0, dst, err
	}
	if err := c.awaitMessage(); err != nil {
		return 0, dst, c.endRead(ctx, err)
	}
	t, p, err := c.readMessage(dst)
	return t, p, c.endRead(ctx, err)
}

// awaitMessage goes on to the next message, unless a Read was interrupted in one. The turn is held.
func (c *Conn) awaitMessage() error {
	if c.pending != nil {
		return nil
	}
	return c.nextMessage(c.cfg.MaxMessage)
}

// A Message is what [Conn.Messages] yields.
type Message struct {
	Type Type
	Data []byte
}

// Text returns the data as a string.
func (m Message) Text() string { return string(m.Data) }

// Messages reads until the connection ends or ctx does. The data of a message is valid until the loop goes on, and for good if the loop is left with it: while it waits for the
// next message, the sequence holds no memory. The peer's close frame with [CodeNormal], [CodeGoingAway] or without a code ends the sequence without an error; whatever else ended
// it comes last, as an error.
func (c *Conn) Messages(ctx context.Context) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for {
			t, memory, err := c.readScratch(ctx)
			if err != nil {
				if !orderly(err) {
					yield(Message{}, err)
				}
				return
			}
			if !yield(Message{t, memory.bytes}, nil) {
				return
			}
			memory.release()
		}
	}
}

// readScratch is Read into memory that is taken when a message has begun.
func (c *Conn) readScratch(ctx context.Context) (t Type, memory *packed, err error) {
	if err := c.beginRead(ctx); err != nil {
		return 0, nil, err
	}
	if err := c.awaitMessage(); err != nil {
		return 0, nil, c.endRead(ctx, err)
	}
	memory = takeScratch()
	t, memory.bytes, err = c.readMessage(memory.bytes)
	if err = c.endRead(ctx, err); err != nil {
		memory.release()
		return 0, nil, err
	}
	return t, memory, nil
}

// orderly reports whether the peer had nothing more to say.
func orderly(err error) bool {
	var closed *CloseError
	return errors.As(err, &closed) && (closed.Code == CodeNormal || closed.Code == CodeGoingAway || closed.Code == CodeNoStatus)
}

// Discard reads until the connection ends, or ctx does, and drops all messages. It is for who only writes, as pings are answered only while somebody reads. The error is
// nil if the peer closed the connection in order.
func (c *Conn) Discard(ctx context.Context) error {
	for {
		if err := c.beginRead(ctx); err != nil {
			return err
		}
		if err := c.endRead(ctx, c.nextMessage(c.cfg.MaxMessage)); err != nil {
			if orderly(err) {
				return nil
			}
			return err
		}
	}
}

// beginRead takes the turn to read.
func (c *Conn) beginRead(ctx context.Context) error {
	if !c.reading.try() {
		c.readers.Add(1)
		ok, err := c.reading.take(ctx, c.ended)
		c.readers.Add(-1)
		if err != nil {
			return err
		}
		if !ok {
			return c.Err()
		}
	}
	if err := c.mayRead(ctx); err != nil {
		c.reading.give()
		return err
	}
	c.readWatch.begin(ctx)
	return nil
}

func (c *Conn) mayRead(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !c.ending.Load() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && c.closed != nil {
		return c.closed
	}
	return c.err
}

// endRead gives the turn back, and makes of an error of the reader what the caller is to know.
func (c *Conn) endRead(ctx context.Context, err error) error {
	if c.readWatch.end() {
		c.r.timeout.Resume()
		if errors.Is(err, os.ErrDeadlineExceeded) && c.Err() == nil {
			c.reading.give()
			return context.Cause(ctx)
		}
	}
	if err == nil || err == io.EOF || err == errStale { // these are for the reader of a message
		c.reading.give()
		return err
	}
	closed, inOrder := err.(*CloseError)
	if inOrder {
		if first := c.Err(); first != nil { // the peer answers the close frame of an end that was told already
			err, inOrder = first, false
		}
	} else {
		err = c.fail(c.readFailure(err))
	}
	c.forget()
	c.reading.give()
	if inOrder && !c.manual {
		c.answer(closed)
	}
	return err
}

// readFailure names what ended reading.
func (c *Conn) readFailure(err error) error {
	switch {
	case errors.Is(err, errStreamEnd):
		return fmt.Errorf("okws: the connection ended without a close frame: %w", io.EOF)
	case err == io.ErrUnexpectedEOF:
		return fmt.Errorf("okws: the connection ended in the middle of a message: %w", err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &TimeoutError{fmt.Sprintf("timeout: the peer sent nothing for %v in the middle of a frame", c.r.limit)}
	}
	return err
}

// forget gives up what reading has taken. The turn is held.
func (c *Conn) forget() {
	c.r.in.Clear()
	c.inflate.past = nil
	c.dropPending()
	if c.stream != nil {
		c.stream.drop()
	}
}

// A pendingRead is what an interrupted Read has taken off a message.
type pendingRead struct {
	bytes     []byte
	inflation *inflation // nil if the message is not compressed
}

// readMessage reads a message that has begun to the end of dst, or goes on with one. The turn is held.
func (c *Conn) readMessage(dst []byte) (Type, []byte, error) {
	begun := c.pending
	if begun == nil {
		begun = &pendingRead{}
		if c.r.compressed {
			begun.inflation = takeInflation()
		}
	}
	c.pending = nil
	start := len(dst)
	p := append(dst, begun.bytes...)
	var err error
	if f := begun.inflation; f != nil {
		p, err = c.readInflated(f, p, start)
	} else {
		p, err = c.r.appendAll(p)
	}
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		c.pending = &pendingRead{append([]byte(nil), p[start:]...), begun.inflation}
	} else if begun.inflation != nil {
		inflations.give(begun.inflation)
	}
	if err != nil {
		return 0, p[:start], err
	}
	return Type(c.r.kind), p, nil
}

// readInflated goes on with a message that began at start.
func (c *Conn) readInflated(f *inflation, dst []byte, start int) ([]byte, error) {
	past := c.inflate.dictionary()
	for {
		if len(dst) == cap(dst) {
			dst = f.makeRoom(&c.r, dst)
		}
		var err error
		if dst, err = f.more(&c.r, dst, start, past); err == io.EOF {
			c.inflate.remember(dst[start:])
			return dst, nil
		}
		if err != nil && err != errFull {
			return dst, err
		}
	}
}

// nextMessage goes on to the next message, of which as much may come as is said. The turn is held.
func (c *Conn) nextMessage(most int64) error {
	if c.begun {
		c.begun = false
		return nil
	}
	if err := c.skip(); err != nil {
		return err
	}
	c.r.max = most
	return c.r.begin()
}

// skip drops what is left of a message that nobody reads on. The turn is held.
func (c *Conn) skip() error {
	if c.stream == nil && c.r.within && c.r.compressed && c.inflate.context { // later messages may refer to it
		c.stream = &messageReader{conn: c, inflated: newInflatedStream(c.inflate.dictionary(), c.pending)}
		c.pending = nil
	}
	if c.stream != nil {
		return c.stream.skip()
	}
	c.dropPending()
	return c.r.skip()
}

// dropPending forgets what a Read that was interrupted has taken.
func (c *Conn) dropPending() {
	if c.pending != nil && c.pending.inflation != nil {
		inflations.give(c.pending.inflation)
	}
	c.pending = nil
}

// control sees to a control frame.
func (c *Conn) control(op opcode, payload []byte) error {
	switch op {
	case opPing:
		c.queuePong(payload)
		if c.cfg.OnPing != nil {
			c.cfg.OnPing(payload)
		}
	case opPong:
		c.gotPong(payload)
	case opClose:
		return c.gotClose(payload)
	}
	return nil
}

// gotClose returns what the peer's close frame says, as a *CloseError if it says it right.
func (c *Conn) gotClose(payload []byte) error {
	closed := &CloseError{Code: CodeNoStatus}
	switch {
	case len(payload) == 1:
		return violation("Malformed close payload length of 1.")
	case len(payload) > 1:
		closed.Code, closed.Reason = Code(binary.BigEndian.Uint16(payload)), string(payload[2:])
		if fault := closed.Code.fault(); fault != "" {
			return violation("%s", fault)
		}
		if !c.cfg.SkipTextCheck && !utf8.ValidString(closed.Reason) {
			return &ProtocolError{Code: CodeInvalidPayload, Detail: "the reason in a close frame is not UTF-8"}
		}
	}
	c.mu.Lock()
	c.closed = closed
	c.ending.Store(true)
	c.mu.Unlock()
	return closed
}

// answer ends the connection in order after the peer's close frame: with one of this side if none was sent.
func (c *Conn) answer(closed *CloseError) {
	if c.takeWriting(c.cfg.CloseTimeout) {
		_ = c.writeClose(closed.Code, "") // if it cannot be sent, the peer has gone already
		c.writing.give()
	}
	if _, done := c.end(closed); !done {
		c.release()
	}
}
