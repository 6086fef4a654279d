package http2

import (
	"errors"
	"os"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// appendFrame appends one frame to what is to be sent. The lock is held.
func (c *Conn) appendFrame(frame []byte) {
	if f := c.cfg.Frames; f != nil {
		f(false, ParseFrameHeader(frame), frame[FrameHeaderLen:])
	}
	c.append(frame)
}

func (c *Conn) append(p []byte) {
	c.scratch = p[:0]
	if c.err != nil {
		return // nobody will send it
	}
	_, _ = c.out.Write(p)
	c.appended += int64(len(p))
}

// flush sends what is there, unless somebody else does, who then sends this too.
func (c *Conn) flush() {
	c.mu.Lock()
	nothing := c.out.Len() == 0
	c.mu.Unlock()
	if nothing {
		return
	}
	select {
	case c.writing <- struct{}{}:
		c.drain()
	default:
	}
}

// flushAside has what is there, if anything, sent by another goroutine: who reads must not wait for the socket to take more, or else both sides might
// wait for the other to read. It is rare: the peer's settings and pings are, and updates of large windows.
func (c *Conn) flushAside() {
	c.mu.Lock()
	some := c.out.Len() > 0
	c.mu.Unlock()
	if some {
		go c.flush()
	}
}

// drain sends until nothing is left. It has the place of the writer, and gives it up.
func (c *Conn) drain() {
	var batch okio.Buffer
	for {
		c.mu.Lock()
		if c.out.Len() == 0 || c.err != nil {
			<-c.writing // under the lock, so that whoever appends after this finds the place free
			c.mu.Unlock()
			return
		}
		_, _ = c.out.ReadBuffer(&batch, c.out.Len())
		c.written, c.control = c.appended, 0
		c.mu.Unlock()
		if err := c.sink.WriteBuffer(&batch, batch.Len()); err != nil {
			batch.Clear()
			<-c.writing
			c.fail(err, ProtocolErrorCode, ProtocolErrorCode)
			return
		}
	}
}

// send sends content, and ends the sending side with it if that was asked for. It waits for room of the peer, and for the socket.
func (s *Stream) send(src *okio.Buffer, n int64, last bool) error {
	for {
		size, err := s.reserve(n)
		if err != nil {
			return err
		}
		end := last && int64(size) == n
		if err := s.sendFrame(src, size, end); err != nil {
			return err
		}
		if n -= int64(size); n == 0 {
			return nil
		}
	}
}

// reserve takes room for at most n bytes.
func (s *Stream) reserve(n int64) (int, error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if n == 0 {
		return 0, s.sendable()
	}
	if !(*hasRoom)(s).ready() {
		go c.flush() // what was sent before must be on its way
		if err := c.await(&s.sender, s.until(s.writeLimit), (*hasRoom)(s)); err != nil {
			c.timedOut()
			return 0, err
		}
	}
	if err := s.sendable(); err != nil {
		return 0, err
	}
	size := min(n, s.sendWindow, c.sendWindow, int64(c.peerFrame))
	s.sendWindow -= size
	c.sendWindow -= size
	return int(size), nil
}

// sendable is why nothing can be sent. The lock is held.
func (s *Stream) sendable() error {
	switch {
	case s.err != nil:
		return s.err
	case s.finished:
		return okio.ErrClosed
	}
	return nil
}

// sendFrame sends one frame of content, from the place of the writer.
func (s *Stream) sendFrame(src *okio.Buffer, size int, end bool) error {
	c := s.conn
	if err := s.takePlace(); err != nil {
		return err
	}
	c.mu.Lock()
	if err := s.sendable(); err != nil {
		c.mu.Unlock()
		c.drain()
		return err
	}
	c.appendFrame(AppendDataHeader(c.scratch[:0], s.id, size, end))
	if c.err == nil {
		_ = c.out.WriteBuffer(src, int64(size))
		c.appended += int64(size)
	}
	if end {
		s.endOutput()
	}
	c.writer = s
	c.mu.Unlock()
	c.drain()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writer == s {
		c.writer = nil
	}
	return c.err
}

// takePlace waits for the place of the writer.
func (s *Stream) takePlace() error {
	c := s.conn
	select {
	case c.writing <- struct{}{}:
		return nil
	default:
	}
	c.mu.Lock()
	at := s.until(s.writeLimit)
	c.mu.Unlock()
	var due <-chan time.Time
	if !at.IsZero() {
		t := time.NewTimer(time.Until(at))
		defer t.Stop()
		due = t.C
	}
	for {
		c.mu.Lock()
		err := s.err
		s.sender.waits = err == nil
		c.mu.Unlock()
		if err != nil {
			return err
		}
		select {
		case c.writing <- struct{}{}:
			return nil
		case <-s.sender.wake:
		case <-due:
			return os.ErrDeadlineExceeded
		}
	}
}

// stuckTime is how long the socket may take nothing after the stream that writes was cancelled.
const stuckTime = time.Second

var errStuck = errors.New("http2: the peer takes nothing, and the stream that was being sent was cancelled")

// unstick ends a connection whose peer takes nothing of a stream that was cancelled, so that who writes is not held up.
func (c *Conn) unstick(s *Stream) {
	time.AfterFunc(stuckTime, func() {
		c.mu.Lock()
		stuck := c.writer == s && c.err == nil
		c.mu.Unlock()
		if stuck {
			c.fail(errStuck, Cancel, Cancel)
		}
	})
}
