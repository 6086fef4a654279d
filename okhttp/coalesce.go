package okhttp

import (
	"crypto/tls"
	"net/netip"

	"github.com/okhttp-go/ok/okhttp/internal/hostname"
)

// coalesced takes hold of an HTTP/2 connection to another host that may be used for this one: the route leads to the same address, and the
// certificate that the connection was verified with is one for this host too (RFC 9113 section 9.1.1).
func (c *Call) coalesced(cfg *config, r *Route) (*Connection, error) {
	if !cfg.coalesces() || !r.address.secure || !r.proxy.IsDirect() || r.address.protocols() != HTTP2OrHTTP1 {
		return nil, nil
	}
	entry := cfg.pool.p.Find(func(p *pooled) bool { return p.carries(cfg, &r.address, r.socket) })
	if entry == nil {
		return nil, nil
	}
	conn := entry.Conn.Connection
	if !conn.healthy(0, noRisk) {
		cfg.pool.discard(conn)
		return nil, nil
	}
	if err := c.hold(conn); err != nil {
		return nil, err
	}
	return conn, nil
}

// coalesces reports whether a client may use a connection to one host for another: not if the user decides about names and trust by himself.
func (c *config) coalesces() bool { return c.verifier == nil && !c.tlsSetup.override }

// carries reports whether the connection may be used for another host, which was found at that address.
func (c *Connection) carries(cfg *config, a *address, socket netip.AddrPort) bool {
	own := &c.address
	return c.http2 != nil && own.secure && own.settings == a.settings && own.port == a.port && own.host != a.host &&
		c.route.proxy.IsDirect() && c.route.socket == socket && c.vouches(cfg, a.host)
}

// vouches reports whether the certificate of the connection is one for a host, with a pinned key if the host has pins.
func (c *Connection) vouches(cfg *config, host string) bool {
	if c.apart.Load() || len(c.verified) == 0 {
		return false
	}
	leaf := c.handshake.PeerCertificates[0]
	return hostname.Verify(host, leaf) == nil &&
		cfg.pinner.Check(host, &tls.ConnectionState{PeerCertificates: c.handshake.PeerCertificates, VerifiedChains: c.verified}) == nil
}

// keeps reports whether the connection that the call holds is good for another exchange of it: to its own host, or to the one that it was taken
// for. That the certificate is for a third host does not mean that its address is that of the connection.
func (c *Call) keeps(cfg *config, conn *Connection, a *address, u URL) bool {
	if conn.address == *a {
		return true
	}
	return c.exchange != nil && sameOrigin(c.exchange.request.url, u) && cfg.coalesces() && conn.carries(cfg, a, conn.route.socket)
}
