package mockserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// closeLimit is how long Close waits for dispatchers and bodies that do not obey their context.
const closeLimit = 5 * time.Second

// A Server answers HTTP requests as it is told. Make one with [New] or [Start]. Its methods are safe for concurrent use.
type Server struct {
	cfg      *config
	listener net.Listener
	host     string // of URL
	secrets  *secrets
	queue    *Queue
	journal  journal

	dispatcher atomic.Pointer[Dispatcher]
	cancel     context.CancelCauseFunc
	done       <-chan struct{}
	goroutines sync.WaitGroup
	closing    sync.Once
	closeErr   error

	mu     sync.Mutex
	conns  map[*connection]struct{}
	closed bool

	test sync.Mutex // held while tb is used, so that it never is after the test
	tb   testing.TB // nil without a test, or when it is over
}

// New starts a server for a test, and closes it when the test is over. It fails the test if the server cannot start, if a [Dispatcher]
// panics, if a script is invalid, and if the server cannot be closed.
func New(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	s, err := launch(tb, opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		tb.Helper()
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
		s.test.Lock()
		defer s.test.Unlock()
		s.tb = nil
	})
	return s
}

// Start starts a server, which has to be closed.
func Start(opts ...Option) (*Server, error) { return launch(nil, opts) }

func launch(tb testing.TB, opts []Option) (*Server, error) {
	s := &Server{cfg: newConfig(opts), tb: tb, queue: new(Queue), conns: make(map[*connection]struct{})}
	var err error
	if s.listener, err = listen(s.cfg); err != nil {
		return nil, fmt.Errorf("mockserver: %w", err)
	}
	if s.host = s.cfg.host; s.host == "" {
		s.host = hostOf(s.listener.Addr(), s.cfg.network != nil)
	}
	if s.secrets, err = newSecrets(s.cfg, s.host); err != nil {
		return nil, errors.Join(err, s.listener.Close())
	}
	s.SetDispatcher(s.cfg.dispatcher)
	ctx, cancel := context.WithCancelCause(context.Background())
	s.cancel, s.done = cancel, ctx.Done()
	s.journal.limit, s.journal.done = s.cfg.journal, ctx.Done()
	s.goroutines.Go(func() { s.accept(ctx) })
	return s, nil
}

func listen(c *config) (net.Listener, error) {
	addr := c.addr
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

// hostOf is the host that reaches a listener. It is the address and not "localhost", which may mean a list of addresses to a client,
// of which the first one refuses.
func hostOf(addr net.Addr, memory bool) string {
	host, _, err := net.SplitHostPort(addr.String())
	switch ip := net.ParseIP(host); {
	case err == nil && host != "" && (ip == nil || !ip.IsUnspecified()):
		return host
	case memory:
		return "localhost"
	}
	return "127.0.0.1"
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// URL returns the URL of a path of this server, which may have a query. A missing leading slash is added.
func (s *Server) URL(path string) string {
	scheme, usual := "http", "80"
	if s.secrets != nil {
		scheme, usual = "https", "443"
	}
	_, port, err := net.SplitHostPort(s.listener.Addr().String())
	authority := net.JoinHostPort(s.host, port)
	if err != nil || port == usual {
		authority = strings.TrimSuffix(net.JoinHostPort(s.host, ""), ":")
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return scheme + "://" + authority + path
}

// DialContext connects to this server, whatever the address. As the dialer of a client, [okhttp.WithDialer] or http.Transport's
// DialContext, it makes every host name and port lead here. On a network in memory it is the way to connect.
func (s *Server) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return nil, err
	}
	if s.cfg.network != nil {
		return s.cfg.network.DialContext(ctx, "tcp", net.JoinHostPort(hostOf(s.listener.Addr(), true), port))
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", net.JoinHostPort(hostOf(s.listener.Addr(), false), port))
}

// Enqueue appends responses to the queue. Invalid ones fail the test. It fails the test too if another dispatcher is installed, since
// the responses would go unused; [Server.Queue] has no such objection.
func (s *Server) Enqueue(responses ...Response) {
	if s.current() != Dispatcher(s.queue) {
		s.fault(errors.New("mockserver: Enqueue while a dispatcher is installed: the response would never be used"))
	}
	for _, r := range responses {
		if err := r.Err(); err != nil {
			s.fault(err)
			r = scriptFault(err)
		}
		s.queue.Enqueue(r)
	}
}

// Queue returns the queue of the server. It exists even while another dispatcher is installed, which may pass requests on to it.
func (s *Server) Queue() *Queue { return s.queue }

// SetDispatcher answers requests with d from now on; nil restores the queue.
func (s *Server) SetDispatcher(d Dispatcher) {
	if d == nil {
		d = s.queue
	}
	s.dispatcher.Store(&d)
}

func (s *Server) current() Dispatcher { return *s.dispatcher.Load() }

// TakeRequest removes the oldest request that was not taken and returns it. It waits for one until ctx ends, or, if ctx has no deadline,
// for the time of [WithTakeTimeout]. The error is of ctx's cause, [ErrTakeTimeout] or, after Close, [ErrClosed].
func (s *Server) TakeRequest(ctx context.Context) (*Request, error) {
	return s.journal.await(ctx, s.cfg.takeLimit)
}

// TryTakeRequest is TakeRequest without waiting. It reports whether there was a request.
func (s *Server) TryTakeRequest() (*Request, bool) {
	r, _ := s.journal.take(false)
	return r, r != nil
}

// RequestCount returns how many requests came so far, whether they were taken or not. It includes those that could not be read.
func (s *Server) RequestCount() int { return s.journal.received() }

// String describes the server by its state and port.
func (s *Server) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "mockserver{closed}"
	}
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return "mockserver{port=" + port + "}"
}

// Close stops listening, breaks all connections off, releases the requests that wait for a response, and waits for the goroutines of the
// server. If a dispatcher does not return within 5 seconds, Close gives up and names the requests that are not finished. A dispatcher
// that wants to close its own server does so in a goroutine. Closing again returns the same error.
func (s *Server) Close() error {
	s.closing.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.cancel(ErrClosed)
		s.closeErr = s.listener.Close()
		s.queue.close()
		for _, c := range s.connections() {
			c.abort()
		}
		if late := s.wait(); late != nil {
			s.closeErr = late
		}
	})
	return s.closeErr
}

func (s *Server) wait() error {
	done := make(chan struct{})
	go func() {
		s.goroutines.Wait()
		close(done)
	}()
	timer := time.NewTimer(closeLimit)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
	}
	var lines []string
	for _, c := range s.connections() {
		lines = append(lines, "connection "+strconv.Itoa(c.index)+": "+c.doing())
	}
	return fmt.Errorf("mockserver: gave up waiting for the end of %d connections after %v: %s", len(lines), closeLimit, strings.Join(lines, "; "))
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

// accept takes connections until the server closes.
func (s *Server) accept(ctx context.Context) {
	pause := time.Millisecond
	for index := 0; ; {
		raw, err := s.listener.Accept()
		switch {
		case err == nil:
			pause = time.Millisecond
			c := newConnection(s, index, raw)
			if !s.adopt(c) {
				c.abort()
				return
			}
			index++
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

// adopt makes c one of the connections that Close ends, unless that has happened.
func (s *Server) adopt(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.conns[c] = struct{}{}
	}
	return !s.closed
}

func (s *Server) forget(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// fault reports what is wrong with a script or with the code behind it.
func (s *Server) fault(err error) {
	s.cfg.logger.Error("mockserver: fault", "err", err)
	s.test.Lock()
	defer s.test.Unlock()
	if s.tb != nil {
		s.tb.Helper()
		s.tb.Error(err)
	}
}

// sleep waits, but not longer than ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
