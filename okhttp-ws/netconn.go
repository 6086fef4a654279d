package okws

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// NetConn returns the connection as a stream of bytes, for protocols that are made for one. Each Write is a message of type t; reading gives the bytes of all
// messages, which must be of that type too: another one ends the connection with [CodeUnsupportedData]. [Config.MaxMessage] does not hold for what is read so, as nothing is
// held in memory.
//
// The peer's close frame with [CodeNormal], [CodeGoingAway] or without a code is io.EOF, any other a [*CloseError]. Close closes the web socket with [CodeNormal],
// and waits for the peer as [Conn.Close] does, while whatever is under way fails with [net.ErrClosed] at once.
//
// A read that runs into its deadline can be repeated later. A write that does so in the middle of a message ends the connection, as with [Conn.Write]. Do not read from the
// Conn at the same time: both would get parts of what comes.
func (c *Conn) NetConn(t Type) net.Conn {
	n := &netConn{conn: c, kind: t}
	n.closed, n.close = context.WithCancelCause(context.Background())
	n.reading.init(n.closed)
	n.writing.init(n.closed)
	return n
}

type netConn struct {
	conn             *Conn
	kind             Type
	closed           context.Context
	close            context.CancelCauseFunc
	reading, writing deadline

	message *messageReader // that is being read; belongs to who has the turn to read
}

func (n *netConn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, ctx := n.conn, n.reading.context()
	if err := c.beginRead(ctx); err != nil {
		return 0, n.ended(err)
	}
	got, err := n.read(ctx, p)
	return got, n.ended(c.endRead(ctx, err))
}

// read returns some bytes of the next message that has any. The turn is held.
func (n *netConn) read(ctx context.Context, p []byte) (int, error) {
	for {
		if n.message == nil {
			m, err := n.conn.nextStream(ctx, 0)
			if err != nil {
				return 0, err
			}
			if m.kind != n.kind {
				return 0, &ProtocolError{Code: CodeUnsupportedData, Detail: "Expected a " + n.kind.String() + " message but was " + m.kind.String()}
			}
			n.message = m
		}
		got, err := n.message.read(p)
		if err == io.EOF || err == errStale { // there is no more of this one
			n.message, err = nil, nil
		}
		if got > 0 || err != nil {
			return got, err
		}
	}
}

// ended is the error for a reader of the stream.
func (n *netConn) ended(err error) error {
	if orderly(err) {
		return io.EOF
	}
	return err
}

func (n *netConn) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := n.conn.Write(n.writing.context(), n.kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (n *netConn) Close() error {
	n.close(net.ErrClosed)
	return n.conn.Close(CodeNormal, "")
}

// LocalAddr implements [net.Conn]. It is never nil.
func (n *netConn) LocalAddr() net.Addr { return known(n.conn.LocalAddr()) }

// RemoteAddr implements [net.Conn]. It is never nil.
func (n *netConn) RemoteAddr() net.Addr { return known(n.conn.RemoteAddr()) }

func (n *netConn) SetDeadline(at time.Time) error {
	n.reading.set(at)
	n.writing.set(at)
	return nil
}

func (n *netConn) SetReadDeadline(at time.Time) error {
	n.reading.set(at)
	return nil
}

func (n *netConn) SetWriteDeadline(at time.Time) error {
	n.writing.set(at)
	return nil
}

// A deadline is a context that ends at a time which can be moved, as long as it has not come.
type deadline struct {
	mu     sync.Mutex
	parent context.Context
	now    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

func (d *deadline) init(parent context.Context) {
	d.parent = parent
	d.now, d.cancel = context.WithCancelCause(parent)
}

func (d *deadline) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *deadline) set(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.timer.Stop() || d.now.Err() != nil { // it has come, or is just coming
		d.cancel(os.ErrDeadlineExceeded)
		d.now, d.cancel = context.WithCancelCause(d.parent)
	}
	d.timer = nil
	if at.IsZero() {
		return
	}
	cancel := d.cancel
	if wait := time.Until(at); wait > 0 {
		d.timer = time.AfterFunc(wait, func() { cancel(os.ErrDeadlineExceeded) })
	} else {
		cancel(os.ErrDeadlineExceeded)
	}
}

// anywhere is the address of what has none.
type anywhere struct{}

func (anywhere) Network() string { return "websocket" }
func (anywhere) String() string  { return "unknown" }

func known(a net.Addr) net.Addr {
	if a == nil {
		return anywhere{}
	}
	return a
}
