package okhttp

import (
	"context"
	"errors"
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

// Clone returns a new call of the same client, request and options, which can be executed again.
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

// Cancel ends the call at whatever it is doing: it fails with [ErrCanceled]. Reading the response of a canceled call fails too. Canceling
// again, or after the end, does nothing more.
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

// Execute sends the request and returns the response once its head has arrived. The response's body must be closed; reading it stays bound
// to ctx, so ctx must not be canceled before. The error is an [*Error], apart from [*CallError] for a misuse of the call.
//
// A panic of an interceptor, a listener or other code of the user passes through, once the call holds nothing any more.
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

// settle makes the outcome of the interceptors that of the call.
func (c *Call) settle(ctx context.Context, resp *Response, err error) (*Response, error) {
	if err == nil && c.IsCanceled() {
		c.more = true // closing must not end the call: it failed
		resp.Body.Close()
		c.more = false
		err = ErrCanceled
	}
	if err != nil {
		e := c.wrap(ctx, c.request, err)
		c.abandon()
		return nil, c.fail(e)
	}
	switch ex := c.exchange; {
	case ex == nil:
		c.succeed()
	case ex.done:
		if d := ex.duplex(); d != nil {
			d.then(c.letGo)
		} else {
			c.letGo()
		}
	case ex.duplex() != nil:
		c.outliveTimeout(ex)
	}
	return resp, nil
}

// letGo ends a call whose response came whole.
func (c *Call) letGo() {
	c.release()
	c.succeed()
}

// wrap makes an error that is not of a call yet into one that is, and an interceptor's choice of one into that of the whole call. Cancellation and
// time limits take the place of what they caused.
func (c *Call) wrap(ctx context.Context, req *Request, err error) *Error {
	var e *Error
	switch {
	case !errors.As(err, &e):
		e = &Error{Method: req.method, URL: req.url.Redacted(), Sent: c.maySent(), Err: err}
	case c.sent && !e.Sent:
		whole := *e
		whole.Sent = true
		e = &whole
	}
	return c.attribute(ctx, e)
}

// attribute puts the end of the call, if that was the cause, in the place of the failure it led to.
func (c *Call) attribute(ctx context.Context, e *Error) *Error {
	if _, done := e.Err.(*endError); done && e.Err != ErrCanceled { // with which the context cancels a connection too
		return e
	}
	cause := c.endOf(ctx, e.Err)
	if cause == nil || errors.Is(e.Err, cause) {
		return e
	}
	moved := *e
	if e.Err != context.Cause(ctx) && !errors.Is(e.Err, context.Canceled) { // else it only tells of the end
		moved.Attempts = append([]error{e.Err}, e.Attempts...)
	}
	moved.Err = cause
	return &moved
}

// endOf returns what ended the call from this side, nil if nothing did. err is the failure in question, nil if there is none.
func (c *Call) endOf(ctx context.Context, err error) error {
	if c.IsCanceled() {
		return ErrCanceled
	}
	switch ctx.Err() {
	case nil:
		// A deadline set on the socket can fire just before that of the context it was taken from.
		at, ok := ctx.Deadline()
		switch {
		case !ok || err != nil && !isTimeout(err) || time.Now().Before(at):
			return nil
		case c.timeout != nil && at.Equal(c.timeout.at):
			return ErrCallTimeout
		}
		return errDeadline
	case context.DeadlineExceeded:
		return deadlineExceeded(ctx)
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		return cause
	}
	return &endError{cause.Error(), []error{cause, context.Canceled}}
}

func deadlineExceeded(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case cause == context.DeadlineExceeded:
		return errDeadline
	case errors.Is(cause, ErrCallTimeout):
		return ErrCallTimeout
	default:
		return &endError{cause.Error(), append([]error{cause}, errDeadline.is...)}
	}
}

// part parts the exchange from its context. The connection of one that ended is of no use to anyone, over HTTP/1.1.
func (c *Call) part(ex *exchange) {
	if !ex.wire.unbind() {
		ex.wire.spend()
	}
	c.wire.Store(nil)
}

// hold makes a connection that of the call.
func (c *Call) hold(conn *Connection) error {
	if conn.http2 != nil {
		conn.calls.add(c)
	} else {
		conn.owner.Store(c)
	}
	c.conn.Store(conn)
	held := false
	defer func() {
		if !held { // also when a listener panics
			conn.unfit()
			c.giveUp(conn)
		}
	}()
	conn.pool.acquired(c, conn)
	// Whoever canceled the call or closed the client before this point may not have seen the connection.
	switch {
	case c.canceled.Load():
		return ErrCanceled
	case c.client.closed.Load():
		return ErrClientClosed
	}
	if c.plan.planner != nil {
		c.plan.planner.resolved()
	}
	held = true
	if l := c.events.Load(); l != nil && l.ConnectionAcquired != nil {
		l.ConnectionAcquired(ConnectionEvent{c, conn})
	}
	return nil
}

// release gives the connection up, if the call holds one: back to its pool if it is fit for others, closed otherwise.
func (c *Call) release() {
	conn := c.conn.Load()
	if conn == nil {
		return
	}
	defer func() { // also if a listener of the pool panics
		if l := c.events.Load(); l != nil && l.ConnectionReleased != nil {
			l.ConnectionReleased(ConnectionEvent{c, conn})
		}
	}()
	c.giveUp(conn)
}

// giveUp is release without the event. Cancel sets its flag before it looks for a connection to cancel: if it found this one, the flag is
// seen here, and no other call gets a connection that is about to be canceled.
func (c *Call) giveUp(conn *Connection) {
	if conn.http2 != nil {
		conn.calls.remove(c)
	} else {
		conn.owner.Store(nil)
	}
	c.conn.Store(nil)
	defer func() { // also if a listener panics
		idle := conn.pool.giveBack(conn, c)
		if t := c.tracer(); idle && t != nil && t.PutIdleConn != nil {
			t.PutIdleConn(nil)
		}
	}()
	switch {
	case c.canceled.Load() && conn.http2 == nil:
		conn.pool.retire(conn, c, "its call was canceled")
	case !conn.reusable():
		conn.pool.retire(conn, c, "its last exchange leaves it unfit for another")
	}
}

// abandon gives up whatever is under way.
func (c *Call) abandon() {
	defer c.release()
	c.cutOff()
}

// cutOff ends an exchange in the middle of it, if there is one. A body or a socket of which something was read or written has an end all the
// same.
func (c *Call) cutOff() (cut bool) {
	ex := c.exchange
	if ex == nil || ex.done {
		return false
	}
	ex.done = true
	ex.leak.Stop()
	c.part(ex)
	ex.wire.spend()
	if u := ex.upgraded(); u != nil {
		more := c.more
		c.more = true // closing must not end the call
		defer func() { c.more = more }()
		upgradedBody{u}.Close()
	}
	if l := c.events.Load(); ex.started && l != nil && l.ResponseBodyEnd != nil {
		l.ResponseBodyEnd(BodyEnd{c, ex.got})
	}
	return true
}

func (c *Call) succeed() {
	if c.end() {
		if l := c.events.Load(); l != nil && l.CallEnd != nil {
			l.CallEnd(CallEnd{c})
		}
	}
}

func (c *Call) fail(e *Error) error {
	if c.end() {
		if l := c.events.Load(); l != nil && l.CallFailed != nil {
			l.CallFailed(Failure{c, e})
		}
	}
	return e
}

func (c *Call) end() (now bool) {
	if c.ended {
		return false
	}
	c.ended = true
	if c.timeout != nil {
		c.timeout.stop()
	}
	if c.client.active.Add(-1) == 0 && c.client.closing.Load() {
		c.client.tellDrained()
	}
	return true
}
