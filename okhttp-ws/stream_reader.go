package okws

import (
	"context"
	"errors"
	"io"
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
		m.inflated = newInflatedStream(c.inflate.dictionary(), nil)
	}
	c.stream = m
	return m, nil
}

// messageReader is a message as a stream.
type messageReader struct {
	conn     *Conn
	ctx      context.Context
	kind     Type
	inflated *inflatedStream // nil if it is not compressed
	ended    bool            // read to its end
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
	case m.inflated != nil:
		n, err = m.inflated.read(m.conn, p)
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
	if m.inflated != nil && m.conn.inflate.context {
		if err := m.inflated.skip(m.conn); err != nil {
			return err
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
	if m.inflated != nil {
		m.inflated.stop()
		m.inflated = nil
	}
	if m.conn.stream == m {
		m.conn.stream = nil
	}
}
