package okws

import (
	"context"
	"errors"
	"sync"

	"github.com/okhttp-go/ok/okhttp"
)

// WebSocket is a web socket whose listener is told of what comes, and whose messages go out through a queue, so that sending does not wait. It is made by
// [NewWebSocket]. All methods may be called by any goroutine, and by the listener.
type WebSocket struct {
	cfg      *Config
	listener Listener
	request  *okhttp.Request // of the application
	call     *okhttp.Call
	done     chan struct{}

	mu       sync.Mutex
	conn     *Conn         // nil until connected
	decided  chan struct{} // closed when it is known whether there will be a connection
	early    []outgoing
	size     int64 // of early
	closing  bool  // early has a close frame
	canceled bool
	failed   error // why there will be no connection
	readDone bool  // OnClosing has returned
	sentDone bool  // the close frame was sent
	unbind   func() bool
}

// NewWebSocket connects in the background and returns at once; the listener is told how it went. Messages can be sent right away. See [DialRequest] for what the
// request is, but that ctx is for the life of the web socket: when it ends, a close frame with 1001 is sent if that is possible without waiting, and OnFailure gets its
// cause. Setting up counts as a call of the client's dispatcher, the life of the connection does not.
//
// The error is an [*ArgumentError], and nothing was begun.
func NewWebSocket(ctx context.Context, client Caller, req *okhttp.Request, l Listener, cfg *Config) (*WebSocket, error) {
	set, err := cfg.settings()
	if err != nil {
		return nil, err
	}
	ws := &WebSocket{cfg: set, listener: l, request: req, done: make(chan struct{}), decided: make(chan struct{})}
	key := freshKey()
	shaking, err := handshakeRequest(req, key, set)
	if argument := (*ArgumentError)(nil); errors.As(err, &argument) {
		return nil, err
	}
	if err != nil {
		ws.refused(err, nil)
		return ws, nil
	}
	ws.call = client.NewCall(shaking)
	ws.call.Enqueue(ctx, func(resp *okhttp.Response, err error) { ws.answered(ctx, key, resp, err) })
	return ws, nil
}

// answered goes on with what came of the handshake. It runs on a goroutine of the dispatcher.
func (ws *WebSocket) answered(ctx context.Context, key string, resp *okhttp.Response, err error) {
	if err != nil {
		ws.refused(err, nil)
		return
	}
	if err := checkResponse(resp, key); err != nil {
		ws.refused(err, resp)
		_ = resp.Body.Close()
		return
	}
	c, _, err := connect(resp, ws.cfg)
	c.manual, c.onFailure = true, ws.broken
	ws.mu.Lock()
	if ws.canceled {
		ws.mu.Unlock()
		_ = c.CloseNow()
		ws.refused(ErrCanceled, nil)
		return
	}
	ws.conn = c
	var lost []outgoing
	if err != nil { // what was queued is not for a connection like that
		lost = ws.early
		ws.early, ws.size = []outgoing{{kind: opClose, code: CodeMandatoryExtension, reason: unexpectedExtensions, written: ws.closeSent}}, 0
	}
	c.mu.Lock()
	o := &c.outbox
	o.messages, o.size, o.queued, o.closing = ws.early, ws.size, int64(len(ws.early)), err != nil || ws.closing
	c.mu.Unlock()
	ws.early = nil
	close(ws.decided)
	ws.unbind, _ = c.Bind(ctx, CodeGoingAway)
	ws.mu.Unlock()
	notWritten(lost, err)
	c.schedulePings()
	c.kick()
	go ws.run(c, resp) // apart from the dispatcher, which may go on with other calls
}

// run reads until the peer has closed.
func (ws *WebSocket) run(c *Conn, resp *okhttp.Response) {
	l := &ws.listener
	if l.OnOpen != nil && !ws.guarded(func() { l.OnOpen(ws, resp) }) {
		return
	}
	for {
		t, p, err := c.Read(context.Background())
		if err == nil {
			if l.OnMessage != nil && !ws.guarded(func() { l.OnMessage(ws, t, p) }) {
				return
			}
			continue
		}
		closed, ok := err.(*CloseError)
		if !ok {
			return // the failure was told
		}
		if l.OnClosing != nil && !ws.guarded(func() { l.OnClosing(ws, closed.Code, closed.Reason) }) {
			return
		}
		if ws.cfg.EchoClose {
			_, _ = c.enqueue(outgoing{kind: opClose, code: closed.Code, written: ws.closeSent})
		}
		ws.mu.Lock()
		ws.readDone = true
		ws.mu.Unlock()
		ws.finish()
		return
	}
}

// guarded runs a function of the listener, unless the end is being told, and reports whether it returned.
func (ws *WebSocket) guarded(f func()) (ok bool) {
	if ws.conn.Err() != nil {
		return false
	}
	defer func() {
		if ok {
			return
		}
		_ = ws.conn.fail(&okhttp.PanicError{Value: recover()}) // nil if it called runtime.Goexit
	}()
	f()
	return true
}

// closeSent notes that the close frame was sent.
func (ws *WebSocket) closeSent(err error) {
	if err != nil {
		return
	}
	ws.mu.Lock()
	ws.sentDone = true
	ws.mu.Unlock()
	ws.finish()
}

// finish ends the web socket in order once both sides have closed.
func (ws *WebSocket) finish() {
	ws.mu.Lock()
	over := ws.readDone && ws.sentDone
	ws.mu.Unlock()
	if !over {
		return
	}
	c := ws.conn
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if _, done := c.end(closed); done {
		return
	}
	ws.unbind()
	c.release()
	if ws.listener.OnClosed != nil {
		ws.listener.OnClosed(ws, closed.Code, closed.Reason)
	}
	close(ws.done)
}

// broken tells of the failure of the connection.
func (ws *WebSocket) broken(err error) {
	ws.mu.Lock() // the context may end while it is being bound
	unbind := ws.unbind
	ws.mu.Unlock()
	unbind()
	ws.tellFailure(err, nil)
}

// refused tells that there is no connection.
func (ws *WebSocket) refused(err error, resp *okhttp.Response) {
	ws.mu.Lock()
	done := ws.failed != nil
	if !done {
		ws.failed = err
		close(ws.decided)
	}
	lost := ws.early
	ws.early = nil
	ws.mu.Unlock()
	notWritten(lost, err)
	if !done {
		ws.tellFailure(err, resp)
	}
}

// notWritten tells those who asked that their messages will not be written.
func notWritten(lost []outgoing, err error) {
	for _, m := range lost {
		if m.written != nil {
			m.written(err)
		}
	}
}

func (ws *WebSocket) tellFailure(err error, resp *okhttp.Response) {
	defer close(ws.done)
	if ws.listener.OnFailure != nil {
		ws.listener.OnFailure(ws, err, resp)
	}
}

// Request returns the request that the web socket was made from, without the headers of the handshake.
func (ws *WebSocket) Request() *okhttp.Request { return ws.request }

// Done returns a channel that is closed when OnClosed or OnFailure has returned.
func (ws *WebSocket) Done() <-chan struct{} { return ws.done }

// QueueSize returns how many bytes of messages are queued and not yet written, before compression. It does not become zero when the web socket fails.
func (ws *WebSocket) QueueSize() int64 {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.conn == nil {
		return ws.size
	}
	ws.conn.mu.Lock()
	defer ws.conn.mu.Unlock()
	return ws.conn.outbox.size
}
