package http2

import (
	"fmt"
)

// expectContent accounts for a frame of content before its bytes are taken, and returns the stream that they are for, nil if they are for nobody.
// The lock is held; the caller flushes.
func (c *Conn) expectContent(h FrameHeader, content int) (*Stream, error) {
	n := int64(h.Length)
	if err := c.count(n); err != nil {
		return nil, err
	}
	s := c.streams[h.Stream]
	if s == nil {
		return nil, c.unknown(h)
	}
	switch {
	case s.ended:
		return nil, &StreamError{Stream: h.Stream, Code: StreamClosed, Detail: "content came after the end"}
	case !s.headed:
		return nil, &StreamError{Stream: h.Stream, Code: ProtocolErrorCode, Detail: "content came before the headers"}
	case n > s.room:
		return nil, &StreamError{Stream: h.Stream, Code: FlowControlError, Detail: fmt.Sprintf("%d bytes of content were sent where %d are allowed", n, s.room)}
	}
	s.room -= n
	s.counted += n
	s.got += int64(content)
	switch {
	case s.declared >= 0 && s.got > s.declared:
		return nil, &StreamError{Stream: h.Stream, Code: ProtocolErrorCode, Detail: fmt.Sprintf("expected %d bytes but received %d", s.declared, s.got)}
	case s.answered && h.Flags&FlagEndStream != 0 && s.got < s.declared:
		s.endInput() // of a request that was given up because of the response, which is still to arrive whole
		return nil, nil
	case s.declared >= 0 && h.Flags&FlagEndStream != 0 && s.got < s.declared:
		return nil, &StreamError{Stream: h.Stream, Code: ProtocolErrorCode, Detail: fmt.Sprintf("expected %d bytes but received %d", s.declared, s.got)}
	case s.unwanted:
		if h.Flags&FlagEndStream != 0 {
			s.endInput()
		}
		s.credit(n) // who waits for the rest of the request may have to get rid of the response first
		return nil, nil
	}
	s.credit(n - int64(content)) // padding is read by nobody
	c.unread += content
	if most := c.cfg.MaxUnread; c.unread > most && (s.held()+int64(content) > int64(most/len(c.streams)) || c.unread/2 > most) {
		c.unread -= content
		return nil, &StreamError{Stream: h.Stream, Code: EnhanceYourCalm, Detail: fmt.Sprintf("%d bytes wait to be read, %d of this stream", c.unread, s.held())}
	}
	return s, nil
}

// held is how much content of the stream waits to be read.
func (s *Stream) held() int64 { return s.in.Len() + s.queued }

// count accounts for n bytes of frames of content on the connection, and gives the peer room for them again, which does not wait for anybody to read
// them: a stream that nobody reads must not stop the others. The lock is held.
func (c *Conn) count(n int64) error {
	if n > c.room {
		return &ConnectionError{FlowControlError, fmt.Sprintf("%d bytes of content were sent where %d are allowed", n, c.room)}
	}
	c.room -= n
	c.counted += n
	c.uncredited += int(n)
	if c.uncredited >= c.cfg.ConnectionWindow/creditPart {
		c.appendFrame(AppendWindowUpdate(c.scratch[:0], 0, uint32(c.uncredited)))
		c.room += int64(c.uncredited)
		c.uncredited = 0
		c.noteWindow(nil)
	}
	return nil
}

// credit gives the peer room for what was read of a stream. The window grows while the reader keeps up. It reports whether there is something to
// send. The lock is held.
func (s *Stream) credit(n int64) bool {
	c := s.conn
	if s.uncredited += n; s.ended || s.err != nil || s.uncredited < s.window/creditPart {
		return false
	}
	more := s.uncredited
	if most := int64(c.cfg.MaxStreamWindow); s.held() == 0 && s.window < most && !s.unwanted {
		grown := min(2*s.window, most)
		more += grown - s.window
		s.window = grown
	}
	s.room += more
	s.uncredited = 0
	c.noteWindow(s)
	c.appendFrame(AppendWindowUpdate(c.scratch[:0], s.id, uint32(more)))
	return true
}

// takeWindow takes room that the peer gives.
func (c *Conn) takeWindow(id uint32, n uint32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == 0 {
		if c.sendWindow += int64(n); c.sendWindow > maxWindow {
			return &ConnectionError{FlowControlError, "the window of the connection exceeds 2147483647 bytes"}
		}
		for _, s := range c.streams {
			s.sender.tell()
		}
		return nil
	}
	s := c.streams[id]
	if s == nil {
		return c.idle(id, FrameWindowUpdate)
	}
	if s.sendWindow += int64(n); s.sendWindow > maxWindow {
		return &StreamError{Stream: id, Code: FlowControlError, Detail: "the window of the stream exceeds 2147483647 bytes"}
	}
	s.sender.tell()
	return nil
}
