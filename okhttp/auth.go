package okhttp

import "context"

// Authenticator answers challenges (RFC 9110 section 11). It is safe for concurrent use. Package okauth has those for Basic, Digest and
// Bearer.
type Authenticator interface {
	// Authenticate returns a request that answers the response's challenge, as a rule its request with an Authorization header, or nil to
	// return the response as it is. An answer that was refused comes back as a response whose Prior is the earlier one: an authenticator
	// that sees its own credentials in the response's request gives up. The route is nil if the response did not come from a server.
	Authenticate(ctx context.Context, route *Route, resp *Response) (*Request, error)
}

// AuthenticatorFunc makes an [Authenticator] of a function.
type AuthenticatorFunc func(ctx context.Context, route *Route, resp *Response) (*Request, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(ctx context.Context, route *Route, resp *Response) (*Request, error) {
	return f(ctx, route, resp)
}

// authenticateProxy asks the proxy's authenticator for an answer to a 407. Only a proxy that reads the requests may send one (RFC 9110 section
// 15.5.8): an answer to anyone else would give the credentials away.
func (c *Call) authenticateProxy(ctx context.Context, cfg *config, resp *Response) (*Request, error) {
	ex := resp.exchange
	if ex == nil || !ex.conn.route.forwards() {
		return nil, &ProtocolError{Detail: "received HTTP 407 (Proxy Authentication Required) without a proxy"}
	}
	if cfg.proxyAuth == nil {
		return nil, nil
	}
	next, err := cfg.proxyAuth.Authenticate(ctx, ex.conn.route, resp)
	if next == nil || err != nil {
		return nil, err
	}
	answer := *next
	answer.forProxy = true
	return &answer, nil
}

// authenticate asks the authenticator for an answer to a 401.
func (c *Call) authenticate(ctx context.Context, cfg *config, resp *Response) (*Request, error) {
	if cfg.authenticator == nil {
		return nil, nil
	}
	var route *Route
	if ex := resp.exchange; ex != nil {
		route = ex.conn.route
	}
	return cfg.authenticator.Authenticate(ctx, route, resp)
}
