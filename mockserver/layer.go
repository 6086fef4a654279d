package mockserver

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

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
	first, again := firstByte(*conn)
	*conn = again
	if script { // of routes, which say what they do with CONNECT once they see which one it is
		return first == 'C'
	}
	return first != recordHandshake
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

// firstByte reads what a client sends first, which is then read again; 0 if nothing comes.
func firstByte(conn net.Conn) (byte, net.Conn) {
	space := make([]byte, 1)
	if n, _ := conn.Read(space); n == 0 {
		return 0, conn
	}
	return space[0], &begunConn{Conn: conn, begun: space}
}
