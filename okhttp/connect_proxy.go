package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"golang.org/x/net/proxy"
)

// throughProxy makes the stream lead to the server, or to the proxy that reads the requests.
func (p *connectPlan) throughProxy(ctx context.Context) (next *connectPlan, err error) {
	if !p.route.proxy.IsDirect() {
		p.doing(PhaseProxy)
	}
	switch p.route.proxy.kind {
	case proxySOCKS5, proxySOCKS5H:
		return p.socks(ctx)
	case proxyHTTPS:
		if err := p.secureProxy(ctx); err != nil {
			return nil, p.failure(PhaseProxy, p.proxyError(err))
		}
	}
	if p.route.RequiresTunnel() {
		return p.openTunnel(ctx)
	}
	return nil, nil
}

func (p *connectPlan) proxyError(err error) *ProxyError {
	return &ProxyError{Proxy: p.route.proxy.String(), Err: err}
}

// secureProxy starts TLS with an HTTPS proxy, under the client's configuration less what is meant for the server.
func (p *connectPlan) secureProxy(ctx context.Context) error {
	cfg := p.planner.cfg
	t := cfg.tlsSetup.forProxy(p.route.proxy.host)
	conn := tls.Client(p.raw, t)
	if err := handshake(ctx, conn, cfg.readTimeout); err != nil {
		return err
	}
	p.stream, p.layers = conn, true
	return nil
}

// socks asks a SOCKS5 proxy for a connection to the server (RFC 1928). Where names are resolved here, the server's addresses are tried one
// after another, each over a connection of its own.
func (p *connectPlan) socks(ctx context.Context) (next *connectPlan, err error) {
	pl := p.planner
	host, port := p.route.proxy.leads(&pl.addr)
	if _, err := netip.ParseAddr(host); err != nil && p.route.proxy.kind == proxySOCKS5 {
		if p.targets == nil {
			if p.targets, err = pl.resolveAll(ctx, host); err != nil {
				return nil, p.failure(PhaseDNS, err)
			}
		}
		host = p.targets[0].String()
		if len(p.targets) > 1 {
			next = p.again()
			next.targets = p.targets[1:]
		}
	}
	var auth *proxy.Auth
	if user, password := p.route.proxy.credentials(); user != "" {
		auth = &proxy.Auth{User: user, Password: password}
	}
	timed, end := ctx, time.Time{}
	if limit := pl.cfg.connectTimeout; limit > 0 {
		end = time.Now().Add(limit)
		var cancel context.CancelFunc
		timed, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	dialer, err := proxy.SOCKS5("tcp", p.route.proxy.hostPort(), auth, alreadyOpen{p.raw})
	if err != nil {
		return nil, p.failure(PhaseProxy, p.proxyError(err))
	}
	// The connection it returns wraps ours, which is used instead: the socket must stay in sight.
	_, err = dialer.(proxy.ContextDialer).DialContext(timed, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	switch {
	case err == nil:
		p.raw.SetDeadline(time.Time{})
		return nil, nil
	case !end.IsZero() && ctx.Err() == nil && isTimeout(err) && !time.Now().Before(end): // the connection's deadline may be up before the context's
		err = &timeoutError{"connect timeout after " + pl.cfg.connectTimeout.String(), err}
	}
	return next, p.failure(PhaseProxy, p.proxyError(err))
}

// alreadyOpen dials a connection that is there.
type alreadyOpen struct{ conn net.Conn }

func (d alreadyOpen) Dial(string, string) (net.Conn, error) { return d.conn, nil }

func (d alreadyOpen) DialContext(context.Context, string, string) (net.Conn, error) {
	return d.conn, nil
}

// resolveAll resolves a name and waits for all of its addresses.
func (p *planner) resolveAll(ctx context.Context, host string) (addrs []netip.Addr, err error) {
	l := p.listener()
	if l.DNSStart != nil {
		l.DNSStart(DNSEvent{Call: p.call, Host: host})
	}
	look := p.look(ctx, host, nil)
	defer look.giveUp()
	for {
		ip, pending, err := look.take()
		switch {
		case pending != nil:
			select {
			case <-pending:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		case err != nil:
			return nil, err
		case ip.IsValid():
			addrs = append(addrs, ip)
		default:
			if l.DNSEnd != nil {
				l.DNSEnd(DNSEvent{Call: p.call, Host: host, Addrs: addrs})
			}
			return addrs, nil
		}
	}
}

// proxyAtFault returns the failure of a proxy that did not do its part. One that answers is there, even if it refuses.
func proxyAtFault(err error) *ProxyError {
	var pe *ProxyError
	if errors.As(err, &pe) && pe.Status == 0 {
		return pe
	}
	return nil
}

// ProxyError reports that a proxy could not, or would not, lead to the server.
type ProxyError struct {
	Proxy  string // its URL, without credentials
	Status int    // of an HTTP proxy's answer to CONNECT; 0 if that was not the reason
	Err    error  // of the transport, of TLS with the proxy or of SOCKS; nil if the answer was the reason
}

func (e *ProxyError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("proxy %s: %v", e.Proxy, e.Err)
	}
	return fmt.Sprintf("proxy %s: unexpected response code for CONNECT: %d", e.Proxy, e.Status)
}

// Unwrap returns Err.
func (e *ProxyError) Unwrap() error { return e.Err }
