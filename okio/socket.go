package okio

import (
	"errors"
	"io"
	"math"
	"net"
	"sync/atomic"
	"syscall"
)

// A Socket is a connection as a [Source] and a [Sink], which two goroutines may use at the same time. Closing one of them
// leaves the other alone; both must be closed to release the connection.
type Socket interface {
	// Source returns the receiving side, always the same one.
	Source() Source

	// Sink returns the sending side, always the same one.
	Sink() Sink

	// Cancel makes every operation that is under way or comes later fail with cause, or with [ErrCanceled] if cause is nil.
	// It may be called by any goroutine at any time and does not block; only the first call counts. Closing both
	// sides still succeeds afterwards.
	Cancel(cause error)
}

// NewSocket adapts c, which then belongs to the socket. Nothing is read ahead and nothing is held back: a read that the source
// makes and a write that the sink makes go straight to c. Both sides are [Limited], and their limits become deadlines of c: for
// each read, and for each piece of a write, of 64 KiB and at the end up to 4 KiB more, so that a slow link that moves does not run into the limit of
// one operation.
// Whoever sets deadlines of c himself must clear them before the socket is used again.
//
// A read or write that runs out of time fails with an error that names it, is [os.ErrDeadlineExceeded] and a [net.Error]. Unlike in
// Okio this does not destroy the connection: on plain TCP reading and writing can go on, with the bytes that were not sent still in
// the buffer, while a TLS connection stays unusable for writing.
//
// Closing the sink sends the end to the peer (CloseWrite), closing the source drops what comes in (CloseRead), where c can do these; TLS
// has no CloseRead. Otherwise the side is only closed for the user, and the peer learns of it when both are. Canceling closes c,
// for TLS the connection below it, so that no alert is sent that could block. An end of a [ConnPair] is reset.
//
// The source is also an [io.Reader], for reading into memory of one's own under the same limits. On Unix systems a source over TCP or a
// Unix socket holds no memory while it waits for data.
//
// A c that was closed before is found out by the first operation.
func NewSocket(c net.Conn) Socket {
	s := &netSocket{conn: c, done: make(chan struct{})}
	s.source.init(s, c)
	s.sink.init(s, c)
	s.source.timeout.canceled = s.done
	s.sink.timeout.canceled = s.done
	return s
}

// SocketPair returns two connected sockets in memory: NewSocket over a [ConnPair] with up to limit bytes a direction, 64 KiB if
// limit is below 1. Closing a source makes the peer's sink fail; canceling either socket makes everything fail on both.
func SocketPair(limit int64) (a, b Socket) {
	x, y := ConnPair(int(min(limit, math.MaxInt)))
	return NewSocket(x), NewSocket(y)
}

// The sides that were closed.
const (
	closedSource = 1 << iota
	closedSink
	closedBoth = closedSource | closedSink
)

// netSocket is a Socket over a net.Conn.
type netSocket struct {
	conn     net.Conn
	canceled atomic.Pointer[error] // the cause; set before the connection is closed, so that whoever sees it fail sees why
	done     chan struct{}         // closed after that
	closed   atomic.Uint32
	source   socketSource
	sink     socketSink
}

func (s *netSocket) Source() Source { return &s.source }
func (s *netSocket) Sink() Sink     { return &s.sink }

func (s *netSocket) Cancel(cause error) {
	cause = causeOrCanceled(cause)
	if !s.canceled.CompareAndSwap(nil, &cause) {
		return
	}
	close(s.done)
	c := s.conn
	for {
		layer, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		below := layer.NetConn()
		if below == nil {
			break
		}
		c = below
	}
	if pair, ok := c.(*pairConn); ok {
		_ = pair.Reset() // the peer fails too, as the reference's in-memory pair does
		return
	}
	_ = c.Close()
}

// check is why the side can no longer be used, nil if it can.
func (s *netSocket) check(side uint32) error {
	if cause := s.canceled.Load(); cause != nil {
		return *cause
	}
	if s.closed.Load()&side != 0 {
		return ErrClosed
	}
	return nil
}

// closeSide closes one half with shut, nil if the connection cannot do that, or all if the other half is closed already.
func (s *netSocket) closeSide(side uint32, shut func() error) error {
	before := s.closed.Or(side)
	var err error
	switch {
	case before&side != 0:
		return nil
	case before|side == closedBoth:
		err = s.conn.Close()
		if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "write" {
			err = nil // TLS could not say farewell, to a peer that has gone most likely; all is released
		}
	case shut != nil && s.canceled.Load() == nil:
		err = shut()
	}
	switch {
	case s.canceled.Load() != nil:
		return nil
	case errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ENOTCONN):
		return nil // somebody else, or the peer, was faster
	}
	return err
}

// failure turns an error of the connection into the one to report.
func (s *netSocket) failure(op string, l *socketLimit, err error) error {
	if cause := s.canceled.Load(); cause != nil {
		return *cause
	}
	if err == io.EOF {
		return err
	}
	return l.failure(op, err)
}
