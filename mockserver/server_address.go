package mockserver

import (
	"context"
	"iter"
	"net"
	"net/netip"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Addr returns the address that the server listens on, or listened on. It is nil before [Server.Start].
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// hostPort returns the host that reaches the server and its port. It panics with [ErrNotStarted] where there is none yet.
func (s *Server) hostPort() (host, port string) {
	addr := s.Addr()
	if addr == nil {
		panic(ErrNotStarted)
	}
	_, port, _ = net.SplitHostPort(addr.String())
	return hostOf(addr, s.cfg.network != nil), port
}

// hostOf is the host that reaches a listener. It is the address and not "localhost", which may mean a list of addresses to a client,
// of which the first one refuses.
func hostOf(addr net.Addr, memory bool) string {
	host, _, err := net.SplitHostPort(addr.String())
	switch ip := net.ParseIP(host); {
	case err == nil && host != "" && (ip == nil || !ip.IsUnspecified()):
		return host
	case memory:
		return "localhost"
	}
	return "127.0.0.1"
}

// URL returns the URL of a path of this server, which may have a query. A missing leading slash is added. Before [Server.Start] there is no port,
// and URL panics.
func (s *Server) URL(path string) string {
	_, port := s.hostPort()
	scheme, usual := "http", "80"
	if s.secrets != nil {
		scheme, usual = "https", "443"
	}
	authority := net.JoinHostPort(s.host, port)
	if port == usual {
		authority = strings.TrimSuffix(net.JoinHostPort(s.host, ""), ":")
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return scheme + "://" + authority + path
}

// DialContext connects to this server, whatever the address. As the dialer of a client, [okhttp.WithDialer] or http.Transport's
// DialContext, it makes every host name and port lead here. On a network in memory it is the way to connect.
func (s *Server) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if s.Addr() == nil {
		return nil, ErrNotStarted
	}
	at := net.JoinHostPort(s.hostPort())
	if s.cfg.network != nil {
		return s.cfg.network.DialContext(ctx, "tcp", at)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", at)
}

// Client returns a new client that reaches this server under any host name and trusts its certificate. It speaks HTTP/2 in cleartext if
// [WithProtocols] has the server do so. Further options come after these. The client is closed when the test of [New] is over; without a test,
// close it.
func (s *Server) Client(opts ...okhttp.Option) *okhttp.Client {
	ways := []okhttp.Option{okhttp.WithDialer(s), okhttp.WithDNS(here{})}
	if t := s.ClientTLSConfig(); t != nil {
		ways = append(ways, okhttp.WithTLSConfig(t))
	} else if s.cfg.protocols == okhttp.HTTP2PriorKnowledge {
		ways = append(ways, okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
	}
	client := okhttp.New(append(ways, opts...)...)
	s.test.Lock()
	defer s.test.Unlock()
	if s.tb != nil {
		s.tb.Cleanup(func() { _ = client.Close() })
	}
	return client
}

// here resolves every name to the address of the loopback interface. Where that leads is for the dialer to say.
type here struct{}

func (here) Lookup(context.Context, string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		yield(okhttp.DNSAnswer{Addrs: []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}}, nil)
	}
}
