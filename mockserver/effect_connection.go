package mockserver

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"
)

// partialRecord announces 16 KiB of encrypted content and has ten bytes.
var partialRecord = []byte("\x17\x03\x03\x40\x00" + "0123456789")

// perform performs a plan on a connection of HTTP/1.1. It reports whether the exchange goes on; otherwise the connection is over.
func (c *connection) perform(ctx context.Context, m Moment, plan []Effect) (goesOn bool) {
	for _, e := range plan {
		if !c.act(ctx, m, e) {
			c.over = true
			return false
		}
	}
	return true
}

// plan leaves out what is of HTTP/2 alone.
func (c *connection) plan(e Effect) []Effect { return withoutHTTP2(c.server.plan(e)) }

func withoutHTTP2(plan []Effect) []Effect {
	return slices.DeleteFunc(plan, func(e Effect) bool {
		switch e.(type) {
		case GoAway, SendSettings:
			return true
		}
		return false
	})
}

func (c *connection) act(ctx context.Context, m Moment, e Effect) (goesOn bool) {
	switch e := e.(type) {
	case Wait:
		return sleep(ctx, e.For) == nil
	case Write:
		return c.inject(e.Bytes) == nil
	case RefuseConnections:
		c.server.refuseFor(e.For)
		return true
	case IgnoreConnections:
		c.server.ignoreFor(e.For)
		return true
	case BadCertificate: // of a connection that has none
		return true
	case Garbage:
		if c.inject(c.server.dice.bytes(e.Bytes)) == nil {
			c.bow()
		}
	case CloseSocket:
		if c.strike(e); e.NoClose {
			c.idle(ctx, e.In)
			_ = c.raw.Close()
		}
	case ShutdownConnection, CloseStream:
		if c.tls != nil {
			_ = c.tls.Close()
		}
		_ = c.raw.Close()
	case Stall:
		c.idle(ctx, m <= RequestBody)
	default:
		c.strike(e)
	}
	return false
}

// inject sends bytes after those of the script.
func (c *connection) inject(p []byte) error {
	if c.http == nil {
		_, err := c.raw.Write(p)
		return err
	}
	if _, err := c.http.Sink().Write(p); err != nil {
		return err
	}
	return c.http.Sink().Flush()
}

// bow closes the connection in a way that what was sent arrives.
func (c *connection) bow() {
	switch {
	case c.socket == nil:
		c.bid(c.raw)
	case c.handed: // what comes is the handler's to read
		_ = c.socket.Sink().Close()
		c.bowed = true
	default:
		c.linger()
	}
}

// strike does what an effect says to the transport connection. It may be called by any goroutine.
func (c *connection) strike(e Effect) {
	c.cut.Store(true)
	switch e := e.(type) {
	case CloseSocket:
		if half, ok := c.raw.(interface{ CloseRead() error }); ok && e.In {
			_ = half.CloseRead()
		}
		if half, ok := c.raw.(interface{ CloseWrite() error }); ok && e.Out {
			_ = half.CloseWrite()
		}
		if !e.NoClose {
			_ = c.raw.Close()
		}
	case Reset:
		if t, ok := c.raw.(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
		c.reset()
	case PartialRecord:
		if c.tls != nil {
			_ = c.raw.SetWriteDeadline(time.Now().Add(lingerLimit))
			_, _ = c.raw.Write(partialRecord)
			c.bid(c.raw)
		}
		_ = c.raw.Close()
	case FailHandshake: // of a connection that has none
		_ = c.raw.Close()
	}
}

// refuseFor has connections refused for a time, if that is not 0. The caller is a goroutine of the server.
func (s *Server) refuseFor(d time.Duration) {
	_ = s.Refuse()
	s.resumeAfter(d)
}

// resumeAfter has connections accepted again after a time, if that is not 0. The caller is a goroutine of the server.
func (s *Server) resumeAfter(d time.Duration) {
	if d <= 0 {
		return
	}
	s.goroutines.Go(func() {
		if sleep(s.inviting, d) == nil {
			if err := s.Resume(); err != nil && !errors.Is(err, ErrClosed) { // which it may be about to be
				s.fault(err)
			}
		}
	})
}
