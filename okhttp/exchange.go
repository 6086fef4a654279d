package okhttp

import (
	"context"
	"io"
	"runtime"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// discardTime is how long closing a response waits for the rest of its body, so that the connection can be used again.
const discardTime = 100 * time.Millisecond

// exchange is one request and its response on a connection. It is also the source of the response's body: what reads it outlives the
// exchange, but the connection does not belong to it then any more, so done comes first everywhere.
type exchange struct {
	call    *Call
	cfg     *config
	ctx     context.Context
	conn    *Connection
	wire    wire
	began   time.Time
	request *Request // as it goes to the network; the latest that an interceptor made of it

	answered bool // responseHeadersStart was told
	started  bool // responseBodyStart was told
	closed   bool // the user closed the body
	failed   bool // no response came
	forgone  bool // the rest of the request is not sent, but the response is read
	done     bool // the exchange is over: the connection is no longer its own
	broken   *Error
	got      int64

	body  content
	whole bool // the response came to its end
	rare  *rareExchange
	leak  runtime.Cleanup
}

// rareExchange is what few exchanges end with.
type rareExchange struct {
	duplex   *duplex // the request's body, which is sent beside the response
	trailers []string
	upgrade  *upgrade // after a 101
}

func (ex *exchange) rarely() *rareExchange {
	if ex.rare == nil {
		ex.rare = new(rareExchange)
	}
	return ex.rare
}

// begin starts an exchange on a connection that the call holds, under the time limits of the config and the context.
func (c *Call) begin(ctx context.Context, cfg *config, req *Request, conn *Connection, now time.Time) *exchange {
	ex := &c.first
	if c.exchange != nil {
		ex = new(exchange) // the body of an earlier response may still point to the first
	}
	*ex = exchange{call: c, cfg: cfg, ctx: ctx, conn: conn, wire: conn.wire(), began: now, request: req}
	c.exchange = ex
	deadline, _ := ctx.Deadline()
	ex.wire.limit(cfg.readTimeout, cfg.writeTimeout, deadline, cfg.maxHead)
	if c.wire.Store(&ex.wire); c.canceled.Load() { // by somebody who could not see it yet
		ex.wire.cancel()
	}
	ex.wire.bind(ctx)
	return ex
}

// failure describes what went wrong in the exchange with the server.
func (ex *exchange) failure(phase Phase, err error) *attemptError {
	ex.wire.judge(ex.call, err)
	return &attemptError{phase: phase, route: ex.conn.route.String(), sent: ex.wire.sent(), exchange: true, err: err}
}

// open makes the response's body readable. Without content the exchange is over at once.
func (ex *exchange) open() error {
	body, err := ex.wire.content()
	if err != nil {
		return err
	}
	ex.body = body
	if body.Done() {
		ex.start()
		ex.finish()
	}
	return nil
}

// sent reports whether a server may have seen a byte of the request. One that was given up does not know any more.
func (ex *exchange) sent() bool {
	if ex.done {
		return ex.whole || ex.closed || ex.broken != nil
	}
	return ex.wire.sent()
}

func (ex *exchange) start() {
	if ex.started {
		return
	}
	ex.started = true
	if l := ex.call.events.Load(); l != nil && l.ResponseBodyStart != nil {
		l.ResponseBodyStart(ex.call)
	}
}

// forgo ends the sending of the request before its end. Over HTTP/1.1 nothing can follow then; a stream of HTTP/2 is reset when its response has come.
func (ex *exchange) forgo() {
	if ex.forgone = true; ex.conn.http1 != nil {
		ex.wire.spend()
	}
}

// finish ends an exchange that went well.
func (ex *exchange) finish() {
	if trailers, _ := ex.body.Trailers(); len(trailers) > 0 {
		ex.rarely().trailers = trailers
	}
	if ex.forgone {
		ex.wire.spend()
	}
	ex.whole = true
	ex.conn.served.Add(1)
	ex.ended()
}

// ended tells of the end of the body. Here as in the other ends, what the call holds is free even if a listener panics.
func (ex *exchange) ended() {
	defer ex.over(nil)
	if l := ex.call.events.Load(); l != nil && l.ResponseBodyEnd != nil {
		l.ResponseBodyEnd(BodyEnd{ex.call, ex.got})
	}
}

// over parts with the connection, and with the call if nothing may follow.
func (ex *exchange) over(err *Error) {
	ex.done = true
	ex.leak.Stop()
	more := ex.call.more // a follow-up may use the connection
	if d := ex.duplex(); d != nil {
		d.then(func() { ex.conclude(more, err) })
		return
	}
	ex.conclude(more, err)
}

// conclude is over once no body is under way.
func (ex *exchange) conclude(more bool, err *Error) {
	c := ex.call
	c.part(ex)
	if more {
		return
	}
	if err != nil {
		defer c.fail(err)
	} else {
		defer c.succeed()
	}
	c.release()
}

// cut ends an exchange whose body will not be read to its end.
func (ex *exchange) cut() {
	ex.wire.spend()
	ex.ended()
}

// fail ends an exchange whose body could not be read.
func (ex *exchange) fail(err error) error {
	c := ex.call
	ex.wire.judge(c, err)
	ex.wire.spend()
	e := c.attribute(ex.ctx, &Error{
		Method: ex.request.method,
		URL:    ex.request.url.Redacted(),
		Phase:  PhaseResponseBody,
		Route:  ex.conn.route.String(),
		Sent:   true,
		Err:    err,
	})
	ex.broken = e
	defer ex.over(e)
	if l := c.events.Load(); l != nil && l.ResponseFailed != nil {
		l.ResponseFailed(Failure{c, e})
	}
	return e
}

// ready reports why nothing can be read: the body was closed, failed or came to its end.
func (ex *exchange) ready() error {
	switch {
	case ex.closed:
		return okio.ErrClosed
	case ex.broken != nil:
		return ex.broken
	case ex.done:
		if !ex.whole {
			return okio.ErrClosed
		}
		return io.EOF
	}
	return nil
}

// read accounts for bytes that were read.
func (ex *exchange) read(n int64, err error) (int64, error) {
	if err != nil && err != io.EOF {
		return n, ex.fail(err)
	}
	ex.got += n
	ex.start()
	if ex.body.Done() {
		ex.finish()
	}
	return n, err
}

// ReadBuffer implements [okio.Source].
func (ex *exchange) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if err := ex.ready(); err != nil || most == 0 {
		return 0, err
	}
	return ex.read(ex.body.ReadBuffer(dst, most))
}

// Read implements [io.Reader].
func (ex *exchange) Read(p []byte) (int, error) {
	if err := ex.ready(); err != nil || len(p) == 0 {
		return 0, err
	}
	m, err := ex.body.Read(p)
	n, err := ex.read(int64(m), err)
	return int(n), err
}

// Close implements [okio.Source]. A body that was not read to its end is discarded for a moment, so that the connection can be kept;
// a longer rest is not worth it, and neither is one that ends with the connection.
func (ex *exchange) Close() error {
	if ex.closed {
		return nil
	}
	ex.closed = true
	if ex.done {
		return nil
	}
	defer ex.quit()
	ex.start()
	return nil
}

// quit ends an exchange whose body was closed.
func (ex *exchange) quit() {
	if ex.body.Len() != http1.UntilClose && ex.ctx.Err() == nil && ex.wire.discard(ex.body, time.Now().Add(discardTime), &ex.got) {
		ex.finish()
	} else {
		ex.cut()
	}
}

// allTrailers reads to the end and returns the trailer fields.
func (ex *exchange) allTrailers() ([]string, error) {
	var waste okio.Buffer
	for !ex.done && !ex.closed {
		_, err := ex.ReadBuffer(&waste, 16<<10)
		waste.Clear()
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	if !ex.whole {
		if ex.broken != nil {
			return nil, ex.broken
		}
		return nil, http1.ErrTrailersTruncated
	}
	if ex.rare == nil {
		return nil, nil
	}
	return ex.rare.trailers, nil
}
