package okhttp

import (
	"context"
	"math"
)

// followUp returns the request that a response asks for, nil if there is none to make.
func (c *Call) followUp(ctx context.Context, cfg *config, req *Request, resp *Response) (*Request, error) {
	switch resp.Status {
	case 401:
		return c.authenticate(ctx, cfg, resp)
	case 407:
		return c.authenticateProxy(ctx, cfg, resp)
	case 300, 301, 302, 303, 307, 308:
		return redirect(cfg, req, resp), nil
	case 421: // Misdirected Request: the server does not want the host on a connection that was made for another (RFC 9110 section 15.5.20)
		if ex := resp.exchange; ex != nil && ex.conn.address.host != req.url.Host() {
			ex.conn.apart.Store(true)
			return req, nil
		}
		return nil, nil
	case 408: // Request Timeout: the server gave up on a connection that it took for idle
		if !cfg.retry || priorStatus(resp) == 408 || retryAfter(resp, 0) > 0 {
			return nil, nil
		}
		return req, nil
	case 503:
		if priorStatus(resp) != 503 && retryAfter(resp, math.MaxInt) == 0 {
			return req, nil
		}
	}
	return nil, nil
}

func priorStatus(resp *Response) int {
	if resp.prior == nil {
		return 0
	}
	return resp.prior.Status
}

// retryAfter returns the seconds of Retry-After (RFC 9110 section 10.2.3), absent if there is no such header. A date, or anything that
// is not a number, counts as far away.
func retryAfter(resp *Response, absent int) int {
	value, ok := resp.headers.Last("Retry-After")
	if !ok {
		return absent
	}
	n := 0
	for i := 0; i < len(value); i++ {
		d := int(value[i]) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt-d)/10 {
			return math.MaxInt
		}
		n = n*10 + d
	}
	if value == "" {
		return math.MaxInt
	}
	return n
}

// redirect returns the request that a redirect leads to (RFC 9110 section 15.4), nil if it is not followed.
func redirect(cfg *config, req *Request, resp *Response) *Request {
	location, ok := resp.headers.Last("Location")
	if !cfg.followRedirects || !ok {
		return nil
	}
	target, err := req.url.Resolve(location)
	if err != nil {
		return nil
	}
	if target.isHTTPS() != req.url.isHTTPS() && !cfg.followTLSRedirects {
		return nil
	}
	next := *req
	next.url = target
	if toGET(req.method, resp.Status) {
		next.method, next.body = "GET", nil
		// What describes the content goes with it (RFC 9110 section 15.4).
		for _, name := range [...]string{"Transfer-Encoding", "Content-Length", "Content-Type", "Content-Encoding", "Content-Language", "Content-Location"} {
			next.headers = next.headers.Without(name)
		}
	}
	if !sameOrigin(req.url, target) {
		// Credentials were meant for the origin they were given for. Since the next redirect starts from this request, they are
		// not restored if it leads back.
		for _, name := range [...]string{"Authorization", "Cookie", "Proxy-Authorization"} {
			next.headers = next.headers.Without(name)
		}
		for _, name := range cfg.sensitive {
			next.headers = next.headers.Without(name)
		}
		next.headers = next.headers.Without("Host") // it named the former origin
	}
	return &next
}

// toGET reports whether a redirect of that status turns a request of that method into a GET without a body.
func toGET(method string, status int) bool {
	switch {
	case status == 307 || status == 308, method == "GET", method == "HEAD", method == "PROPFIND":
		return false
	case method == "QUERY":
		return status == 303
	}
	return true
}

func sameOrigin(a, b URL) bool {
	return a.Host() == b.Host() && a.Port() == b.Port() && a.isHTTPS() == b.isHTTPS()
}
