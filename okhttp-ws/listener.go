package okws

import "github.com/okhttp-go/ok/okhttp"

// Listener is told what happens to a [WebSocket]. Functions that are nil are left out. OnOpen, OnMessage and OnClosing run one after the other on a goroutine of the web
// socket: while one of them runs, nothing is read and no ping is answered. OnClosed and OnFailure run where the end was found out; exactly one of them is called, as the
// last, and once. A panic in one of the first three is the failure of the web socket, as an [*okhttp.PanicError].
type Listener struct {
	// OnOpen is called when the handshake is over.
	OnOpen func(ws *WebSocket, resp *okhttp.Response)

	// OnMessage gets a message, whose bytes belong to it.
	OnMessage func(ws *WebSocket, t Type, data []byte)

	// OnClosing is called with the peer's close frame, whose code is [CodeNoStatus] if it has none. The peer sends nothing more. The connection lasts until this side
	// closes it too, with [WebSocket.Close].
	OnClosing func(ws *WebSocket, code Code, reason string)

	// OnClosed is called when both sides have closed, with what the peer said.
	OnClosed func(ws *WebSocket, code Code, reason string)

	// OnFailure is called when the connection could not be made, was broken or canceled. The response is that of a handshake that was refused, with a body that
	// can be read during the call, and otherwise nil.
	OnFailure func(ws *WebSocket, err error, resp *okhttp.Response)
}
