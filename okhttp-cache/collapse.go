package okcache

import (
	"context"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-cache/relay"
	"github.com/okhttp-go/ok/okio"
)

// download is a response on its way that several requests may share.
type download struct {
	lead   *exchange // the request that goes to the server
	ctx    context.Context
	cancel context.CancelFunc
	ready  chan struct{} // closed when what follows is known

	err   error
	resp  *okhttp.Response
	entry *entry       // nil if the response is for its own request alone
	relay *relay.Relay // of its body, if it is for others too

	// Guarded by the cache.
	waiting int         // requests that wait for ready or have not begun to read since
	hold    okio.Source // keeps the relay open until they have
}

// collapses reports whether a request may share the response to another.
func (x *exchange) collapses() bool {
	return x.cache.config.Collapse && x.filed && !x.force && !x.said.noStore && x.request.Body() == nil && !has(pairs(x.request.Headers()), "Range") &&
		!x.cache.hasConditions(x.request)
}

// collapse shares a response that is on its way, or sends for one that others may share.
func (x *exchange) collapse(ctx context.Context) (*okhttp.Response, error) {
	c := x.cache
	c.mu.Lock()
	d := c.downloads[x.place.key]
	leads := d == nil
	if leads {
		d = &download{lead: x, ready: make(chan struct{})}
		d.ctx, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
		c.downloads[x.place.key] = d
	}
	d.waiting++
	c.mu.Unlock()
	if leads {
		c.stats.network.Add(1)
		go d.run()
	}
	reading, stop := x.endsWithCall(ctx)
	var resp *okhttp.Response
	var err error
	select {
	case <-d.ready:
		resp, err = x.share(reading, stop, d, leads)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-reading.Done():
		err = context.Cause(reading)
	}
	c.leave(d)
	if resp != nil {
		return resp, nil
	}
	stop()
	if p, ok := err.(*panicError); ok && leads && p.value != nil {
		panic(p.value) // as if the exchange had been on this goroutine; that of the others would not have panicked
	}
	if err != nil {
		return nil, err
	}
	return x.overNetwork(ctx, strategy{network: x.request}, nil)
}

// endsWithCall returns the context for reading a body, which ends when the call is canceled, too: nothing else would wake who waits for another's exchange.
func (x *exchange) endsWithCall(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(x.via.BodyContext(ctx))
	if x.call == nil {
		return ctx, func() { cancel(nil) }
	}
	x.call.AddEventListener(&okhttp.EventListener{Canceled: func(*okhttp.Call) { cancel(okhttp.ErrCanceled) }})
	if x.call.IsCanceled() {
		cancel(okhttp.ErrCanceled)
	}
	return ctx, func() { cancel(nil) }
}

// run sends for the response and tells those who wait. It runs on a goroutine of its own, since whoever asked first may leave before others do; it ends with the
// call, which ends when nobody waits.
func (d *download) run() {
	defer d.announce()
	returned := false
	defer func() {
		if !returned {
			d.fail(recover())
		}
	}()
	d.send()
	returned = true
}

// send sends for the response.
func (d *download) send() {
	x := d.lead
	resp, err := x.via.ProceedApart(d.ctx, x.request)
	if d.err = err; err != nil {
		return
	}
	d.resp = resp
	if d.entry = x.entryFor(resp); d.entry != nil {
		d.spread()
	}
}

// fail ends the download after a panic with that value, or a [runtime.Goexit].
func (d *download) fail(value any) {
	if d.resp != nil {
		d.resp.Body.Close()
	}
	d.err, d.resp, d.entry = &panicError{value}, nil, nil
}

// announce lets go on who waits.
func (d *download) announce() {
	c := d.lead.cache
	c.mu.Lock()
	abandoned := d.waiting == 0
	if d.relay == nil || abandoned {
		d.forget()
	}
	hold := d.hold
	close(d.ready)
	c.mu.Unlock()
	switch {
	case !abandoned:
	case hold != nil:
		hold.Close()
	case d.resp != nil:
		d.resp.Body.Close()
	}
}

// spread lets others read the body.
func (d *download) spread() {
	c := d.lead.cache
	entry := *d.entry // which storing it may change
	kept := d.lead.store(d.lead.place, &entry, d.resp)
	forget := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		d.forget()
	}
	r, err := relay.New(okio.NewFileHandle(newSpill(forget)), kept.Body, relay.Config{Cancel: d.cancel, Done: func(error) {
		forget()
		d.cancel()
	}})
	if err != nil {
		d.err, d.entry = err, nil
		return
	}
	d.relay = r
	d.hold, _ = r.NewSource(context.Background())
}

// forget keeps others from joining. The caller has the cache's lock.
func (d *download) forget() {
	if m := d.lead.cache.downloads; m[d.lead.place.key] == d {
		delete(m, d.lead.place.key)
	}
}

// leave is called by everyone who waited, whatever came of it.
func (c *Cache) leave(d *download) {
	c.mu.Lock()
	d.waiting--
	last := d.waiting == 0
	ready := false
	select {
	case <-d.ready:
		ready = true
	default:
	}
	var hold okio.Source
	if last && ready {
		hold, d.hold = d.hold, nil
	}
	if last && !ready {
		d.forget()
	}
	c.mu.Unlock()
	switch {
	case hold != nil:
		hold.Close()
	case last && !ready:
		d.cancel()
	}
}

// share makes a response of the one that came, which is read under a context that stop ends. Nothing at all means that it is not for this request.
func (x *exchange) share(ctx context.Context, stop func(), d *download, leads bool) (*okhttp.Response, error) {
	switch {
	case d.err != nil:
		return nil, d.err
	case leads && d.relay == nil:
		return x.alone(ctx, stop, d), nil
	case d.relay == nil || !leads && !x.mayReuse(d):
		return nil, nil
	}
	body, ok := d.relay.NewSource(ctx)
	if !ok {
		return nil, nil
	}
	headers, network := d.resp.Headers(), d.resp.NetworkResponse()
	if !leads {
		s := strategy{fresh: x.cache.freshnessOf(d.entry, x.cache.now())}
		headers, network = okhttp.UncheckedHeaders(x.cache.served(d.entry, &s)), nil
	}
	resp := okhttp.NewResponse(x.request, d.resp.Status,
		okhttp.ResponseStatus(d.resp.Status, d.resp.Message),
		okhttp.ResponseHeaders(headers),
		okhttp.ResponseBodyFrom(d.resp.Body.ContentType(), d.resp.Body.Len(), &boundBody{body, stop}),
		okhttp.WithHandshake(d.resp.Handshake()),
		okhttp.WithTimes(d.resp.SentAt(), d.resp.ReceivedAt()),
	)
	resp.Protocol = d.resp.Protocol
	if leads {
		return resp.With(okhttp.WithNetworkResponse(network)), nil
	}
	x.cache.stats.hits.Add(1)
	resp = resp.With(okhttp.WithCacheResponse(resp))
	x.tell(x.events.CacheHit, resp)
	return resp, nil
}

// mayReuse reports whether a response that came for another request may be the answer to this one, as if it were stored (RFC 9111 section 4).
func (x *exchange) mayReuse(d *download) bool {
	c := x.cache
	f := c.freshnessOf(d.entry, c.now())
	return c.varyMatches(d.entry, x.request.Headers()) && !f.directives.noCache && !x.said.noCache && c.usable(f, &x.said, new(strategy), false)
}

// alone returns the response for the one request that it was made for.
func (x *exchange) alone(ctx context.Context, stop func(), d *download) *okhttp.Response {
	unbind := context.AfterFunc(ctx, d.cancel)
	body := &boundBody{d.resp.Body, func() { unbind(); stop(); d.cancel() }}
	return d.resp.With(okhttp.ResponseRequest(x.request), okhttp.ResponseBodyFrom(d.resp.Body.ContentType(), d.resp.Body.Len(), body))
}

// boundBody is a body that something ends with.
type boundBody struct {
	okio.Source
	closed func()
}

func (b *boundBody) Close() error {
	err := b.Source.Close()
	b.closed()
	return err
}
