package http2

import (
	"context"
	"errors"
	"io"
	"os"
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

// ReadHead returns the next block of headers: of informational responses, then of the response; of a request in the role of the server. last
// reports that nothing follows.
func (s *Stream) ReadHead() (fields []string, last bool, err error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.await(&s.reader, s, s.untilRead(), (*hasHead)(s)); err != nil {
		c.timedOut()
		return nil, false, err
	}
	if len(s.heads) > 0 {
		h := s.takeHeld()
		return h.fields, h.last, nil
	}
	if s.err != nil {
		return nil, false, s.err
	}
	return nil, false, io.ErrUnexpectedEOF
}

// Read returns content. Implements okio.Source together with Close, as returned by Source.
func (s *Stream) read(dst *okio.Buffer, most int64) (int64, error) {
	c := s.conn
	if most == 0 {
		return 0, nil
	}
	c.mu.Lock()
	if s.in.Len() == 0 {
		if err := c.await(&s.reader, s, s.untilRead(), (*hasContent)(s)); err != nil {
			c.timedOut()
			c.mu.Unlock()
			return 0, err
		}
	}
	switch {
	case s.unwanted:
		c.mu.Unlock()
		return 0, okio.ErrClosed
	case s.in.Len() > 0:
	case s.ended:
		c.mu.Unlock()
		return 0, io.EOF
	case s.halted && s.err == nil:
		c.mu.Unlock()
		return 0, os.ErrDeadlineExceeded
	default:
		defer c.mu.Unlock()
		return 0, s.err
	}
	n, _ := s.in.ReadBuffer(dst, most)
	if s.ended && s.in.Len() == 0 {
		s.drained.Store(true)
	}
	c.unread -= int(n)
	if s.credit(n) {
		c.flushAside()
	}
	c.mu.Unlock()
	c.tellWindows()
	return n, nil
}

// Ended reports whether all content came and was read.
func (s *Stream) Ended() bool {
	if s.drained.Load() {
		return true
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.ended && s.in.Len() == 0
}

// Trailers returns the fields that came after the content, once that was read to its end.
func (s *Stream) Trailers() ([]string, error) {
	if s.drained.Load() {
		return s.trailers, nil // which nobody changes any more
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	if !s.ended {
		return nil, s.err
	}
	return s.trailers, nil
}

// closeRead gives up what the peer still sends. A stream whose content was not sent whole goes on in the other direction, any other is
// reset: with CANCEL, by a server with NO_ERROR.
func (s *Stream) closeRead() {
	c := s.conn
	c.mu.Lock()
	if s.unwanted {
		c.mu.Unlock()
		return
	}
	s.unwanted = true
	if dropped := s.dropInput(); !s.finished {
		s.credit(dropped)
	}
	if !s.ended && s.finished && s.err == nil {
		s.reset(s.abandonment())
	}
	c.interrupt(&s.reader)
	c.flushAside()
	c.mu.Unlock()
	c.tellWindows()
}

// dropInput forgets content that nobody will read. The lock is held.
func (s *Stream) dropInput() (n int64) {
	n = s.in.Len()
	s.conn.unread -= int(n)
	s.in.Clear()
	return n
}

// Cancel ends the stream with an error: the peer gets a reset, and everything that waits fails. It does nothing once both sides came to their
// ends. It does not wait for anything; a connection whose peer takes nothing of what the stream is sending is closed after a second.
func (s *Stream) Cancel(code ErrorCode, err error) {
	c := s.conn
	c.mu.Lock()
	if s.err == nil && !s.removed {
		c.appendReset(s.id, code)
		s.end(err)
		s.abandon()
	} else if c.server {
		s.abandon()
	}
	if c.writer == s {
		c.unstick(s)
	}
	c.flushAside()
	c.mu.Unlock()
}

// reset is Cancel for a reason of this package. The lock is held; the caller flushes.
func (s *Stream) reset(code ErrorCode) {
	if s.err != nil || s.removed {
		return
	}
	s.conn.appendReset(s.id, code)
	s.end(&StreamResetError{Code: code})
}

// end ends the stream early. The lock is held.
func (s *Stream) end(err error) {
	if s.err == nil {
		s.fail(err)
		if s.promised {
			c := s.conn
			var reset *StreamResetError
			code := Cancel
			if errors.As(err, &reset) {
				code = reset.Code
			}
			c.push(pushEvent{kind: pushReset, stream: s, code: code})
		}
	}
	s.remove()
	s.conn.interrupt(&s.reader)
	s.conn.interrupt(&s.sender)
}

// fail notes why the stream ends early. The lock is held.
func (s *Stream) fail(err error) {
	s.err = err
	s.failed.Store(true)
	if f := s.onFailure; f != nil {
		s.onFailure = nil
		f(err)
	}
}

// abandon forgets content that came of a stream that its user gave up. A whole response stays, unlike a request. The lock is held.
func (s *Stream) abandon() {
	if !s.ended || s.conn.server {
		s.dropInput()
	}
}

// endInput notes that the peer has sent all. The lock is held.
func (s *Stream) endInput() {
	s.ended = true
	if s.finished {
		s.remove()
	}
	s.reader.tell()
}

// endOutput notes that all was sent. The lock is held.
func (s *Stream) endOutput() {
	s.finished = true
	s.conn.interrupt(&s.sender) // another goroutine may be sending
	switch {
	case s.ended:
		s.remove()
		s.conn.interrupt(&s.reader) // or waiting for the end
	case s.unwanted:
		s.reset(s.abandonment())
	}
}

// abandonment is the code of the reset of a stream whose content is not wanted while all was sent: a server's response is whole, and stays good
// (RFC 9113 section 8.1).
func (s *Stream) abandonment() ErrorCode {
	if s.conn.server {
		return NoError
	}
	return Cancel
}

// remove takes the stream off the connection. The lock is held.
func (s *Stream) remove() {
	if s.removed {
		return
	}
	s.removed = true
	c := s.conn
	s.unbind()
	s.over.Store(true)
	delete(c.streams, s.id)
	c.several.Store(len(c.streams) > 1)
	switch {
	case c.ours(s.id):
		c.opened--
	case s.promised:
		c.pushes--
	default:
		c.served--
	}
	if !c.ours(s.id) && s.err == nil && c.resetDebt > 0 {
		c.resetDebt--
	}
	if s.unwanted {
		s.dropInput()
	}
}

// ours reports whether a stream is one that this side opens.
func (c *Conn) ours(id uint32) bool { return (id%2 == 1) != c.server }

// Heard waits for the next head, and reports whether there is something to read, if only a failure. A false one means that the end passed.
func (s *Stream) Heard(end time.Time) bool {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.await(&s.reader, s, end, (*hasHead)(s)) == nil
}

// Discard forgets content that came and was not read, and reports how much that was, and whether all had come.
func (s *Stream) Discard() (n int64, whole bool) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.dropInput(), s.ended
}
