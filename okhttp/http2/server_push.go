package http2

import "errors"

// ErrPushDisabled is the failure of pushing to a client that does not want that (SETTINGS_ENABLE_PUSH, RFC 9113 section 6.5.2).
var ErrPushDisabled = errors.New("http2: the client does not want streams to be pushed")

// Push promises the response to a request that the client did not make (RFC 9113 section 8.4), along the stream of one that it made, before that is
// finished. The fields are treated as those of a request of the client are. The response is sent on the stream returned, as on those of
// [Conn.Accept]. It fails with [ErrPushDisabled], and with [ErrTooManyStreams] at the client's limit of streams.
func (s *Stream) Push(r RequestHead, fields []string) (*Stream, error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return nil, c.err
	case s.sendable() != nil:
		return nil, s.sendable()
	case c.noPush:
		return nil, ErrPushDisabled
	case uint32(c.opened) >= c.maxStreams:
		return nil, ErrTooManyStreams
	}
	block, err := c.encoder.AppendRequest(c.block[:0], r, fields)
	if err != nil {
		return nil, err
	}
	c.block = block
	pushed := new(Stream)
	c.begin(pushed, c.nextID)
	pushed.headed, pushed.ended = true, true // the client sends nothing
	c.nextID += 2
	c.opened++
	frames := AppendPushPromise(c.scratch[:0], s.id, pushed.id, c.block, c.peerFrame)
	if f := c.cfg.Frames; f != nil {
		eachFrame(frames, func(h FrameHeader, payload []byte) { f(false, h, payload) })
	}
	c.append(frames)
	c.flushAside()
	return pushed, nil
}
