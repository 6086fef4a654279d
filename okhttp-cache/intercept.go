package okcache

import (
	"context"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// exchange is one request on its way through the cache.
type exchange struct {
	cache   *Cache
	request *okhttp.Request
	said    directives // by the request
	call    *okhttp.Call
	events  *okhttp.EventListener
	now     int64
	force   bool // the server is asked whatever is stored

	place place
	filed bool // the request has a place

	via   network
	chain okhttp.Chain // of a call of okhttp, where it is the network
}

// network is what is beneath the cache: an [okhttp.Chain], as a rule.
type network interface {
	Proceed(context.Context, *okhttp.Request) (*okhttp.Response, error)
	ProceedApart(context.Context, *okhttp.Request) (*okhttp.Response, error)
	// BodyContext returns the context for bodies that outlive the call.
	BodyContext(context.Context) context.Context
}

// Intercept implements [okhttp.Cache].
func (c *Cache) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	x := &exchange{cache: c, request: chain.Request(), call: chain.Call(), events: chain.Events(), chain: chain}
	x.via = &x.chain
	return x.run(ctx)
}

func (x *exchange) run(ctx context.Context) (*okhttp.Response, error) {
	c := x.cache
	if !x.force {
		c.stats.requests.Add(1)
	}
	x.now = c.now()
	x.said = directivesOf(x.request.Headers())
	x.place, x.filed = c.filed(x.request)
	var stored *candidate
	if x.filed && !c.closed.Load() {
		stored = c.lookup(x.place, x.request.Headers())
	}
	s := c.decide(x.request, &x.said, stored.entryOrNil(), x.now, x.force)
	if stored != nil && !s.stored {
		stored.close()
		stored = nil
	}
	switch {
	case s.network == nil && stored == nil:
		return x.unsatisfiable(), nil
	case s.network == nil:
		return x.hit(stored, &s), nil
	}
	if s.conditional {
		if x.events.CacheConditionalHit != nil {
			x.tell(x.events.CacheConditionalHit, stored.entry.response(x.request))
		}
	} else {
		x.tell(x.events.CacheMiss, nil)
		if stored == nil && x.collapses() {
			return x.collapse(ctx)
		}
	}
	return x.overNetwork(ctx, s, stored)
}

// overNetwork asks the server, whether a stored response is still good or for another.
func (x *exchange) overNetwork(ctx context.Context, s strategy, stored *candidate) (*okhttp.Response, error) {
	x.cache.stats.network.Add(1)
	resp, err := x.send(ctx, stored, &s)
	if fallback := x.fallback(ctx, stored, &s, resp, err); fallback != nil {
		return fallback, nil
	}
	if err != nil {
		stored.close()
		return nil, err
	}
	if !s.conditional {
		stored.close()
		return x.keep(resp), nil
	}
	if resp.Status == 304 {
		if !s.fresh.confirmedBy(resp) {
			// The server has confirmed another response than the one that is stored, so that one is no good (RFC 9111 section 4.3.3).
			resp.Body.Close()
			stored.close()
			x.cache.remove(x.place)
			return x.unconditionally(ctx)
		}
		return x.validated(stored, resp), nil
	}
	stored.close()
	resp = resp.With(stored.entry.asCached(x.request))
	kept := x.keep(resp)
	if kept != resp {
		x.tell(x.events.CacheMiss, nil)
	} else if x.filed && resp.Status < 500 && directivesOf(resp.Headers()).noStore {
		x.cache.remove(x.place) // what is stored is older than a response that was not to be; a server that failed has said nothing about it
	}
	return kept, nil
}

func (x *exchange) unconditionally(ctx context.Context) (*okhttp.Response, error) {
	resp, err := x.via.Proceed(ctx, x.request)
	if err != nil {
		return nil, err
	}
	kept := x.keep(resp)
	if kept != resp {
		x.tell(x.events.CacheMiss, nil)
	}
	return kept, nil
}

// confirmedBy reports whether a 304 is about this response: if it names a strong validator, that is the same (RFC 9111 section 4.3.4).
func (f *freshness) confirmedBy(resp *okhttp.Response) bool {
	etag, ok := resp.Headers().Last("ETag")
	return !ok || f.etag == "" || isWeak(etag) || isWeak(f.etag) || etag == f.etag
}

func isWeak(etag string) bool { return len(etag) > 1 && etag[:2] == "W/" }

// unsatisfiable answers a request that wants nothing but the cache when that has nothing (RFC 9111 section 5.2.1.7).
func (x *exchange) unsatisfiable() *okhttp.Response {
	resp := okhttp.NewResponse(x.request, 504, okhttp.ResponseStatus(504, "Unsatisfiable Request (only-if-cached)"),
		okhttp.WithTimes(time.Time{}, x.cache.config.Now()))
	x.tell(x.events.SatisfactionFailure, resp)
	return resp
}

// hit answers with a stored response.
func (x *exchange) hit(stored *candidate, s *strategy) *okhttp.Response {
	c := x.cache
	if s.background {
		x.revalidate()
	}
	resp := stored.answer(x.request, c.served(stored.entry, s))
	if c.config.Ranges {
		resp = x.ranged(stored, resp)
	}
	c.stats.hits.Add(1)
	x.tell(x.events.CacheHit, resp)
	return resp
}

// validated answers with a stored response of which the server says that it is still good, and stores what the server says about it.
func (x *exchange) validated(stored *candidate, network *okhttp.Response) *okhttp.Response {
	c := x.cache
	network.Body.Close()
	former := stored.entry
	stored.entry = former.updated(network)
	if !x.force {
		c.stats.hits.Add(1)
	}
	stored.after = stored.update()
	resp := stored.answer(x.request, stored.entry.headers).With(former.asCached(x.request), okhttp.WithNetworkResponse(network))
	if c.config.Ranges {
		resp = x.ranged(stored, resp)
	}
	x.tell(x.events.CacheHit, resp)
	return resp
}

// tell tells an event, if anybody listens.
func (x *exchange) tell(hook func(okhttp.CacheEvent), resp *okhttp.Response) {
	if hook != nil {
		hook(okhttp.CacheEvent{Call: x.call, Response: resp})
	}
}

// served returns the headers of a stored response that is used without asking the server.
func (c *Cache) served(e *entry, s *strategy) []string {
	nv := make([]string, 0, len(e.headers)+6)
	for i := 0; i < len(e.headers); i += 2 {
		name := e.headers[i]
		if !c.config.NoAge && equalFold(name, "Age") || c.config.NoCookies && equalFold(name, "Set-Cookie") {
			continue
		}
		nv = append(nv, name, e.headers[i+1])
	}
	if !c.config.NoAge {
		nv = append(nv, "Age", secondsText(s.fresh.age))
	}
	if !c.config.NoWarnings {
		for _, w := range s.warnings {
			nv = append(nv, "Warning", w)
		}
	}
	return nv
}
