package mockserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

const (
	// closeLimit is how long Close waits for dispatchers and bodies that do not obey their context.
	closeLimit = 5 * time.Second
	// lastLimit is how long a server goes on that ends with a response.
	lastLimit = time.Second
)

// ErrNotStarted is the failure of what needs the address of a server that [Server.Start] was not called for.
var ErrNotStarted = errors.New("mockserver: the server was not started")

// Start starts a server of [NewUnstarted], at an address "host:port", or at that of [WithAddr] if it is empty. Starting again does nothing if the
// address is the one of before, or empty, and is an error otherwise. Once [Server.Close] or [Server.Shutdown] was called it is [ErrClosed].
func (s *Server) Start(addr string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if addr == "" {
		addr = s.cfg.addr
	}
	switch {
	case s.closed || s.draining: // nothing may begin that Shutdown does not wait for
		return fmt.Errorf("mockserver: start: %w", ErrClosed)
	case s.addr != nil:
		return s.startedAt(addr)
	case s.cfg.protocols > okhttp.HTTP2PriorKnowledge:
		return fmt.Errorf("mockserver: WithProtocols(%d): expected HTTP2OrHTTP1, HTTP1Only or HTTP2PriorKnowledge", s.cfg.protocols)
	}
	listener, err := s.cfg.listen(addr)
	if err != nil {
		return fmt.Errorf("mockserver: %w", err)
	}
	if s.host = s.cfg.host; s.host == "" {
		s.host = hostOf(listener.Addr(), s.cfg.network != nil)
	}
	if s.secrets, err = newSecrets(s.cfg, s.host); err != nil {
		return errors.Join(err, listener.Close())
	}
	s.addr = listener.Addr()
	s.listen(listener)
	return nil
}

// startedAt wants the address of a server that runs. The lock is held.
func (s *Server) startedAt(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if addr == "" || err == nil && (port == "0" || port == portOf(s.addr)) && (host == "" || host == hostOf(s.addr, s.cfg.network != nil)) {
		return nil
	}
	return fmt.Errorf("mockserver: start at %s: the server runs at %v", addr, s.addr)
}

func portOf(addr net.Addr) string {
	_, port, _ := net.SplitHostPort(addr.String())
	return port
}

func (c *config) listen(addr string) (net.Listener, error) {
	switch {
	case c.network != nil && addr == "":
		return c.network.Listen(":0")
	case c.network != nil:
		return c.network.Listen(addr)
	case addr == "":
		addr = "127.0.0.1:0"
	}
	return net.Listen("tcp", addr)
}

// listen has connections accepted. The lock is held.
func (s *Server) listen(l net.Listener) {
	own := map[string]struct{}{}
	s.listener, s.own = l, own
	s.goroutines.Go(func() { s.accept(s.context, l, own) })
}

// Refuse stops listening, so that connections are refused, until [Server.Resume]. Those that were accepted go on.
func (s *Server) Refuse() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.addr == nil:
		return ErrNotStarted
	case s.listener == nil:
		return nil
	}
	l := s.listener
	s.disperse()
	s.listener = nil
	return l.Close()
}

// Resume accepts connections again after [Server.Ignore], and listens again, at the same address, after [Server.Refuse], where it fails if the port was
// taken meanwhile.
func (s *Server) Resume() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resume()
}

// resume is Resume with the lock held.
func (s *Server) resume() error {
	switch {
	case s.closed || s.draining:
		return ErrClosed
	case s.addr == nil:
		return ErrNotStarted
	case s.listener != nil:
		s.disperse()
		return nil
	}
	l, err := s.cfg.listen(s.addr.String())
	if err != nil {
		return fmt.Errorf("mockserver: %w", err)
	}
	s.listen(l)
	return nil
}

// accept takes connections until the listener closes.
func (s *Server) accept(ctx context.Context, l net.Listener, own map[string]struct{}) {
	pause := time.Millisecond
	for {
		raw, err := l.Accept()
		switch {
		case err == nil:
			pause = time.Millisecond
			if !s.admit(ctx, raw, own) {
				_ = raw.Close()
				continue
			}
			c := newConnection(s, raw)
			if !s.adopt(c) {
				c.abort()
				return
			}
			s.goroutines.Go(func() { c.serve(ctx) })
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return
		default: // out of file descriptors, most likely
			s.cfg.logger.Warn("mockserver: accept", "err", err)
			if sleep(ctx, pause) != nil {
				return
			}
			pause = min(2*pause, time.Second)
		}
	}
}

// adopt makes c one of the connections that Close ends, unless that has begun, and numbers it.
func (s *Server) adopt(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.draining { // no more is to be seen to its end
		return false
	}
	s.conns[c] = struct{}{}
	c.index = s.accepted
	s.accepted++
	return true
}

func (s *Server) forget(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (s *Server) connections() []*connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*connection, 0, len(s.conns))
	for c := range s.conns {
		list = append(list, c)
	}
	return list
}

// isDraining reports whether connections end when they are idle.
func (s *Server) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// String describes the server by its state and port.
func (s *Server) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "mockserver{closed}"
	case s.addr == nil:
		return "mockserver{new}"
	}
	return "mockserver{port=" + portOf(s.addr) + "}"
}

// Shutdown stops listening, lets the requests finish that are under way, and closes the server. Connections that are idle are closed; those of HTTP/2
// are told so in two steps (GOAWAY, RFC 9113 section 6.8), which no request is lost by. Clients have a second to end them themselves. When ctx ends first, what is left is broken off, and the
// error is ctx's cause. Called by a dispatcher or another function of a script, it waits for that one's own request in vain: use a goroutine.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.disinvite(ErrClosed)
	_ = s.Refuse()
	for _, c := range s.connections() {
		c.drain()
	}
	ended := make(chan struct{})
	go func() {
		s.goroutines.Wait()
		close(ended)
	}()
	var late error
	select {
	case <-ended:
	case <-s.gone:
	case <-ctx.Done():
		late = fmt.Errorf("mockserver: shutdown: %w", context.Cause(ctx))
	}
	return errors.Join(late, s.Close())
}

// Close stops listening, breaks all connections off, releases the requests that wait for a response, and waits for the goroutines of the
// server. If a dispatcher does not return within 5 seconds, Close gives up and names the requests that are not finished. Called by a
// dispatcher, a body or another function of a script, which runs on such a goroutine, it does not wait. Closing again waits again.
func (s *Server) Close() error {
	s.tearDown()
	if insideScript() {
		return nil
	}
	timer := time.NewTimer(closeLimit)
	defer timer.Stop()
	select {
	case <-s.gone:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.closeErr
	case <-timer.C:
	}
	var lines []string
	for _, c := range s.connections() {
		lines = append(lines, "connection "+strconv.Itoa(c.index)+": "+c.doing())
	}
	return fmt.Errorf("mockserver: gave up waiting for the end of %d %s after %v: %s", len(lines), plural(len(lines), "connection", "connections"), closeLimit, strings.Join(lines, "; "))
}

// tearDown ends all that runs, without waiting for it.
func (s *Server) tearDown() {
	s.teardown.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.disperse()
		l := s.listener
		s.listener = nil
		s.mu.Unlock()
		s.cancel(ErrClosed)
		if l != nil {
			err := l.Close()
			s.mu.Lock()
			s.closeErr = err
			s.mu.Unlock()
		}
		s.queue.close()
		for _, c := range s.connections() {
			c.abort()
		}
		go func() {
			s.goroutines.Wait()
			close(s.gone)
		}()
	})
}

// end shuts the server down because a response says so.
func (s *Server) end() {
	_ = s.Refuse()
	go func() {
		ctx, cancel := context.WithTimeout(s.context, lastLimit)
		defer cancel()
		_ = s.Shutdown(ctx)
	}()
}
