package okhttp

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Proxy is what stands between the client and a server. It is a comparable value; its zero value is [Direct].
type Proxy struct {
	kind     proxyKind
	host     string // canonical; IPv6 without brackets
	port     int
	user     string
	password string
	path     string // of a Unix domain socket
}

type proxyKind uint8

const (
	proxyDirect proxyKind = iota
	proxyHTTP
	proxyHTTPS
	proxySOCKS5
	proxySOCKS5H
	proxyUnix
)

var proxySchemes = [...]string{"direct", "http", "https", "socks5", "socks5h", "unix"}

// Direct is no proxy: connections go to the server itself.
var Direct Proxy

// ParseProxy reads a proxy's URL. The schemes are
//
//	http, https       an HTTP proxy, reached in cleartext or over TLS (RFC 9110 section 9.3.6); ports 80 and 443
//	socks5, socks5h   SOCKS version 5 (RFC 1928), where host names are resolved here, or by the proxy; port 1080
//	unix              a Unix domain socket that the server itself listens on, as in unix:///run/docker.sock
//	direct            no proxy
//
// Without a scheme it is http. User name and password, percent-encoded, are sent as Basic credentials to HTTP proxies and as those of RFC 1929
// to SOCKS proxies. The error is a [*URLError].
func ParseProxy(s string) (Proxy, error) {
	bad := func(part, detail string) (Proxy, error) {
		return Direct, &URLError{Input: redactInput(s), Part: part, Detail: "invalid proxy: " + detail}
	}
	text := s
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return bad("host", "it is not a URL")
	}
	p := Proxy{}
	switch scheme := strings.ToLower(u.Scheme); scheme {
	case "direct":
		return Direct, nil
	case "unix":
		if p = UnixSocket(u.Path); u.Host != "" || p.path == "" {
			return bad("path", "expected unix:// and an absolute path")
		}
		return p, nil
	case "http":
		p.kind, p.port = proxyHTTP, 80
	case "https":
		p.kind, p.port = proxyHTTPS, 443
	case "socks5":
		p.kind, p.port = proxySOCKS5, 1080
	case "socks5h":
		p.kind, p.port = proxySOCKS5H, 1080
	default:
		return bad("scheme", "expected http, https, socks5, socks5h, unix or direct as the scheme")
	}
	host, ok := canonicalHost(bracketed(u.Hostname()))
	if p.host = strings.Trim(host, "[]"); !ok || p.host == "" {
		return bad("host", "expected a host name or an IP address")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 {
			return bad("port", "expected a port from 1 to 65535")
		}
		p.port = n
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return bad("path", "expected nothing after the port")
	}
	p.user = u.User.Username()
	p.password, _ = u.User.Password()
	switch {
	case p.speaksHTTP():
		if _, err := p.basic(); err != nil {
			return bad("userinfo", "the user name cannot be sent as Basic credentials (RFC 7617)")
		}
	case len(p.user) > 255 || len(p.password) > 255 || p.password != "" && p.user == "":
		return bad("userinfo", "SOCKS user names and passwords have 1 to 255 bytes (RFC 1929)")
	}
	return p, nil
}

// UnixSocket reaches servers over a Unix domain socket. Requests are the same as over TCP; the host of the URL goes into the Host header,
// and into TLS, but is not resolved.
func UnixSocket(path string) Proxy { return Proxy{kind: proxyUnix, path: path} }

// IsDirect reports whether p is no proxy.
func (p Proxy) IsDirect() bool { return p.kind == proxyDirect }

// Scheme returns "http", "https", "socks5", "socks5h", "unix" or "direct".
func (p Proxy) Scheme() string { return proxySchemes[p.kind] }

// String returns the URL of the proxy, without credentials.
func (p Proxy) String() string {
	switch p.kind {
	case proxyDirect:
		return "direct"
	case proxyUnix:
		return "unix://" + p.path
	}
	return p.Scheme() + "://" + p.hostPort()
}

// hostPort returns what is connected to.
func (p Proxy) hostPort() string { return net.JoinHostPort(p.host, strconv.Itoa(p.port)) }

// speaksHTTP reports whether the proxy understands requests: absolute targets for http, CONNECT for https.
func (p Proxy) speaksHTTP() bool { return p.kind == proxyHTTP || p.kind == proxyHTTPS }

// basic returns the credentials of an HTTP proxy as a header value, "" if there are none.
func (p Proxy) basic() (string, error) {
	if !p.speaksHTTP() || p.user == "" && p.password == "" {
		return "", nil
	}
	return BasicCredentials(p.user, p.password, "utf-8")
}

// bracketed puts an IPv6 address into brackets.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// ProxySelector chooses the proxies for a URL. Implementations are safe for concurrent use.
//
// Calls share connections only if they have the same selector: the same value where it is comparable, otherwise the same option.
type ProxySelector interface {
	// Select returns the proxies to try, in order; none means [Direct], which is not tried after others unless it is in the list. An error
	// fails the call.
	Select(u URL) ([]Proxy, error)
	// ConnectFailed is told when a proxy could not be reached, or failed the first exchange over it. It runs on the goroutine of the call.
	ConnectFailed(u URL, p Proxy, err error)
}

// ProxySelectorFunc makes a [ProxySelector] of a function.
type ProxySelectorFunc func(u URL) ([]Proxy, error)

// Select calls f.
func (f ProxySelectorFunc) Select(u URL) ([]Proxy, error) { return f(u) }

// ConnectFailed does nothing.
func (ProxySelectorFunc) ConnectFailed(URL, Proxy, error) {}
