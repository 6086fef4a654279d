package okhttp

import (
	"context"
	"errors"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/race"
)

// routePlan is what one request, with its retries, has yet to try.
type routePlan struct {
	planner *planner    // nil until something has to be connected
	last    *Connection // of the latest attempt
	fresh   bool        // which was connected for it
	http1   bool        // an upgrade goes over HTTP/1.1, because the server takes no extended CONNECT
	refused bool        // a stream of it was, before
	left    bool        // the only way there was, after a goodbye, was taken once more
}

// more reports whether another attempt could take another way.
func (p *routePlan) more() bool {
	switch {
	case p.planner == nil:
		return true // the connection was one of the pool
	case !p.fresh && p.last != nil && p.planner.pinned == nil && !p.last.failed.Load() && p.last.address == p.planner.addr:
		p.planner.pinned = p.last.route // it may simply have been closed meanwhile; that says nothing about its route
	}
	return p.planner.More() // the route of a fresh connection that failed is not worth repeating
}

// around reports whether another attempt could go around a connection whose streams other calls have used up. Nothing of this one failed, so the route is
// as good as ever, whatever else happened on the connection, unless the server allows no streams at all.
func (p *routePlan) around() bool {
	if p.planner != nil && p.planner.pinned == nil && p.last.http2.MaxStreams() > 0 && p.last.address == p.planner.addr {
		p.planner.pinned = p.last.route
	}
	return p.more()
}

// again reports whether the request is sent once more over the connection whose server refused its stream, even if there is no other way: the server has
// not acted on it (RFC 9113 section 8.7), and may have room by now. It has one more chance; a server that goes on refusing has its reasons.
func (p *routePlan) again() bool {
	before := p.refused
	p.refused = true
	return !before && !p.last.failed.Load() && p.last.http2.Closing() == nil
}

// anew reports whether the request is sent over another connection after the server has said goodbye without acting on it (RFC 9113 section 6.8). If there is no other way, a new
// connection to the same place gets one chance, even if the last one was new: a server that goes on saying goodbye has its reasons.
func (p *routePlan) anew() bool {
	switch {
	case p.more():
		return true
	case p.left || p.last.address != p.planner.addr:
		return false
	}
	p.left = true
	p.planner.pinned = p.last.route
	return p.planner.More()
}

// connect begins an exchange over the connection that the call holds, an idle one of the pool, or a new one.
func (c *Call) connect(ctx context.Context, cfg *config, req *Request, plan *routePlan) (*exchange, error) {
	conn, now, err := c.connection(ctx, cfg, req, plan)
	if err != nil {
		return nil, err
	}
	if req.Upgrade() != "" && conn.http2 != nil {
		switch takes, err := c.takesConnect(ctx, cfg, req, conn); {
		case err != nil:
			return nil, &attemptError{phase: PhaseConnect, route: conn.route.String(), err: err}
		case !takes && conn.address.secure && conn.address.protocols() == HTTP2OrHTTP1:
			c.release()
			*plan = routePlan{http1: true}
			return c.connect(ctx, cfg, req, plan)
		case !takes:
			return nil, &attemptError{phase: PhaseConnect, route: conn.route.String(), final: true, err: errNoUpgrade}
		}
	}
	plan.last = conn
	return c.begin(ctx, cfg, req, conn, now), nil
}

// connection takes hold of the connection that connect begins an exchange over.
func (c *Call) connection(ctx context.Context, cfg *config, req *Request, plan *routePlan) (*Connection, time.Time, error) {
	addr, tunnel := addressFor(req, cfg, plan), req.opensWebSocket()
	now := time.Now()
	plan.fresh = false
	if conn := c.conn.Load(); conn != nil {
		if c.keeps(cfg, conn, &addr, req.url) && conn.route.suits(tunnel) && conn.pool == cfg.pool && conn.reusable() && !conn.crowded() {
			if conn.healthy(0, req.risk(cfg)) {
				return conn, now, nil
			}
			conn.unfit() // the look may have taken what made it so, so another one might find nothing
		}
		c.release()
	}
	conn, err := c.acquire(cfg, addr, tunnel, req.risk(cfg), now)
	if err != nil {
		return nil, now, &attemptError{err: err}
	}
	if conn == nil {
		conn, err = c.dial(ctx, cfg, req, addr, tunnel, plan)
		now = time.Now()
	}
	return conn, now, err
}

// acquire takes hold of an idle connection of the pool whose route suits the request. It returns nil if there is none.
func (c *Call) acquire(cfg *config, addr address, tunnel bool, risk risk, now time.Time) (*Connection, error) {
	for {
		entry, idle := cfg.pool.p.Acquire(addr, now, func(p *pooled) bool { return p.route.suits(tunnel) })
		if entry == nil {
			return nil, nil
		}
		conn := entry.Conn.Connection
		if !conn.healthy(idle, risk) {
			cfg.pool.discard(conn)
			continue
		}
		if err := c.hold(conn); err != nil {
			return nil, err
		}
		return conn, nil
	}
}

// dial finds a connection for a call that has none: it races routes to the server, until one is connected or another call gave a
// connection back to the pool.
func (c *Call) dial(ctx context.Context, cfg *config, req *Request, addr address, tunnel bool, plan *routePlan) (*Connection, error) {
	if !addr.secure {
		if err := cfg.cleartext(addr.host); err != nil {
			return nil, &attemptError{phase: PhaseConnect, err: err}
		}
	}
	if addr.secure && addr.protocols() == HTTP2PriorKnowledge {
		return nil, &attemptError{phase: PhaseConnect, err: &ProtocolError{Detail: "HTTP/2 with prior knowledge cannot be used with https"}}
	}
	waiting, w, err := c.wait(ctx)
	if err != nil {
		return nil, &attemptError{err: err}
	}
	defer w.end()
	if plan.planner == nil {
		plan.planner = &planner{spawn: c.client.background.spawn, call: c, cfg: cfg, url: req.url, addr: addr, tunnel: tunnel}
	}
	pl := plan.planner
	pl.risk, pl.looked = req.risk(cfg), true
	defer pl.settle()
	found, failure := race.Find(waiting, pl, pl.race())
	if failure != nil {
		return nil, pl.failure(waiting, failure)
	}
	p := found.(*connectPlan)
	if p.raw == nil {
		return p.conn, nil // of the pool, and held
	}
	if waiting.Err() != nil { // otherwise the request might be sent before the connection learns of it
		cfg.pool.refuse(p.conn, "its call ended before it was used")
		return nil, &attemptError{err: context.Cause(waiting)}
	}
	conn := p.conn
	if conn.http2 == nil {
		plan.fresh = true
		cfg.pool.add(conn)
	} else if conn, err = c.share(cfg, conn); err != nil {
		return nil, &attemptError{err: err}
	} else if plan.fresh = conn == p.conn; !plan.fresh {
		return conn, nil
	}
	if err := c.hold(conn); err != nil {
		return nil, &attemptError{err: err}
	}
	return conn, nil
}

// share puts a new connection over HTTP/2 into the pool, or closes it because another call was faster: one connection is enough for both. Then it
// returns the other, which the call holds.
func (c *Call) share(cfg *config, made *Connection) (*Connection, error) {
	taken := false
	defer func() {
		if !taken { // also if a listener panics
			cfg.pool.refuse(made, "another call has connected to the same server")
		}
	}()
	if conn, err := c.coalesced(cfg, made.route); err != nil || conn != nil {
		return conn, err
	}
	for {
		conn := cfg.pool.addUnless(made)
		if conn == nil {
			taken = true
			return made, nil
		}
		if conn.healthy(0, noRisk) {
			return conn, c.hold(conn)
		}
		cfg.pool.discard(conn)
	}
}

// race returns how routes are raced.
func (p *planner) race() race.Config {
	r := race.Config{Go: p.spawn, Recover: func(v any) error { return &PanicError{v} }, Fatal: fatal}
	if !p.cfg.fastFallback {
		r.Stagger = -1
	}
	return r
}

// failure makes one failure of all that kept a call from a connection: the first, with the others as attempts. If the call ended, it is where
// that happened; what was interrupted by it tells nothing more.
func (p *planner) failure(ctx context.Context, f *race.Failure) *attemptError {
	first := &attemptError{phase: p.phase, route: p.via, err: f.First}
	var ae *attemptError
	if errors.As(f.First, &ae) {
		copied := *ae
		first = &copied
	}
	for _, err := range f.Others {
		if errors.As(err, &ae) {
			err = ae.err
		}
		if ctx.Err() == nil || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			first.attempts = append(first.attempts, err)
		}
	}
	return first
}
