package http2

// Inject sends p as it is, between two frames: frames of any kind, or what is none. Nothing else takes note of it, the Frames of the [Config] included. It is
// for servers that misbehave on purpose.
func (c *Conn) Inject(p []byte) {
	c.mu.Lock()
	c.append(append(c.scratch[:0], p...))
	c.mu.Unlock()
	c.flush()
}

// SendFields sends a block of headers as it is given, pseudo-headers among it, allowed or not, but for names, which become lower case. last says that
// nothing follows.
func (s *Stream) SendFields(fields []string, last bool) error {
	return s.sendBlock(last, func(dst []byte) ([]byte, error) { // under the lock
		s.answered = s.answered || Status(fields) >= 200
		return s.conn.encoder.Append(dst, fields), nil
	})
}

// GoAwayAfter says goodbye as GoAway does, but names the last stream that is acted on, and adds data for debugging. Streams beyond it go on until
// they end or are cancelled; a client takes them for refused.
func (c *Conn) GoAwayAfter(last uint32, code ErrorCode, debug string) {
	c.mu.Lock()
	if !c.left {
		c.left, c.leftAt = true, c.lastID
	}
	c.leftAt = min(c.leftAt, last)
	c.appendFrame(AppendGoAway(c.scratch[:0], c.leftAt, code, []byte(debug)))
	c.mu.Unlock()
	c.flush()
}

// SendSettings announces settings that take the place of those of the [Config]. What gives the peer more holds at once here, what gives it less once it has
// acknowledged them; the window of streams does not grow beyond the one announced. Values are sent as they are given, valid or not.
func (c *Conn) SendSettings(list ...Setting) {
	c.mu.Lock()
	for _, s := range list {
		c.announce(s)
	}
	c.unacked = append(c.unacked, list)
	c.appendFrame(AppendSettings(c.scratch[:0], list...))
	c.mu.Unlock()
	c.flush()
}

// announce applies what gives the peer more. The lock is held.
func (c *Conn) announce(s Setting) {
	value := int(min(s.Value, maxWindow))
	switch s.ID {
	case SettingMaxConcurrentStreams:
		c.cfg.MaxConcurrentStreams = max(c.cfg.MaxConcurrentStreams, value)
	case SettingEnableConnectProtocol:
		c.cfg.ExtendedConnect = c.cfg.ExtendedConnect || s.Value == 1
	case SettingInitialWindowSize:
		window := int64(value)
		c.widest = max(c.widest, window)
		for _, st := range c.streams {
			if more := window - st.window; more > 0 {
				st.room += more
			}
			st.window = window
		}
		c.firstWindow, c.cfg.MaxStreamWindow = window, value
	}
}

// acknowledged applies, on the goroutine that reads, what gives the peer less, or is for the reader.
func (c *Conn) acknowledged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.greetingTaken {
		c.greetingTaken = true // it is the first settings that were acknowledged
	} else if len(c.unacked) > 0 {
		for _, s := range c.unacked[0] {
			value := int(min(s.Value, maxWindow))
			switch s.ID {
			case SettingMaxConcurrentStreams:
				c.cfg.MaxConcurrentStreams = value
			case SettingHeaderTableSize:
				c.cfg.HeaderTableSize = value
			case SettingMaxFrameSize:
				c.cfg.MaxFrameSize = min(max(value, minMaxFrame), maxMaxFrame)
			}
		}
		c.unacked = c.unacked[1:]
	}
}
