package okcache

import "github.com/okhttp-go/ok/okhttp"

// freshen takes over what the answer to a HEAD says about the stored response to a GET of the same URL, or removes that if it is about another one (RFC 9111
// section 4.3.5).
func (x *exchange) freshen(resp *okhttp.Response) {
	c := x.cache
	if !c.config.RFC9111 || resp.Status != 200 || x.said.noStore || c.closed.Load() || !ownHost(x.request) || c.hasConditions(x.request) {
		return
	}
	p, ok := c.placeFor(x.request)
	if !ok {
		p = placeOf(x.request.URL())
	}
	stored := c.lookup(p, x.request.Headers())
	if stored == nil {
		return
	}
	if stored.entry.status != 200 || !stored.entry.describedBy(resp.Headers()) || directivesOf(resp.Headers()).noStore {
		stored.close()
		c.remove(p)
		return
	}
	stored.entry = stored.entry.updated(resp)
	later := stored.update()
	stored.close()
	if later != nil {
		later()
	}
}

// describedBy reports whether headers that came later are about this response: what they say of its validators and its length is as it was.
func (e *entry) describedBy(h okhttp.Headers) bool {
	stored := okhttp.UncheckedHeaders(e.headers)
	for _, name := range [...]string{"ETag", "Last-Modified", "Content-Length"} {
		if now, ok := h.Last(name); ok {
			if was, ok := stored.Last(name); !ok || was != now {
				return false
			}
		}
	}
	return true
}

// updated returns the head with what the server has said since (RFC 9111 section 3.2).
func (e *entry) updated(network *okhttp.Response) *entry {
	now := *e
	now.headers = merge(e.headers, storedFields(pairs(network.Headers())))
	now.sent, now.received = millis(network.SentAt()), millis(network.ReceivedAt())
	return &now
}
