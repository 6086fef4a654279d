package okhttp

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// upgrade is a connection after 101 (Switching Protocols), or a stream of one after extended CONNECT: a socket of its user, until both directions are
// closed. Closing is safe while
// another goroutine reads or writes, because code of net/http ends a connection so.
type upgrade struct {
	ex      *exchange
	socket  okio.Socket
	source  upgradedSource
	sink    upgradedSink
	open    atomic.Int32          // directions
	failure atomic.Pointer[Error] // the first
}

// opensWebSocket reports whether a request, as it is sent, is the handshake of a web socket, for which an HTTP proxy is asked for a connection (RFC 6455
// section 4.1): most leave out the Upgrade of what they forward (RFC 9110 section 7.8).
func (r *Request) opensWebSocket() bool { return r.headers.hasToken("upgrade", "websocket") }

// switches reports whether a response hands over what it came on (RFC 9110 section 7.8, RFC 8441 section 5).
func (ex *exchange) switches(status int) bool {
	if ex.conn.http2 == nil {
		return status == 101
	}
	return ex.request.Upgrade() != "" && status/100 == 2
}

// mayUpgrade wants a 101 to be the answer to a request for one.
func (ex *exchange) mayUpgrade(r *Response) error {
	asked := ex.request.headers.hasToken("Connection", "upgrade") && ex.request.headers.has("Upgrade")
	if ex.conn.http2 != nil || asked && r.headers.hasToken("Connection", "upgrade") && r.headers.has("Upgrade") {
		return nil
	}
	return &ProtocolError{Detail: "received HTTP 101 (Switching Protocols) without an upgrade"}
}

// upgraded hands the connection over. From here on neither the call's timeout nor its context concern it.
func (c *Call) upgraded(ex *exchange, r *responseAndBody) (*Response, error) {
	if err := ex.mayUpgrade(&r.Response); err != nil {
		return nil, ex.failure(PhaseResponseHeaders, err)
	}
	if !ex.wire.unbind() {
		return nil, ex.failure(PhaseResponseHeaders, ErrCanceled)
	}
	if c.timeout != nil {
		c.timeout.stop()
	}
	u := &upgrade{ex: ex, socket: ex.wire.socket()}
	okio.TimeoutOf(u.socket.Source()).SetDeadline(time.Time{})
	okio.TimeoutOf(u.socket.Sink()).SetDeadline(time.Time{})
	u.source.upgrade, u.sink.upgrade = u, u
	u.open.Store(2)
	ex.rarely().upgrade = u
	r.body = *newResponseBody(upgradedBody{u}, "", 0)
	return &r.Response, nil
}

func (ex *exchange) upgraded() *upgrade {
	if ex.rare == nil {
		return nil
	}
	return ex.rare.upgrade
}

// Source implements [okio.Socket]. It is an [io.Reader] too. What the server sent right after its response comes first.
func (u *upgrade) Source() okio.Source { return &u.source }

// Sink implements [okio.Socket].
func (u *upgrade) Sink() okio.Sink { return &u.sink }

// Cancel implements [okio.Socket].
func (u *upgrade) Cancel(cause error) { u.socket.Cancel(cause) }

// closed ends the call when the second direction was closed.
func (u *upgrade) closed() {
	if u.open.Add(-1) == 0 {
		u.ex.over(u.failure.Load())
	}
}

// upgradedHalf is what the two directions have in common.
type upgradedHalf struct {
	*upgrade
	started atomic.Bool // the event of the start was told
	over    atomic.Bool // the event of the end was told, or that of a failure
	ended   atomic.Bool // closed
	moved   atomic.Int64
}

// fail notes what broke the connection. A time limit that was up did not: the operation can be made again.
func (h *upgradedHalf) fail(phase Phase, err error) error {
	switch {
	case h.ended.Load():
		return okio.ErrClosed // by another goroutine, which freed this one
	case isEOF(err) || isTimeout(err) || !h.over.CompareAndSwap(false, true):
		return err
	}
	ex := h.ex
	e := &Error{Method: ex.request.method, URL: ex.request.url.Redacted(), Phase: phase, Route: ex.conn.route.String(), Sent: true, Err: err}
	h.failure.CompareAndSwap(nil, e)
	if l := ex.call.events.Load(); l != nil {
		hook := l.ResponseFailed
		if phase == PhaseRequestBody {
			hook = l.RequestFailed
		}
		if hook != nil {
			hook(Failure{ex.call, err})
		}
	}
	return err
}

// upgradedSource is the receiving direction.
type upgradedSource struct{ upgradedHalf }

func (s *upgradedSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if err := s.begin(); err != nil {
		return 0, err
	}
	n, err := s.socket.Source().ReadBuffer(dst, most)
	return n, s.got(n, err)
}

// Read implements [io.Reader]. Nothing is copied on the way to p where the connection can read into it.
func (s *upgradedSource) Read(p []byte) (int, error) {
	if err := s.begin(); err != nil {
		return 0, err
	}
	if r, ok := s.socket.Source().(io.Reader); ok {
		n, err := r.Read(p)
		return n, s.got(int64(n), err)
	}
	var b okio.Buffer
	n, err := s.socket.Source().ReadBuffer(&b, int64(len(p)))
	_, _ = b.Read(p[:n])
	return int(n), s.got(n, err)
}

// begin tells of the first read.
func (s *upgradedSource) begin() error {
	if s.ended.Load() {
		return okio.ErrClosed
	}
	c := s.ex.call
	if !s.started.Load() && s.started.CompareAndSwap(false, true) {
		if l := c.events.Load(); l != nil && l.ResponseBodyStart != nil {
			l.ResponseBodyStart(c)
		}
	}
	return nil
}

func (s *upgradedSource) got(n int64, err error) error {
	s.moved.Add(n)
	if err != nil {
		err = s.fail(PhaseResponseBody, err)
	}
	return err
}

func (s *upgradedSource) Timeout() *okio.Timeout { return okio.TimeoutOf(s.socket.Source()) }

func (s *upgradedSource) Close() error {
	if !s.ended.CompareAndSwap(false, true) {
		return nil
	}
	return s.end()
}

func (s *upgradedSource) end() error {
	err := s.socket.Source().Close()
	defer s.closed()
	c := s.ex.call
	if l := c.events.Load(); s.over.CompareAndSwap(false, true) && s.started.Load() && l != nil && l.ResponseBodyEnd != nil {
		l.ResponseBodyEnd(BodyEnd{c, s.moved.Load()})
	}
	return err
}

// upgradedSink is the sending direction.
type upgradedSink struct{ upgradedHalf }

func (k *upgradedSink) WriteBuffer(src *okio.Buffer, n int64) error {
	if k.ended.Load() {
		return okio.ErrClosed
	}
	c := k.ex.call
	if !k.started.Load() && k.started.CompareAndSwap(false, true) {
		if l := c.events.Load(); l != nil && l.RequestBodyStart != nil {
			l.RequestBodyStart(c)
		}
	}
	before := src.Len()
	err := k.socket.Sink().WriteBuffer(src, n)
	k.moved.Add(before - src.Len())
	if err != nil {
		err = k.fail(PhaseRequestBody, err)
	}
	return err
}

func (k *upgradedSink) Flush() error { return k.socket.Sink().Flush() }

func (k *upgradedSink) Timeout() *okio.Timeout { return okio.TimeoutOf(k.socket.Sink()) }

func (k *upgradedSink) Close() error {
	if !k.ended.CompareAndSwap(false, true) {
		return nil
	}
	err := k.socket.Sink().Close()
	defer k.closed()
	c := k.ex.call
	if l := c.events.Load(); k.over.CompareAndSwap(false, true) && k.started.Load() && l != nil && l.RequestBodyEnd != nil {
		l.RequestBodyEnd(BodyEnd{c, k.moved.Load()})
	}
	return err
}

// upgradedBody is the empty body of a response that hands over what it came on. Closing it closes the socket.
type upgradedBody struct{ *upgrade }

func (b upgradedBody) ReadBuffer(*okio.Buffer, int64) (int64, error) { return 0, io.EOF }

func (b upgradedBody) Close() (err error) {
	// The peer may answer the end of the one direction with that of the other. To who reads, it was closed from here.
	if b.source.ended.CompareAndSwap(false, true) {
		defer func() {
			if sourceErr := b.source.end(); sourceErr != nil {
				err = sourceErr
			}
		}()
	}
	return b.sink.Close()
}

// Socket returns the connection after the server switched protocols, and whether it did. Each direction belongs to one goroutine at a
// time, but any may close it; the call ends, and the connection with it, when both are closed. The read and write timeouts of the call still bound each
// operation; change them with [okio.TimeoutOf].
func (r *Response) Socket() (okio.Socket, bool) {
	if r.exchange == nil || r.exchange.upgraded() == nil {
		return nil, false
	}
	return r.exchange.upgraded(), true
}

// Connection returns the connection that the response came over, and whether it came from a server.
func (r *Response) Connection() (*Connection, bool) {
	if r.exchange == nil {
		return nil, false
	}
	return r.exchange.conn, true
}
