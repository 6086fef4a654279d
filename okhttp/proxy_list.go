package okhttp

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// ProxyList selects proxies to try in order. The exceptions are hosts that are reached directly:
//
//	example.com, .example.com   the host, and those below it
//	10.0.0.1, ::1, 10.0.0.0/8   addresses, and networks of them
//	example.com:8080            any of these with a port
//	*                           everything
//
// They are compared without case, and *.example.com means .example.com. An exception that is none of these matches nothing.
func ProxyList(proxies []Proxy, except ...string) ProxySelector {
	l := &proxyList{proxies: slices.Clone(proxies)}
	for _, e := range except {
		l.except = append(l.except, parseException(e))
	}
	return l
}

type proxyList struct {
	proxies []Proxy
	except  []proxyException
}

func (l *proxyList) Select(u URL) ([]Proxy, error) {
	for _, e := range l.except {
		if e.matches(u) {
			return nil, nil
		}
	}
	return slices.Clone(l.proxies), nil
}

func (*proxyList) ConnectFailed(URL, Proxy, error) {}

// proxyException is a host, an address or a network, with a port or for all.
type proxyException struct {
	all     bool
	network netip.Prefix
	name    string
	port    int
}

func parseException(s string) (e proxyException) {
	s = strings.TrimSpace(s)
	if s == "*" {
		return proxyException{all: true}
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 && (strings.IndexByte(s, ':') == i || strings.HasSuffix(s[:i], "]")) {
		port, err := strconv.ParseUint(s[i+1:], 10, 16)
		if err != nil || port == 0 {
			return e
		}
		s, e.port = s[:i], int(port)
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = s[1 : len(s)-1]
	}
	if prefix, err := netip.ParsePrefix(s); err == nil {
		e.network = unmapPrefix(prefix).Masked()
		return e
	}
	if ip, err := netip.ParseAddr(s); err == nil {
		ip = ip.Unmap().WithZone("")
		e.network = netip.PrefixFrom(ip, ip.BitLen())
		return e
	}
	if name, ok := canonicalHost(strings.TrimPrefix(strings.TrimPrefix(s, "*"), ".")); ok {
		e.name = strings.TrimSuffix(name, ".")
	}
	return e
}

// unmapPrefix makes a network of IPv4 addresses written as IPv6 ones what it stands for, as hosts are.
func unmapPrefix(p netip.Prefix) netip.Prefix {
	if ip := p.Addr(); ip.Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(ip.Unmap(), p.Bits()-96)
	}
	return p
}

func (e proxyException) matches(u URL) bool {
	if e.all {
		return true
	}
	if e.port != 0 && e.port != u.Port() {
		return false
	}
	host := strings.TrimSuffix(u.Host(), ".")
	if e.network.IsValid() {
		ip, err := netip.ParseAddr(host)
		return err == nil && e.network.Contains(ip)
	}
	if e.name == "" || !strings.HasSuffix(host, e.name) {
		return false
	}
	before := strings.TrimSuffix(host, e.name)
	return before == "" || strings.HasSuffix(before, ".")
}
