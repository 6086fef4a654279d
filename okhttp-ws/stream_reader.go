package okws

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/klauspost/compress/flate"
)

// NextReader returns the next message as a stream, which need not fit into memory: [Config.MaxMessage] holds all the same. What is left of the message before is
// dropped, and its reader of no more use; that is also true of a message in whose middle a [Conn.Read] was interrupted, which only another Read goes on with. ctx is for the reader too: when it ends reading fails, but the connection and the rest of the message stay good, for the
// next call of NextReader, or of Read, which continues with the next message.
//
// The reader returns io.EOF after the message, and otherwise the errors of [Conn.Read]. Text is checked as it comes: a Read can fail that brings bytes.
func (c *Conn) NextReader(ctx context.Context) (Type, io.Reader, error) {
	if err := c.beginRead(ctx); err != nil {
		return 0, nil, err
	}
	m, err := c.nextStream(ctx, c.cfg.MaxMessage)
	if err = c.endRead(ctx, err); err != nil {
		return 0, nil, err
	}
	return m.kind, m, nil
}

// nextStream returns the next message, of which as much may come as is said. The turn is held.
func (c *Conn) nextStream(ctx context.Context, most int64) (*messageReader, error) {
	if err := c.nextMessage(most); err != nil {
		return nil, err
	}
	m := &messageReader{conn: c, ctx: ctx, kind: Type(c.r.kind)}
	if c.r.compressed {
		m.inflation = newInflation(c)
	}
	c.stream = m
	return m, nil
}

// messageReader is a message as a stream.
type messageReader struct {
	conn      *Conn
	ctx       context.Context
	kind      Type
	inflation *inflation // nil if it is not compressed
	ended     bool       // read to its end
}

var errStale = errors.New("okws: another message is being read")

func (m *messageReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c := m.conn
	if err := c.beginRead(m.ctx); err != nil {
		return 0, err
	}
	n, err := m.read(p)
	return n, c.endRead(m.ctx, err)
}

func (m *messageReader) read(p []byte) (n int, err error) {
	switch {
	case m.ended:
		return 0, io.EOF
	case m.conn.stream != m:
		return 0, errStale
	case m.inflation != nil:
		n, err = m.inflation.read(p)
	default:
		n, err = m.conn.r.read(p)
	}
	if err == io.EOF {
		m.ended = true
		m.drop()
	}
	return n, err
}

// skip drops what is left of the message. What it inflates to may still be referred to.
func (m *messageReader) skip() error {
	if m.inflation != nil && m.conn.inflate.context {
		var waste [4 << 10]byte
		for {
			if _, err := m.inflation.read(waste[:]); err != nil {
				if err != io.EOF {
					return err
				}
				break
			}
		}
	}
	if err := m.conn.r.skip(); err != nil {
		return err
	}
	m.drop()
	return nil
}

// drop ends the use of the message.
func (m *messageReader) drop() {
	if m.inflation != nil {
		m.inflation.stop()
		m.inflation = nil
	}
	if m.conn.stream == m {
		m.conn.stream = nil
	}
}

// inflation inflates a message as it comes. The inflater runs as a coroutine, because it cannot be told that a read was interrupted and go on later: when there is
// nothing for it, the coroutine rests. It has memory of its own, as a read that is given up takes its caller's along.
type inflation struct {
	conn *Conn
	next func() (piece, bool)
	stop func()
	rest []byte // what came out and was not read yet
	err  error  // what comes after it, io.EOF at the end of the message
	size int64
	text textCheck
	tail string // of what the inflater is given after the message; messageEnd until that ended
}

// piece is what comes of letting the inflater run.
type piece struct {
	bytes []byte
	err   error
}

func newInflation(c *Conn) *inflation {
	f := &inflation{conn: c, tail: messageEnd}
	f.next, f.stop = iter.Pull(f.run)
	return f
}

// run is the coroutine.
func (f *inflation) run(yield func(piece) bool) {
	r := flateReaders.Get().(*flateReader)
	defer func() {
		_ = r.flate.(flate.Resetter).Reset(&r.whole, nil)
		flateReaders.Put(r)
	}()
	if r.out == nil {
		r.out = make([]byte, inflated)
	}
	feed := bufio.NewReader(&inflationInput{f, yield})
	err := r.flate.(flate.Resetter).Reset(feed, f.conn.inflate.dictionary())
	for err == nil {
		var n int
		n, err = r.flate.Read(r.out)
		if err == io.EOF {
			f.conn.inflate.ended(r.out[:n], f.tail != "" || feed.Buffered() > 0)
		} else {
			f.conn.inflate.remember(r.out[:n])
		}
		if n > 0 && !yield(piece{r.out[:n], nil}) {
			return
		}
	}
	for err == io.EOF { // what follows a final block is of no use
		dropped := f.conn.r.skip()
		if dropped == nil {
			break
		}
		if !errors.Is(dropped, os.ErrDeadlineExceeded) {
			err = &inputError{dropped}
		} else if !yield(piece{nil, dropped}) {
			return
		}
	}
	yield(piece{nil, err})
}

// inflationInput is what the inflater reads from.
type inflationInput struct {
	*inflation
	yield func(piece) bool
}

var errStopped = errors.New("stopped")

func (f *inflationInput) Read(p []byte) (int, error) {
	for f.tail == messageEnd {
		n, err := f.conn.r.read(p)
		switch {
		case n > 0 || err == nil:
			return n, err
		case err == io.EOF:
			return f.end(p)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, &inputError{err}
		case !f.yield(piece{nil, err}):
			return 0, errStopped
		}
	}
	return f.end(p)
}

func (f *inflationInput) end(p []byte) (int, error) {
	if f.tail == "" {
		return 0, io.EOF
	}
	n := copy(p, f.tail)
	f.tail = f.tail[n:]
	return n, nil
}

// inputError passes an error of the connection through the inflater.
type inputError struct{ error }

func (e *inputError) Unwrap() error { return e.error }

func (f *inflation) read(p []byte) (int, error) {
	for len(f.rest) == 0 && f.err == nil {
		got, ok := f.next()
		if !ok {
			return 0, ErrClosed
		}
		var input *inputError
		switch err := got.err; {
		case errors.As(err, &input):
			f.err = input.error
		case errors.Is(err, os.ErrDeadlineExceeded): // it goes on later
			return 0, err
		case err == nil || err == io.EOF:
			f.rest, f.err = got.bytes, err
			if wrong := f.check(); wrong != nil {
				f.err = wrong
				return copy(p, f.rest), wrong
			}
		default:
			f.err = damaged(err)
		}
	}
	n := copy(p, f.rest)
	if f.rest = f.rest[n:]; len(f.rest) > 0 {
		return n, nil
	}
	return n, f.err
}

// check looks at what came out, and at the end of it.
func (f *inflation) check() error {
	c := f.conn
	f.size += int64(len(f.rest))
	if c.r.max > 0 && f.size > c.r.max {
		return tooBig("inflated message", c.r.max)
	}
	if Type(c.r.kind) == Text && !c.cfg.SkipTextCheck && (!f.text.feed(f.rest) || f.err == io.EOF && !f.text.whole()) {
		return c.r.badText()
	}
	return nil
}
