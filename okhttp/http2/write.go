package http2

import (
	"errors"
	"fmt"
	"runtime"
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
	if c.scratch = p[:0]; cap(p) > keptRoom {
		c.scratch = nil
	}
	if c.err != nil {
		return // nobody will send it
	}
	_, _ = c.out.Write(p)
	c.appended.Add(int64(len(p)))
}

// flush sends what is there, unless somebody else does, who then sends this too.
func (c *Conn) flush() { c.flushAs(nil) }

// flushAs is flush for a stream: canceling it gives up waiting for a peer that takes nothing. If there are other streams, those who are about to send
// something on them go first, so that it is one write, and one record of TLS, for all.
func (c *Conn) flushAs(s *Stream) {
	if c.several.Load() && c.written.Load() != c.appended.Load() {
		c.flushers.Add(1)
		runtime.Gosched()
		others := c.flushers.Add(-1) > 0
		// What remains is for others to write who are about to, if what this stream has appended is gone.
		if done := c.written.Load(); s != nil && done >= s.sentAt && others || done == c.appended.Load() {
			return
		}
	}
	c.mu.Lock()
	if c.out.Len() == 0 || c.err != nil {
		c.mu.Unlock()
		return
	}
	select {
	case c.writing <- struct{}{}:
		c.writes(s)
		c.mu.Unlock()
		c.drain()
	default:
		c.mu.Unlock()
	}
}

// flushAside has what is there, if anything, sent by another goroutine, of which there is one at a time: for those who must not wait for the
// socket to take more. Who reads is one, or else both sides might wait for the other to read; who cancels is another. It is rare: settings and
// pings of the peer are, and updates of large windows. The lock is held.
func (c *Conn) flushAside() {
	if c.out.Len() == 0 || c.err != nil || c.flushers.Load() > 0 {
		return
	}
	select {
	case c.writing <- struct{}{}:
		go c.drain()
	default:
	}
}

// writes notes the stream for which the place of the writer is held, nil for none. The lock is held.
func (c *Conn) writes(s *Stream) {
	c.sending.end()
	if c.writer = s; s != nil {
		c.sending.begin(c, s)
	}
}

// drain sends until nothing is left. It has the place of the writer, and gives it up.
func (c *Conn) drain() {
	for {
		c.mu.Lock()
		if c.out.Len() == 0 || c.err != nil || c.mute { // mute: a write failed, and whoever made it is about to say so
			c.writes(nil)
			<-c.writing // under the lock, so that whoever appends after this finds the place free
			c.mu.Unlock()
			return
		}
		_, _ = c.out.ReadBuffer(&c.batch, c.out.Len())
		c.written.Store(c.appended.Load())
		c.control = 0
		c.mu.Unlock()
		if err := c.sink.WriteBuffer(&c.batch, c.batch.Len()); err != nil {
			c.batch.Clear()
			c.mu.Lock()
			c.writes(nil)
			c.mute = true
			<-c.writing
			c.mu.Unlock()
			c.fail(err, ProtocolErrorCode, ProtocolErrorCode)
			return
		}
	}
}

// maxBatch is how much content a stream sends before it leaves the place of the writer to others.
const maxBatch = 32 << 10

// send sends content. It waits for room of the peer, and for the socket.
func (s *Stream) send(src *okio.Buffer, n int64) error {
	if n < 0 || n > src.Len() {
		return fmt.Errorf("http2: %d bytes to be sent, expected 0 to %d", n, src.Len())
	}
	for n > 0 {
		if err := s.awaitRoom(); err != nil {
			return err
		}
		if err := s.takePlace(); err != nil {
			return err
		}
		sent, err := s.sendContent(src, min(n, maxBatch))
		if err != nil {
			return err
		}
		n -= sent
	}
	return nil
}

// awaitRoom waits until the windows let some content through.
func (s *Stream) awaitRoom() error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if !(*hasRoom)(s).ready() {
		if err := c.await(&s.sender, s, s.writing.until(), (*hasRoom)(s)); err != nil {
			c.timedOut()
			return err
		}
	}
	return s.sendable()
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

// sendContent sends, from the place of the writer, as much of n bytes as there is room for, which may be none: other streams share the room.
func (s *Stream) sendContent(src *okio.Buffer, n int64) (sent int64, err error) {
	c := s.conn
	c.mu.Lock()
	for err = s.sendable(); err == nil && sent < n; {
		size := min(n-sent, s.sendWindow, c.sendWindow, int64(c.peerFrame))
		if size <= 0 {
			break
		}
		c.appendFrame(AppendDataHeader(c.scratch[:0], s.id, int(size), false))
		_ = c.out.WriteBuffer(src, size)
		c.appended.Add(size)
		s.sendWindow -= size
		c.sendWindow -= size
		sent += size
	}
	c.writes(s)
	c.mu.Unlock()
	c.drain()
	if err == nil {
		err = s.Err()
	}
	return sent, err
}

// sendEnd ends the content.
func (s *Stream) sendEnd() error {
	c := s.conn
	c.mu.Lock()
	if s.finished {
		c.mu.Unlock()
		return nil
	}
	if s.err != nil {
		defer c.mu.Unlock()
		return s.err
	}
	c.appendFrame(AppendDataHeader(c.scratch[:0], s.id, 0, true))
	s.sentAt = c.appended.Load()
	s.endOutput()
	c.mu.Unlock()
	c.flushAs(s)
	return s.Err()
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
	defer c.mu.Unlock()
	at := s.writing.until()
	for {
		if err := s.sendable(); err != nil {
			return err
		}
		k := c.park(&s.sender, s, at, &c.queued)
		c.mu.Unlock()
		taken := false
		select {
		case <-k.wake:
		case c.writing <- struct{}{}:
			taken = true
		}
		c.mu.Lock()
		err := c.unpark(&s.sender)
		if taken {
			return nil
		}
		if err != nil {
			c.timedOut()
			return err
		}
	}
}

// stuckTime is how long the socket may take nothing after the stream that writes was cancelled.
const stuckTime = time.Second

var errStuck = errors.New("http2: the peer takes nothing, and the stream that was being sent was cancelled")

// unstick ends a connection whose peer takes nothing while a stream that was cancelled writes, so that who writes is not held up. The lock is held.
func (c *Conn) unstick(s *Stream) {
	written := c.written.Load()
	time.AfterFunc(stuckTime, func() {
		c.mu.Lock()
		still := c.writer == s && c.err == nil
		if still && c.written.Load() != written {
			c.unstick(s) // it writes what others have to send
			still = false
		}
		c.mu.Unlock()
		if still {
			c.fail(errStuck, Cancel, Cancel)
		}
	})
}
