package mockserver

import (
	"context"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// A SocketHandler speaks for the server once the head of a response was sent. See [Response.Socket], and [SocketScript] for one that is
// made of steps.
type SocketHandler interface {
	// ServeSocket has the socket until it returns. What it has not closed by then is closed in good order; goroutines that it started must
	// not use the socket any more. ctx ends when the server closes, which breaks the socket off as well. A panic breaks it off,
	// over HTTP/2 with INTERNAL_ERROR, and fails the test of [New].
	ServeSocket(ctx context.Context, r *Request, s okio.Socket)
}

// SocketHandlerFunc is a function as a [SocketHandler].
type SocketHandlerFunc func(ctx context.Context, r *Request, s okio.Socket)

// ServeSocket calls f.
func (f SocketHandlerFunc) ServeSocket(ctx context.Context, r *Request, s okio.Socket) { f(ctx, r, s) }

// Upgrade begins a response that switches to another protocol (RFC 9110 section 7.8), "websocket" for one, which h speaks: 101 with
// the fields Connection and Upgrade. On HTTP/2, where it answers an extended CONNECT (RFC 8441), it goes out as 200 without them, and to any
// other request it is a fault of the script there. [Request.Upgrade] tells what the client asked for.
func Upgrade(protocol string, h SocketHandler) Response {
	return Reply(101).Reason("Switching Protocols").Header("Connection", "Upgrade").Header("Upgrade", protocol).Socket(h)
}

// Socket lets h take over after the head of the response, in place of a body.
//
// After 101, and after 2xx to CONNECT, the socket is the connection, and no request follows on it; on HTTP/2 it is the stream. After any other
// status its source is the content of the request, as it comes, and its sink is the content of the response: [Request.Body] is nil then, because h
// reads it, and both may overlap. That takes a response that is known when the head of the request was read, because it is enqueued or a
// [Peeker] knows it; otherwise the content was recorded before, and the source is at its end. The content is sent chunked, with the trailers
// of [Response.Trailer], unless the script says otherwise; what is written goes out when the sink is flushed or closed.
//
// Delays, throttling and effects hold as for other responses. At [ResponseBody] they are of the bytes that h writes, of a length that is not known, before
// they are put in chunks: after an effect that ends the exchange h cannot write any more. Methods and statuses without content (RFC 9110 section 6.4.1)
// do without h. nil removes it.
func (r Response) Socket(h SocketHandler) Response {
	r.content, r.handler = content{}, h
	if h != nil {
		r.content.length = -1
	}
	return r
}

// switches reports whether the connection, or the stream, belongs to another protocol after the response.
func (r *Response) switches(method string) bool {
	return r.Code() == 101 || method == "CONNECT" && r.Code()/100 == 2
}

// handled reports whether the handler has something to do.
func (r *Response) handled(method string) bool {
	return r.handler != nil && (r.switches(method) || !r.bodiless(method))
}

// overlaps reports whether the handler is to read the request itself.
func (r *Response) overlaps(method string) bool { return r.handler != nil && !r.switches(method) }

// sendSocket sends the head of a response and lets its handler do the rest.
func (c *connection) sendSocket(ctx context.Context, r *Request, resp *Response) (keep bool, err error) {
	reason, fields := resp.head(r.Method)
	if err = c.writeHead(ctx, resp, reason, fields); err == nil {
		err = c.http.Flush()
	}
	if err == nil {
		err = c.server.pause(ctx, resp.bodyDelay)
	}
	if err != nil {
		return false, err
	}
	s := &handedSocket{cancel: c.socket.Cancel}
	strike := func() bool {
		plan := c.plan(resp.effects[ResponseBody].effect)
		if ends(plan) {
			c.log(r, resp.Code())
		}
		return c.perform(ctx, ResponseBody, plan)
	}
	if resp.switches(r.Method) {
		paced := resp.paced(ctx, c.socket.Sink(), strike)
		s.source, s.sink = c.http.Source(), paced
		return false, c.handOver(ctx, r, resp, s, paced)
	}
	s.source = okio.Source(new(okio.Buffer))
	if body, err := c.http.Body(); err == nil { // it was not read before
		s.source = body
	}
	var body *http1.BodyWriter
	if s.sink = (unendedSink{c.http.Sink()}); resp.codes() {
		if body, err = c.http.ResponseBody(http1.Chunked); err != nil {
			return false, err
		}
		s.sink = &trailedSink{Sink: body, end: func() error { return c.endChunks(body, resp.trailers) }}
	}
	paced := resp.paced(ctx, s.sink, strike)
	s.sink = paced
	if err := c.handOver(ctx, r, resp, s, paced); err != nil || c.over {
		return false, err
	}
	for _, limited := range []any{s.source, c.http.Sink()} { // the next request is not the handler's
		okio.TimeoutOf(limited).SetLimit(0)
		okio.TimeoutOf(limited).SetDeadline(time.Time{})
	}
	if err = s.sink.Close(); err == nil {
		err = c.http.FinishResponse()
	}
	return c.http.Reusable() && !resp.open, err
}

// handOver has the handler of a response speak, and an effect strike that is not due before it is done.
func (c *connection) handOver(ctx context.Context, r *Request, resp *Response, s *handedSocket, paced *pacedSink) error {
	c.handed = true
	c.handle(ctx, r, resp.handler, s)
	c.handed = false
	if ctx.Err() != nil { // the connection ends, and what the handler could not finish must not look whole
		return context.Cause(ctx)
	}
	if c.bowed {
		drained(c.http.Source())
	}
	if c.over {
		return nil
	}
	return paced.finish()
}

// codes reports whether what a handler writes goes out in the chunked coding.
func (r *Response) codes() bool {
	for i := 0; i < len(r.fields); i += 2 {
		if name := r.fields[i]; strings.EqualFold(name, "Transfer-Encoding") {
			return strings.EqualFold(r.fields[i+1], "chunked")
		} else if strings.EqualFold(name, "Content-Length") {
			return false
		}
	}
	return r.encoded()
}

// endChunks ends the content at once, so that the client need not wait for the handler to return.
func (c *connection) endChunks(body *http1.BodyWriter, trailers []string) error {
	err := body.CloseWithTrailers(trailers)
	if err == nil {
		err = c.http.Flush()
	}
	return err
}

// handle calls a handler, whose panic breaks the socket off.
func (c *connection) handle(ctx context.Context, r *Request, h SocketHandler, s *handedSocket) {
	defer func() {
		if p := recover(); p != nil {
			err := newPanicError("socket handler", p).answering(r)
			c.server.fault(err)
			s.breakOff(err)
			c.over = c.session.Load() == nil
		}
	}()
	h.ServeSocket(ctx, r, s)
}

// sendSocket sends the head of a response and lets its handler do the rest; struck says that an effect ended it.
func (x *streamExchange) sendSocket(ctx context.Context, resp *Response) (struck bool, err error) {
	_, fields := resp.head(x.request.Method)
	status := resp.Code()
	if status == 101 {
		status = 200 // RFC 8441 section 5
	}
	if err := x.stream.SendHead(status, fields, false); err != nil {
		return false, err
	}
	if err := x.server.pause(ctx, resp.bodyDelay); err != nil {
		return false, err
	}
	socket := x.stream.Socket()
	s := &handedSocket{source: socket.Source(), sink: socket.Sink(), cancel: socket.Cancel}
	s.broken = func(err error) { x.stream.Cancel(http2.InternalError, err) }
	if trailers := resp.trailers; len(trailers) > 0 {
		s.sink = &trailedSink{Sink: socket.Sink(), end: func() error { return x.stream.SendTrailers(trailers) }}
	}
	paced := resp.paced(ctx, s.sink, func() bool {
		plan := x.server.plan(resp.effects[ResponseBody].effect)
		if ends(plan) {
			x.log(x.request, resp.Code())
		}
		return x.perform(ctx, plan, false)
	})
	s.sink, x.handed = paced, true
	x.handle(ctx, x.request, resp.handler, s)
	x.handed = false
	if err := paced.finish(); err != nil || paced.struck {
		return paced.struck, err
	}
	if x.stream.Err() != nil || ctx.Err() != nil { // the handler, the client, or the end of the server, broke it off
		return false, nil
	}
	return false, s.sink.Close()
}

// handedSocket is what a handler gets.
type handedSocket struct {
	source okio.Source
	sink   okio.Sink
	cancel func(error)
	broken func(error) // in place of cancel, by a panic; nil for cancel
}

// breakOff is what a panic does.
func (s *handedSocket) breakOff(err error) {
	if s.broken != nil {
		s.broken(err)
		return
	}
	s.cancel(err)
}

func (s *handedSocket) Source() okio.Source { return s.source }
func (s *handedSocket) Sink() okio.Sink     { return s.sink }
func (s *handedSocket) Cancel(cause error)  { s.cancel(cause) }

// unendedSink is a connection as the sink of content that something else ends.
type unendedSink struct{ *okio.BufferedSink }

func (s unendedSink) Close() error { return s.Flush() }

// trailedSink ends with trailers.
type trailedSink struct {
	okio.Sink
	end   func() error
	ended bool
}

func (s *trailedSink) Timeout() *okio.Timeout { return okio.TimeoutOf(s.Sink) }

func (s *trailedSink) WriteBuffer(src *okio.Buffer, n int64) error {
	if s.ended {
		return okio.ErrClosed
	}
	return s.Sink.WriteBuffer(src, n)
}

func (s *trailedSink) Close() error {
	if s.ended {
		return nil
	}
	s.ended = true
	return s.end()
}
