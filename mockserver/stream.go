package mockserver

import (
	"context"
	"errors"
	"strconv"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// errRaw is the fault of a script that cannot be sent in frames.
var errRaw = errors.New("mockserver: Raw on HTTP/2, where a response consists of frames")

// streamExchange is one request of HTTP/2 and its response.
type streamExchange struct {
	*session
	stream  *http2.Stream
	request *Request
	length  int64 // of the request's content, -1 if it is not known
	handed  bool  // a handler reads from the stream, perhaps at the same time
}

// beginHTTP2 takes over the head.
func (r *Request) beginHTTP2(fields []string) {
	pseudo, rest := http2.SplitPseudo(fields)
	r.Proto, r.Headers = "HTTP/2", headersOf(joinCookies(rest))
	for i := 0; i < len(pseudo); i += 2 {
		switch value := pseudo[i+1]; pseudo[i] {
		case ":method":
			r.Method = value
		case ":path":
			r.Target = value
		case ":authority":
			r.Authority = value
		case ":protocol":
			r.Upgrade = value
		}
	}
	if r.Authority == "" {
		r.Authority = r.Headers.Get("Host")
	}
	if r.Target == "" { // CONNECT (RFC 9113 section 8.5)
		r.Target = r.Authority
	}
}

// joinCookies makes one Cookie of the crumbs that a client may send it in (RFC 9113 section 8.2.3), in the place of the first.
func joinCookies(fields []string) []string {
	first := -1
	for i := 0; i < len(fields); i += 2 {
		switch {
		case fields[i] != "cookie":
		case first < 0:
			first = i
		default:
			fields[first+1] += "; " + fields[i+1]
			fields = append(fields[:i:i], fields[i+2:]...)
			i -= 2
		}
	}
	return fields
}

// framed returns what makes a response one that cannot answer a request of HTTP/2.
func (r *Response) framed(to *Request) error {
	switch {
	case r.raw != nil:
		return errRaw
	case r.Code() != 101:
		return nil
	case r.handler == nil:
		return errors.New("mockserver: status 101 on HTTP/2, which does not have it")
	case to.Method != "CONNECT" || to.Upgrade == "":
		return errors.New("mockserver: an upgrade on HTTP/2, to a request that is no extended CONNECT")
	}
	return nil
}

// errGone is the fault of a script that ended its goroutine where it should have returned.
var errGone = errors.New("mockserver: the script ended its goroutine, as t.Fatal does")

// serve runs the exchange, and ends the stream if the script does not come back from it ([runtime.Goexit]), which ends no more than one goroutine.
func (x *streamExchange) serve(ctx context.Context, bare bool) {
	returned := false
	defer func() {
		if !returned {
			x.server.cfg.logger.Error("mockserver: fault", "err", errGone)
			x.stream.Cancel(http2.InternalError, errGone)
		}
	}()
	x.run(ctx, bare)
	returned = true
}

// run answers the request. bare says that it has no content.
func (x *streamExchange) run(ctx context.Context, bare bool) {
	defer func() { _ = x.stream.Source().Close() }() // asks for no more of a request that was not read, and forgets what came of it
	defer x.recovered()
	r, journal := x.request, &x.server.journal
	dispatcher := x.server.current()
	hint, err := peekSafely(dispatcher, r)
	if err != nil {
		journal.record(r)
		x.answer(ctx, x.blame(r, err), true)
		return
	}
	plan := hint.headCame(r, x.server.plan)
	if ends(plan) {
		r.Failure = errEffect
		journal.record(r)
		x.log(r, 0)
	}
	if !x.perform(ctx, plan, false) {
		if !ends(plan) {
			r.Failure = x.unheard(x.stream.Err())
			journal.record(r)
			x.log(r, 0)
		}
		return
	}
	if err := x.informational(ctx, hint.infos); err != nil {
		hint.giveBack()
		r.Failure = x.unheard(err)
		journal.record(r)
		x.log(r, 0)
		return
	}
	if !bare && r.Method != "CONNECT" && !hint.unread(r) {
		plan, r.Failure = x.readBody(ctx, hint)
		r.Failure = x.failure(r.Failure)
	}
	journal.record(r)
	switch {
	case r.Failure == errEffect: // the response is used up, or a client that tries again would meet it forever
		x.log(r, 0)
		x.perform(ctx, plan, false)
		return
	case r.Failure != nil: // the stream or the connection is over
		hint.giveBack()
		x.log(r, 0)
		return
	}
	whole := newExchangeContext(ctx, x.watch)
	defer whole.end()
	resp := x.decide(whole, dispatcher, r, hint)
	if err := whole.gone(); err != nil {
		x.abandon(r, err)
		return
	}
	if ctx.Err() == nil {
		x.request = x.server.tell(r, x.missed(r, &resp, hint, x.length)...)
		x.answer(ctx, resp, hint.known && len(hint.infos) > 0)
	}
}

// recovered ends the stream because of a panic, if there is one. It is to be deferred.
func (x *streamExchange) recovered() {
	if p := recover(); p != nil { // of a body, most likely
		err := newPanicError("dispatcher or body", p).answering(x.request)
		x.server.fault(err)
		x.stream.Cancel(http2.InternalError, err)
	}
}

// readBody reads the content and the trailers of the request.
func (x *streamExchange) readBody(ctx context.Context, hint early) (struck []Effect, err error) {
	act := func(plan []Effect) bool { return x.perform(ctx, plan, false) }
	if struck, err := x.readContent(ctx, x.request, hint, x.stream.Source(), x.length, x.server.plan, act); err != nil {
		return struck, err
	}
	trailers, err := x.stream.Trailers()
	x.request.Trailers = headersOf(trailers)
	return nil, err
}

func (x *streamExchange) informational(ctx context.Context, infos []informational) error {
	for _, info := range infos {
		if err := sleep(ctx, info.delay); err != nil {
			return err
		}
		if err := x.stream.SendHead(info.status, info.fields, false); err != nil {
			return err
		}
	}
	return nil
}

// answer sends the response as it is scripted. told says that its 1xx responses were sent.
func (x *streamExchange) answer(ctx context.Context, resp Response, told bool) {
	r := x.request
	plan := x.server.plan(resp.effects[ResponseStart].effect)
	if ends(plan) {
		x.log(r, 0)
	}
	if !x.perform(ctx, plan, false) {
		return
	}
	err := x.server.pause(ctx, resp.headDelay)
	if resp.last {
		x.server.end()
	}
	if err == nil && !told {
		err = x.informational(ctx, resp.infos)
	}
	struck := false
	if err == nil && resp.handled(r.Method) {
		struck, err = x.sendSocket(ctx, &resp)
	} else if err == nil {
		struck, err = x.send(ctx, &resp)
	}
	if ctx.Err() != nil { // the connection ends, and what was not sent by now must not look whole
		return
	}
	if err != nil {
		x.server.cfg.logger.Warn("mockserver: response", "conn", x.index, "line", r.shownLine(), "err", err)
		x.stream.Cancel(http2.InternalError, err)
		return
	}
	if struck {
		return
	}
	x.log(r, resp.Code())
	x.perform(ctx, x.server.plan(resp.effects[ResponseEnd].effect), true)
}

// send sends the response; struck says that an effect ended it within its body.
func (x *streamExchange) send(ctx context.Context, resp *Response) (struck bool, err error) {
	bare := resp.bodiless(x.request.Method) || resp.content.open == nil
	last := bare && len(resp.trailers) == 0 && (resp.late == nil || resp.bodiless(x.request.Method)) && resp.bodyDelay == (delay{}) && resp.endDelay == 0 && resp.effects[ResponseBody].effect == nil &&
		len(resp.pushes) == 0 && !resp.badChunk
	if len(resp.settings) > 0 {
		x.conn.SendSettings(resp.settings...)
	}
	if err := x.sendHead(resp, last); err != nil || last {
		return false, err
	}
	if err := x.push(ctx, resp); err != nil {
		return false, err
	}
	if err := x.server.pause(ctx, resp.bodyDelay); err != nil {
		return false, err
	}
	scripted := resp.content
	if bare {
		scripted = content{}
	}
	body, err := scripted.reader(ctx)
	if err != nil {
		return false, err
	}
	defer body.Close()
	d := resp.deliver(okio.NewBufferedSink(x.stream.Sink()), body, scripted.length, func() bool {
		plan := x.server.plan(resp.effects[ResponseBody].effect)
		if ends(plan) {
			x.log(x.request, resp.Code())
		}
		return x.perform(ctx, plan, false)
	})
	d.sizes = resp.chunks
	d.stop = resp.effects[ResponseBody].atChunk(d.stop, func(n int) int64 { return sizesOf(resp.chunks, n) })
	if struck, err = d.run(ctx); err != nil || struck {
		return struck, err
	}
	if resp.endDelay > 0 {
		if err := d.sink.Flush(); err != nil {
			return false, err
		}
		if err := sleep(ctx, resp.endDelay); err != nil {
			return false, err
		}
	}
	return x.finish(ctx, resp, d.sink)
}

// sizesOf returns the bytes of n chunks.
func sizesOf(sizes []int64, n int) (total int64) {
	for i := range n {
		total += sizes[min(i, len(sizes)-1)]
	}
	return total
}

// sendHead sends the head of the response.
func (x *streamExchange) sendHead(resp *Response, last bool) error {
	_, fields := resp.head(x.request.Method)
	if !resp.lenient {
		return x.stream.SendHead(resp.Code(), fields, last)
	}
	if len(fields) > len(resp.fields) && fields[0] == "Transfer-encoding" { // the framing of HTTP/1.1, which is not the script's
		fields = fields[2:]
	}
	return x.stream.SendFields(append([]string{":status", strconv.Itoa(resp.Code())}, fields...), last)
}

// finish ends the response.
func (x *streamExchange) finish(ctx context.Context, resp *Response, sink *okio.BufferedSink) (struck bool, err error) {
	if resp.badChunk {
		err := sink.Flush()
		x.log(x.request, resp.Code())
		bad := http2.FrameHeader{Length: 1, Type: http2.FrameData, Flags: http2.FlagPadded, Stream: x.stream.ID()}
		x.conn.Inject(append(bad.Append(nil), 0xff))
		x.awaitEnd(ctx)
		return err == nil, err
	}
	if resp.bodiless(x.request.Method) {
		return false, sink.Close()
	}
	if resp.late != nil && resp.content.live && resp.content.length >= 0 { // the end of the body is to be seen before who makes the trailers is done
		if err := sink.Flush(); err != nil {
			return false, err
		}
	}
	trailers, err := resp.allTrailers()
	if err != nil {
		return false, err
	}
	if len(trailers) == 0 {
		return false, sink.Close()
	}
	if err := sink.Flush(); err != nil {
		return false, err
	}
	return false, x.stream.SendTrailers(trailers)
}
