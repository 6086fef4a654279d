package mockserver

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Server answers HTTP requests as it is told. Make one with [New] or [Start]. Its methods are safe for concurrent use.
type Server struct {
	cfg     *config
	secrets *secrets // set by Start
	host    string   // of URL; set by Start
	queue   *Queue
	journal journal
	dice    *dice

	dispatcher atomic.Pointer[Dispatcher]
	context    context.Context // of all that runs, from NewUnstarted to the end
	cancel     context.CancelCauseFunc
	inviting   context.Context // of what has clients come; ends when the server takes no more of them
	disinvite  context.CancelCauseFunc
	goroutines sync.WaitGroup
	teardown   sync.Once
	gone       chan struct{} // closed when no goroutine is left after the teardown

	mu       sync.Mutex
	addr     net.Addr            // nil before the start
	listener net.Listener        // nil before the start, and while connections are refused
	crowd    *crowd              // nil unless connections are ignored
	own      map[string]struct{} // addresses that the server itself connects to the listener from
	accepted int                 // connections, ever
	conns    map[*connection]struct{}
	waiting  []*Request // whose dispatcher has not answered
	misses   []miss     // scripts that had no chance to strike, of a server that is strict
	replaced replaced
	draining bool
	closed   bool
	closeErr error

	test sync.Mutex // held while tb is used, so that it never is after the test
	tb   testing.TB // nil without a test, or when it is over
}

// New starts a server for a test, and closes it when the test is over. It fails the test if the server cannot start, if a [Dispatcher]
// panics, if a script is invalid, and if the server cannot be closed. See [Strict] for what else can fail it.
func New(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	s := NewUnstarted(tb, opts...)
	if err := s.Start(""); err != nil {
		tb.Fatal(err)
	}
	return s
}

// Start starts a server, which has to be closed.
func Start(opts ...Option) (*Server, error) {
	s := NewUnstarted(nil, opts...)
	if err := s.Start(""); err != nil {
		return nil, err
	}
	return s, nil
}

// NewUnstarted makes a server that listens once [Server.Start] is called. It can be scripted before. It is closed when the test is over; tb may be
// nil for none.
func NewUnstarted(tb testing.TB, opts ...Option) *Server {
	s := &Server{cfg: newConfig(opts), tb: tb, queue: new(Queue), conns: make(map[*connection]struct{}), gone: make(chan struct{})}
	s.dice = newDice(s.cfg.seed)
	s.SetDispatcher(s.cfg.dispatcher)
	s.context, s.cancel = context.WithCancelCause(context.WithValue(context.Background(), serverKey{}, s))
	s.inviting, s.disinvite = context.WithCancelCause(s.context)
	s.journal.limit, s.journal.done = s.cfg.journal, s.context.Done()
	if s.cfg.strict {
		s.beStrict()
	}
	if tb != nil {
		tb.Helper()
		tb.Cleanup(func() { tb.Helper(); s.endTest() })
	}
	return s
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
			r.told = true
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
	if old := s.dispatcher.Swap(&d); old != nil {
		s.retire(*old)
	}
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
