package okhttp

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"unique"
)

// Proxy is what stands between the client and a server. It is a comparable value; its zero value is [Direct].
type Proxy struct {
	kind  proxyKind
	host  string // canonical; IPv6 without brackets
	port  int
	login unique.Handle[proxyLogin] // its zero value is none
	path  string                    // of a Unix domain socket

	toHost string // what is connected to instead of the URL's host, "" for none; canonical, IPv6 without brackets
	toPort int    // instead of the URL's port, 0 for none
}

// proxyLogin is a user name and a password. It is kept behind a handle because those compare by what they hold and print as an address, from
// inside of other values too.
type proxyLogin struct{ user, password string }

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
//	direct            no proxy, as in direct:// and in direct alone
//
// Without a scheme it is http. User name and password, percent-encoded, are sent as Basic credentials to HTTP proxies and as those of RFC 1929
// to SOCKS proxies. The path of a socket is percent-encoded too. The error is a [*URLError], which does not show what may be a password.
func ParseProxy(s string) (Proxy, error) {
	p, part, detail := parseProxy(s)
	if part != "" {
		return Direct, &URLError{Input: redactInput(s), Part: part, Detail: "invalid proxy: " + detail}
	}
	return p, nil
}

// parseProxy names the part that is wrong, and what is wrong with it.
func parseProxy(s string) (p Proxy, part, detail string) {
	if s == "direct" {
		return Direct, "", ""
	}
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || strings.Contains(scheme, ":") { // it is of a password
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return p, "host", "it is not a URL"
	}
	extra := u.RawQuery != "" || u.ForceQuery || u.Fragment != ""
	switch strings.ToLower(u.Scheme) {
	case "direct":
		if u.Host != "" || u.User != nil || u.Path != "" || extra {
			return p, "host", "expected nothing after direct://"
		}
		return Direct, "", ""
	case "unix":
		if u.Host != "" || u.User != nil || u.Path == "" || extra || strings.Contains(u.Path, "\x00") {
			return p, "path", "expected unix:// and an absolute path"
		}
		return UnixSocket(u.Path), "", ""
	case "http":
		p.kind, p.port = proxyHTTP, 80
	case "https":
		p.kind, p.port = proxyHTTPS, 443
	case "socks5":
		p.kind, p.port = proxySOCKS5, 1080
	case "socks5h":
		p.kind, p.port = proxySOCKS5H, 1080
	default:
		return p, "scheme", "expected http, https, socks5, socks5h, unix or direct as the scheme"
	}
	host, ok := canonicalHost(bracketed(u.Hostname()))
	if p.host = strings.Trim(host, "[]"); !ok || p.host == "" {
		return p, "host", "expected a host name or an IP address"
	}
	if port := u.Port(); port != "" {
		if p.port, err = strconv.Atoi(port); err != nil || p.port < 1 || p.port > 65535 {
			return p, "port", "expected a port from 1 to 65535"
		}
	}
	if u.Path != "" && u.Path != "/" || extra {
		return p, "path", "expected nothing after the port"
	}
	return p.withLogin(u.User)
}

// withLogin adds credentials, if there are any and they can be sent.
func (p Proxy) withLogin(info *url.Userinfo) (_ Proxy, part, detail string) {
	login := proxyLogin{user: info.Username()}
	login.password, _ = info.Password()
	if login == (proxyLogin{}) {
		return p, "", ""
	}
	p.login = unique.Make(login)
	if p.speaksHTTP() {
		if _, err := p.basic(); err != nil {
			return p, "userinfo", "the user name or the password cannot be sent as Basic credentials (RFC 7617)"
		}
	} else if len(login.user) > 255 || len(login.password) > 255 || login.user == "" {
		return p, "userinfo", "SOCKS user names and passwords have 1 to 255 bytes (RFC 1929)"
	}
	return p, "", ""
}

// UnixSocket reaches servers over a Unix domain socket. Requests are the same as over TCP; the host of the URL goes into the Host header,
// and into TLS, but is not resolved.
func UnixSocket(path string) Proxy { return Proxy{kind: proxyUnix, path: path} }

// IsDirect reports whether p is no proxy.
func (p Proxy) IsDirect() bool { return p.kind == proxyDirect }

// Scheme returns "http", "https", "socks5", "socks5h", "unix" or "direct".
func (p Proxy) Scheme() string { return proxySchemes[p.kind] }

// String returns the URL of the proxy, with its port and without credentials.
func (p Proxy) String() string {
	switch p.kind {
	case proxyDirect:
		return "direct"
	case proxyUnix:
		return "unix://" + (&url.URL{Path: p.path}).EscapedPath()
	}
	return p.Scheme() + "://" + p.hostPort()
}

// GoString returns what String does, for %#v.
func (p Proxy) GoString() string { return p.String() }

// credentials returns user name and password, "" where there are none.
func (p Proxy) credentials() (user, password string) {
	if p.login == (unique.Handle[proxyLogin]{}) {
		return "", ""
	}
	login := p.login.Value()
	return login.user, login.password
}

// hostPort returns what is connected to.
func (p Proxy) hostPort() string { return net.JoinHostPort(p.host, strconv.Itoa(p.port)) }

// speaksHTTP reports whether the proxy understands requests: absolute targets for http, CONNECT for https.
func (p Proxy) speaksHTTP() bool { return p.kind == proxyHTTP || p.kind == proxyHTTPS }

// basic returns the credentials of an HTTP proxy as a header value, "" if there are none.
func (p Proxy) basic() (string, error) {
	user, password := p.credentials()
	if !p.speaksHTTP() || user == "" && password == "" {
		return "", nil
	}
	return BasicCredentials(user, password, credentialsUTF8)
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
	// ConnectFailed is told when a proxy could not be connected to, did not do what its protocol asks of it, or failed the first exchange over
	// it. Refusing a tunnel is not among that. It runs on the goroutine of the call.
	ConnectFailed(u URL, p Proxy, err error)
}

// ProxySelectorFunc makes a [ProxySelector] of a function.
type ProxySelectorFunc func(u URL) ([]Proxy, error)

// Select calls f.
func (f ProxySelectorFunc) Select(u URL) ([]Proxy, error) { return f(u) }

// ConnectFailed does nothing.
func (ProxySelectorFunc) ConnectFailed(URL, Proxy, error) {}
