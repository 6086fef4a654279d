package http2

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Stream is one request and its response. The receiving side (ReadHead, Source, Trailers) belongs to one goroutine at a time and the sending
// side to one.
type Stream struct {
	conn *Conn
	id   uint32

	// Guarded by Conn.mu.
	err       error // the end of the stream by a reset, a failure of the connection or Cancel
	heads     []head
	headRoom  [1]head // for heads: most streams have one
	headBytes int
	trailers  []string
	in        okio.Buffer // content that came
	ended     bool        // the peer has sent all
	unwanted  bool        // the reader has closed
	halted    bool        // the reader is not to wait
	finished  bool        // all was sent
	removed   bool        // it is not open any more
	headed    bool        // the final head came
	bodiless  bool        // the request was HEAD: its response has no content, whatever it declares
	answered  bool        // the head of the final response was sent, in the role of the server
	tunnel    bool        // the request was CONNECT
	promised  bool        // it was pushed
	overlaps  bool        // content is sent while the response is read
	queued    int64       // content that its handler has yet to be told of
	declared  int64       // content length, -1 if none was declared
	got       int64       // content that came

	sendWindow int64
	room       int64 // what the peer may still send
	counted    int64 // bytes that came
	window     int64 // what the peer may have under way
	uncredited int64 // read, and not credited to the peer yet
	rank       int   // how many were open here with it when it was opened, if the peer had not said how many it allows; else 0
	headAt     int64 // where in all that is sent the request begins
	sentAt     int64 // and its latest frame ends; belongs to the sending side

	// What is asked for often, so that it takes no lock to answer.
	over    atomic.Bool // removed
	failed  atomic.Bool // err is set
	drained atomic.Bool // ended, and all content was read

	reader, sender waiter

	reading, writing limits

	onFailure func(error) // is told of err, once

	context context.Context // that ends it, if any
	unwatch func() bool     // undoes its being watched; nil while it is not
}

// limits bound the waits of one direction.
type limits struct {
	each time.Duration // 0 is no limit
	by   time.Time     // unless zero
}

// head is a block of headers that came.
type head struct {
	fields []string
	last   bool
}

// begin makes a stream one of the connection's. The lock is held.
func (c *Conn) begin(s *Stream, id uint32) {
	s.conn, s.id, s.declared = c, id, -1
	s.sendWindow = c.peerWindow
	s.window, s.room = c.firstWindow, c.widest
	c.streams[id] = s
	c.several.Store(len(c.streams) > 1)
}

// ID returns the number of the stream.
func (s *Stream) ID() uint32 { return s.id }

// SetLimits bounds each wait of the stream: for bytes of the peer, and for the peer to take some. 0 is no limit. The deadline, unless zero, is
// for all waits.
func (s *Stream) SetLimits(read, write time.Duration, deadline time.Time) {
	if s.conn != nil {
		s.conn.mu.Lock()
		defer s.conn.mu.Unlock()
	}
	s.reading, s.writing = limits{read, deadline}, limits{write, deadline}
}

// Sent reports whether a byte of the stream may have reached the peer.
func (s *Stream) Sent() bool {
	return s.conn.written.Load() > s.headAt
}

// Crowded reports whether the stream was opened before the peer had said how many it allows, and was one too many: that it was refused says nothing else
// about the connection then.
func (s *Stream) Crowded() bool {
	if s.rank == 0 {
		return false
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return uint64(s.rank) > uint64(s.conn.maxStreams)
}

// Err returns why the stream ended early, nil if it did not.
func (s *Stream) Err() error {
	if !s.failed.Load() {
		return nil
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.err
}

// WhenFailed has f called when the stream ends early: by a reset, by a failure of the connection or by Cancel; at once if it has. f is called once at most, with what
// Err returns, by whichever goroutine finds out, and must neither wait nor use the connection. nil takes f back; a call that is under way is over by then.
func (s *Stream) WhenFailed(f func(error)) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	if s.err != nil && f != nil {
		f(s.err)
		return
	}
	s.onFailure = f
}

// AwaitEnd waits until the stream is over, and returns why if it ended early. It belongs to the receiving side.
func (s *Stream) AwaitEnd() error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.await(&s.reader, s, s.reading.by, (*isOver)(s)); err != nil {
		return err
	}
	return s.err
}

// Overlap notes that content is sent while the response is read: there is no limit on waits for the peer until all was sent.
func (s *Stream) Overlap() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.overlaps = true
}

// untilRead returns the end of a wait for the peer that starts now. Conn.mu is held.
func (s *Stream) untilRead() time.Time {
	if s.overlaps && !s.finished {
		return s.reading.by
	}
	return s.reading.until()
}

// until returns the end of a wait that starts now.
func (l *limits) until() time.Time {
	at := l.by
	if l.each > 0 {
		if t := time.Now().Add(l.each); at.IsZero() || t.Before(at) {
			at = t
		}
	}
	return at
}

// hasHead and the others are what is waited for on a stream.
type (
	hasHead    Stream
	hasContent Stream
	hasRoom    Stream
	isOver     Stream
)

func (s *hasHead) ready() bool { return len(s.heads) > 0 || s.err != nil || s.ended }
func (s *hasContent) ready() bool {
	return s.in.Len() > 0 || s.ended || s.err != nil || s.unwanted || s.halted
}
func (s *isOver) ready() bool { return s.removed || s.err != nil }
func (s *hasRoom) ready() bool {
	return s.sendWindow > 0 && s.conn.sendWindow > 0 || s.err != nil || s.finished
}

// ours reports whether a stream is one that this side opens.
func (c *Conn) ours(id uint32) bool { return (id%2 == 1) != c.server }
