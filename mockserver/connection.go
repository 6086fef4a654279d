package mockserver

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

const (
	stallLimit   = time.Hour
	lingerLimit  = time.Second
	lingerVolume = 1 << 20
)

// connection is one accepted connection. Apart from abort and doing, its methods belong to its goroutine.
type connection struct {
	server  *Server
	index   int
	next    int // index of the next request
	raw     net.Conn
	tls     *tls.Conn // nil without TLS
	socket  okio.Socket
	http    *http1.ServerConn
	over    bool    // raw is closed; nothing is left to do
	tunnel  string  // the destination that a client of a proxy asked for, whose end this is
	opened  bool    // the tunnel was, by the exchange that just ended
	opening opening // what a script does to the handshake of TLS
	handed  bool    // a handler reads from the connection, perhaps at the same time
	bowed   bool    // the end was sent meanwhile
	greeted bool    // an effect at RequestStart had its moment

	cut     atomic.Bool // an effect is what ended it
	current atomic.Pointer[Request]
	session atomic.Pointer[session] // of HTTP/2; nil for HTTP/1.1

	mu       sync.Mutex
	busy     bool // with an exchange; on HTTP/2 the session knows
	draining bool // no further exchange is to begin
}

func newConnection(s *Server, raw net.Conn) *connection {
	return &connection{server: s, raw: raw}
}

// drain lets the exchanges finish that are under way, and no other follow. It may be called by any goroutine.
func (c *connection) drain() {
	if s := c.session.Load(); s != nil {
		s.drain()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining = true; !c.busy {
		_ = c.raw.SetReadDeadline(time.Unix(1, 0)) // frees who waits for a request
	}
}

// limit bounds the time of what comes before the first exchange, unless that is not going to come.
func (c *connection) limit(deadline time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining {
		_ = c.raw.SetDeadline(deadline)
	}
}

// occupy notes that an exchange begins.
func (c *connection) occupy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy = true; c.draining {
		_ = c.raw.SetReadDeadline(time.Time{}) // it began at the same moment
	}
}

// vacate notes that an exchange is over, and reports whether another may begin.
func (c *connection) vacate() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	return !c.draining
}

// abort breaks the connection off. It may be called by any goroutine.
func (c *connection) abort() {
	if s := c.session.Load(); s != nil {
		s.conn.Close() // with a farewell, if the client takes it
		return
	}
	c.reset()
}

// reset breaks the transport connection off.
func (c *connection) reset() {
	if r, ok := c.raw.(interface{ Reset() error }); ok {
		_ = r.Reset() // also frees whoever waits at the other end, as the kernel would
		return
	}
	_ = c.raw.Close()
}

// doing says what the connection is busy with. It may be called by any goroutine.
func (c *connection) doing() string {
	if s := c.session.Load(); s != nil {
		return s.doing()
	}
	if r := c.current.Load(); r != nil {
		return r.String()
	}
	return "no request"
}

// newRequest begins the record of a request.
func (c *connection) newRequest() *Request {
	r := &Request{ConnIndex: c.index, Index: c.next, LocalAddr: c.raw.LocalAddr(), RemoteAddr: c.raw.RemoteAddr(), Tunnel: c.tunnel, chance: c.server.dice}
	if c.tls != nil {
		state := c.tls.ConnectionState()
		r.TLS = &state
	}
	return r
}

// record counts and keeps a request.
func (c *connection) record(r *Request) {
	c.next++
	c.current.Store(r)
	c.server.journal.record(r)
}

// serve runs the connection from its beginning to its end.
func (c *connection) serve(ctx context.Context) {
	defer c.server.forget(c)
	defer c.raw.Close()
	defer func() {
		if p := recover(); p != nil { // of a body, most likely; the response cannot be mended any more
			c.server.fault(newPanicError("dispatcher or body", p).answering(c.current.Load()))
		}
	}()
	if !c.begin() {
		return
	}
	for conn := c.socks(c.raw); conn != nil; {
		conn = c.serveLayer(ctx, conn)
	}
}

// idle waits until the peer ends or breaks the connection, the server closes, or an hour is over. What the peer sends is dropped. With
// deaf nothing is read, and so nothing learned of the peer.
func (c *connection) idle(ctx context.Context, deaf bool) {
	if deaf {
		_ = sleep(ctx, stallLimit)
		return
	}
	_ = c.raw.SetReadDeadline(time.Now().Add(stallLimit))
	waste := make([]byte, 4<<10)
	for {
		if _, err := c.raw.Read(waste); err != nil {
			return
		}
	}
}

// linger closes the connection in a way that lets the client read the response although it may be sending still: a plain close with
// bytes unread makes the kernel reset the connection, which would destroy what the client has not read (RFC 9112 section 9.6).
func (c *connection) linger() {
	if err := c.socket.Sink().Close(); err != nil {
		return
	}
	drained(c.http.Source())
}

// bid closes a connection over which no HTTP was spoken in the same way.
func (c *connection) bid(conn net.Conn) {
	s := okio.NewSocket(conn)
	if s.Sink().Close() == nil {
		drained(okio.NewBufferedSource(s.Source()))
	}
}

// drained reads what comes, for a moment, and closes the source.
func drained(source *okio.BufferedSource) {
	source.Timeout().SetDeadline(time.Now().Add(lingerLimit))
	var waste okio.Buffer
	for left := int64(lingerVolume); left > 0; {
		n, err := source.ReadBuffer(&waste, left)
		if waste.Clear(); err != nil {
			break
		}
		left -= n
	}
	_ = source.Close()
}

// A panicError is a panic of user code.
type panicError struct {
	where   string
	value   any
	stack   []byte
	request *Request // nil if that is not known
}

func newPanicError(where string, value any) *panicError {
	return &panicError{where, value, debug.Stack(), nil}
}

// answering is the error with the request that had to do with it.
func (e *panicError) answering(r *Request) *panicError {
	named := *e
	named.request = r
	return &named
}

func (e *panicError) Error() string {
	what := e.short().Error()
	if e.request != nil {
		what += "\nin answer to " + e.request.String()
	}
	return what + "\n" + string(e.stack)
}

// short leaves the stack out, which does not belong on the wire.
func (e *panicError) short() error {
	return fmt.Errorf("mockserver: panic in the %s: %v", e.where, e.value)
}
