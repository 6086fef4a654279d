package okhttp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/race"
)

// planner says over what to send one request, and its retries: an open connection, or routes to connect to, one after another. It
// implements [race.Planner]. It belongs to the goroutine of the call.
type planner struct {
	spawn func(func()) // runs something on a goroutine that its owner waits for
	call  *Call        // nil for a connection that is opened in advance
	cfg   *config
	url   URL
	addr  address

	tunnel bool // no proxy is to read what is sent
	risk   risk // of the request: how closely an idle connection is looked at
	looked bool // in the pool, just before
	told   bool // the look-up under way was announced to listeners

	deferred []race.Plan
	pinned   *Route // comes before other routes

	phase Phase  // what is being done, for the failure of a call that ends meanwhile
	via   string // the route it is done for

	selected  bool // proxies were chosen
	proxied   bool // and are not all Direct
	proxies   []Proxy
	proxy     Proxy   // the current one
	lookup    *lookup // of the current one's addresses
	postponed []*Route
	tried     bool // there was a route, or a failure to find one
}

// More implements [race.Planner].
func (p *planner) More() bool {
	return len(p.deferred) > 0 || p.pinned != nil || !p.selected || len(p.proxies) > 0 || len(p.postponed) > 0 ||
		p.lookup != nil && p.lookup.more()
}

// DeferFirst implements [race.Planner].
func (p *planner) DeferFirst(plan race.Plan) { p.deferred = slices.Insert(p.deferred, 0, plan) }

// DeferLast implements [race.Planner].
func (p *planner) DeferLast(plan race.Plan) { p.deferred = append(p.deferred, plan) }

// Next implements [race.Planner].
func (p *planner) Next(ctx context.Context) (race.Plan, <-chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	if p.call != nil && !p.looked {
		conn, err := p.call.acquire(p.cfg, p.addr, p.tunnel, p.risk, time.Now())
		if err != nil || conn != nil {
			return p.ready(conn, err)
		}
	}
	p.looked = false
	if len(p.deferred) > 0 {
		plan := p.deferred[0]
		p.deferred = p.deferred[1:]
		return plan, nil, nil
	}
	if r := p.pinned; r != nil {
		p.pinned = nil
		return &connectPlan{planner: p, route: r}, nil, nil
	}
	if !p.selected {
		p.crowded()
	}
	r, pending, err := p.route(ctx)
	if r == nil {
		return nil, pending, err
	}
	if p.call != nil {
		if conn, err := p.call.coalesced(p.cfg, r); err != nil || conn != nil {
			p.pinned = r
			return p.ready(conn, err)
		}
	}
	return &connectPlan{planner: p, route: r}, nil, nil
}

// crowded tells of a connection that would have done, did it not carry as many calls as it may.
func (p *planner) crowded() {
	f := p.listener().StreamLimit
	if f == nil {
		return
	}
	if full, ok := p.cfg.pool.p.Full(p.addr, func(c *pooled) bool { return c.http2 != nil }); ok {
		f(ConnectionEvent{Call: p.call, Connection: full.Connection})
	}
}

func (p *planner) ready(conn *Connection, err error) (race.Plan, <-chan struct{}, error) {
	if err != nil {
		return nil, nil, &attemptError{err: err}
	}
	return &connectPlan{planner: p, conn: conn}, nil, nil
}

// route returns the next route of the selected proxies, those that failed lately last.
func (p *planner) route(ctx context.Context) (*Route, <-chan struct{}, error) {
	if !p.selected {
		p.selected = true
		if err := p.selectProxies(); err != nil {
			p.tried = true
			return nil, nil, &attemptError{phase: PhaseProxy, err: err}
		}
	}
	for {
		r, pending, err := p.ofLookup(ctx)
		if r != nil || pending != nil || err != nil {
			p.tried = p.tried || pending == nil
			return r, pending, err
		}
		if len(p.proxies) == 0 {
			break
		}
		p.proxy, p.proxies = p.proxies[0], p.proxies[1:]
		if r, err := p.start(ctx); r != nil || err != nil {
			p.tried = true
			return r, nil, err
		}
	}
	if len(p.postponed) > 0 {
		r := p.postponed[0]
		p.postponed = p.postponed[1:]
		return r, nil, nil
	}
	if !p.tried {
		p.tried = true
		return nil, nil, &attemptError{phase: PhaseConnect, err: errors.New("exhausted all routes")}
	}
	return nil, nil, nil
}

// selectProxies asks for the proxies, once a request.
func (p *planner) selectProxies() (err error) {
	if p.cfg.ownProxy {
		p.proxies = []Proxy{p.cfg.proxy}
		return nil
	}
	p.phase = PhaseProxy
	l := p.listener()
	if l.ProxySelectStart != nil {
		l.ProxySelectStart(ProxySelect{Call: p.call, URL: p.url})
	}
	if p.proxies, err = p.cfg.selector.Select(p.url); err != nil {
		p.proxies = nil
		return fmt.Errorf("choosing a proxy: %w", err)
	}
	if len(p.proxies) == 0 {
		p.proxies = []Proxy{Direct}
	}
	p.proxied = slices.ContainsFunc(p.proxies, func(x Proxy) bool { return !x.IsDirect() })
	if l.ProxySelectEnd != nil {
		l.ProxySelectEnd(ProxySelect{Call: p.call, URL: p.url, Proxies: p.proxies})
	}
	return nil
}

// start begins with a proxy: it returns the one route that needs no resolving, or starts to resolve.
func (p *planner) start(ctx context.Context) (*Route, error) {
	host, _ := p.proxy.leads(&p.addr)
	switch {
	case p.proxy.kind == proxyUnix:
		return p.fresh(&Route{address: p.addr, proxy: p.proxy}), nil
	case !p.proxy.IsDirect():
		host = p.proxy.host
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return p.fresh(p.at(ip, "")), nil
	}
	p.resolve(ctx, host, nil)
	return nil, nil
}

// resolve starts to look for addresses of a host that are not known.
func (p *planner) resolve(ctx context.Context, host string, known []netip.Addr) {
	if l := p.listener(); l.DNSStart != nil {
		l.DNSStart(DNSEvent{Call: p.call, Host: host})
	}
	p.told = false
	p.phase, p.via = PhaseDNS, ""
	p.lookup = p.look(ctx, host, known)
}

// resolved tells listeners that the look-up has led to something: an address, or a connection of the pool meanwhile.
func (p *planner) resolved() {
	if p.lookup == nil || p.told {
		return
	}
	p.told = true
	if l := p.listener(); l.DNSEnd != nil {
		l.DNSEnd(DNSEvent{Call: p.call, Host: p.lookup.host, Addrs: p.lookup.found()})
	}
}

// ofLookup returns the next route of the current look-up. One that was given up, because there was a connection that has failed since, is
// made again.
func (p *planner) ofLookup(ctx context.Context) (*Route, <-chan struct{}, error) {
	for p.lookup != nil {
		ip, pending, err := p.lookup.take()
		switch {
		case pending != nil:
			return nil, pending, nil
		case err != nil:
			p.lookup = nil
			return nil, nil, &attemptError{phase: PhaseDNS, err: err}
		case !ip.IsValid():
			known, cut := p.lookup.missed()
			if !cut {
				p.lookup = nil
				return nil, nil, nil
			}
			p.resolve(ctx, p.lookup.host, known)
			continue
		}
		p.resolved()
		keys := ""
		if p.proxy.IsDirect() && p.addr.secure && p.addr.port == 443 && !p.proxy.astray(&p.addr) { // the record of a host is about that port (RFC 9460 section 9.1)
			keys = p.lookup.keys()
		}
		if r := p.fresh(p.at(ip, keys)); r != nil {
			return r, nil, nil
		}
	}
	return nil, nil, nil
}

// at makes a route of an address of the current proxy, or of the server.
func (p *planner) at(ip netip.Addr, ech string) *Route {
	_, port := p.proxy.leads(&p.addr)
	if !p.proxy.IsDirect() {
		port = p.proxy.port
	}
	r := &Route{address: p.addr, proxy: p.proxy, socket: netip.AddrPortFrom(ip, uint16(port)), ech: ech, alternative: p.proxied && p.proxy.IsDirect()}
	r.tunnel = p.tunnel && r.forwards()
	return r
}

// fresh returns the route, or puts it aside if it failed lately.
func (p *planner) fresh(r *Route) *Route {
	if p.cfg.failures.postponed(r) {
		p.postponed = append(p.postponed, r)
		return nil
	}
	return r
}

// settle ends what is still under way once there is a connection; what came so far stays for a retry.
func (p *planner) settle() {
	if p.lookup != nil {
		p.lookup.giveUp()
	}
}

// listener returns the listener of the call. It is never nil, but its hooks may be.
func (p *planner) listener() *EventListener {
	if p.call != nil {
		if l := p.call.events.Load(); l != nil {
			return l
		}
	}
	return noEvents
}

var noEvents = new(EventListener)
