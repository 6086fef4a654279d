package okhttp

import (
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okhttp/internal/pool"
)

// ConnectionListener observes the connections of a pool, those among them that belong to no call. Hooks left nil cost nothing. They run
// synchronously: on the goroutine of the call, of the policy that opens a connection, or of the pool's timer. No lock is held while one
// runs. They must be quick and safe for concurrent use, and must not close the pool or a client. A panic of one passes to the caller of the
// client; where there is none, it is logged.
type ConnectionListener struct {
	ConnectStart   func(ConnectionAttempt)
	ConnectFailed  func(ConnectionAttempt) // also for an attempt that another one overtook
	ConnectEnd     func(ConnectionAttempt)
	Acquired       func(PoolEvent)
	Released       func(PoolEvent)
	Idle           func(PoolEvent) // no call holds the connection any more, and it stays in the pool
	NoNewExchanges func(PoolEvent) // no further call gets the connection
	Closed         func(PoolEvent)
	ReceiveWindow  func(WindowEvent) // content came over HTTP/2, or the server was given room for more
}

type (
	// ConnectionAttempt is the connecting over one route.
	ConnectionAttempt struct {
		Call       *Call // nil for a connection that a policy opens
		Route      *Route
		Connection *Connection // at the end
		Err        error       // of a failure
	}
	// PoolEvent is what happens to a connection.
	PoolEvent struct {
		Connection *Connection
		Call       *Call  // nil if it concerns none
		Reason     string // of closing, and of taking no further call
	}
	// WindowEvent is the state of a window for content that is received over HTTP/2 (RFC 9113 section 5.2): of one stream, or of the connection.
	// Those of one connection come from the goroutines that read it, in the order of what happened as a rule.
	WindowEvent struct {
		Connection *Connection
		http2.Window
	}
)

func (p *ConnectionPool) connecting(call *Call, r *Route) {
	if f := p.listener.ConnectStart; f != nil {
		f(ConnectionAttempt{Call: call, Route: r})
	}
}

func (p *ConnectionPool) connectFailed(call *Call, r *Route, err error) {
	if f := p.listener.ConnectFailed; f != nil {
		f(ConnectionAttempt{Call: call, Route: r, Err: err})
	}
}

func (p *ConnectionPool) connected(call *Call, c *Connection) {
	if f := p.listener.ConnectEnd; f != nil {
		f(ConnectionAttempt{Call: call, Route: c.route, Connection: c})
	}
}

func (p *ConnectionPool) acquired(call *Call, c *Connection) {
	if f := p.listener.Acquired; f != nil {
		f(PoolEvent{Connection: c, Call: call})
	}
}

func (p *ConnectionPool) closed(c *pooled, reason pool.CloseReason) {
	if f := p.listener.Closed; f != nil {
		f(PoolEvent{Connection: c.Connection, Reason: string(reason)})
	}
}

// windowed is told of the windows of a connection over HTTP/2, on a goroutine that others wait for: panics of listeners do not pass.
func (p *ConnectionPool) windowed(c *Connection) func(http2.Window) {
	f := p.listener.ReceiveWindow
	if f == nil {
		return nil
	}
	return func(w http2.Window) {
		defer func() {
			if v := recover(); v != nil {
				p.panicked(v)
			}
		}()
		f(WindowEvent{c, w})
	}
}
