package mockserver

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// connectWord is what a request for a tunnel begins with.
const connectWord = "CONNECT "

// recordHandshake is the first byte of a connection over TLS.
const recordHandshake = 0x16

// serveLayer speaks HTTP over conn, through TLS if that comes first, to its end. If that is a tunnel, the server is at its other end too, and what
// the tunnel is carried by is returned.
func (c *connection) serveLayer(ctx context.Context, conn net.Conn) (tunnel net.Conn) {
	secured := false
	if c.server.secrets != nil && !c.expectsTunnel(&conn) {
		config, over := c.tlsConfig()
		t := tls.Server(conn, config)
		err := t.Handshake()
		if over(err); err != nil {
			if ctx.Err() == nil {
				c.server.cfg.logger.Warn("mockserver: TLS handshake", "conn", c.index, "err", err)
			}
			return nil
		}
		c.tls, conn, secured = t, t, true
	}
	if c.stalled(ctx) {
		return nil
	}
	conn, version2 := c.negotiated(conn, secured)
	if version2 {
		c.serveHTTP2(ctx, conn)
		return nil
	}
	c.socket = okio.NewSocket(conn)
	c.http = http1.NewServerConn(c.socket.Source(), c.socket.Sink(), http1.Limits{})
	for c.exchange(ctx) && c.vacate() {
		c.current.Store(nil)
	}
	switch {
	case c.opened && c.vacate():
		c.opened = false
		return c.rest(conn)
	case c.over || ctx.Err() != nil:
	case c.next > 0:
		c.linger()
	default:
		if !c.server.isDraining() {
			c.server.cfg.logger.Warn("mockserver: connection without a request", "conn", c.index)
		}
		_ = c.socket.Sink().Close()
	}
	return nil
}

// rest is a connection with what was received of it and not read.
func (c *connection) rest(conn net.Conn) net.Conn {
	begun, err := c.http.Source().Buffer().ReadN(c.http.Source().Buffer().Len())
	if err != nil || len(begun) == 0 {
		return conn
	}
	return &begunConn{Conn: conn, begun: begun}
}

// expectsTunnel reports whether requests to a proxy come before TLS. What it reads to know is read again from conn.
func (c *connection) expectsTunnel(conn *net.Conn) bool {
	script := false
	if c.server.cfg.proxy == nil {
		d := c.server.current()
		if tunnelNext(d, c.newRequest()) {
			return true
		}
		if _, script = d.(Peeker); !script {
			return false
		}
		if _, queue := d.(*Queue); queue {
			return false
		}
	}
	first, again := beginning(*conn)
	*conn = again
	if script { // of routes, which say what they do with CONNECT once they see which one it is
		return string(first) == connectWord
	}
	return len(first) == 0 || first[0] != recordHandshake
}

// tunnelNext reports whether d would answer a request to a proxy now.
func tunnelNext(d Dispatcher, r *Request) (next bool) {
	switch d := d.(type) {
	case *Queue:
		return d.tunnelNext()
	case Peeker:
		defer func() { _ = recover() }() // it will be met again
		resp := d.Peek(r)
		return resp.tunnel
	}
	return false
}

// beginning reads what a client sends first, as far as it may become connectWord and no further than that. It is read again from the connection returned.
func beginning(conn net.Conn) ([]byte, net.Conn) {
	space := make([]byte, 0, len(connectWord))
	for len(space) < cap(space) && string(space) == connectWord[:len(space)] {
		n, err := conn.Read(space[len(space):cap(space)])
		if space = space[:len(space)+n]; err != nil || n == 0 {
			break
		}
	}
	if len(space) == 0 {
		return nil, conn
	}
	return space, &begunConn{Conn: conn, begun: space}
}
