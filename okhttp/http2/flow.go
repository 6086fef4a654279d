package http2

import (
	"fmt"
)

// expectContent accounts for a frame of content before its bytes are taken, and returns the stream that they are for, nil if they are for nobody.
// The lock is held; the caller flushes.
func (c *Conn) expectContent(h FrameHeader, content int) (*Stream, error) {
	n := int64(h.Length)
	if n > c.room {
		return nil, &ConnectionError{FlowControlError, fmt.Sprintf("%d bytes of content were sent where %d are allowed", n, c.room)}
	}
	c.room -= n
	c.uncredited += h.Length
	c.creditConnection()
	s := c.streams[h.Stream]
	if s == nil {
		return nil, c.unknown(h)
	}
	if s.ended || !s.headed {
		detail := "content came after the end"
		if !s.ended {
			return nil, &StreamError{h.Stream, ProtocolErrorCode, "content came before the headers"}
		}
		return nil, &StreamError{h.Stream, StreamClosed, detail}
	}
	if n > s.room {
		return nil, &StreamError{h.Stream, FlowControlError, fmt.Sprintf("%d bytes of content were sent where %d are allowed", n, s.room)}
	}
	s.room -= n
	s.got += int64(content)
	switch {
	case s.declared >= 0 && s.got > s.declared:
		return nil, &StreamError{h.Stream, ProtocolErrorCode, fmt.Sprintf("expected %d bytes but received %d", s.declared, s.got)}
	case s.declared >= 0 && h.Flags&FlagEndStream != 0 && s.got < s.declared:
		return nil, &StreamError{h.Stream, ProtocolErrorCode, fmt.Sprintf("expected %d bytes but received %d", s.declared, s.got)}
	case s.unwanted:
		if h.Flags&FlagEndStream != 0 {
			s.endInput()
		}
		return nil, nil
	}
	s.uncredited += n - int64(content) // padding is read by nobody
	c.unread += content
	if c.unread > c.cfg.MaxUnread && s.in.Len()+int64(content) > int64(c.cfg.MaxUnread/max(len(c.streams), 1)) {
		c.unread -= content
		return nil, &StreamError{h.Stream, EnhanceYourCalm, fmt.Sprintf("%d bytes wait to be read, %d of this stream", c.unread, s.in.Len())}
	}
	return s, nil
}

// creditConnection gives the peer room again for what came, which on the connection does not wait for anybody to read it: a stream that nobody
// reads must not stop the others.
func (c *Conn) creditConnection() {
	if c.uncredited >= c.cfg.ConnectionWindow/2 {
		c.appendFrame(AppendWindowUpdate(c.scratch[:0], 0, uint32(c.uncredited)))
		c.room += int64(c.uncredited)
		c.uncredited = 0
	}
}

// credit gives the peer room for what was read of a stream. The window grows while the reader keeps up. It reports whether there is something to
// send. The lock is held.
func (s *Stream) credit(n int64) bool {
	c := s.conn
	if s.uncredited += n; s.ended || s.err != nil || s.uncredited < s.window/2 {
		return false
	}
	more := s.uncredited
	if most := int64(c.cfg.MaxStreamWindow); s.in.Len() == 0 && s.window < most {
		grown := min(2*s.window, most)
		more += grown - s.window
		s.window = grown
	}
	s.room += more
	s.uncredited = 0
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
		return &StreamError{id, FlowControlError, "the window of the stream exceeds 2147483647 bytes"}
	}
	s.sender.tell()
	return nil
}
