package http2

import (
	"net"
	"time"
)

// NewServer begins a connection in the role of the server, over one on which the client's preface comes next.
func NewServer(raw net.Conn, cfg Config) *Conn {
	c := newConn(raw, cfg, true)
	c.mu.Lock()
	c.nextID = 2
	c.mu.Unlock()
	c.flush()
	return c
}

// hasStream is what Accept waits for.
type hasStream Conn

func (c *hasStream) ready() bool { return len(c.accepted) > 0 || c.err != nil }

// Accept returns the next stream that the client opened, and the headers of its request; last says that no content follows. One goroutine at a time
// may call it. The error is that of the connection, or os.ErrDeadlineExceeded when the deadline, unless zero, has passed.
func (c *Conn) Accept(deadline time.Time) (s *Stream, fields []string, last bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.await(&c.acceptor, nil, deadline, (*hasStream)(c)); err != nil {
		return nil, nil, false, err
	}
	if len(c.accepted) == 0 {
		return nil, nil, false, c.err
	}
	s = c.accepted[0]
	c.accepted = c.accepted[1:]
	h := s.takeHeld()
	return s, h.fields, h.last, nil
}

// accept takes a stream that the client opens. The lock is held.
func (c *Conn) accept(b headerBlock, fields []string, failed error) error {
	c.lastID = b.stream
	switch {
	case c.err != nil:
		return nil // nobody would tell it of the end
	case failed != nil:
		return streamError(b.stream, failed)
	case c.left:
		return nil // it came after the goodbye, and is not acted on
	case c.served >= c.cfg.MaxConcurrentStreams:
		return &StreamError{Stream: b.stream, Code: RefusedStream, Detail: "too many streams are open"}
	}
	err := ValidRequest(fields)
	declared := int64(-1)
	if err == nil {
		declared, err = ContentLength(fields)
	}
	if err == nil && !c.cfg.ExtendedConnect && extends(fields) {
		err = malformed("':protocol', which was not offered")
	}
	if err != nil {
		return streamError(b.stream, err)
	}
	if declared > 0 && b.last {
		return &StreamError{Stream: b.stream, Code: ProtocolErrorCode, Detail: "content was announced and none came"}
	}
	c.served++
	s := new(Stream)
	c.begin(s, b.stream)
	s.headed, s.declared = true, declared
	s.holdHead(head{fields, b.last})
	if b.last {
		s.endInput()
	}
	c.accepted = append(c.accepted, s)
	c.acceptor.tell()
	return nil
}

// extends reports whether a valid request is an extended CONNECT.
func extends(fields []string) bool {
	pseudo, _ := SplitPseudo(fields)
	for i := 0; i < len(pseudo); i += 2 {
		if pseudo[i] == ":protocol" {
			return true
		}
	}
	return false
}

// SendHead sends the head of a response, final or informational. last says that no content follows.
func (s *Stream) SendHead(status int, fields []string, last bool) error {
	return s.sendBlock(last, func(dst []byte) ([]byte, error) { // under the lock
		s.answered = status >= 200
		return s.conn.encoder.AppendResponse(dst, status, fields)
	})
}

// Leave says goodbye in two steps (RFC 9113 section 6.8): it announces the end first, and names the last stream that is acted on once the peer has
// answered a ping, so that no stream is lost that was under way meanwhile. It does not wait for either.
func (c *Conn) Leave() {
	c.mu.Lock()
	if !c.left && !c.announced {
		c.announced = true
		c.appendFrame(AppendGoAway(c.scratch[:0], maxStream, NoError, nil))
		c.appendFrame(AppendPing(c.scratch[:0], false, leavingPing))
	}
	c.mu.Unlock()
	c.flush()
}
