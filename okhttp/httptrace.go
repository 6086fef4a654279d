package okhttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"net/netip"
	"net/textproto"
	"strconv"
)

// traced lets a call fire the hooks of net/http/httptrace that its context carries.
func traced(ctx context.Context, c *Call) {
	t := httptrace.ContextClientTrace(ctx)
	if t == nil {
		return
	}
	c.AddEventListener(traceListener(c, t))
}

func traceListener(c *Call, t *httptrace.ClientTrace) *EventListener {
	l := &EventListener{}
	if t.GetConn != nil {
		l.CallStart = func(CallStart) { t.GetConn(hostWithPort(c.request.url)) }
	}
	if t.DNSStart != nil {
		l.DNSStart = func(e DNSEvent) { t.DNSStart(httptrace.DNSStartInfo{Host: e.Host}) }
	}
	if t.DNSDone != nil {
		l.DNSEnd = func(e DNSEvent) { t.DNSDone(dnsDone(e)) }
	}
	if t.ConnectStart != nil {
		l.ConnectStart = func(e ConnectEvent) { t.ConnectStart("tcp", e.Route.String()) }
	}
	// net/http ends connecting before it starts TLS; here TLS is a part of connecting.
	secure := false
	l.SecureConnectStart = func(e ConnectEvent) {
		secure = true
		if t.ConnectDone != nil {
			t.ConnectDone("tcp", e.Route.String(), nil)
		}
		if t.TLSHandshakeStart != nil {
			t.TLSHandshakeStart()
		}
	}
	l.ConnectEnd = func(e ConnectEvent) {
		if !secure && t.ConnectDone != nil {
			t.ConnectDone("tcp", e.Route.String(), nil)
		}
		secure = false
	}
	l.ConnectFailed = func(e ConnectEvent) {
		switch {
		case secure && t.TLSHandshakeDone != nil:
			t.TLSHandshakeDone(tls.ConnectionState{}, e.Err)
		case !secure && t.ConnectDone != nil:
			t.ConnectDone("tcp", e.Route.String(), e.Err)
		}
		secure = false
	}
	l.ConnectionAcquired = func(e ConnectionEvent) {
		conn := e.Connection
		if conn.served == 0 && conn.tls != nil && t.TLSHandshakeDone != nil {
			t.TLSHandshakeDone(conn.tls.ConnectionState(), nil)
		}
		if t.GotConn != nil {
			t.GotConn(httptrace.GotConnInfo{Conn: conn.raw, Reused: conn.served > 0, WasIdle: conn.served > 0})
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
	if t.WroteRequest != nil {
		l.ResponseHeadersStart = func(*Call) { t.WroteRequest(httptrace.WroteRequestInfo{}) }
		l.RequestFailed = func(e Failure) { t.WroteRequest(httptrace.WroteRequestInfo{Err: e.Err}) }
	}
	if t.GotFirstResponseByte != nil {
		l.ResponseHeadersStart = both(l.ResponseHeadersStart, func(*Call) { t.GotFirstResponseByte() })
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
	if t.PutIdleConn != nil {
		l.ConnectionReleased = func(ConnectionEvent) { t.PutIdleConn(nil) }
	}
	return l
}

func dnsDone(e DNSEvent) (info httptrace.DNSDoneInfo) {
	for _, a := range e.Addrs {
		info.Addrs = append(info.Addrs, netIPAddr(a))
	}
	return info
}

func netIPAddr(a netip.Addr) net.IPAddr { return net.IPAddr{IP: a.AsSlice(), Zone: a.Zone()} }

func hostWithPort(u URL) string { return net.JoinHostPort(u.Host(), strconv.Itoa(u.Port())) }
