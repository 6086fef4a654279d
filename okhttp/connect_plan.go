package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/race"
)

// connectPlan is one way to a connection: an open one, or a route with what was learned about it. It implements [race.Plan].
type connectPlan struct {
	planner *planner
	conn    *Connection // the outcome; from the beginning if it is one of the pool
	route   *Route

	spec     int          // the first connection spec to try
	refusals int          // of the proxy, which wants credentials
	refused  *Response    // the latest of them
	rejected bool         // the encrypted Client Hello was, and the server said what to do instead
	tunnel   *Request     // what the proxy is asked next; nil: the plain CONNECT
	targets  []netip.Addr // of the server, where SOCKS takes addresses; nil: not resolved yet

	raw    net.Conn // the transport
	stream net.Conn // what the server is spoken to over: raw, or TLS to a proxy
	layers bool     // stream is not raw

	interrupted bool // Connect failed because its context had ended
}

// again copies what is known of the route, with nothing connected.
func (p *connectPlan) again() *connectPlan {
	return &connectPlan{planner: p.planner, route: p.route, spec: p.spec, refusals: p.refusals, refused: p.refused, tunnel: p.tunnel, targets: p.targets}
}

// Again implements [race.Plan].
func (p *connectPlan) Again() race.Plan { return p.again() }

// Ready implements [race.Plan].
func (p *connectPlan) Ready() bool { return p.conn != nil }

func (p *connectPlan) event() ConnectEvent { return ConnectEvent{Call: p.planner.call, Route: p.route} }

// Start implements [race.Plan].
func (p *connectPlan) Start() {
	p.doing(PhaseConnect)
	if l := p.planner.listener(); l.ConnectStart != nil {
		l.ConnectStart(p.event())
	}
	p.planner.cfg.pool.connecting(p.planner.call, p.route)
}

func (p *connectPlan) doing(phase Phase) {
	p.planner.phase, p.planner.via = phase, p.route.String()
}

// Connect implements [race.Plan]: it opens the transport.
func (p *connectPlan) Connect(ctx context.Context) (err error) {
	cfg := p.planner.cfg
	timed, end := ctx, time.Time{}
	if cfg.connectTimeout > 0 {
		end = time.Now().Add(cfg.connectTimeout)
		var cancel context.CancelFunc
		timed, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	network, addr := p.route.target()
	p.raw, err = cfg.dialer.DialContext(timed, network, addr)
	switch {
	case err == nil && p.raw == nil:
		err = errors.New("the dialer returned neither a connection nor an error")
	case err == nil:
		p.stream = p.raw
		return nil
	case !end.IsZero() && ctx.Err() == nil && isTimeout(err) && !time.Now().Before(end):
		err = &timeoutError{"connect timeout after " + cfg.connectTimeout.String(), err}
	default:
		p.interrupted = ctx.Err() != nil
		err = fmt.Errorf("failed to connect to %s: %w", addr, err)
	}
	return p.failure(PhaseConnect, err)
}

func (p *connectPlan) failure(phase Phase, err error) *attemptError {
	return &attemptError{phase: phase, route: p.route.String(), err: err}
}

// Discard implements [race.Plan].
func (p *connectPlan) Discard() {
	if p.raw != nil { // otherwise it is of the pool, and the call has it
		p.raw.Close()
	}
}

// Failed implements [race.Plan].
func (p *connectPlan) Failed(err error) {
	if ae, ok := err.(*attemptError); ok && !p.interrupted { // otherwise it lost, or the call ended
		p.planner.cfg.failures.fail(p.route)
		p.tellSelector(ae.err)
	}
	p.tellFailure(err)
}

func (p *connectPlan) tellFailure(err error) {
	var ae *attemptError
	if errors.As(err, &ae) {
		err = ae.err
	}
	e := p.event()
	e.Err = err
	if l := p.planner.listener(); l.ConnectFailed != nil {
		l.ConnectFailed(e)
	}
	p.planner.cfg.pool.connectFailed(p.planner.call, p.route, err)
}

// tellSelector tells the selector that its proxy failed.
func (p *connectPlan) tellSelector(err error) {
	if pl := p.planner; !pl.cfg.ownProxy && !p.route.proxy.IsDirect() {
		pl.cfg.selector.ConnectFailed(pl.url, p.route.proxy, err)
	}
}

// Finish implements [race.Plan]: it goes through the proxy, starts TLS and makes the connection.
func (p *connectPlan) Finish(ctx context.Context) (next race.Plan, err error) {
	if p.conn != nil {
		return nil, nil
	}
	finished := false
	defer func() {
		if !finished { // also when a listener panics
			p.raw.Close()
		}
	}()
	another, err := p.finish(ctx)
	if err == nil && another == nil {
		finished = true
		return nil, nil
	}
	if err != nil {
		if ctx.Err() == nil && another == nil { // otherwise the route may be all right
			p.planner.cfg.failures.fail(p.route)
			if pe := proxyAtFault(err); pe != nil && another == nil {
				p.tellSelector(pe)
			}
		}
		p.tellFailure(err)
	}
	if another != nil { // a nil pointer is not a nil Plan
		next = another
	}
	return next, err
}

func (p *connectPlan) finish(ctx context.Context) (next *connectPlan, err error) {
	if next, err := p.throughProxy(ctx); next != nil || err != nil {
		return next, err
	}
	pl := p.planner
	var secure *tls.Conn
	var outcome tlsOutcome
	if pl.addr.secure {
		if secure, outcome, next, err = p.secure(ctx); err != nil {
			return next, err
		}
	}
	conn := newConnection(p, secure)
	conn.handshake, conn.verified = outcome.handshake, outcome.verified
	l := pl.listener()
	if secure != nil && l.SecureConnectEnd != nil {
		l.SecureConnectEnd(ConnectEvent{Call: pl.call, Route: p.route, Handshake: conn.handshake})
	}
	if l.ConnectEnd != nil {
		l.ConnectEnd(ConnectEvent{Call: pl.call, Route: p.route, Protocol: conn.Protocol(), Handshake: conn.handshake})
	}
	p.conn = conn
	pl.cfg.failures.connected(p.route)
	pl.cfg.pool.connected(pl.call, conn)
	return nil, nil
}

// fatal reports whether a failure is the same over every route, so that trying others would only hide it: of certificates and pins, of
// servers too slow to shake hands, of misuse.
func fatal(err error) bool {
	var ae *attemptError
	if !errors.As(err, &ae) {
		return true
	}
	return ae.phase == PhaseTLS && !otherAddress(ae.err) || ae.phase == "" || ae.final
}
