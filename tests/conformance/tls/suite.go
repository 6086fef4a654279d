package tls

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"

	"github.com/okhttp-go/ok/okio"
)

// Expect is what a client must make of a server.
type Expect string

// What may be expected.
const (
	Accept Expect = "accept"
	Reject Expect = "reject"
	Policy Expect = "policy" // the standards leave it to the client
)

// Case is one server.
type Case struct {
	Name, Why string
	Host      string // in the URL
	Expect    Expect
	Roots     *x509.CertPool   // what the client trusts
	Config    *tls.Config      // of the server
	Client    *tls.Certificate // what the client shows if it is asked; nil for nothing
}

// Server is a case that runs.
type Server struct {
	Network *okio.Network // where it is
	Addr    netip.AddrPort
	Host    string
	Roots   *x509.CertPool
	Client  *tls.Certificate
}

// Client makes a GET request to https://Host/ of a server and returns nil when the response has arrived whole.
type Client func(Server) error

// Result is what a client did.
type Result struct {
	Case
	Err error // nil if it accepted
}

// OK reports whether that is what it must do.
func (r Result) OK() bool { return r.Expect == Policy || (r.Expect == Accept) == (r.Err == nil) }

// Run puts a client before a server.
func Run(c Case, do Client) (Result, error) {
	addr := netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), 443)
	if ip, err := netip.ParseAddr(c.Host); err == nil {
		addr = netip.AddrPortFrom(ip, 443)
	}
	network := new(okio.Network)
	l, err := network.Listen(addr.String())
	if err != nil {
		return Result{}, err
	}
	config := c.Config.Clone() // package http changes it
	server := &http.Server{
		TLSConfig: config,
		ErrorLog:  log.New(io.Discard, "", 0),
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }),
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(tls.NewListener(l, config)) }()
	r := Result{c, do(Server{Network: network, Addr: addr, Host: c.Host, Roots: c.Roots, Client: c.Client})}
	_ = server.Close()
	if err := <-done; err != http.ErrServerClosed {
		return r, fmt.Errorf("%s: the server ended: %w", c.Name, err)
	}
	return r, nil
}

// url is that of a server.
func (s Server) url() string { return "https://" + net.JoinHostPort(s.Host, "443") + "/" }
