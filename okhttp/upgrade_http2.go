package okhttp

import "context"

// tunnels reports whether an upgrade may be a stream of a connection over HTTP/2 (RFC 8441). That takes one protocol, not a list to choose from.
func (r *Request) tunnels(cfg *config) bool {
	return cfg.http2.ExtendedConnect && isMethod(r.Upgrade())
}

var errNoUpgrade = &ProtocolError{Detail: "an upgrade over HTTP/2 takes extended CONNECT (RFC 8441), which this client or the server does not allow"}

// takesConnect reports whether an upgrade can be a stream of a connection, which the settings of the server say: on a new connection they are waited
// for.
func (c *Call) takesConnect(ctx context.Context, cfg *config, req *Request, conn *Connection) (bool, error) {
	if !req.tunnels(cfg) {
		return false, nil
	}
	waiting, w, err := c.wait(ctx)
	if err != nil {
		return false, err
	}
	defer w.end()
	if err := conn.greet(waiting, cfg.readTimeout); err != nil {
		return false, err
	}
	takes, _ := conn.http2.TakesConnect()
	return takes, nil
}
