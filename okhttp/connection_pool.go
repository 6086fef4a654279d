package okhttp

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/pool"
)

// ConnectionPool keeps connections for reuse. It is safe for concurrent use and may be shared by clients; calls share connections
// when host, port and scheme are the same, and everything that decides how to get there: DNS, dialer, proxy or selector, proxy authenticator,
// and for https the TLS configuration, hostname verifier, pins and connection specs. Behind an HTTP proxy, web sockets without TLS and other calls do
// not share.
type ConnectionPool struct {
	p        *pool.Pool[address, *pooled]
	listener *ConnectionListener // never nil
	logger   *slog.Logger        // nil: the default one

	background background // resolves and connects for policies

	mu      sync.Mutex
	leaks   []*exchange // whose response was dropped
	leaking atomic.Bool
}

// PoolConfig configures a [ConnectionPool]. Its zero value means the defaults.
type PoolConfig struct {
	MaxIdle   int                 // connections kept idle in all. 0: 5; negative: keep none
	KeepAlive time.Duration       // how long a connection is kept idle. 0 and less: 5 minutes
	MaxAge    time.Duration       // how long after its making a connection may take another call. 0 and less: unlimited
	Listener  *ConnectionListener // is told of all connections of the pool. nil: none
}

// NewConnectionPool makes a pool. It may be given to any number of clients by [WithPool], and is closed by whoever made it.
func NewConnectionPool(c PoolConfig) *ConnectionPool {
	switch {
	case c.MaxIdle == 0:
		c.MaxIdle = 5
	case c.MaxIdle < 0:
		c.MaxIdle = 0
	}
	if c.KeepAlive <= 0 {
		c.KeepAlive = 5 * time.Minute
	}
	p := &ConnectionPool{listener: c.Listener}
	if p.listener == nil {
		p.listener = new(ConnectionListener)
	}
	p.p = pool.New[address](pool.Config[*pooled]{
		MaxIdle: c.MaxIdle, KeepAlive: c.KeepAlive, MaxAge: c.MaxAge,
		Prune: p.reap, Closed: p.closed, Panicked: p.panicked,
	})
	return p
}

// PoolStats counts what a pool holds at one moment. All of its zero is an empty pool.
type PoolStats struct {
	Connections int // in use and idle
	Idle        int // of the connections, held by no call
	Streams     int // calls that hold a connection
}

// Stats returns the counts of this moment, taken together. It may be called from any goroutine.
func (p *ConnectionPool) Stats() PoolStats {
	all, idle, calls := p.p.Stats()
	return PoolStats{Connections: all, Idle: idle, Streams: calls}
}

// EvictAll closes the idle connections. Those in use are not touched; those of addresses with a policy are opened anew.
func (p *ConnectionPool) EvictAll() { p.p.EvictIdle() }

// Close closes the idle connections, ends all policies and keeps no connection from now on. Calls go on: each closes its connection when it
// is done. A pool that a client made for itself is closed with the client; one that was made by [NewConnectionPool] and has policies, or
// whose connections should not stay open for the rest of the keep-alive, is closed by whoever made it. Close waits for what resolves and connects
// for policies, which a [Dialer] or [DNS] that ignores the end of its context holds up. It returns nil.
func (p *ConnectionPool) Close() error {
	defer p.background.settle()
	defer p.p.Close() // also if a listener of what was leaked panics
	p.reap()
	return nil
}

// add puts the connection of a call into the pool.
func (p *ConnectionPool) add(c *Connection) {
	p.place(c)
	p.p.Add(c.entry)
	c.settled()
}

// place makes the place of a connection in the pool. It is there before others can come to the connection.
func (p *ConnectionPool) place(c *Connection) {
	c.pool = p
	c.entry = pool.NewEntry(c.address, &pooled{c}, c.streams())
}

// retire lets no further call have a connection.
func (p *ConnectionPool) retire(c *Connection, call *Call, reason string) {
	p.p.Retire(c.entry, func() {
		if f := p.listener.NoNewExchanges; f != nil {
			f(PoolEvent{Connection: c, Call: call, Reason: reason})
		}
	})
}

// discard ends the hold of a call on a connection that turned out to be closed by the other side.
func (p *ConnectionPool) discard(c *Connection) {
	defer p.p.Release(c.entry) // also if the listener panics
	p.retire(c, nil, "the server closed it, or sent what nobody asked for")
}

// giveBack ends the hold of a call on a connection, and reports whether that is idle in the pool now. The listener hears of it before another
// call can get the connection.
func (p *ConnectionPool) giveBack(c *Connection, call *Call) (idle bool) {
	defer func() { // also if the listener panics
		if _, idle = p.p.Release(c.entry); idle && p.listener.Idle != nil {
			p.listener.Idle(PoolEvent{Connection: c})
		}
	}()
	if f := p.listener.Released; f != nil {
		f(PoolEvent{Connection: c, Call: call})
	}
	return idle
}

// addUnless puts a connection of a call over HTTP/2 into the pool, unless another one there, over HTTP/2 too, can carry the call: then that one is
// held.
func (p *ConnectionPool) addUnless(c *Connection) (held *Connection) {
	p.place(c)
	other, added := p.p.AddUnless(c.entry, func(other *pooled) bool { return other.http2 != nil })
	if !added {
		return other.Conn.Connection
	}
	c.settled()
	return nil
}

// refuse closes a connection that did not come into the pool.
func (p *ConnectionPool) refuse(c *Connection, reason string) {
	c.close()
	p.closed(&pooled{c}, pool.CloseReason(reason))
}

// panicked tells of a panic on a goroutine where nobody else is.
func (p *ConnectionPool) panicked(v any) {
	logger := p.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.Error("okhttp: panic in the background of a connection pool", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
}

// pooled is a connection as its pool sees it: closing is not a method that users of [Connection] should find.
type pooled struct{ *Connection }

// Close implements pool.Conn.
func (c *pooled) Close() error {
	c.close()
	return nil
}
