package okhttp

import (
	"context"
	"time"
)

// Cache is the place of a response cache in a call: below the headers that HTTP needs, above the network. It is an [Interceptor] that may
// answer without proceeding; [Chain.Proceed] goes to the network. Module okhttp-cache has one.
type Cache interface{ Interceptor }

// cached sends a request through the cache, if there is one and the request may use it.
func (c *Call) cached(ctx context.Context, cfg *config, wire *Request, plan *routePlan) (*Response, error) {
	if wire.Upgrade() != "" {
		return c.onNetwork(ctx, cfg, wire, plan)
	}
	if cfg.cache != nil {
		resp, err := cfg.cache.Intercept(ctx, Chain{call: c, cfg: cfg, request: wire, plan: plan, self: cfg.cache})
		if err == nil {
			c.dropFailed() // a stale response took its place
		}
		return checked(cfg.cache, resp, err)
	}
	if wire.headers.has("Cache-Control") && wire.headers.hasToken("Cache-Control", "only-if-cached") {
		// RFC 9111 section 5.2.1.7: nothing is stored, so nothing can satisfy it.
		resp := NewResponse(wire, 504, ResponseStatus(504, "Unsatisfiable Request (only-if-cached)"), WithTimes(time.Time{}, time.Now()))
		if l := c.events.Load(); l != nil && l.SatisfactionFailure != nil {
			l.SatisfactionFailure(CacheEvent{c, resp})
		}
		return resp, nil
	}
	return c.onNetwork(ctx, cfg, wire, plan)
}

// onNetwork finds a connection and exchanges messages over it.
func (c *Call) onNetwork(ctx context.Context, cfg *config, wire *Request, plan *routePlan) (*Response, error) {
	c.dropFailed() // the cache tries again
	if c.exchange != nil && !c.exchange.done {
		return nil, &CallError{"the previous response is still open: close it before proceeding again"}
	}
	ex, err := c.connect(ctx, cfg, wire, plan)
	if err != nil {
		return nil, err
	}
	first := 0
	if wire.Upgrade() != "" {
		first = len(cfg.networkInterceptors)
	}
	resp, err := c.network(ctx, cfg, ex, wire, first)
	if err != nil {
		return nil, err
	}
	c.dropFailed() // an interceptor made a response all the same
	resp.wireRequest = ex.request
	return resp, nil
}

// dropFailed gives up an exchange without a response, when its failure is not the call's: nobody else would.
func (c *Call) dropFailed() {
	if ex := c.exchange; ex != nil && ex.failed && !ex.done {
		c.abandon()
	}
}
