package okhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
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
	http1  *http1Wire // of the two one is nil
	http2  *http2.Conn
	prober *prober
	cancel func() // frees whatever is blocked on it, for good; made once, so that binding a call to its context allocates no closure

	spare [1]byte

	// What the pool knows.
	pool    *ConnectionPool
	entry   *pool.Entry[address, *pooled]
	owner   atomic.Pointer[Call] // the call that holds it, over HTTP/1.1
	calls   callSet              // those that do, over HTTP/2
	placed  atomic.Bool          // pool and entry are set
	heard   chan struct{}        // closed once the other side has sent its settings, or the connection has ended; nil over HTTP/1.1
	hearing sync.Once
	apart   atomic.Bool  // it is not used for other hosts than its own
	served  atomic.Int64 // exchanges that came to a good end
	refused atomic.Int64 // streams that the server refused
	failed  atomic.Bool  // so that its route is not worth another try
}

// callSet is the calls that hold a connection. Each knows its place in it.
type callSet struct {
	mu    sync.Mutex
	calls []*Call
}

func (s *callSet) add(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.place = len(s.calls)
	s.calls = append(s.calls, c)
}

// remove takes out a call that is there.
func (s *callSet) remove(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.calls) - 1
	s.calls[c.place] = s.calls[last]
	s.calls[c.place].place = c.place
	s.calls[last] = nil
	s.calls = s.calls[:last]
}

// several reports whether there is more than one.
func (s *callSet) several() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls) > 1
}

// of returns those of a client.
func (s *callSet) of(client *Client) (list []*Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.client == client {
			list = append(list, c)
		}
	}
	return list
}

func newConnection(p *connectPlan, secure *tls.Conn) *Connection {
	c := &Connection{address: p.route.address, route: p.route, raw: p.raw, tls: secure, layered: p.layers || secure != nil, prober: newProber(p.raw)}
	conn := p.stream
	if secure != nil {
		conn = secure
	}
	if p.route.address.priorKnowledge() || secure != nil && secure.ConnectionState().NegotiatedProtocol == string(HTTP2) {
		c.heard = make(chan struct{})
		c.http2 = http2.NewClient(conn, p.planner.cfg.http2For(c))
		return c
	}
	c.socket = okio.NewSocket(conn)
	c.http1 = newHTTP1Wire(c, c.socket)
	c.cancel = func() { c.socket.Cancel(ErrCanceled) }
	return c
}

// streams is how many calls the connection can carry at a time.
func (c *Connection) streams() int {
	if c.http2 == nil {
		return 1
	}
	return c.http2.MaxStreams()
}

// greet sends the client's preface of HTTP/2 and waits for the server's, which says how many streams it allows.
func (c *Connection) greet(ctx context.Context, limit time.Duration) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	c.http2.Flush()
	select {
	case <-c.heard:
		return c.http2.Closing()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// settled notes that the connection has its place in the pool.
func (c *Connection) settled() {
	if c.placed.Store(true); c.http2 != nil {
		c.review()
	}
}

// changed is told by an HTTP/2 connection that the other side lets something else happen on it from now on.
func (c *Connection) changed() {
	c.hearing.Do(func() { close(c.heard) })
	if c.placed.Load() { // otherwise it is looked at when it has its place
		c.review()
	}
}

// review has the pool know what the other side of an HTTP/2 connection lets happen on it. It may run on any goroutine, and on one that others
// wait for to read: panics of listeners do not pass.
func (c *Connection) review() {
	defer func() {
		if v := recover(); v != nil {
			c.pool.panicked(v)
		}
	}()
	switch err := c.http2.Closing(); {
	case err != nil:
		c.pool.retire(c, nil, err.Error())
	default:
		c.pool.p.SetLimit(c.entry, c.http2.MaxStreams())
	}
}

// Route returns the route of the connection.
func (c *Connection) Route() *Route { return c.route }

// Protocol returns the protocol spoken on the connection.
func (c *Connection) Protocol() Protocol {
	if c.http2 != nil {
		return HTTP2
	}
	return HTTP11
}

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
func (c *Connection) close() {
	if c.http2 != nil {
		c.http2.Close()
		return
	}
	c.socket.Cancel(net.ErrClosed)
}

// reusable reports whether another exchange may follow, and makes the connection ready for it.
func (c *Connection) reusable() bool {
	if c.http2 != nil {
		return c.http2.Closing() == nil
	}
	return !c.http1.switched() && c.http1.codec.Next() == nil
}

// crowded reports whether the server lowered its limit of streams below the calls that hold the connection. Those who go on first make room.
func (c *Connection) crowded() bool { return c.http2 != nil && c.pool.p.Crowded(c.entry) }

// unfit lets no other exchange follow, over HTTP/1.1. A connection over HTTP/2 knows by itself.
func (c *Connection) unfit() {
	if c.http1 != nil {
		c.http1.spend()
	}
}

// wire returns what the next exchange goes over.
func (c *Connection) wire() wire {
	if c.http2 != nil {
		return &http2Wire{conn: c}
	}
	return c.http1
}

// risk is what becomes of a request whose connection turns out to be at its end.
type risk uint8

const (
	noRisk   risk = iota // it is sent again
	sentRisk             // it is sent again if the server has not acted on it, which HTTP/1.1 cannot tell
	fullRisk             // it fails
)

// risk returns what becomes of the request if its connection turns out to be at its end.
func (r *Request) risk(cfg *config) risk {
	switch {
	case !cfg.retry, r.body != nil && (r.body.IsOneShot() || r.body.IsDuplex()):
		return fullRisk
	case !r.repeatable():
		return sentRisk
	}
	return noRisk
}

// healthy reports whether a connection between two exchanges is still open and silent. A look at the socket is cheap and made each time:
// bytes that nobody asked for are the start of a forged response (RFC 9112 section 9.2). Where there is no looking without taking, a short
// read is made, which costs its time and is left out for a connection that was just used, unless the request must not be lost.
func (c *Connection) healthy(idle time.Duration, r risk) bool {
	switch {
	case c.http2 != nil:
		return c.heedful(r)
	case c.layered && !c.drained():
		return false
	}
	switch c.prober.peek() {
	case peekSilent:
		return true
	case peekEnded:
		return false
	case peekBytes:
		// A TLS record came: session tickets are fine, close_notify and data are not. Only TLS itself can tell.
		return c.layered && c.silent()
	}
	return idle <= time.Second && r == noRisk || c.silent()
}

// mostHeeded is how many reads of what came meanwhile a call makes before it uses a connection over HTTP/2: a server that has that much to say is there.
const mostHeeded = 16

// heedful takes what came over HTTP/2 since somebody read, and reports whether the connection takes a call after that. While streams wait somebody
// always reads, and after a moment of silence a goroutine does; in between, a goodbye (RFC 9113 section 6.8) or the end may lie in the socket. It is looked
// for as far as the request depends on it, because a look costs as much as a twentieth of a small call: not at all if it is sent again in any case; in the
// socket, by a short read where there is no looking without taking, if an end without a goodbye would be its failure; in what TLS holds back as well if
// nothing is sent again.
func (c *Connection) heedful(r risk) bool {
	if r == noRisk {
		return c.http2.Usable()
	}
	for range mostHeeded {
		if !c.http2.Usable() {
			return false
		}
		if c.http2.Attended() {
			return true
		}
		wait := time.Millisecond // a part of a record of TLS may be all that there is
		if c.prober.peek() == peekSilent {
			if wait = 0; r != fullRisk || !c.layered {
				return true
			}
		}
		if !c.http2.CatchUp(wait) {
			break
		}
	}
	return c.http2.Usable()
}

// drained reports whether TLS holds nothing back: what it has taken off the socket with an earlier record cannot be seen there. It does not wait,
// and leaves the socket alone.
func (c *Connection) drained() bool {
	c.http1.source.SetLimit(0)
	c.http1.source.SetDeadline(longAgo)
	_, err := c.socket.Source().(io.Reader).Read(c.spare[:])
	return isTimeout(err)
}

var longAgo = time.Unix(1, 0)

// silent reads for a millisecond and expects nothing.
func (c *Connection) silent() bool {
	c.http1.source.SetLimit(time.Millisecond)
	c.http1.source.SetDeadline(time.Time{})
	var got okio.Buffer
	_, err := c.socket.Source().ReadBuffer(&got, 1)
	got.Clear()
	return isTimeout(err)
}
