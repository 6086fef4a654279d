package okhttp

import (
	"crypto/tls"
	"net/netip"
)

// address is what a connection connects to, as far as sharing goes: two calls may share a connection when their addresses are equal.
// The interfaces hold comparable values only (see identityOf), so that comparing never panics.
type address struct {
	host   string
	port   int
	secure bool

	dns    any
	dialer any
	tls    *tls.Config
}

func addressOf(u URL, cfg *config) address {
	a := address{host: u.Host(), port: u.Port(), secure: u.isHTTPS(), dns: cfg.dnsID, dialer: cfg.dialerID}
	if a.secure {
		a.tls = cfg.tls
	}
	return a
}

// Route is a way to a server: one address of its host.
type Route struct {
	host string
	addr netip.AddrPort
}

// Host returns the host name that the route leads to.
func (r *Route) Host() string { return r.host }

// Addr returns the address and port that are connected to.
func (r *Route) Addr() netip.AddrPort { return r.addr }

// String returns the address and port.
func (r *Route) String() string { return r.addr.String() }
