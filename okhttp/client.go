package okhttp

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Client makes calls. It is immutable and safe for concurrent use.
type Client struct {
	cfg *config

	owns bool // the pool was made for this client

	active  atomic.Int64  // calls from their start to their end
	closing atomic.Bool   // no call starts any more
	drained chan struct{} // told when the last call ended while closing
	closed  atomic.Bool   // no call connects any more

	mu      sync.Mutex
	waiting *waiting // calls without a connection

	background background // resolves and connects

	plain atomic.Pointer[Headers] // see plainHeaders
}

// New makes a client. It cannot fail: options take values that were parsed before.
func New(opts ...Option) *Client {
	cfg := defaultConfig()
	for _, o := range opts {
		if o != nil {
			o.applyClient(cfg)
		}
	}
	c := &Client{cfg: cfg, drained: make(chan struct{}, 1)}
	if cfg.dispatcher == nil {
		cfg.dispatcher = NewDispatcher(DispatcherConfig{})
	}
	if cfg.pool == nil {
		cfg.pool, c.owns = NewConnectionPool(PoolConfig{}), true
		cfg.pool.logger = cfg.logger
	}
	cfg.complete()
	return c
}

// With derives a client that has other options and shares everything else, above all the connection pool and the dispatcher. Closing the derived
// client cancels its own calls and leaves what it shares alone.
func (c *Client) With(opts ...Option) *Client {
	cfg := c.cfg.clone()
	for _, o := range opts {
		if o != nil {
			o.applyClient(cfg)
		}
	}
	cfg.complete()
	return &Client{cfg: cfg, drained: make(chan struct{}, 1)}
}

// Close cancels the client's calls, and closes the idle connections of its pool if the pool was made by [New] for it. Calls made later
// fail with [ErrClientClosed]. A derived client, and one that was given its pool, leaves the pool alone. Close waits for what resolves and
// connects in the background, which a [Dialer] or [DNS] that ignores the end of its context holds up. It returns nil.
func (c *Client) Close() error {
	c.closing.Store(true)
	c.mu.Lock()
	c.closed.Store(true) // from here on no call gets to connect, nor to hold a connection
	var running []*Call
	for w := c.waiting; w != nil; w = w.next {
		running = append(running, w.call)
	}
	c.mu.Unlock()
	for _, conn := range c.cfg.pool.p.InUse() {
		if call := conn.owner.Load(); call != nil && call.client == c {
			running = append(running, call)
		}
		running = append(running, conn.calls.of(c)...)
	}
	defer c.background.settle()
	defer func() {
		c.cfg.pool.reap()
		if c.owns {
			c.cfg.pool.Close()
		}
	}()
	for _, call := range slices.Backward(running) {
		defer call.Cancel() // those in the queue first, lest one gets its turn; and all of them, even if a listener panics
	}
	return nil
}

// Shutdown refuses new calls with [ErrClientClosed], waits until running calls have ended and their responses are closed, and then does what
// [Client.Close] does. A response that was dropped counts as closed once the garbage collector has found it. If the context ends first, Shutdown
// closes at once and returns the context's error.
func (c *Client) Shutdown(ctx context.Context) error {
	c.closing.Store(true)
	defer c.Close()
	look := time.NewTicker(leakInterval)
	defer look.Stop()
	for c.active.Load() > 0 {
		select {
		case <-c.drained:
		case <-look.C:
			c.cfg.pool.reap()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	c.tellDrained() // others who wait too
	return nil
}

// tellDrained wakes one who waits in Shutdown.
func (c *Client) tellDrained() {
	select {
	case c.drained <- struct{}{}:
	default:
	}
}

// NewCall prepares a call, which can be executed once. The options apply to this call only. It sends nothing.
func (c *Client) NewCall(req *Request, opts ...CallOption) *Call {
	call := new(Call)
	c.prepare(call, c.cfg.withCallOptions(opts), req)
	return call
}

func (c *Client) prepare(call *Call, cfg *config, req *Request) {
	call.client, call.cfg, call.request = c, cfg, req
	if f := c.cfg.events; f != nil {
		if l := f(call); l != nil {
			call.events.Store(l)
		}
	}
}

// Do makes a call of the request and executes it. The options apply to this call only. See [Call.Execute] for the errors.
func (c *Client) Do(ctx context.Context, req *Request, opts ...CallOption) (*Response, error) {
	return c.NewCall(req, opts...).Execute(ctx)
}

// Get executes a GET. See [NewRequest] and [Call.Execute] for the errors.
func (c *Client) Get(ctx context.Context, rawURL string, opts ...CallOption) (*Response, error) {
	get := new(struct { // in one piece of memory
		request Request
		call    Call
	})
	if err := get.request.init("GET", rawURL, nil); err != nil {
		return nil, err
	}
	c.prepare(&get.call, c.cfg.withCallOptions(opts), &get.request)
	return get.call.Execute(ctx)
}

// Post executes a POST. See [NewRequest] and [Call.Execute] for the errors.
func (c *Client) Post(ctx context.Context, rawURL string, b *Body, opts ...CallOption) (*Response, error) {
	req, err := NewRequest("POST", rawURL, WithBody(b))
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, req, opts...)
}
