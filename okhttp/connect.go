package okhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// routePlan is what one request, with its retries, has yet to try.
type routePlan struct {
	reused bool    // the latest connection had served others before
	routes *routes // nil until a connection is dialed
}

// routes are the addresses of a host, and which of them comes next.
type routes struct {
	addrs []netip.Addr
	next  int
}

// more reports whether another attempt could take another way: a connection that was idle says nothing about its route, and a fresh
// one that failed is not worth repeating, so further addresses are needed then.
func (p *routePlan) more() bool {
	return p.reused || p.routes == nil || p.routes.next < len(p.routes.addrs)
}

// connect begins an exchange over the connection that the call holds, an idle one of the pool, or a new one.
func (c *Call) connect(ctx context.Context, cfg *config, req *Request, plan *routePlan) (*exchange, error) {
	addr := addressOf(req.url, cfg)
	now := time.Now()
	if conn := c.conn.Load(); conn != nil {
		if conn.address == addr && conn.pool == cfg.pool && conn.codec.Next() == nil && conn.healthy(0, req.repeatable()) {
			plan.reused = true
			return c.begin(ctx, cfg, req, conn, now), nil
		}
		c.release()
	}
	plan.reused = true
	for {
		entry, idle := cfg.pool.p.Acquire(addr, now)
		if entry == nil {
			break
		}
		conn := entry.Conn.Connection
		if !conn.healthy(idle, req.repeatable()) {
			cfg.pool.p.Remove(entry)
			continue
		}
		if err := c.hold(conn); err != nil {
			return nil, &attemptError{err: err}
		}
		return c.begin(ctx, cfg, req, conn, now), nil
	}
	plan.reused = false
	conn, err := c.dial(ctx, cfg, addr, plan)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil { // otherwise the request might be sent before the connection learns of it
		conn.close()
		return nil, &attemptError{err: context.Cause(ctx)}
	}
	conn.pool = cfg.pool
	conn.entry = cfg.pool.p.Add(addr, &pooled{conn})
	if err := c.hold(conn); err != nil {
		return nil, &attemptError{err: err}
	}
	return c.begin(ctx, cfg, req, conn, time.Now()), nil
}

// dial opens a new connection: to one address after another until one answers.
func (c *Call) dial(ctx context.Context, cfg *config, addr address, plan *routePlan) (*Connection, error) {
	ctx, w, err := c.wait(ctx)
	if err != nil {
		return nil, &attemptError{err: err}
	}
	defer w.end()
	if plan.routes == nil {
		addrs, err := c.lookup(ctx, cfg, addr.host)
		if err != nil {
			return nil, &attemptError{phase: PhaseDNS, err: err}
		}
		plan.routes = &routes{addrs: addrs}
	}
	failure := &attemptError{phase: PhaseConnect, err: errors.New("no further address to connect to")}
	for r, first := plan.routes, true; r.next < len(r.addrs); first = false {
		route := &Route{host: addr.host, addr: netip.AddrPortFrom(r.addrs[r.next], uint16(addr.port))}
		r.next++
		conn, phase, err := c.open(ctx, cfg, addr, route)
		if err == nil {
			return conn, nil
		}
		if l := c.events.Load(); l != nil && l.ConnectFailed != nil {
			l.ConnectFailed(ConnectEvent{Call: c, Route: route, Err: err})
		}
		if first {
			failure = &attemptError{phase: phase, route: route.String(), err: err}
		} else {
			failure.attempts = append(failure.attempts, err)
		}
		if ctx.Err() != nil || phase == PhaseTLS && !otherAddress(err) {
			break
		}
	}
	return nil, failure
}

func (c *Call) lookup(ctx context.Context, cfg *config, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	l := c.events.Load()
	if l != nil && l.DNSStart != nil {
		l.DNSStart(DNSEvent{Call: c, Host: host})
	}
	addrs, err := resolve(ctx, cfg.dns, host)
	if err != nil {
		return nil, err
	}
	if l != nil && l.DNSEnd != nil {
		l.DNSEnd(DNSEvent{Call: c, Host: host, Addrs: addrs})
	}
	return addrs, nil
}

// open connects to one address and starts TLS where the URL asks for it.
func (c *Call) open(ctx context.Context, cfg *config, addr address, route *Route) (*Connection, Phase, error) {
	l := c.events.Load()
	if l != nil && l.ConnectStart != nil {
		l.ConnectStart(ConnectEvent{Call: c, Route: route})
	}
	raw, err := dialTCP(ctx, cfg, route)
	if err != nil {
		return nil, PhaseConnect, err
	}
	opened := false
	defer func() {
		if !opened { // also when a listener panics
			raw.Close()
		}
	}()
	var secure *tls.Conn
	var local []*x509.Certificate
	if addr.secure {
		if l != nil && l.SecureConnectStart != nil {
			l.SecureConnectStart(ConnectEvent{Call: c, Route: route})
		}
		secure = tls.Client(raw, tlsConfig(cfg.tls, addr.host, &local))
		if err := handshake(ctx, secure, cfg.readTimeout); err != nil {
			return nil, PhaseTLS, err
		}
	}
	conn := newConnection(addr, route, raw, secure)
	if secure != nil {
		state := secure.ConnectionState()
		conn.handshake = newHandshake(&state, local)
	}
	if secure != nil && l != nil && l.SecureConnectEnd != nil {
		l.SecureConnectEnd(ConnectEvent{Call: c, Route: route, Handshake: conn.handshake})
	}
	if l != nil && l.ConnectEnd != nil {
		l.ConnectEnd(ConnectEvent{Call: c, Route: route, Protocol: HTTP11, Handshake: conn.handshake})
	}
	opened = true
	return conn, "", nil
}

func dialTCP(ctx context.Context, cfg *config, route *Route) (net.Conn, error) {
	timed, end := ctx, time.Time{}
	if cfg.connectTimeout > 0 {
		end = time.Now().Add(cfg.connectTimeout)
		var cancel context.CancelFunc
		timed, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	raw, err := cfg.dialer.DialContext(timed, "tcp", route.addr.String())
	switch {
	case err == nil:
		return raw, nil
	case !end.IsZero() && ctx.Err() == nil && isTimeout(err) && !time.Now().Before(end):
		return nil, &timeoutError{"connect timeout after " + cfg.connectTimeout.String(), err}
	}
	return nil, fmt.Errorf("failed to connect to %s: %w", route, err)
}
