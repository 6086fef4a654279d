package okhttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
)

// traced lets a call fire the hooks of net/http/httptrace that its context carries.
func traced(ctx context.Context, c *Call) {
	t := httptrace.ContextClientTrace(ctx)
	if t == nil {
		return
	}
	c.rarely().trace = t
	c.AddEventListener(traceListener(c, t))
}

func traceListener(c *Call, t *httptrace.ClientTrace) *EventListener {
	l := &EventListener{}
	if t.GetConn != nil {
		l.CallStart = func(CallStart) { t.GetConn(hostWithPort(c.request.url)) }
	}
	// DNSStart, DNSDone, ConnectStart and ConnectDone are not here: package net fires them itself, for its resolver and its dialer.
	if t.TLSHandshakeStart != nil {
		l.SecureConnectStart = func(ConnectEvent) { t.TLSHandshakeStart() }
	}
	if t.TLSHandshakeDone != nil {
		secure := false
		l.SecureConnectStart = both(l.SecureConnectStart, func(ConnectEvent) { secure = true })
		l.ConnectEnd = func(ConnectEvent) { secure = false }
		l.ConnectFailed = func(e ConnectEvent) {
			if secure {
				t.TLSHandshakeDone(tls.ConnectionState{}, e.Err)
			}
			secure = false
		}
	}
	l.ConnectionAcquired = func(e ConnectionEvent) {
		conn := e.Connection
		if conn.served.Load() == 0 && conn.tls != nil && t.TLSHandshakeDone != nil {
			t.TLSHandshakeDone(conn.tls.ConnectionState(), nil)
		}
		if t.GotConn != nil {
			t.GotConn(httptrace.GotConnInfo{Conn: conn.raw, Reused: conn.served.Load() > 0, WasIdle: conn.served.Load() > 0})
		}
	}
	if t.WroteHeaderField != nil {
		l.RequestHeadersEnd = func(e RequestHeadersEnd) {
			for name, value := range e.Request.headers.All() {
				t.WroteHeaderField(name, []string{value})
			}
		}
	}
	if t.WroteHeaders != nil {
		l.RequestHeadersEnd = both(l.RequestHeadersEnd, func(RequestHeadersEnd) { t.WroteHeaders() })
	}
	if t.GotFirstResponseByte != nil {
		l.ResponseHeadersStart = func(*Call) { t.GotFirstResponseByte() }
	}
	if t.Got100Continue != nil || t.Got1xxResponse != nil {
		l.Informational = func(e InformationalEvent) {
			if e.Status == 100 && t.Got100Continue != nil {
				t.Got100Continue()
			}
			if t.Got1xxResponse != nil {
				// The hook may refuse the response, which is for a transport that hides it; ours carries on.
				_ = t.Got1xxResponse(e.Status, textproto.MIMEHeader(e.Headers.HTTP()))
			}
		}
	}
	return l
}

// traceWritten tells the trace, if there is one, that a request was written, or why not.
func (c *Call) traceWritten(err error) {
	if t := c.tracer(); t != nil && t.WroteRequest != nil {
		t.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
}

func hostWithPort(u URL) string { return net.JoinHostPort(u.Host(), strconv.Itoa(u.Port())) }
