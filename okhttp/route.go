package okhttp

import (
	"crypto/tls"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unique"
)

// address is what a connection connects to, as far as sharing goes: two calls may share a connection when their addresses are equal.
type address struct {
	host     string
	port     int
	secure   bool
	settings unique.Handle[settings]
}

// settings is what decides about sharing apart from the URL. Its interfaces hold comparable values only (see identityOf), so that comparing
// never panics.
type settings struct {
	dns       any
	dialer    any
	selector  any // nil with a proxy of its own
	proxy     Proxy
	proxyAuth any
	protocols Protocols
	// The rest is for https alone.
	tls      *tls.Config
	verifier any
	pinner   string
	specs    string
}

func addressOf(u URL, cfg *config) address {
	a := address{host: u.Host(), port: u.Port(), secure: u.isHTTPS(), settings: cfg.plain}
	if a.secure {
		a.settings = cfg.secure
	}
	return a
}

// addressFor is addressOf for a request, which may want to leave HTTP by way of HTTP/1.1.
func addressFor(req *Request, cfg *config, plan *routePlan) address {
	a := addressOf(req.url, cfg)
	if a.secure && req.Upgrade() != "" && (plan.http1 || !req.tunnels(cfg)) {
		a.settings = cfg.upgrading
	}
	return a
}

// protocols is what may be spoken with the server.
func (a *address) protocols() Protocols { return a.settings.Value().protocols }

// priorKnowledge reports whether HTTP/2 is spoken without asking.
func (a *address) priorKnowledge() bool { return a.protocols() == HTTP2PriorKnowledge && !a.secure }

// Route is one way to a server: through a proxy or directly, to one address of what is connected to. It is immutable.
type Route struct {
	address address
	proxy   Proxy
	socket  netip.AddrPort // what is connected to; invalid where that is a name or a path
	tunnel  bool           // through an HTTP proxy, for no other reason than what the request is
	ech     string         // keys for an encrypted Client Hello, "" for none

	alternative bool // to proxies: the requests were meant for one of those
}

// Host returns the host name that the route leads to.
func (r *Route) Host() string { return r.address.host }

// Port returns the port that the route leads to.
func (r *Route) Port() int { return r.address.port }

// Proxy returns the proxy that the route leads through, [Direct] for none.
func (r *Route) Proxy() Proxy { return r.proxy }

// Addr returns the address and port that are connected to: those of the proxy if there is one. It is the zero value for a Unix domain
// socket.
func (r *Route) Addr() netip.AddrPort { return r.socket }

// RequiresTunnel reports whether an HTTP proxy is asked for a connection to the server (CONNECT, RFC 9110 section 9.3.6), because TLS, HTTP/2, or
// a web socket (RFC 6455 section 4.1), is spoken with the server itself, or because what the proxy is to connect to is not what the URL names
// ([Proxy.ConnectTo]).
func (r *Route) RequiresTunnel() bool {
	return r.proxy.speaksHTTP() && (r.tunnel || r.address.secure || r.address.priorKnowledge() || r.proxy.astray(&r.address))
}

// authority is the target of CONNECT: the port is always there.
func (r *Route) authority() string {
	host, port := r.proxy.leads(&r.address)
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// forwards reports whether a proxy reads the requests.
func (r *Route) forwards() bool { return r.proxy.speaksHTTP() && !r.RequiresTunnel() }

// suits reports whether a request may go this way: no proxy reads it if it wants a tunnel, and it does not get around a proxy that is to read it otherwise.
func (r *Route) suits(tunnel bool) bool {
	if tunnel {
		return !r.forwards()
	}
	return !r.tunnel
}

// isServer reports whether what is connected to is the server, or stands for it.
func (r *Route) isServer() bool { return r.proxy.IsDirect() || r.proxy.kind == proxyUnix }

// String returns the host and where it is reached, as in "example.com at 192.0.2.1:443", or, with [Proxy.ConnectTo], "example.com:443 to
// staging.example.com:443 at 192.0.2.1:443".
func (r *Route) String() string {
	host, ip := r.address.host, ""
	if r.socket.IsValid() {
		ip = r.socket.Addr().String()
	}
	var b strings.Builder
	astray := r.proxy.astray(&r.address)
	b.WriteString(bracketed(host))
	if host == ip || astray || r.address.port != int(r.socket.Port()) {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(r.address.port))
	}
	if astray {
		b.WriteString(" to ")
		b.WriteString(r.authority())
		host, _ = r.proxy.leads(&r.address)
	}
	switch {
	case r.proxy.kind == proxyUnix:
		b.WriteString(" at ")
		b.WriteString(r.proxy.String())
	case r.proxy.IsDirect() && host == ip:
	case r.proxy.IsDirect():
		b.WriteString(" at ")
		b.WriteString(r.socket.String())
	default:
		b.WriteString(" via proxy ")
		b.WriteString(r.proxy.String())
		if r.socket.IsValid() && ip != r.proxy.host {
			b.WriteString(" at ")
			b.WriteString(r.socket.String())
		}
	}
	if r.ech != "" {
		b.WriteString(" with ECH")
	}
	return b.String()
}

// target returns what the dialer is asked for.
func (r *Route) target() (network, addr string) {
	if r.proxy.kind == proxyUnix {
		return "unix", r.proxy.path
	}
	return "tcp", r.socket.String()
}
