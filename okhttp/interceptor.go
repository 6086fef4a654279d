package okhttp

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
)

// Interceptor observes and changes calls. It is safe for concurrent use.
//
// An application interceptor ([WithInterceptor]) may answer without proceeding, proceed again after closing the response it got, and
// change everything. A network interceptor ([WithNetworkInterceptor]) proceeds exactly once, keeps the host and port, and changes no
// options. Breaking these rules fails the call with an [*InterceptorError] that names the interceptor. Content-Length and
// Transfer-Encoding always follow the body that an interceptor passes on, whatever the headers said.
type Interceptor interface {
	// Intercept handles the chain's request, as a rule by passing it on with [Chain.Proceed]. It returns a response or an error, not
	// both and not neither.
	Intercept(ctx context.Context, chain Chain) (*Response, error)
}

// InterceptorFunc makes an [Interceptor] of a function.
type InterceptorFunc func(ctx context.Context, chain Chain) (*Response, error)

// Intercept calls f.
func (f InterceptorFunc) Intercept(ctx context.Context, chain Chain) (*Response, error) {
	return f(ctx, chain)
}

// Chain is what an interceptor is given: the call so far, and the way on. It is a value; copies are cheap.
type Chain struct {
	call    *Call
	cfg     *config
	request *Request
	next    int // the interceptor that Proceed runs
	err     error

	plan *routePlan // of the cache, which proceeds to the network

	// Of a network interceptor.
	ex       *exchange
	proceeds *int
	self     Interceptor
}

// Request returns the request as it arrived here.
func (c Chain) Request() *Request { return c.request }

// Call returns the call.
func (c Chain) Call() *Call { return c.call }

// Connection returns the connection that carries the exchange. Application interceptors run before there is one.
func (c Chain) Connection() (*Connection, bool) {
	if c.ex == nil {
		return nil, false
	}
	return c.ex.conn, true
}

// With returns a chain that proceeds under changed options. Options that a call has already acted on, its timeout for one, and any option
// in a network interceptor make Proceed fail with an [*InterceptorError].
func (c Chain) With(opts ...CallOption) Chain {
	for _, o := range opts {
		if o == nil {
			continue
		}
		name, legal := o.chain()
		if !legal && c.err == nil {
			c.err = &InterceptorError{Interceptor: nameOf(c.self), Detail: "used " + name + ", which cannot be changed during a call"}
		}
		if c.ex != nil && c.err == nil {
			c.err = &InterceptorError{Interceptor: nameOf(c.self), Detail: "used " + name + ", which cannot be changed in a network interceptor"}
		}
	}
	if c.err == nil {
		c.cfg = c.cfg.withCallOptions(opts)
	}
	return c
}

// Proceed passes a request on and returns the response to it. The context is the one that Intercept was given, or derived from it; reading
// the response's body stays bound to it.
func (c Chain) Proceed(ctx context.Context, r *Request) (*Response, error) {
	if c.err != nil {
		return nil, c.err
	}
	if r == nil {
		return nil, &InterceptorError{Interceptor: nameOf(c.self), Detail: "proceeded with a nil request"}
	}
	if c.ex != nil {
		if *c.proceeds++; *c.proceeds > 1 {
			return nil, &InterceptorError{Interceptor: nameOf(c.self), Detail: "must call Proceed exactly once but called it again"}
		}
		if r != c.request {
			if was := c.ex.request.url; r.url.Host() != was.Host() || r.url.Port() != was.Port() {
				return nil, &InterceptorError{Interceptor: nameOf(c.self), Detail: "must keep the host and port of the request"}
			}
			r = framed(r)
		}
		return c.call.network(ctx, c.cfg, c.ex, r, c.next)
	}
	if c.plan != nil {
		return c.call.onNetwork(ctx, c.cfg, r, c.plan)
	}
	return c.call.application(ctx, c.cfg, r, c.next)
}

// ProceedApart sends a request to the network in a call of its own, which the end of this one does not end: for a cache, whose work may
// outlive a call or be for several. It is bound to ctx, has events of its own, passes the network interceptors but no others, follows no redirect and
// answers no challenge. What [Chain.With] changed counts. Only a cache may do so; others get an [*InterceptorError].
func (c Chain) ProceedApart(ctx context.Context, r *Request) (*Response, error) {
	switch {
	case c.err != nil:
		return nil, c.err
	case c.plan == nil:
		return nil, &InterceptorError{Interceptor: nameOf(c.self), Detail: "proceeded apart, which is for caches"}
	case r == nil:
		return nil, &InterceptorError{Interceptor: nameOf(c.self), Detail: "proceeded with a nil request"}
	}
	call := new(Call)
	c.call.client.prepare(call, c.cfg.withCallOptions(apart), r)
	return call.executeApart(ctx)
}

// BodyContext returns the context for reading a body that a cache makes and that is still on its way: ctx, the one that Intercept was given, or, where
// the call has a time limit, the one that the call was executed with. The limit ends when a response is returned that is not itself a server's.
func (c Chain) BodyContext(ctx context.Context) context.Context {
	if t := c.call.timeout; t != nil {
		return t.parent
	}
	return ctx
}

// apart are the options of a call for a cache: what they leave out is done by the calls that it is for.
var apart = []CallOption{callOption{"ProceedApart", false, func(c *config) {
	c.cache, c.followRedirects, c.authenticator, c.jar, c.retryPolicy = nil, false, nil, nil, nil
}}}

// Events returns the call's listener, for caches, which tell their part of the story themselves. It is never nil, but its hooks may be.
func (c Chain) Events() *EventListener {
	if l := c.call.events.Load(); l != nil {
		return l
	}
	return noEvents
}

// application runs the application interceptors from one on, and then the call itself.
func (c *Call) application(ctx context.Context, cfg *config, req *Request, from int) (*Response, error) {
	if from == len(cfg.interceptors) {
		return c.followUps(ctx, cfg, req)
	}
	i := cfg.interceptors[from]
	resp, err := i.Intercept(ctx, Chain{call: c, cfg: cfg, request: req, next: from + 1, self: i})
	return checked(i, resp, err)
}

// network runs the network interceptors from one on, and then the exchange.
func (c *Call) network(ctx context.Context, cfg *config, ex *exchange, req *Request, from int) (*Response, error) {
	if from == len(cfg.networkInterceptors) {
		return c.callServer(ctx, cfg, ex, req)
	}
	i := cfg.networkInterceptors[from]
	proceeds := 0
	resp, err := i.Intercept(ctx, Chain{call: c, cfg: cfg, request: req, next: from + 1, self: i, ex: ex, proceeds: &proceeds})
	if err == nil && proceeds != 1 {
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		return nil, &InterceptorError{Interceptor: nameOf(i), Detail: fmt.Sprintf("must call Proceed exactly once but called it %d times", proceeds)}
	}
	return checked(i, resp, err)
}

// checked enforces that an interceptor returns one of response and error.
func checked(i Interceptor, resp *Response, err error) (*Response, error) {
	switch {
	case err != nil:
		if resp != nil && resp.Body != nil {
			resp.Body.Close() // nobody else will
		}
		return nil, err
	case resp == nil:
		return nil, &InterceptorError{Interceptor: nameOf(i), Detail: "returned neither a response nor an error"}
	case resp.Body == nil:
		return nil, &InterceptorError{Interceptor: nameOf(i), Detail: "returned a response without a body"}
	}
	return resp, nil
}

func nameOf(i Interceptor) string {
	if f, ok := i.(InterceptorFunc); ok {
		if fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); fn != nil {
			return fn.Name()
		}
	}
	return fmt.Sprintf("%T", i)
}
