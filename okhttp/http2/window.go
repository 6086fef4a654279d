package http2

// Window is the state of a window for content that this side receives (RFC 9113 section 5.2), of a stream or of the connection.
type Window struct {
	Stream       uint32 // 0: the window of the connection
	Size         int64  // how much the peer may have under way
	Received     int64  // bytes that came so far, with their padding
	Acknowledged int64  // of these, those that the peer was given room for again
	Unread       int64  // content that came and waits to be read, of the stream or in all
}

// Room is how much more the peer may send.
func (w Window) Room() int64 { return w.Size - (w.Received - w.Acknowledged) }

// noteWindow remembers that a window changed, that of the connection for nil. The lock is held.
func (c *Conn) noteWindow(s *Stream) {
	if c.cfg.Window == nil {
		return
	}
	if s == nil {
		size := int64(c.cfg.ConnectionWindow)
		c.windows = append(c.windows, Window{Size: size, Received: c.counted, Acknowledged: c.counted + c.room - size, Unread: int64(c.unread)})
		return
	}
	c.windows = append(c.windows, Window{Stream: s.id, Size: s.window, Received: s.counted, Acknowledged: s.counted + s.room - s.window, Unread: s.held()})
}

// tellWindows tells of the windows that changed. The lock is not held.
func (c *Conn) tellWindows() {
	if c.cfg.Window == nil {
		return
	}
	c.mu.Lock()
	changed := c.windows
	c.windows = nil
	c.mu.Unlock()
	for _, w := range changed {
		c.cfg.Window(w)
	}
}
