package okhttp

import (
	"strconv"
	"strings"
)

// ConnectTo returns p leading to another host and port than those of the URL, as curl's --connect-to does: with [Direct] that is what is connected to, with a
// proxy what it is asked for. An HTTP proxy is asked for a tunnel then, for http URLs too. "" and 0 leave the host, or the port, that the URL has; both undo
// an earlier ConnectTo. A Unix domain socket has nothing to look up, and stays what it is.
//
// Everything else goes on by the URL: the Host header, the name in TLS that the certificate is checked for, pins, cookies, redirects, and which calls share
// connections. It serves to try a server before names lead to it. With a [ProxySelector] it is so for some URLs alone:
//
//	okhttp.ProxySelectorFunc(func(u okhttp.URL) ([]okhttp.Proxy, error) {
//		if u.Host() == "example.com" {
//			return []okhttp.Proxy{staging}, nil // of Direct.ConnectTo("staging.example.com", 8443)
//		}
//		return nil, nil
//	})
//
// The host is a name, which the client's [DNS] is asked for, or an IP address, in brackets or without. The error is a [*URLError].
func (p Proxy) ConnectTo(host string, port int) (Proxy, error) {
	if port < 0 || port > 65535 {
		return Direct, &URLError{Part: "port", Detail: "invalid target of a proxy: expected a port from 1 to 65535, or 0 for that of the URL, but got " + strconv.Itoa(port)}
	}
	if host != "" {
		plain := host
		if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
			plain = host[1 : len(host)-1]
		}
		canonical, ok := canonicalHost(bracketed(plain))
		if canonical = strings.Trim(canonical, "[]"); !ok || canonical == "" {
			return Direct, &URLError{Input: redactInput(host), Part: "host", Detail: "invalid target of a proxy: expected a host name or an IP address"}
		}
		host = canonical
	}
	if p.kind != proxyUnix {
		p.toHost, p.toPort = host, port
	}
	return p, nil
}

// leads returns the host and the port at the end of the way: those of the URL, unless there are others.
func (p *Proxy) leads(a *address) (host string, port int) {
	host, port = a.host, a.port
	if p.toHost != "" {
		host = p.toHost
	}
	if p.toPort != 0 {
		port = p.toPort
	}
	return host, port
}

// astray reports whether these are not what the URL names.
func (p *Proxy) astray(a *address) bool {
	host, port := p.leads(a)
	return host != a.host || port != a.port
}
