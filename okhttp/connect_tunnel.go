package okhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

const (
	maxTunnels     = 21       // refusals of a proxy that answers each request with a 407
	maxTunnelWaste = 64 << 10 // bytes of a refusal's content that are read, so that the connection can be asked again
)

// openTunnel asks an HTTP proxy for a connection to the server (RFC 9110 section 9.3.6). Interceptors and listeners do not see the exchange,
// and the headers of the user's request are not part of it.
func (p *connectPlan) openTunnel(ctx context.Context) (next *connectPlan, err error) {
	t := &tunnel{plan: p, ctx: ctx, socket: okio.NewSocket(p.stream)}
	stop := context.AfterFunc(ctx, func() { t.socket.Cancel(context.Cause(ctx)) })
	next, err = t.open()
	if !stop() && err == nil && next == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		var ae *attemptError
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if !errors.As(err, &ae) {
			err = p.failure(PhaseProxy, err)
		}
	}
	return next, err
}

// tunnel is the asking of a proxy.
type tunnel struct {
	plan   *connectPlan
	ctx    context.Context
	socket okio.Socket
	conn   *http1.ClientConn
}

func (t *tunnel) open() (next *connectPlan, err error) {
	p, cfg := t.plan, t.plan.planner.cfg
	req := p.tunnel
	if req == nil {
		if req, err = t.first(); err != nil {
			return nil, err
		}
	}
	source, sink := t.socket.Source(), t.socket.Sink()
	okio.TimeoutOf(source).SetLimit(cfg.readTimeout)
	okio.TimeoutOf(sink).SetLimit(cfg.writeTimeout)
	t.conn = http1.NewClientConn(source, sink, http1.Limits{MaxHead: cfg.maxHead})
	defer func() {
		// The sockets of the exchanges over the tunnel begin with what these limits left behind.
		if err == nil && next == nil {
			p.raw.SetDeadline(time.Time{})
		}
	}()
	for reused := false; ; reused = true {
		resp, err := t.ask(req)
		switch {
		case reused && closedByPeer(err): // although it had answered that it would not
			return t.anew(req), nil
		case err != nil:
			return nil, p.proxyError(err)
		case resp.Status/100 == 2:
			return nil, t.leftover()
		case resp.Status != 407:
			return nil, &ProxyError{Proxy: p.route.proxy.String(), Status: resp.Status}
		}
		if req, err = t.answer(resp); err != nil {
			return nil, err
		}
		if p.refusals++; p.refusals == maxTunnels {
			ae := p.failure(PhaseProxy, &ProtocolError{Detail: "too many tunnel connections attempted: 21"})
			ae.final = true
			return nil, ae
		}
		p.refused = resp
		if !t.again(resp) {
			return t.anew(req), nil
		}
	}
}

// leftover sees to the bytes that came right behind the response. In TLS it is the client who begins (RFC 8446 section 2), and so it is in HTTP/1.1: they are
// nobody's. In HTTP/2 without TLS they are the server's, who may begin as well (RFC 9113 section 3.4).
func (t *tunnel) leftover() error {
	p, rest := t.plan, t.conn.Source().Buffer()
	n := rest.Len()
	switch {
	case n == 0:
		return nil
	case !p.route.address.priorKnowledge():
		return p.proxyError(&ProtocolError{Detail: fmt.Sprintf("%d bytes came right after the response to CONNECT, before the client began", n)})
	}
	begun := &begunConn{Conn: p.stream}
	if _, err := begun.first.ReadFrom(rest); err != nil {
		return err
	}
	p.stream, p.layers = begun, true
	return nil
}

// begunConn is a connection of which more was read than belonged to whoever read.
type begunConn struct {
	net.Conn
	first okio.Buffer
}

func (c *begunConn) Read(b []byte) (int, error) {
	if c.first.Len() > 0 {
		return c.first.Read(b)
	}
	return c.Conn.Read(b)
}

// NetConn returns what is below, as TLS does.
func (c *begunConn) NetConn() net.Conn { return c.Conn }

// closedByPeer reports whether a connection ended without a byte of a response.
func closedByPeer(err error) bool {
	var pe *ProtocolError
	var te *TooLargeError
	return err != nil && !isTimeout(err) && !errors.Is(err, errTruncated) && !errors.As(err, &pe) && !errors.As(err, &te)
}

// anew returns a plan to ask over another connection.
func (t *tunnel) anew(req *Request) *connectPlan {
	p := t.plan
	next := p.again()
	next.tunnel = req
	if l := p.planner.listener(); l.ConnectEnd != nil {
		l.ConnectEnd(p.event()) // without a protocol: it led to a proxy that wants to be asked anew
	}
	return next
}

// first makes the request to begin with. The proxy's authenticator may give it credentials before any were asked for.
func (t *tunnel) first() (*Request, error) {
	p := t.plan
	req := &Request{method: "CONNECT", url: p.planner.url}
	nv := []string{"Host", p.route.authority(), "Proxy-Connection", "Keep-Alive", "User-Agent", userAgent}
	if basic, _ := p.route.proxy.basic(); basic != "" {
		nv = append(nv, "Proxy-Authorization", basic)
	}
	req.headers = headersOf(nv)
	if p.planner.cfg.proxyAuth == nil {
		return req, nil
	}
	resp := NewResponse(req, 407, ResponseHeaders(headersOf([]string{"Proxy-Authenticate", PreemptiveChallenge})))
	resp.Message = "Preemptive Authenticate"
	answer, err := p.planner.cfg.proxyAuth.Authenticate(t.ctx, p.route, resp)
	if err != nil || answer == nil {
		return req, err
	}
	return t.checked(answer)
}

// PreemptiveChallenge is the Proxy-Authenticate header of the response with which an [Authenticator] for proxies is asked before the first
// CONNECT. One that answers it gives its credentials unasked; one that returns nil waits for the proxy's own challenge.
const PreemptiveChallenge = "OkHttp-Preemptive"

// answer asks the authenticator about a refusal.
func (t *tunnel) answer(resp *Response) (*Request, error) {
	p := t.plan
	var next *Request
	var err error
	if auth := p.planner.cfg.proxyAuth; auth != nil {
		next, err = auth.Authenticate(t.ctx, p.route, resp)
	}
	if err != nil {
		return nil, err
	}
	if next == nil {
		return nil, &ProxyError{Proxy: p.route.proxy.String(), Status: 407, Err: errNotAuthenticated}
	}
	return t.checked(next)
}

var errNotAuthenticated = errors.New("failed to authenticate with the proxy (407 Proxy Authentication Required)")

// checked takes over the headers of an authenticator's answer, and nothing else. The one that must be there is, even if the answer does not
// derive from what the authenticator was given.
func (t *tunnel) checked(answer *Request) (*Request, error) {
	if answer.body != nil {
		return nil, &CallError{"a proxy's authenticator answered with a request that has a body"}
	}
	headers := answer.headers
	if !headers.has("Host") {
		headers = headersOf(append([]string{"Host", t.plan.route.authority()}, headers.nv...))
	}
	return &Request{method: "CONNECT", url: t.plan.planner.url, headers: headers}, nil
}

// ask sends one CONNECT and reads the head of its response.
func (t *tunnel) ask(req *Request) (*Response, error) {
	if err := t.conn.WriteHead("CONNECT", t.plan.route.authority(), req.headers.nv); err != nil {
		return nil, err
	}
	if err := t.conn.FinishRequest(); err != nil {
		return nil, err
	}
	for {
		head, err := t.conn.ReadHead()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errTruncated
		case isEOF(err):
			return nil, errEnded
		case err != nil:
			return nil, err
		case head.Informational():
			continue
		}
		resp := NewResponse(req, head.Status, ResponseHeaders(headersOf(head.Fields)), WithPrior(t.plan.refused))
		resp.Message = head.Reason
		return resp, nil
	}
}

// The end of a connection before a response and within one.
var (
	errEnded     = fmt.Errorf("unexpected end of stream: %w", io.ErrUnexpectedEOF)
	errTruncated = fmt.Errorf("unexpected end of stream in the response to CONNECT: %w", io.ErrUnexpectedEOF)
)

// again reads the content of a refusal, if it is short and comes soon, and reports whether the connection can be asked once more.
func (t *tunnel) again(resp *Response) bool {
	if resp.headers.hasToken("Connection", "close") {
		return false
	}
	body, err := t.conn.Body()
	if err != nil || body.Len() == http1.UntilClose || body.Len() > maxTunnelWaste {
		return false
	}
	limit := okio.TimeoutOf(t.socket.Source())
	limit.SetDeadline(time.Now().Add(discardTime))
	defer limit.SetDeadline(time.Time{})
	var waste okio.Buffer
	for got := int64(0); !body.Done(); {
		n, err := body.ReadBuffer(&waste, 16<<10)
		waste.Clear()
		if got += n; err != nil && !body.Done() || got > maxTunnelWaste {
			return false
		}
	}
	return t.conn.Next() == nil
}
