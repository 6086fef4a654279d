package okhttp

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const (
	proxyAddr   = "10.0.9.1:3128"
	established = "HTTP/1.1 200 Connection established\r\n\r\n"
)

// The ways to a connection where no selector is asked.
var (
	proxied    = strings.Replace(newConnection80, selected, "", 1)
	proxiedTLS = strings.Replace(tlsConnected, selected, "", 1)
)

const selected = "proxySelectStart proxySelectEnd "

// httpProxy is the client's option for the HTTP proxy of a world.
func httpProxy(t *testing.T) Option { return WithProxy(mustProxy(t, "http://proxy.test:3128")) }

// proxy makes proxy.test a proxy that handles its connections by scripts.
func (w *world) proxy(scripts ...func(*peer)) {
	w.t.Helper()
	w.resolve("proxy.test", "10.0.9.1")
	w.serveAt(proxyAddr, nil, scripts...)
}

// under goes on under TLS.
func (p *peer) under(config *tls.Config, script func(*peer)) {
	c := tls.Server(&readConn{p.Conn, p.in}, config)
	defer c.Close()
	script(&peer{t: p.t, Conn: c, in: bufio.NewReader(c)})
}

// readConn is a connection that was read from already.
type readConn struct {
	net.Conn
	in io.Reader
}

func (c *readConn) Read(p []byte) (int, error) { return c.in.Read(p) }

// tunneled is a proxy that grants a tunnel, with the server at its end.
func tunneled(config *tls.Config, script func(*peer)) func(*peer) {
	return func(p *peer) {
		p.head()
		p.send(established)
		p.under(config, script)
	}
}

// say reads a head, appends it to a list and sends a text, for each of the texts.
func (p *peer) say(heads *[]string, texts ...string) {
	for _, text := range texts {
		head := p.head()
		if head == "" {
			return
		}
		*heads = append(*heads, head)
		p.send(text)
	}
}

// speaks is a server that answers the first byte with a text, whatever it was.
func speaks(text string) func(*peer) {
	return func(p *peer) {
		p.in.Peek(1)
		p.send(text)
		p.untilClosed()
	}
}

// untilClosed waits for the client to close.
func (p *peer) untilClosed() { io.Copy(io.Discard, p.in) }

// wantProxyError checks the failure of a call in a proxy's stage.
func wantProxyError(t *testing.T, err error, phase Phase, status int, route, text string) *ProxyError {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	var pe *ProxyError
	if !errors.As(err, &pe) {
		t.Fatalf("%v is not of a proxy", err)
	}
	if e.Phase != phase || pe.Status != status || e.Route != route || e.Sent || !SafeToRetry(err) {
		t.Errorf("phase %s, status %d, route %s, sent %v of %v\nwant %s, %d, %s", e.Phase, pe.Status, e.Route, e.Sent, err, phase, status, route)
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %s", err, text)
	}
	return pe
}

// within checks how long something takes.
func within(t *testing.T, least, most time.Duration, f func()) {
	t.Helper()
	begin := time.Now()
	f()
	if took := time.Since(begin); took < least || took > most {
		t.Errorf("it took %v, want %v to %v", took, least, most)
	}
}
