package okio

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// defaultPairLimit is how much a direction of a pair or a pipe holds when no sensible limit is given.
const defaultPairLimit = 64 << 10

// ConnPair returns the two ends of an in-memory connection. Each direction holds up to limit bytes that were written and not
// yet read; a limit below 1 means 64 KiB. Memory is taken as bytes arrive and given back as they are read.
//
// The ends behave as TCP connections do. Read and Write obey deadlines, also ones set while they wait, and may be called by
// several goroutines, as may everything else. Close lets the peer read what was written and then see the end; bytes that were
// not read are dropped and the peer's writes fail with [syscall.EPIPE]. A timed-out write reports how much was taken. Beyond
// net.Conn each end has
//
//	CloseWrite() error // the peer reads what was written, then the end
//	CloseRead() error  // own reads see the end; what the peer sends fails with syscall.EPIPE
//	Reset() error      // closes, drops what is under way in both directions; the peer sees syscall.ECONNRESET
//
// There are no goroutines behind a pair, and all waiting is durable in the sense of [testing/synctest]: made inside a bubble, it
// runs on the bubble's time.
func ConnPair(limit int) (a, b net.Conn) {
	return newConnPair(limit, pairAddr{"pair", "a"}, pairAddr{"pair", "b"})
}

// pairAddr is an address in memory.
type pairAddr struct{ network, address string }

func (a pairAddr) Network() string { return a.network }
func (a pairAddr) String() string  { return a.address }

func newConnPair(limit int, addrA, addrB net.Addr) (a, b *pairConn) {
	if limit < 1 {
		limit = defaultPairLimit
	}
	ab, ba := newPairFlow(limit), newPairFlow(limit)
	return newPairConn(ba, ab, addrA, addrB), newPairConn(ab, ba, addrB, addrA)
}

// pairFlow is one direction. Its mutex guards memory only; waiting is done on the two one-slot channels, each of which has
// at most one waiter because a pairConn lets one reader and one writer in at a time.
type pairFlow struct {
	mu       sync.Mutex
	buf      Buffer
	limit    int64
	ended    bool // nothing more will be written: the end comes after buf
	refused  bool // nothing more will be read: writing fails
	reset    bool // both of these, for either side, with ECONNRESET
	readable chan struct{}
	writable chan struct{}
}

func newPairFlow(limit int) *pairFlow {
	return &pairFlow{limit: int64(limit), readable: make(chan struct{}, 1), writable: make(chan struct{}, 1)}
}

// signal leaves a note in a one-slot channel, or none if one is there.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (f *pairFlow) end() {
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
	signal(f.readable)
	signal(f.writable)
}

func (f *pairFlow) refuse() {
	f.mu.Lock()
	f.refused = true
	f.buf.Clear()
	f.mu.Unlock()
	signal(f.readable)
	signal(f.writable)
}

func (f *pairFlow) abort() {
	f.mu.Lock()
	f.reset = true
	f.buf.Clear()
	f.mu.Unlock()
	signal(f.readable)
	signal(f.writable)
}

// read moves what is there into p; wait reports that nothing can be said yet.
func (f *pairFlow) read(p []byte) (n int, wait bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.refused:
		return 0, false, io.EOF
	case f.reset:
		return 0, false, os.NewSyscallError("read", syscall.ECONNRESET)
	case f.buf.Len() > 0:
		n, err = f.buf.Read(p)
		signal(f.writable)
		return n, false, err
	case f.ended:
		return 0, false, io.EOF
	}
	return 0, true, nil
}

// write takes as much of p as there is room for; wait reports that p was not taken whole.
func (f *pairFlow) write(p []byte) (n int, wait bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.reset:
		return 0, false, os.NewSyscallError("write", syscall.ECONNRESET)
	case f.refused, f.ended:
		return 0, false, os.NewSyscallError("write", syscall.EPIPE)
	}
	n = int(min(int64(len(p)), f.limit-f.buf.Len()))
	if n > 0 {
		_, _ = f.buf.Write(p[:n]) // a Buffer's writes do not fail
		signal(f.readable)
	}
	return n, n < len(p), nil
}

// pairConn is one end of a ConnPair.
type pairConn struct {
	in, out       *pairFlow
	local, remote net.Addr
	readTurn      chan struct{} // held by the one reader that may wait for in
	writeTurn     chan struct{} // held by the one writer that may wait for out
	readBy        connDeadline
	writeBy       connDeadline
	closed        chan struct{}
	closeOnce     sync.Once
}

func newPairConn(in, out *pairFlow, local, remote net.Addr) *pairConn {
	c := &pairConn{
		in: in, out: out, local: local, remote: remote,
		readTurn: make(chan struct{}, 1), writeTurn: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	c.readBy.init()
	c.writeBy.init()
	return c
}

func (c *pairConn) LocalAddr() net.Addr  { return c.local }
func (c *pairConn) RemoteAddr() net.Addr { return c.remote }

// opError dresses an error as the net package does.
func (c *pairConn) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: c.local.Network(), Source: c.local, Addr: c.remote, Err: err}
}

func (c *pairConn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// await waits for something to arrive on, or be taken by, turn or change; whichever of closing and the deadline comes first
// ends it. A deadline that was moved in the meantime is no reason to stop.
func (c *pairConn) await(d *connDeadline, put chan<- struct{}, get <-chan struct{}) error {
	for {
		if c.isClosed() {
			return net.ErrClosed
		}
		expired, passed := d.state()
		if expired {
			return os.ErrDeadlineExceeded
		}
		select {
		case put <- struct{}{}:
			return nil
		case <-get:
			return nil
		case <-c.closed:
		case <-passed:
		}
	}
}

func (c *pairConn) Read(p []byte) (int, error) {
	n, err := c.read(p)
	if err != nil && err != io.EOF {
		err = c.opError("read", err)
	}
	return n, err
}

func (c *pairConn) read(p []byte) (int, error) {
	if len(p) == 0 {
		// As net does: says nothing about the state of the connection, other than that it was closed here.
		if c.isClosed() {
			return 0, net.ErrClosed
		}
		return 0, nil
	}
	if err := c.await(&c.readBy, c.readTurn, nil); err != nil {
		return 0, err
	}
	defer func() { <-c.readTurn }()
	for {
		if c.isClosed() {
			return 0, net.ErrClosed
		}
		if expired, _ := c.readBy.state(); expired {
			return 0, os.ErrDeadlineExceeded
		}
		n, wait, err := c.in.read(p)
		if !wait {
			return n, err
		}
		if err := c.await(&c.readBy, nil, c.in.readable); err != nil {
			return 0, err
		}
	}
}

func (c *pairConn) Write(p []byte) (int, error) {
	n, err := c.write(p)
	if err != nil {
		err = c.opError("write", err)
	}
	return n, err
}

func (c *pairConn) write(p []byte) (int, error) {
	if err := c.await(&c.writeBy, c.writeTurn, nil); err != nil {
		return 0, err
	}
	defer func() { <-c.writeTurn }()
	total := 0
	for {
		if c.isClosed() {
			return total, net.ErrClosed
		}
		if expired, _ := c.writeBy.state(); expired {
			return total, os.ErrDeadlineExceeded
		}
		n, wait, err := c.out.write(p[total:])
		total += n
		if !wait {
			return total, err
		}
		if err := c.await(&c.writeBy, nil, c.out.writable); err != nil {
			return total, err
		}
	}
}

// CloseWrite tells the peer that nothing more comes after what was written. Reading goes on.
func (c *pairConn) CloseWrite() error {
	if c.isClosed() {
		return c.opError("close", net.ErrClosed)
	}
	c.out.end()
	return nil
}

// CloseRead drops what was not read; own reads see the end, and the peer's writes fail with syscall.EPIPE. Writing goes on.
func (c *pairConn) CloseRead() error {
	if c.isClosed() {
		return c.opError("close", net.ErrClosed)
	}
	c.in.refuse()
	return nil
}

// Close ends both directions and frees everything that waits on this end with net.ErrClosed. The peer reads what was written
// before, then the end; its writes fail with syscall.EPIPE.
func (c *pairConn) Close() error {
	return c.shut(func() {
		c.out.end()
		c.in.refuse()
	})
}

// Reset closes this end and drops what is under way in both directions; the peer's reads and writes fail with
// syscall.ECONNRESET.
func (c *pairConn) Reset() error {
	return c.shut(func() {
		c.out.abort()
		c.in.abort()
	})
}

func (c *pairConn) shut(flows func()) error {
	err := c.opError("close", net.ErrClosed)
	c.closeOnce.Do(func() {
		close(c.closed)
		flows()
		c.readBy.set(time.Time{}) // no timer outlives the connection
		c.writeBy.set(time.Time{})
		err = nil
	})
	return err
}

// SetDeadline sets both deadlines.
func (c *pairConn) SetDeadline(t time.Time) error {
	if c.isClosed() {
		return c.opError("set", net.ErrClosed)
	}
	c.readBy.set(t)
	c.writeBy.set(t)
	return nil
}

// SetReadDeadline ends reads that are still waiting at t, and fails later ones at once; the zero time removes it.
func (c *pairConn) SetReadDeadline(t time.Time) error {
	if c.isClosed() {
		return c.opError("set", net.ErrClosed)
	}
	c.readBy.set(t)
	return nil
}

// SetWriteDeadline is SetReadDeadline for writes.
func (c *pairConn) SetWriteDeadline(t time.Time) error {
	if c.isClosed() {
		return c.opError("set", net.ErrClosed)
	}
	c.writeBy.set(t)
	return nil
}
