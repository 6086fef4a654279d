package mockserver

import (
	"bytes"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// session is a connection of HTTP/2. One goroutine accepts streams, and each stream has one for its exchange.
type session struct {
	*connection
	conn *http2.Conn

	exchanges sync.WaitGroup

	mu      sync.Mutex // also guards next of the connection
	open    []*Request // whose exchanges are under way
	leaving bool       // the goodbye was said
}

// serveHTTP2 runs a connection on which the client's preface comes next.
func (c *connection) serveHTTP2(ctx context.Context, conn net.Conn) {
	s := &session{connection: c, conn: http2.NewServer(conn, c.server.cfg.http2)}
	c.session.Store(s)
	if ctx.Err() != nil { // Close may not have seen the session, and neither may Shutdown
		s.conn.Close()
	} else if c.server.isDraining() {
		s.drain()
	}
	for {
		stream, fields, last, err := s.conn.Accept(time.Time{})
		if err != nil {
			var bad *http2.ConnectionError
			if ctx.Err() == nil && (s.requests() == 0 || errors.As(err, &bad)) {
				c.server.cfg.logger.Warn("mockserver: HTTP/2", "conn", c.index, "requests", s.requests(), "err", err)
			}
			break
		}
		s.mu.Lock()
		r := c.newRequest()
		c.next++
		s.mu.Unlock()
		r.beginHTTP2(fields)
		x := &streamExchange{session: s, stream: stream, request: r, length: -1}
		if x.length, _ = http2.ContentLength(fields); last {
			x.length = 0
		}
		s.begin(r)
		s.exchanges.Go(func() {
			defer s.end(r)
			x.serve(ctx, last)
		})
	}
	s.exchanges.Wait()
	s.conn.Close()
}

// requests returns how many requests came, or were promised.
func (s *session) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

func (s *session) begin(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, r)
}

// end forgets a request. After the last one of a session that is leaving, the client has a moment to close the connection itself, so that it has
// read all by then.
func (s *session) end(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(o *Request) bool { return o == r })
	if s.leaving && len(s.open) == 0 {
		time.AfterFunc(lingerLimit, s.closeIdle)
	}
}

func (s *session) closeIdle() {
	s.mu.Lock()
	idle := len(s.open) == 0
	s.mu.Unlock()
	if idle {
		s.conn.Close()
	}
}

// leave says goodbye: the client opens no more streams.
func (s *session) leave(say func()) {
	s.mu.Lock()
	s.leaving = true
	s.mu.Unlock()
	say()
}

// drain says goodbye in a way that no request is lost by.
func (s *session) drain() {
	s.mu.Lock()
	first := !s.leaving
	s.leaving = true
	idle := len(s.open) == 0
	s.mu.Unlock()
	if first {
		s.conn.Leave()
	}
	if idle {
		time.AfterFunc(lingerLimit, s.closeIdle)
	}
}

// doing says what the session is busy with.
func (s *session) doing() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == 0 {
		return "no request"
	}
	var list []string
	for _, r := range s.open {
		list = append(list, r.String())
	}
	return strings.Join(list, ", ")
}

// negotiated tells which version is spoken, and returns what it is spoken over from now on.
func (c *connection) negotiated(conn net.Conn, secured bool) (over net.Conn, version2 bool) {
	switch {
	case secured:
		return conn, c.tls.ConnectionState().NegotiatedProtocol == string(okhttp.HTTP2)
	case c.server.cfg.protocols == okhttp.HTTP2PriorKnowledge:
		return sniff(conn)
	}
	return conn, false
}

// sniffLimit bounds what is read to find the end of a first line.
const sniffLimit = 8 << 10

// sniff reads the beginning of what a client sends, which is then read again. Whatever has no first line of HTTP/1 is taken for HTTP/2, where a wrong
// preface is answered as such.
func sniff(conn net.Conn) (over net.Conn, version2 bool) {
	again := &begunConn{Conn: conn}
	space := make([]byte, 512)
	for len(again.begun) < sniffLimit {
		n, err := conn.Read(space)
		again.begun = append(again.begun, space[:n]...)
		if len(again.begun) >= len(http2.ClientPreface) && bytes.HasPrefix(again.begun, []byte(http2.ClientPreface)) {
			return again, true
		}
		possible := min(len(again.begun), len(http2.ClientPreface))
		if string(again.begun[:possible]) != http2.ClientPreface[:possible] {
			if line, _, whole := bytes.Cut(bytes.TrimLeft(again.begun, "\r\n"), []byte("\n")); whole {
				return again, !bytes.Contains(line, []byte(" HTTP/1."))
			}
		}
		if err != nil {
			break
		}
	}
	return again, false
}

// begunConn is a connection of which something was read already.
type begunConn struct {
	net.Conn
	begun []byte
}

func (b *begunConn) Read(p []byte) (int, error) {
	if len(b.begun) > 0 {
		n := copy(p, b.begun)
		b.begun = b.begun[n:]
		return n, nil
	}
	return b.Conn.Read(p)
}

// NetConn returns the connection itself, which can be closed without a farewell.
func (b *begunConn) NetConn() net.Conn { return b.Conn }

// CloseWrite sends the end, where the connection can do that.
func (b *begunConn) CloseWrite() error {
	if half, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
