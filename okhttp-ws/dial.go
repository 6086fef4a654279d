package okws

import (
	"context"
	"io"
	"net"
	"slices"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// A Caller makes calls: an [*okhttp.Client] does, and so may what adds something to each call of one.
type Caller interface {
	NewCall(req *okhttp.Request, opts ...okhttp.CallOption) *okhttp.Call
}

// Dial opens a web socket at a URL that begins with ws: or wss:, or with http: or https:. A nil cfg means the defaults. See [DialRequest].
func Dial(ctx context.Context, client Caller, rawURL string, cfg *Config) (*Conn, error) {
	req, err := NewRequest(rawURL)
	if err != nil {
		return nil, err
	}
	return DialRequest(ctx, client, req, cfg)
}

// DialRequest opens a web socket with a request of one's own, which must be a GET and can set any header but Sec-WebSocket-Extensions. The call is one of the
// client's: its interceptors, proxies, pins, cookies, authenticator, redirects, time limits and events are those of other calls. Network interceptors do not see it.
//
// ctx is for the set-up alone, as is the client's call timeout. An answer other than the upgrade is a [*HandshakeError] with the response; what failed otherwise
// is an [*okhttp.Error].
//
// With [okhttp.HTTP2Config.ExtendedConnect] the web socket is a stream of an HTTP/2 connection, shared with other calls, where the server allows it (RFC 8441).
func DialRequest(ctx context.Context, client Caller, req *okhttp.Request, cfg *Config) (*Conn, error) {
	set, err := cfg.settings()
	if err != nil {
		return nil, err
	}
	key := freshKey()
	if req, err = handshakeRequest(req, key, set); err != nil {
		return nil, err
	}
	resp, err := client.NewCall(req).Execute(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkResponse(resp, key); err != nil {
		return nil, err.detached()
	}
	c, _, err := connect(resp, set)
	if err != nil {
		_ = c.abort(err, CodeMandatoryExtension)
		return nil, err
	}
	c.schedulePings()
	return c, nil
}

// keptBody is how much of the body of a refusal is kept.
const keptBody = 64 << 10

// detached lets go of the connection, with the beginning of the body in memory.
func (e *HandshakeError) detached() error {
	resp := e.Response
	defer resp.Body.Close()
	if _, upgraded := resp.Socket(); upgraded {
		e.Response = resp.With(okhttp.WithoutBody())
		return e
	}
	var b okio.Buffer
	_, _ = b.ReadFrom(io.LimitReader(resp.Body, keptBody)) // what there is
	e.Response = resp.With(okhttp.ResponseBodyFrom(resp.Body.ContentType(), b.Len(), &b))
	return e
}

// connect makes the connection of a response that was found right. An error is about extensions: the connection is good for a close frame.
func connect(resp *okhttp.Response, set *Config) (c *Conn, agreed extensions, err error) {
	h := resp.Headers()
	agreed = parseExtensions(slices.Collect(h.Values("Sec-WebSocket-Extensions")))
	if !agreed.acceptable(&set.Compression) {
		agreed, err = extensions{}, &HandshakeError{Response: resp, Detail: unexpectedExtensions}
	}
	socket, _ := resp.Socket()
	c = newConn(socket, set, true, agreed)
	c.response = resp
	c.subprotocol = h.Get("Sec-WebSocket-Protocol")
	if conn, ok := resp.Connection(); ok {
		c.addrs = func() (local, remote net.Addr) { return conn.LocalAddr(), conn.RemoteAddr() }
	}
	return c, agreed, err
}

// unexpectedExtensions is the reason of a close frame because of what a server said about extensions.
const unexpectedExtensions = "unexpected Sec-WebSocket-Extensions in response header"
