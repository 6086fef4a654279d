package mockserver

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// crowd is the connections of the server's own that fill the backlog of its listener, so that no other gets in. The lock of the server guards conns.
type crowd struct {
	held     chan struct{} // closed when the loop that accepts has taken a connection, and goes no further
	once     sync.Once     // of held
	released chan struct{} // closed when it does
	conns    []net.Conn
}

const (
	memoryBacklog = 128         // of a network in memory, see okio.Network.Listen
	fillPatience  = time.Second // with a backlog that clients may have filled themselves
)

// settled reports whether the loop has come to its stop, or goes on already.
func (c *crowd) settled() bool {
	select {
	case <-c.held:
	case <-c.released:
	default:
		return false
	}
	return true
}

// Ignore stops accepting connections and has the backlog full, until [Server.Resume]: what clients do to connect neither succeeds nor fails, as with a server
// that is overloaded, or packets that get lost, so that they run into their time limit. Connections that were accepted go on. On a listener of TCP it takes
// Linux, and is [errors.ErrUnsupported] elsewhere.
func (s *Server) Ignore() error {
	c, err := s.gather()
	if c == nil {
		return err
	}
	for !s.fill(c) && !c.settled() && s.context.Err() == nil { // if it does not get in, another connection did, or the machine is slow
	}
	select {
	case <-c.held:
	case <-c.released:
		return nil
	case <-s.context.Done():
		return ErrClosed
	}
	most := 1
	if s.cfg.network != nil {
		most = memoryBacklog
	}
	for range most {
		if !s.fill(c) {
			break
		}
	}
	return nil
}

// gather begins a crowd. There is none if there was one, or with an error.
func (s *Server) gather() (*crowd, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crowd != nil {
		return nil, nil
	}
	if err := s.resume(); err != nil {
		return nil, err
	}
	if err := setBacklog(s.listener, 0); err != nil {
		return nil, err
	}
	s.crowd = &crowd{held: make(chan struct{}), released: make(chan struct{})}
	return s.crowd, nil
}

// fill adds a connection to a crowd. It reports whether there may be room for more.
func (s *Server) fill(c *crowd) bool {
	ctx, cancel := context.WithTimeout(s.context, fillPatience)
	defer cancel()
	conn, err := s.DialContext(ctx, "tcp", "")
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own[conn.LocalAddr().String()] = struct{}{}
	if s.crowd != c {
		_ = conn.Close()
		return false
	}
	c.conns = append(c.conns, conn)
	return true
}

// disperse ends the crowd, if there is one. The lock is held.
func (s *Server) disperse() {
	c := s.crowd
	if c == nil {
		return
	}
	s.crowd = nil
	_ = setBacklog(s.listener, fullBacklog)
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	close(c.released)
}

// admit holds a connection that was accepted as long as there is a crowd, and reports whether it is one of a client. own are the addresses of those that
// the server makes to that listener.
func (s *Server) admit(ctx context.Context, raw net.Conn, own map[string]struct{}) bool {
	s.mu.Lock()
	c := s.crowd
	s.mu.Unlock()
	if c != nil {
		c.once.Do(func() { close(c.held) })
		select {
		case <-c.released:
		case <-ctx.Done():
		}
	}
	from := raw.RemoteAddr().String()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ours := own[from]
	delete(own, from)
	return !ours
}

// ignoreFor has connections ignored for a time, if that is not 0. The caller is a goroutine of the server.
func (s *Server) ignoreFor(d time.Duration) {
	if err := s.Ignore(); err != nil {
		if !errors.Is(err, ErrClosed) {
			s.fault(err)
		}
		return
	}
	s.resumeAfter(d)
}
