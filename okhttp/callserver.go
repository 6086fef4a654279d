package okhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// callServer sends a request over the exchange's connection and reads the head of the response.
func (c *Call) callServer(ctx context.Context, cfg *config, ex *exchange, req *Request) (*Response, error) {
	resp, err := c.converse(ctx, cfg, ex, req)
	ex.failed = err != nil
	return resp, err
}

func (c *Call) converse(ctx context.Context, cfg *config, ex *exchange, req *Request) (*Response, error) {
	ex.request = req
	refused, wrote := c.writeRequest(ctx, cfg, ex, req)
	switch {
	case refused != nil:
		return c.newResponse(ex, req, *refused)
	case wrote != nil && !worthReading(wrote):
		return nil, wrote
	}
	head, err := c.readHead(ex)
	if err != nil {
		if wrote != nil {
			wrote.attempts = append(wrote.attempts, err.err)
			return nil, wrote
		}
		return nil, err
	}
	if wrote != nil {
		ex.forgo()
	}
	return c.newResponse(ex, req, head)
}

// writeRequest sends the request. If the server refuses the body beforehand, its response comes back. Failures that are not the
// connection's, of the user's body for one, have exchange unset.
func (c *Call) writeRequest(ctx context.Context, cfg *config, ex *exchange, req *Request) (refused *http1.ResponseHead, failed *attemptError) {
	l := c.events.Load()
	if req.body != nil && req.body.cfg.Duplex && ex.conn.http2 == nil {
		return nil, &attemptError{phase: PhaseRequestBody, err: &ProtocolError{Detail: "a duplex request body needs HTTP/2"}}
	}
	if l != nil && l.RequestHeadersStart != nil {
		l.RequestHeadersStart(c)
	}
	if err := ex.wire.writeHead(req); err != nil {
		return nil, c.requestFailed(ex.failure(PhaseRequestHeaders, err))
	}
	if l != nil && l.RequestHeadersEnd != nil {
		l.RequestHeadersEnd(RequestHeadersEnd{c, req})
	}
	if req.body != nil {
		if ascii.EqualFold(req.headers.Get("Expect"), "100-continue") {
			if refused, failed = c.awaitContinue(cfg, ex); refused != nil || failed != nil {
				return refused, failed
			}
		}
		if req.body.cfg.Duplex {
			if err := c.writeDuplex(ctx, ex, req.body); err != nil {
				return nil, c.requestFailed(err)
			}
			return nil, nil
		}
		if err := c.writeBody(ctx, ex, req.body); err != nil {
			return nil, c.requestFailed(err)
		}
	}
	if err := ex.wire.finishRequest(); err != nil {
		phase := PhaseRequestHeaders
		if req.body != nil {
			phase = PhaseRequestBody
		}
		return nil, c.requestFailed(ex.failure(phase, err))
	}
	c.traceWritten(nil)
	return nil, nil
}

// onRoute returns the target and the fields of a request. A proxy that reads requests gets the absolute form (RFC 9112 section 3.2.2), and its
// credentials if it has any. Where none does but one might have, the fields that were for it are left out: the server would read them.
func onRoute(r *Route, req *Request) (target string, fields []string) {
	target = req.url.requestTarget()
	switch {
	case r.forwards():
		target = "http://" + req.url.hostPort() + target
		if basic, _ := r.proxy.basic(); basic != "" && !req.headers.has("Proxy-Authorization") {
			return target, append(slices.Clip(req.headers.nv), "Proxy-Authorization", basic)
		}
	case !r.isServer() || r.alternative || req.forProxy:
		return target, req.headers.Without("Proxy-Authorization").Without("Proxy-Connection").nv
	}
	return target, req.headers.nv
}

func (c *Call) requestFailed(err *attemptError) *attemptError {
	c.traceWritten(err.err)
	if l := c.events.Load(); l != nil && l.RequestFailed != nil {
		l.RequestFailed(Failure{c, err.err})
	}
	return err
}

func (c *Call) writeBody(ctx context.Context, ex *exchange, body *Body) *attemptError {
	l := c.events.Load()
	if l != nil && l.RequestBodyStart != nil {
		l.RequestBodyStart(c)
	}
	w, err := ex.wire.requestBody(bodyLength(body))
	if err != nil {
		return ex.failure(PhaseRequestBody, err)
	}
	sink := okio.NewBufferedSink(w)
	if err := body.writeTo(ctx, sink); err != nil {
		return c.bodyFailure(ex, err)
	}
	if err := finishBody(sink, w, body); err != nil {
		return c.bodyFailure(ex, err)
	}
	if l != nil && l.RequestBodyEnd != nil {
		l.RequestBodyEnd(BodyEnd{c, w.Written()})
	}
	return nil
}

// bodyLength returns how much a body is, as a wire wants to know it.
func bodyLength(body *Body) int64 {
	if body.cfg.Len < 0 {
		return http1.Chunked
	}
	return body.cfg.Len
}

// finishBody ends the content, with the trailer fields that follow it.
func finishBody(sink *okio.BufferedSink, w requestSink, body *Body) error {
	if body.cfg.Trailers == nil {
		return sink.Close()
	}
	if err := sink.Emit(); err != nil {
		return err
	}
	trailers := body.cfg.Trailers()
	for name := range trailers.All() {
		if framesMessage(name) {
			return &ProtocolError{Detail: fmt.Sprintf("the field %s cannot be a trailer (RFC 9110 section 6.5.1)", fault.Quote(name))}
		}
	}
	return w.CloseWithTrailers(trailers.nv)
}

// framesMessage reports whether a field tells where a message ends or goes, which must be known before it does.
func framesMessage(name string) bool {
	for _, n := range [...]string{"Content-Length", "Transfer-Encoding", "Trailer", "Host", "Connection", "Content-Encoding", "Authorization"} {
		if ascii.EqualFold(name, n) {
			return true
		}
	}
	return false
}

// bodyFailure tells the user's failures from the connection's.
func (c *Call) bodyFailure(ex *exchange, err error) *attemptError {
	e := ex.failure(PhaseRequestBody, err)
	var src *sourceError
	if errors.As(err, &src) {
		e.exchange, e.err = false, src.err
	}
	return e
}

// worthReading reports whether a server may have answered although the request could not be written whole: it may refuse a body by
// answering and closing (RFC 9110 section 10.1.1).
func worthReading(e *attemptError) bool {
	var pe *ProtocolError
	reading := e.phase == PhaseResponseHeaders // it was waiting for 100 (Continue), and that failed
	return e.exchange && e.sent && !reading && !errors.As(e.err, &pe) && !isTimeout(e.err)
}

// readHead reads the final response head, past any informational ones.
func (c *Call) readHead(ex *exchange) (head http1.ResponseHead, failed *attemptError) {
	for {
		if head, failed = c.readOneHead(ex); failed != nil || !head.Informational() {
			return head, failed
		}
	}
}

// readOneHead reads the next head.
func (c *Call) readOneHead(ex *exchange) (head http1.ResponseHead, failed *attemptError) {
	l := c.events.Load()
	head, err := ex.wire.readHead()
	if err != nil {
		if isEOF(err) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("unexpected end of stream on %s: %w", ex.request.url.Redacted(), io.ErrUnexpectedEOF)
		}
		if l != nil && l.ResponseFailed != nil {
			l.ResponseFailed(Failure{c, err})
		}
		return head, ex.failure(PhaseResponseHeaders, err)
	}
	if !ex.answered {
		ex.answered = true
		if l != nil && l.ResponseHeadersStart != nil {
			l.ResponseHeadersStart(c)
		}
	}
	if head.Informational() && l != nil && l.Informational != nil {
		l.Informational(InformationalEvent{c, head.Status, headersOf(head.Fields)})
	}
	return head, nil
}

// responseAndBody is a response with its body in one piece of memory.
type responseAndBody struct {
	Response
	body ResponseBody
}

func (c *Call) makeResponse() *responseAndBody {
	if !c.forHTTP {
		return new(responseAndBody)
	}
	r := new(struct {
		responseAndBody
		converted httpResponse
	})
	r.http = &r.converted
	return &r.responseAndBody
}

// announced returns the length that the server announced, which for HEAD and 304 is that of what it did not send (RFC 9110 section 8.6).
func announced(req *Request, head *http1.ResponseHead, body content) int64 {
	if req.method == "HEAD" || head.Status == 304 {
		value, ok := headersOf(head.Fields).Last("Content-Length")
		if n, err := strconv.ParseInt(value, 10, 64); ok && err == nil {
			return n
		}
		if req.method == "HEAD" {
			return -1
		}
	}
	return max(body.Len(), -1)
}

// newResponse makes the response of a head and begins with its body.
func (c *Call) newResponse(ex *exchange, req *Request, head http1.ResponseHead) (*Response, error) {
	r := c.makeResponse()
	r.Status, r.Message, r.Protocol = head.Status, head.Reason, ex.conn.Protocol()
	if head.Minor == 0 {
		r.Protocol = HTTP10
	}
	r.headers, r.request = headersOf(head.Fields), req
	r.handshake = ex.conn.handshake
	r.began, r.took = ex.began, time.Since(ex.began)
	r.exchange = ex
	r.Body = &r.body
	if l := c.events.Load(); l != nil && l.ResponseHeadersEnd != nil {
		bare := r.Response
		bare.Body = unreadable("", 0)
		l.ResponseHeadersEnd(ResponseHeadersEnd{c, &bare})
	}
	if ex.switches(head.Status) {
		return c.upgraded(ex, r)
	}
	if ex.conn.http2 != nil && req.Upgrade() != "" {
		ex.forgo() // nothing will follow
	}
	if err := ex.open(); err != nil {
		return nil, ex.failure(PhaseResponseHeaders, err)
	}
	r.body.src = r
	r.body.contentType, r.body.length, r.body.empty = r.headers.Get("Content-Type"), announced(req, &head, ex.body), ex.done
	if !ex.done {
		ex.wire.linger()
		ex.watch(r)
	}
	return &r.Response, nil
}
