package mockserver

import (
	"context"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	okws "github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okio"
)

// WebSocket begins a response that accepts a web socket (RFC 6455), over HTTP/2 too (RFC 8441), with compression and a subprotocol as cfg and the client allow. serve has
// the server's end until it returns; what it has not closed by then is closed with 1000, and given up if the client does not answer. ctx ends when the server
// closes. A nil cfg means the defaults.
//
// To a request that is none for a web socket the answer is 426. Fields that are set on the response replace those of the handshake, to see what a client makes of wrong ones.
func WebSocket(cfg *okws.Config, serve func(ctx context.Context, c *okws.Conn)) Response {
	return Upgrade("websocket", nil).Adapt(func(r *Request, resp Response) Response {
		if !strings.EqualFold(r.Upgrade, "websocket") {
			return Reply(426).Header("Upgrade", "websocket").Header("Connection", "Upgrade").Header("Sec-WebSocket-Version", "13")
		}
		n, err := okws.Negotiate(r.Headers, cfg)
		if err != nil {
			return resp.fail("WebSocket: %w", err)
		}
		h, err := n.Headers()
		if r.Headers.Get("Sec-WebSocket-Key") == "" { // over HTTP/2 nothing has to be proved
			h, err = n.TunnelHeaders()
		}
		if err != nil {
			return resp.fail("WebSocket: %w", err)
		}
		for name, value := range h.All() {
			if !resp.has(name) {
				resp = resp.AddHeader(name, value)
			}
		}
		return resp.Socket(SocketHandlerFunc(func(ctx context.Context, _ *Request, s okio.Socket) {
			c := n.Serve(s)
			defer c.CloseNow()
			serve(ctx, c)
			if ctx.Err() == nil {
				_ = c.Close(okws.CodeNormal, "") // the client may have closed before
			}
		}))
	})
}

// has reports whether a field was set.
func (r *Response) has(name string) bool {
	h, err := okhttp.NewHeaders(r.fields...)
	if err != nil {
		return false
	}
	_, ok := h.Last(name)
	return ok
}
