package http2

import (
	"fmt"
	"slices"
	"time"
)

// appendReset resets a stream, once. The lock is held.
func (c *Conn) appendReset(id uint32, code ErrorCode) {
	if slices.Contains(c.resets[:], id) {
		return
	}
	old := c.resets[c.resetAt]
	c.resetFloor[old%2] = max(c.resetFloor[old%2], old)
	c.resets[c.resetAt] = id
	c.resetAt = (c.resetAt + 1) % len(c.resets)
	c.appendFrame(AppendRSTStream(c.scratch[:0], id, code))
}

// wasReset reports whether a stream may have been reset, so that frames of it may have been under way. The lock is held.
func (c *Conn) wasReset(id uint32) bool {
	return id <= c.resetFloor[id%2] || slices.Contains(c.resets[:], id)
}

// refuse answers what was wrong with a stream.
func (c *Conn) refuse(e *StreamError) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isIdle(e.Stream) { // there is nothing to reset
		return &ConnectionError{e.Code, fmt.Sprintf("stream %d, which is idle: %s", e.Stream, e.Detail)}
	}
	c.appendReset(e.Stream, e.Code)
	var err error
	if s := c.streams[e.Stream]; s != nil {
		err = c.countReset(e.Stream)
		s.end(e)
	}
	if owed := c.owe(); err == nil {
		err = owed
	}
	c.flushAside()
	return err
}

// owe counts a frame that the peer made us send. One who makes many and takes none is up to no good. The lock is held.
func (c *Conn) owe() error {
	if c.control++; c.control > c.cfg.MaxAnswers {
		return &ConnectionError{EnhanceYourCalm, fmt.Sprintf("more than %d answers wait for the peer to take them", c.cfg.MaxAnswers)}
	}
	return nil
}

// takeSettings applies the peer's settings and says so (RFC 9113 section 6.5.3).
func (c *Conn) takeSettings(h FrameHeader, payload []byte) error {
	if h.Flags&FlagAck != 0 {
		// Only now the peer is obliged to keep to a smaller table; a larger one was allowed from the start.
		c.acknowledged()
		c.received.decoder.SetTableSize(uint32(c.cfg.HeaderTableSize))
		return nil
	}
	settings, err := ParseSettings(payload)
	if err != nil {
		return err
	}
	c.mu.Lock()
	limit, first := c.maxStreams, !c.greeted
	for _, s := range settings {
		if err = c.apply(s); err != nil {
			break
		}
	}
	c.greeted = true
	c.appendFrame(AppendSettingsAck(c.scratch[:0]))
	if owed := c.owe(); err == nil {
		err = owed
	}
	changed := first || limit != c.maxStreams
	for _, s := range c.streams {
		s.sender.tell()
	}
	c.flushAside()
	c.mu.Unlock()
	if changed && c.cfg.Changed != nil {
		c.cfg.Changed()
	}
	return err
}

// apply applies one setting. The lock is held.
func (c *Conn) apply(s Setting) error {
	switch s.ID {
	case SettingEnablePush:
		if s.Value == 1 && !c.server {
			return &ConnectionError{ProtocolErrorCode, "setting ENABLE_PUSH is 1 by a server, expected 0"}
		}
		c.noPush = s.Value == 0
	case SettingHeaderTableSize:
		c.encoder.SetTableSize(s.Value)
	case SettingMaxConcurrentStreams:
		c.maxStreams = min(s.Value, maxWindow)
	case SettingInitialWindowSize:
		delta := int64(s.Value) - c.peerWindow
		c.peerWindow = int64(s.Value)
		for _, s := range c.streams {
			if s.sendWindow += delta; s.sendWindow > maxWindow {
				return &ConnectionError{FlowControlError, "the window of a stream exceeds 2147483647 bytes"}
			}
		}
	case SettingMaxFrameSize:
		c.peerFrame = int(s.Value)
	case SettingEnableConnectProtocol:
		c.connects = c.connects || s.Value == 1
	}
	return nil
}

// The payloads of pings.
var (
	intervalPing = [8]byte{0, 0, 0, 1}
	degradedPing = [8]byte{0, 0, 0, 2}
	leavingPing  = [8]byte{0, 0, 0, 3}
)

// takePing answers a ping, or takes the answer to one.
func (c *Conn) takePing(h FrameHeader, payload []byte) error {
	data, err := ParsePing(payload)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if h.Flags&FlagAck != 0 {
		switch data {
		case intervalPing:
			c.pingDue = false
		case degradedPing:
			c.degraded = time.Time{}
			c.doubted.Store(c.usable() != nil)
		case leavingPing:
			if c.announced && !c.left {
				c.sayGoodbye(NoError, "")
				c.flushAside()
			}
		}
		c.mu.Unlock()
		return nil
	}
	c.appendFrame(AppendPing(c.scratch[:0], true, data))
	err = c.owe()
	c.flushAside()
	c.mu.Unlock()
	return err
}

// ping sends a ping at each interval, and gives a peer up that has not answered the one before.
func (c *Conn) ping() {
	c.mu.Lock()
	switch {
	case c.err != nil:
		c.mu.Unlock()
		return
	case c.pingDue:
		c.mu.Unlock()
		err := fmt.Errorf("http2: sent a ping but did not receive an answer within %v", c.cfg.PingInterval)
		c.fail(err, ProtocolErrorCode, ProtocolErrorCode)
		return
	}
	c.pingDue = true
	c.appendFrame(AppendPing(c.scratch[:0], false, intervalPing))
	c.pinger.Reset(c.cfg.PingInterval)
	c.mu.Unlock()
	c.flush()
}

// timedOut asks the peer whether it is still there, because a stream ran into its time limit. The lock is held.
func (c *Conn) timedOut() {
	if c.err == nil && c.degraded.IsZero() {
		c.degraded = time.Now().Add(degradedTime)
		c.doubted.Store(true)
		c.appendFrame(AppendPing(c.scratch[:0], false, degradedPing))
		c.flushAside()
	}
}

// takeGoAway takes a goodbye: streams that the peer will not act on are over, the others go on.
func (c *Conn) takeGoAway(last uint32, code ErrorCode, debug []byte) {
	const most = 256
	e := &GoAwayError{LastStream: last, Code: code, Debug: fmt.Sprintf("%.*q", most, debug)}
	if len(debug) == 0 {
		e.Debug = ""
	}
	c.mu.Lock()
	c.leaving = e
	c.doubted.Store(true)
	for id, s := range c.streams {
		if c.ours(id) && id > last {
			s.end(e)
		}
	}
	c.mu.Unlock()
	if c.cfg.Changed != nil {
		c.cfg.Changed()
	}
}

// takeReset ends a stream that the peer reset.
func (c *Conn) takeReset(id uint32, code ErrorCode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[id]
	if s == nil {
		return c.idle(id, FrameRSTStream)
	}
	if err := c.countReset(id); err != nil {
		return err
	}
	if s.ended && (code == NoError || code == Cancel) {
		// A whole response stays readable; what is still to be sent is not wanted.
		s.fail(&StreamResetError{Code: code, Remote: true})
		s.remove()
		c.interrupt(&s.sender)
		s.reader.tell() // who may wait for the end
		return nil
	}
	s.end(&StreamResetError{Code: code, Remote: true})
	return nil
}

// isIdle reports whether a stream was never opened. The lock is held.
func (c *Conn) isIdle(id uint32) bool {
	if c.ours(id) {
		return id >= c.nextID
	}
	return id > c.lastID
}

// countReset counts a stream of the peer that is about to be reset. The lock is held.
func (c *Conn) countReset(id uint32) error {
	if c.ours(id) {
		return nil
	}
	now := time.Now()
	if forgiven := now.Sub(c.forgivenAt) / forgiveTime; forgiven > 0 {
		c.resetDebt = max(0, c.resetDebt-int(min(forgiven, time.Duration(c.cfg.MaxResets))))
		c.forgivenAt = now
	}
	if c.resetDebt++; c.resetDebt > c.cfg.MaxResets {
		return &ConnectionError{EnhanceYourCalm, fmt.Sprintf("more than %d streams were opened and reset", c.cfg.MaxResets)}
	}
	return nil
}

// idle is the failure of a frame for a stream that was never opened; for one that is over it is nil. The lock is held.
func (c *Conn) idle(id uint32, kind FrameType) error {
	if c.isIdle(id) {
		return &ConnectionError{ProtocolErrorCode, fmt.Sprintf("%v for stream %d, which is idle", kind, id)}
	}
	return nil
}

// unknown is the failure of content or headers for a stream that is not open. The lock is held.
func (c *Conn) unknown(h FrameHeader) error {
	if err := c.idle(h.Stream, h.Type); err != nil {
		return err
	}
	if c.wasReset(h.Stream) || c.left && !c.ours(h.Stream) && h.Stream > c.leftAt {
		return nil // it was under way when the peer learned of it
	}
	return &ConnectionError{StreamClosed, fmt.Sprintf("%v for stream %d, which is closed", h.Type, h.Stream)}
}
