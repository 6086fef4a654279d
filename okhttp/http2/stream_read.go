package http2

import (
	"io"
	"os"
	"time"

	"github.com/okhttp-go/ok/okio"
)

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
