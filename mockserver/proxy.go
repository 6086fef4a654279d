package mockserver

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/okhttp/http1"
)

// InTunnel makes the response one of a proxy: it answers a request before TLS, CONNECT for one. After 2xx to CONNECT the connection is a tunnel
// whose other end is this server too, which goes on with TLS, if it has that, and the requests within. [Request.Tunnel] tells those. The response
// must be enqueued, or known to a [Peeker], when the connection is accepted. For a proxy that needs no script see [WithHTTPProxy].
func (r Response) InTunnel() Response {
	r.tunnel = true
	return r
}

// WithHTTPProxy makes the server an HTTP proxy, to all destinations, which lead back to the server: it answers CONNECT by itself with 200, or 407
// if a user and a password are given and the client does not show them (Basic, RFC 7617). In the tunnel follow TLS, if the server has that, and
// requests as usual. The client may speak TLS to the proxy itself, and speaks HTTP/1.1 with it: CONNECT over HTTP/2 is a request as others. Requests to the proxy are recorded; CONNECT takes no response from the queue,
// and others get 407 too. CONNECT to what is no host with a port is answered with 400, and recorded with that Failure. [Request.Tunnel] and [Request.Target], an absolute URL of requests in cleartext, tell what the client wanted.
func WithHTTPProxy(user, password string) Option {
	return option(func(c *config) { c.proxy = &login{user, password} })
}

// login is what a client of a proxy has to show, unless both are empty.
type login struct{ user, password string }

func (l *login) needed() bool { return l.user != "" || l.password != "" }

// fits compares without telling by its time how much was right.
func (l *login) fits(user, password string) bool {
	a := subtle.ConstantTimeCompare([]byte(user), []byte(l.user))
	return a&subtle.ConstantTimeCompare([]byte(password), []byte(l.password)) == 1
}

// fitsBasic reads a field Proxy-Authorization.
func (l *login) fitsBasic(field string) bool {
	scheme, coded, _ := strings.Cut(field, " ")
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(coded))
	user, password, ok := strings.Cut(string(plain), ":")
	return strings.EqualFold(scheme, "Basic") && err == nil && ok && l.fits(user, password)
}

// proxied returns the answer of a proxy that needs no script to a request, nil if the request is not for it to answer.
func (c *connection) proxied(r *Request) *Response {
	proxy := c.server.cfg.proxy
	if proxy == nil || c.tunnel != "" || c.atOrigin(r) {
		return nil
	}
	if proxy.needed() && !proxy.fitsBasic(r.Headers.Get("Proxy-Authorization")) {
		resp := Reply(407).Reason("Proxy Authentication Required").Header("Proxy-Authenticate", `Basic realm="mockserver"`)
		return &resp
	}
	if r.Method == "CONNECT" {
		resp := Reply(200).Reason("Connection established").InTunnel()
		return &resp
	}
	return nil
}

// tunnelFault is what makes the target of CONNECT to a proxy that needs no script one that no tunnel can lead to: it is a host and a port (RFC 9110
// section 9.3.6), and anything else is answered with 400.
func (c *connection) tunnelFault(r *Request) error {
	if c.server.cfg.proxy == nil || c.tunnel != "" || r.Method != "CONNECT" {
		return nil
	}
	host, port, err := net.SplitHostPort(r.Target)
	n, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" || wrong != nil || n == 0 || !validHost(r.Target) {
		return &http1.ProtocolError{Detail: fmt.Sprintf("expected host:port after CONNECT, with a port of 1 to 65535, but got %q", target.Shown(r.Target))}
	}
	return nil
}

// atOrigin reports whether a request is to the server itself and not to the proxy that it is.
func (c *connection) atOrigin(r *Request) bool {
	return r.Method != "CONNECT" && !strings.Contains(r.Target, "://")
}

// ProxyURL returns the URL of the server as a proxy, without credentials: "socks5://…" with [WithSOCKS5], and "http://…" otherwise, also for a server
// with TLS. Before [Server.Start] it panics, as URL does.
func (s *Server) ProxyURL() string {
	u, err := url.Parse(s.URL("/"))
	if err != nil {
		panic(err) // a host of WithHost that is none
	}
	if u.Scheme = "http"; s.cfg.socks != nil {
		u.Scheme = "socks5"
	}
	return u.Scheme + "://" + u.Host
}
