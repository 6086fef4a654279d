package okhttp

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Call is one request on its way, made by [Client.NewCall]. It can be executed once. Cancel may be called from any goroutine; apart from
// that a call belongs to one goroutine at a time.
type Call struct {
	client  *Client
	cfg     *config
	request *Request
	events  atomic.Pointer[EventListener]
	tags    atomic.Pointer[tagList]

	executed atomic.Bool
	canceled atomic.Bool

	conn    atomic.Pointer[Connection] // held, from its acquisition to its release
	wire    atomic.Pointer[wire]       // of the exchange under way
	waiting atomic.Pointer[waiting]    // for a connection

	// The rest belongs to the goroutine that runs the call, and then to the one that reads the response.
	timeout   *callTimeout
	plan      routePlan
	exchange  *exchange // the latest
	place     int       // in the set of those who hold conn, guarded by that
	more      bool      // the interceptors have not returned: further exchanges may follow
	ended     bool
	sent      bool      // a byte of a request that is over may have reached a server
	running   bool      // on the way to its response; what ends that otherwise than by returning is a panic
	pending   *Response // the latest of this way, which nobody else may have to close
	forHTTP   bool      // the response will be converted to one of net/http
	rare      *rareCall
	first     exchange // the storage of most calls' only exchange, and of its request
	firstWire Request
}

// rareCall is what few calls have.
type rareCall struct {
	trace *httptrace.ClientTrace // hooks that are no events
	stack string                 // of Execute, to report a leak
}

func (c *Call) rarely() *rareCall {
	if c.rare == nil {
		c.rare = new(rareCall)
	}
	return c.rare
}

// tracer returns the hooks of a trace, nil if there are none.
func (c *Call) tracer() *httptrace.ClientTrace {
	if c.rare == nil {
		return nil
	}
	return c.rare.trace
}

// callTimeout is the time limit of a whole call.
type callTimeout struct {
	at     time.Time
	stop   context.CancelFunc
	parent context.Context // without it
}

// Request returns the request that the call was made with, also after a redirect.
func (c *Call) Request() *Request { return c.request }

// IsExecuted reports whether Execute was called.
func (c *Call) IsExecuted() bool { return c.executed.Load() }

// IsCanceled reports whether Cancel was called.
func (c *Call) IsCanceled() bool { return c.canceled.Load() }

// Clone returns a new call with the same client, request and options, which can be executed once like any other.
func (c *Call) Clone() *Call {
	clone := new(Call)
	c.client.prepare(clone, c.cfg, c.request)
	return clone
}

// AddEventListener adds a listener to this call, which hears the events from now on, after those added before.
func (c *Call) AddEventListener(l *EventListener) {
	for {
		old := c.events.Load()
		if c.events.CompareAndSwap(old, TeeEvents(old, l)) {
			return
		}
	}
}

// Cancel ends the call, whatever it is doing: it fails with [ErrCanceled]. Reading the response of a canceled call fails too. Canceling again, or
// after the end, has no effect. It may be called from any goroutine.
func (c *Call) Cancel() {
	if !c.canceled.CompareAndSwap(false, true) {
		return
	}
	if w := c.waiting.Load(); w != nil {
		w.cancel()
	}
	if w := c.wire.Load(); w != nil {
		(*w).cancel()
	}
	if l := c.events.Load(); l != nil && l.Canceled != nil {
		l.Canceled(c)
	}
}

// Execute sends the request and returns the response once its head has arrived. The response's body must be closed; reading it stays bound to ctx,
// so ctx must not be canceled before. The error is an [*Error], or a [*CallError] if the call was misused.
//
// A panic of an interceptor, a listener or other user code passes through, after the call has released everything it held.
func (c *Call) Execute(ctx context.Context) (*Response, error) {
	if err := c.claim(ctx); err != nil {
		return nil, err
	}
	c.running = true
	defer c.unwind()
	resp, err := c.execute(ctx)
	c.running, c.pending = false, nil
	return resp, err
}

func (c *Call) execute(ctx context.Context) (*Response, error) {
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	if c.client.cfg.dispatcher.watches() {
		return c.limited(ctx)
	}
	return c.run(ctx)
}

// executeApart is Execute without interceptors of the application and without waiting for a turn.
func (c *Call) executeApart(ctx context.Context) (*Response, error) {
	if err := c.claim(ctx); err != nil {
		return nil, err
	}
	c.running = true
	defer c.unwind()
	if err := c.start(ctx); err != nil {
		c.running = false
		return nil, err
	}
	resp, err := c.runFrom(ctx, len(c.cfg.interceptors))
	c.running, c.pending = false, nil
	return resp, err
}

// claim makes sure that a call is executed once.
func (c *Call) claim(ctx context.Context) error {
	switch {
	case ctx == nil:
		return &CallError{"a call with a nil context"}
	case c.request == nil:
		return &CallError{"a call without a request"}
	case c.request.method == "CONNECT":
		return &CallError{"a call with a request that was made for a proxy"}
	case !c.executed.CompareAndSwap(false, true):
		return &CallError{"call already executed"}
	}
	return nil
}

// start begins the life of a call, which ends with end.
func (c *Call) start(ctx context.Context) error {
	c.client.active.Add(1)
	if p := c.client.cfg.pool; p.leaking.Load() {
		p.reap()
	}
	if l := c.events.Load(); l != nil && l.CallStart != nil {
		l.CallStart(CallStart{c})
	}
	if c.client.closing.Load() {
		return c.fail(c.wrap(ctx, c.request, ErrClientClosed))
	}
	return nil
}

// run runs the interceptors and everything below them.
func (c *Call) run(ctx context.Context) (*Response, error) { return c.runFrom(ctx, 0) }

// runFrom runs the interceptors from one on.
func (c *Call) runFrom(ctx context.Context, first int) (*Response, error) {
	if d := c.cfg.callTimeout; d > 0 {
		c.timeout = &callTimeout{at: time.Now().Add(d), parent: ctx}
		ctx, c.timeout.stop = context.WithDeadlineCause(ctx, c.timeout.at, ErrCallTimeout)
	}
	if c.cfg.leakStacks {
		c.rarely().stack = callerStack()
	}
	c.more = true
	resp, err := c.application(ctx, c.cfg, c.request, first)
	c.more = false
	return c.settle(ctx, resp, err)
}
