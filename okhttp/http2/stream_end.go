package http2

import "errors"

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
