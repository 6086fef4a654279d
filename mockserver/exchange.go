package mockserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/okhttp-go/ok/mockserver/internal/memo"
	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// maxChunkSizes is how many sizes of chunks are recorded.
const maxChunkSizes = 10_000

// exchange reads a request and answers it. It reports whether another one may follow.
func (c *connection) exchange(ctx context.Context) (more bool) {
	r := c.newRequest()
	head, err := c.http.ReadRequest()
	c.occupy()
	if err != nil {
		return c.refuse(r, err)
	}
	r.begin(head)
	if r.Failure = cmp.Or(hostFault(head), c.tunnelFault(r)); r.Failure != nil {
		c.record(r)
		return c.reject(r)
	}
	if resp := c.proxied(r); resp != nil {
		_, r.Failure = c.readBody(ctx, r, early{})
		r.Failure = c.failure(r.Failure)
		if c.record(r); r.Failure != nil {
			return c.reject(r)
		}
		return c.answer(ctx, r, head, *resp, true)
	}
	dispatcher := c.server.current()
	hint, err := peekSafely(dispatcher, r)
	if err != nil {
		c.record(r)
		return c.answer(ctx, r, head, c.blame(r, err), true)
	}
	plan := hint.headCame(r, c.plan)
	if ends(plan) {
		r.Failure = errEffect
		c.record(r)
		c.log(r, 0)
	}
	if !c.perform(ctx, RequestHead, plan) {
		if !ends(plan) {
			r.Failure = c.unheard(nil)
			c.record(r)
			c.log(r, 0)
		}
		return false
	}
	if err := c.informational(ctx, r, hint.infos); err != nil {
		hint.giveBack()
		r.Failure = c.unheard(err)
		c.record(r)
		return c.reject(r)
	}
	if !hint.unread(r) {
		plan, r.Failure = c.readBody(ctx, r, hint)
		r.Failure = c.failure(r.Failure)
	}
	c.record(r)
	switch {
	case r.Failure == errEffect: // the response is used up, or a client that tries again would meet it forever
		c.log(r, 0)
		c.perform(ctx, RequestBody, plan)
		return false
	case r.Failure != nil:
		hint.giveBack()
		return c.reject(r)
	}
	x := newExchangeContext(ctx, c.watch)
	defer x.end()
	resp := c.decide(x, dispatcher, r, hint)
	x.settle() // what the client sends from now on is for those who answer
	if err := x.gone(); err != nil {
		c.abandon(r, err)
		return false
	}
	if ctx.Err() != nil {
		return false
	}
	length := int64(-1)
	if _, sized := r.Headers.Last("Content-Length"); sized {
		length = r.BodySize
	}
	r = c.server.tell(r, c.missed(r, &resp, hint, length)...)
	return c.answer(ctx, r, head, resp, hint.known && len(hint.infos) > 0)
}

// peekSafely asks the dispatcher, whose panics are no reason to fall over.
func peekSafely(d Dispatcher, r *Request) (e early, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = newPanicError("dispatcher", p)
		}
	}()
	return peek(d, r), nil
}

// decide returns the response to a request that was recorded, which is one that can be sent.
func (c *connection) decide(ctx context.Context, d Dispatcher, r *Request, hint early) Response {
	if hint.reserved == nil {
		defer c.server.await(r)()
	}
	resp, err := dispatch(ctx, d, r, hint)
	if err == nil {
		err = resp.Err()
	}
	if err == nil && r.Proto == "HTTP/2" {
		err = resp.framed(r)
	}
	if err != nil {
		return c.blame(r, err)
	}
	if resp.unexpected != nil && c.server.cfg.strict {
		c.server.fault(resp.unexpected)
	}
	return resp
}

// dispatch asks the dispatcher for the response, unless that is known already.
func dispatch(ctx context.Context, d Dispatcher, r *Request, hint early) (resp Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = newPanicError("dispatcher", p)
		}
	}()
	if len(r.Body) > 0 {
		defer memo.Hold(r)() // what the dispatcher found out about the body is there for templates
	}
	resp = hint.Response
	if hint.reserved == nil {
		resp = d.Dispatch(ctx, r)
	}
	if resp.adapt != nil {
		resp = resp.adapt(r, resp)
	}
	return resp, nil
}

// blame reports a fault of the script and returns the answer that says so.
func (c *connection) blame(r *Request, err error) Response {
	if p := (*panicError)(nil); errors.As(err, &p) {
		c.server.fault(p.answering(r))
		err = p.short()
	} else {
		c.server.fault(fmt.Errorf("%w; in answer to %v", err, r))
	}
	return scriptFault(err)
}

// refuse ends a connection whose next request head cannot be read.
func (c *connection) refuse(r *Request, err error) bool {
	r.Failure = c.failure(err)
	if err == io.EOF || broken(r.Failure) && !errors.Is(err, io.ErrUnexpectedEOF) && c.http.Source().Buffer().Len() == 0 {
		return false
	}
	c.record(r)
	return c.reject(r)
}

// reject answers a request that cannot be understood. Connections that broke get nothing.
func (c *connection) reject(r *Request) bool {
	status, reason := 400, "Bad Request"
	if large := (*http1.TooLargeError)(nil); errors.As(r.Failure, &large) {
		status, reason = 431, "Request Header Fields Too Large" // RFC 6585 section 5
	}
	c.log(r, status)
	if broken(r.Failure) || errors.Is(r.Failure, io.ErrUnexpectedEOF) {
		return false
	}
	text := r.Failure.Error() + "\n"
	resp := Reply(status).Reason(reason).Header("Content-Type", "text/plain; charset=utf-8").Header("Connection", "close").Text(text)
	_, fields := resp.head("GET")
	if c.http.WriteHead(status, reason, fields) == nil {
		_, _ = c.http.Sink().WriteString(text)
		_ = c.http.FinishResponse()
	}
	return false
}

// informational sends 1xx responses (RFC 9110 section 15.2).
func (c *connection) informational(ctx context.Context, r *Request, infos []informational) error {
	if r.Proto == "HTTP/1.0" {
		return nil
	}
	for _, info := range infos {
		if err := sleep(ctx, info.delay); err != nil {
			return err
		}
		if err := c.http.WriteHead(info.status, reasonOf(info.status), info.fields); err != nil {
			return err
		}
	}
	return nil
}

// readBody reads the request body into r, at the pace and up to the point that the script gives.
func (c *connection) readBody(ctx context.Context, r *Request, hint early) (struck []Effect, err error) {
	body, err := c.http.Body()
	if err != nil {
		return nil, err
	}
	_, sized := r.Headers.Last("Content-Length")
	if !sized && body.Len() != http1.Chunked {
		return nil, nil
	}
	body.EachChunk(func(size int64) {
		if len(r.ChunkSizes) < maxChunkSizes {
			r.ChunkSizes = append(r.ChunkSizes, size)
		}
	})
	length := int64(-1)
	if sized {
		length = body.Len()
	}
	act := func(plan []Effect) bool { return c.perform(ctx, RequestBody, plan) }
	if struck, err := c.readContent(ctx, r, hint, body, length, c.plan, act); err != nil {
		return struck, err
	}
	trailers, err := body.Trailers()
	r.Trailers = headersOf(trailers)
	return nil, err
}

// readContent reads content of a length, -1 if that is not known. An effect that is due within it is struck if it ends the exchange, which is
// for the caller then, with errEffect; act performs others. choose makes its choices.
func (c *connection) readContent(
	ctx context.Context, r *Request, hint early, body contentReader, length int64, choose func(Effect) []Effect, act func(plan []Effect) bool,
) (struck []Effect, err error) {
	r.Body = []byte{}
	effect := hint.effects[RequestBody]
	stop := effect.at(length)
	if length < 0 && effect.after == half {
		stop = -1
	}
	pace := pacer{throttle: hint.throttle}
	var piece okio.Buffer
	defer piece.Clear()
	for {
		if stop == r.BodySize {
			stop = -1
			hint.struck(r, RequestBody)
			if plan := choose(effect.effect); ends(plan) {
				return plan, errEffect
			} else if !act(plan) {
				return nil, c.unheard(nil)
			}
		}
		most := pace.most(16 << 10)
		if stop >= 0 {
			most = min(most, stop-r.BodySize)
		}
		n, err := body.ReadBuffer(&piece, most)
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if err := pace.pass(ctx, n, nil); err != nil {
			return nil, err
		}
		r.BodySize += n
		keep := n
		if limit := c.server.cfg.bodyLimit; limit >= 0 {
			keep = min(n, max(limit-int64(len(r.Body)), 0))
		}
		kept, err := piece.ReadN(keep)
		if err != nil {
			return nil, err
		}
		r.Body = append(r.Body, kept...)
		piece.Clear()
	}
}

// contentReader is content on its way.
type contentReader interface {
	ReadBuffer(dst *okio.Buffer, most int64) (int64, error)
}

// answer sends the response as it is scripted. told says that its 1xx responses were sent.
func (c *connection) answer(ctx context.Context, r *Request, head http1.RequestHead, resp Response, told bool) bool {
	plan := c.plan(resp.effects[ResponseStart].effect)
	if ends(plan) {
		c.log(r, 0)
	}
	if !c.perform(ctx, ResponseStart, plan) {
		return false
	}
	err := c.server.pause(ctx, resp.headDelay)
	if resp.last {
		c.server.end()
	}
	if err == nil && !told {
		err = c.informational(ctx, r, resp.infos)
	}
	keep := false
	if err == nil && resp.raw != nil {
		keep, err = c.sendRaw(ctx, r, head, &resp)
	} else if err == nil && resp.handled(r.Method) {
		keep, err = c.sendSocket(ctx, r, &resp)
	} else if err == nil {
		keep, err = c.send(ctx, r, &resp)
	}
	if err != nil {
		if ctx.Err() == nil {
			c.server.cfg.logger.Warn("mockserver: response", "conn", c.index, "line", r.shownLine(), "err", err)
		}
		c.over = true
		return false
	}
	if c.over { // an effect within the body
		return false
	}
	c.log(r, resp.Code())
	if !c.perform(ctx, ResponseEnd, c.plan(resp.effects[ResponseEnd].effect)) {
		return false
	}
	if resp.tunnel && r.Method == "CONNECT" && resp.switches(r.Method) && !c.over {
		c.tunnel, c.opened = r.Target, true
		return false
	}
	keep = keep && !resp.last
	return keep && !c.over
}

// send sends a response through the codec.
func (c *connection) send(ctx context.Context, r *Request, resp *Response) (keep bool, err error) {
	reason, fields := resp.head(r.Method)
	if err := c.writeHead(ctx, resp, reason, fields); err != nil {
		return false, err
	}
	if resp.bodyDelay != (delay{}) || resp.content.live {
		if err := c.http.Flush(); err != nil {
			return false, err
		}
	}
	if err := c.server.pause(ctx, resp.bodyDelay); err != nil {
		return false, err
	}
	if err := c.sendBody(ctx, r, resp); err != nil || c.over {
		return false, err
	}
	if err := c.http.FinishResponse(); err != nil {
		return false, err
	}
	return c.http.Reusable() && !resp.open, nil
}

// sendRaw sends bytes past the codec, which then knows nothing of the state of the connection: another takes its place.
func (c *connection) sendRaw(ctx context.Context, r *Request, head http1.RequestHead, resp *Response) (keep bool, err error) {
	source, sink := c.http.Source(), c.http.Sink()
	whole := int64(len(resp.raw))
	if err := c.sendBytes(ctx, r, byteReader(resp.raw), whole, resp); err != nil || c.over {
		return false, err
	}
	if err := sink.Flush(); err != nil {
		return false, err
	}
	c.http = http1.NewServerConn(source, sink, http1.Limits{})
	return !resp.skipBody && head.Minor > 0 && !http1.HasToken(head.Fields, "connection", "close"), nil
}

// log tells of an exchange. The status is 0 if there was no response.
func (c *connection) log(r *Request, status int) {
	log := c.server.cfg.logger
	if !log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	log.Info("exchange", "conn", c.index, "index", r.Index, "method", r.Method, "target", target.Shown(r.Target), "status", status,
		"remote", r.RemoteAddr.String(), "body", r.BodySize, "failure", r.Failure)
}
