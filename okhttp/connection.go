package okhttp

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/pool"
	"github.com/okhttp-go/ok/okio"
)

// Connection is a connection to a server, as interceptors and listeners see it.
type Connection struct {
	address   address
	route     *Route
	raw       net.Conn  // the transport's
	tls       *tls.Conn // nil in cleartext
	layered   bool      // what is read is not what the transport carries: there is TLS in between
	handshake *Handshake
	verified  [][]*x509.Certificate // chains up to a trusted root; none if trust was not verified

	socket okio.Socket
	http1  *http1Wire
	prober *prober
	cancel func() // frees whatever is blocked on it, for good; made once, so that binding a call to its context allocates no closure

	// What the pool knows.
	pool  *ConnectionPool
	entry *pool.Entry[address, *pooled]
	owner atomic.Pointer[Call] // the call that holds it
	// The rest belongs to the owner.
	served int       // exchanges that came to a good end
	began  time.Time // the current exchange
}

func newConnection(p *connectPlan, secure *tls.Conn) *Connection {
	c := &Connection{address: p.route.address, route: p.route, raw: p.raw, tls: secure, layered: p.layers || secure != nil}
	conn := p.stream
	if secure != nil {
		conn = secure
	}
	c.socket = okio.NewSocket(conn)
	c.http1 = newHTTP1Wire(c, c.socket)
	c.prober = newProber(p.raw)
	c.cancel = func() { c.socket.Cancel(ErrCanceled) }
	return c
}

// Route returns the route of the connection.
func (c *Connection) Route() *Route { return c.route }

// Protocol returns the protocol spoken on the connection.
func (c *Connection) Protocol() Protocol { return HTTP11 }

// Handshake returns what TLS agreed on, nil in cleartext.
func (c *Connection) Handshake() *Handshake { return c.handshake }

// TLS returns the state of TLS, nil in cleartext.
func (c *Connection) TLS() *tls.ConnectionState {
	if c.tls == nil {
		return nil
	}
	state := c.tls.ConnectionState()
	return &state
}

// LocalAddr returns this side's address.
func (c *Connection) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// RemoteAddr returns the other side's address.
func (c *Connection) RemoteAddr() net.Addr { return c.raw.RemoteAddr() }

// close closes the transport at once, without a TLS goodbye that could block.
func (c *Connection) close() { c.socket.Cancel(net.ErrClosed) }

// reusable reports whether another exchange may follow, and makes the connection ready for it.
func (c *Connection) reusable() bool { return c.http1.codec.Next() == nil }

// wire returns what the next exchange goes over.
func (c *Connection) wire() wire { return c.http1 }

// healthy reports whether a connection between two exchanges is still open and silent. A look at the socket is cheap and made each time:
// bytes that nobody asked for are the start of a forged response (RFC 9112 section 9.2). Where there is no looking without taking, a short
// read is made, which costs its time and is left out for a connection that was just used, unless the request must not be lost.
func (c *Connection) healthy(idle time.Duration, repeatable bool) bool {
	switch c.prober.peek() {
	case peekSilent:
		return true
	case peekEnded:
		return false
	case peekBytes:
		// A TLS record came: session tickets are fine, close_notify and data are not. Only TLS itself can tell.
		return c.layered && c.silent()
	}
	return idle <= time.Second && repeatable || c.silent()
}

// silent reads for a millisecond and expects nothing.
func (c *Connection) silent() bool {
	c.http1.source.SetLimit(time.Millisecond)
	c.http1.source.SetDeadline(time.Time{})
	var got okio.Buffer
	_, err := c.socket.Source().ReadBuffer(&got, 1)
	got.Clear()
	return isTimeout(err)
}
