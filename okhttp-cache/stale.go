package okcache

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// send sends a request. If a stored response could stand in for the answer, a failure that comes at once is not the last word: it may have been that of an old
// connection.
func (x *exchange) send(ctx context.Context, stored *candidate, s *strategy) (*okhttp.Response, error) {
	began := time.Now()
	resp, err := x.via.Proceed(ctx, s.network)
	if err == nil || stored == nil || s.network.Body() != nil || !x.cache.onError(s.fresh, &x.said) || x.givenUp(ctx) || time.Since(began) > time.Second {
		return resp, err
	}
	return x.via.Proceed(ctx, s.network)
}

// givenUp reports whether whoever made the call does not want it any more.
func (x *exchange) givenUp(ctx context.Context) bool {
	return ctx.Err() != nil || x.call != nil && x.call.IsCanceled()
}

// fallback answers with a stale response if the server failed and the response may be used then (RFC 5861 section 4); nil if not.
func (x *exchange) fallback(ctx context.Context, stored *candidate, s *strategy, resp *okhttp.Response, err error) *okhttp.Response {
	if stored == nil || !x.cache.onError(s.fresh, &x.said) {
		return nil
	}
	switch {
	case err != nil:
		if x.givenUp(ctx) {
			return nil
		}
	case resp.Status == 500 || resp.Status == 502 || resp.Status == 503 || resp.Status == 504:
		resp.Body.Close()
	default:
		return nil
	}
	s.warnings = []string{warnStale}
	return x.hit(stored, s)
}

// revalidate validates a stored response in the background, unless that is being done.
func (x *exchange) revalidate() {
	c, key := x.cache, x.place.key
	c.mu.Lock()
	busy := c.revalidating[key]
	c.revalidating[key] = true
	c.mu.Unlock()
	if busy {
		return
	}
	again := &exchange{cache: c, request: patient(x.request), events: noEvents, force: true, via: onlyApart{x.via}}
	started := c.start(func() {
		defer c.revalidated(key)
		defer func() {
			if p := recover(); p != nil {
				c.log("could not validate a response in the background", x.place.url, fmt.Errorf("%w\n%s", &panicError{p}, debug.Stack()))
			}
		}()
		resp, err := again.run(c.ctx)
		if err != nil {
			if c.ctx.Err() == nil {
				c.log("could not validate a response in the background", x.place.url, err)
			}
			return
		}
		drain(resp.Body)
	})
	if !started {
		c.revalidated(key)
	}
}

func (c *Cache) revalidated(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.revalidating, key)
}

// onlyApart is a network for what outlives the call that it began in.
type onlyApart struct{ network }

func (n onlyApart) Proceed(ctx context.Context, r *okhttp.Request) (*okhttp.Response, error) {
	return n.ProceedApart(ctx, r)
}

// patient returns a request for the whole, without what its user said about the cache: that was for the answer, which has been given.
func patient(r *okhttp.Request) *okhttp.Request {
	bare, err := r.With(okhttp.WithHeaders(r.Headers().Without("Cache-Control").Without("Pragma").Without("Range").Without("If-Range")))
	if err != nil {
		return r
	}
	return bare
}

// drain reads a body to its end, so that it is stored.
func drain(b *okhttp.ResponseBody) {
	defer b.Close()
	var waste okio.Buffer
	for {
		_, err := b.ReadBuffer(&waste, 64<<10)
		waste.Clear()
		if err != nil {
			return
		}
	}
}
