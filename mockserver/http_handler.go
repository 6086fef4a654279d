package mockserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// HTTPHandler lets a dispatcher answer within a server of net/http, or in a mux of one: routes, stubs, a [Queue]. The request body is read before, up to 8 MiB of it.
//
// net/http decides how responses are framed, and what it cannot do is not done: chunk sizes, the spelling of header names, the order of headers, the pace of the head, pushes and settings. A Content-Length that is too
// large breaks the response off behind what there is, and one that is too small before it. [Response.Raw] needs a connection that can be hijacked.
//
// Connections are those of net/http, all of which are number 0 here: an effect on them at [RequestStart] happens to each request, when its head was read. Effects up to [RequestHead] come before the body is
// read if the dispatcher is a [Queue], a [Peeker] or a [Decider], and behind it otherwise, and those at [RequestBody] behind it. All effects but those that wait abort the connection, or the stream
// ([http.ErrAbortHandler]), [Stall] when the client gives up. What is random is so by the seed 0.
//
// A fault of the script is answered with 500. So is a response with a fault that a handler cannot make happen, as it would prove nothing: [FailHandshake], [BadCertificate], [Write], [GoAway], [SendSettings],
// [RefuseConnections], [IgnoreConnections], [Response.MalformedChunk], [Response.ShutdownServer], [Response.InTunnel], a field of [Response.AddHeaderRaw] that must not be sent, and [Response.Socket].
func HTTPHandler(d Dispatcher) http.Handler {
	return &httpHandler{d, &Server{dice: newDice(0)}}
}

type httpHandler struct {
	dispatcher Dispatcher
	chance     *Server // for its choices alone
}

// handling is one request of it.
type handling struct {
	*httpHandler
	std *http.Request
}

// ServeHTTP implements [http.Handler].
func (h *httpHandler) ServeHTTP(w http.ResponseWriter, std *http.Request) {
	ctx := std.Context()
	r, err := requestOf(std)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.chance = h.chance.dice
	one := &handling{h, std}
	resp, err := one.answer(ctx, r)
	if err != nil && err != errAbort {
		resp = scriptFault(err)
	}
	if err == errAbort || one.send(ctx, w, r, &resp) != nil {
		panic(http.ErrAbortHandler)
	}
}

// answer reads a request and returns the response to it, or errAbort if there is none.
func (h *handling) answer(ctx context.Context, r *Request) (Response, error) {
	hint, err := peekSafely(h.dispatcher, r)
	if err == nil {
		err = beyondHandlers(&hint.Response)
	}
	if err != nil {
		return Response{}, err
	}
	if h.at(ctx, &hint.Response, RequestStart, RequestHead) != nil {
		return Response{}, errAbort
	}
	if !hint.skipBody && r.readStd(h.std) != nil {
		hint.giveBack()
		return Response{}, errAbort
	}
	if h.amid(ctx, r, &hint.Response) != nil {
		return Response{}, errAbort
	}
	resp, err := dispatch(ctx, h.dispatcher, r, hint)
	if err == nil {
		err = resp.Err()
	}
	if err == nil {
		err = beyondHandlers(&resp)
	}
	if err == nil && h.late(ctx, r, &resp, &hint.Response) != nil {
		err = errAbort
	}
	return resp, err
}

// late performs the effects within the request that were not known before its body was read.
func (h *handling) late(ctx context.Context, r *Request, resp, known *Response) error {
	for _, m := range []Moment{RequestStart, RequestHead} {
		if known.effects[m].effect == nil {
			if err := h.at(ctx, resp, m); err != nil {
				return err
			}
		}
	}
	if known.effects[RequestBody].effect != nil {
		return nil
	}
	return h.amid(ctx, r, resp)
}

// amid performs the effect within the body of a request, if that has come so far.
func (h *handling) amid(ctx context.Context, r *Request, resp *Response) error {
	length := int64(-1)
	if _, sized := r.Headers.Last("Content-Length"); sized {
		length = r.BodySize
	}
	effect := resp.effects[RequestBody]
	if r.Body == nil || length < 0 && effect.after == half || effect.at(length) > r.BodySize {
		return nil
	}
	return h.at(ctx, resp, RequestBody)
}

// beyondHandlers is what of a response a handler cannot make happen, nil if there is nothing.
func beyondHandlers(r *Response) error {
	var list []string
	for m, t := range r.effects {
		for _, e := range leaves(t.effect) {
			switch e.(type) {
			case FailHandshake, BadCertificate, Write, GoAway, SendSettings, RefuseConnections, IgnoreConnections:
				list = append(list, named([]Effect{e})+" at "+Moment(m).String())
			}
		}
	}
	for _, part := range []struct {
		name  string
		there bool
	}{
		{"MalformedChunk", r.badChunk}, {"ShutdownServer", r.last}, {"InTunnel", r.tunnel}, {"Socket", r.handler != nil}, {"AddHeaderRaw", r.lenient && len(sound(r.fields)) < len(r.fields)},
	} {
		if part.there {
			list = append(list, part.name)
		}
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("mockserver: HTTPHandler: a handler of net/http cannot do %s: expected a server of this package", strings.Join(list, ", "))
}

// errAbort says that an effect ends the exchange.
var errAbort = errors.New("mockserver: aborted by an effect")

// at performs what is due at moments.
func (h *handling) at(ctx context.Context, resp *Response, moments ...Moment) error {
	for _, m := range moments {
		for _, e := range h.chance.plan(resp.effects[m].effect) {
			switch e := e.(type) {
			case Wait:
				if err := sleep(ctx, e.For); err != nil {
					return err
				}
			case Stall:
				_, _ = io.Copy(io.Discard, h.std.Body) // net/http sees that the client gave up only behind the body
				<-ctx.Done()
				return errAbort
			default:
				return errAbort
			}
		}
	}
	return nil
}

func (h *handling) send(ctx context.Context, w http.ResponseWriter, r *Request, resp *Response) error {
	if err := h.at(ctx, resp, ResponseStart); err != nil {
		return err
	}
	if err := h.chance.pause(ctx, resp.headDelay); err != nil {
		return err
	}
	if resp.raw != nil {
		return sendHijacked(w, resp.raw)
	}
	for _, info := range resp.infos {
		if err := sleep(ctx, info.delay); err != nil {
			return err
		}
		if info.status != http.StatusContinue { // which net/http sends when the body is read
			put(w.Header(), info.fields)
			w.WriteHeader(info.status)
			clear(w.Header())
		}
	}
	_, fields := resp.head(r.Method)
	for i := 0; i < len(fields); i += 2 {
		if !strings.EqualFold(fields[i], "Transfer-Encoding") {
			w.Header().Add(fields[i], fields[i+1])
		}
	}
	if resp.encoded() {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(resp.Code())
	flush := http.NewResponseController(w).Flush
	if resp.bodyDelay != (delay{}) || resp.content.live {
		_ = flush() // an http.ResponseWriter without it sends all at the end
	}
	if err := h.chance.pause(ctx, resp.bodyDelay); err != nil {
		return err
	}
	if err := h.sendContent(ctx, w, r, resp, flush); err != nil {
		return err
	}
	if err := sleep(ctx, resp.endDelay); err != nil {
		return err
	}
	trailers, err := resp.allTrailers()
	if err != nil {
		return err
	}
	for i := 0; i < len(trailers); i += 2 {
		w.Header().Add(http.TrailerPrefix+trailers[i], trailers[i+1])
	}
	return h.at(ctx, resp, ResponseEnd)
}

func put(h http.Header, fields []string) {
	for i := 0; i < len(fields); i += 2 {
		h.Add(fields[i], fields[i+1])
	}
}

// sendContent sends the body at the pace that the script gives.
func (h *handling) sendContent(ctx context.Context, w http.ResponseWriter, r *Request, resp *Response, flush func() error) error {
	body := io.NopCloser(byteReader(nil))
	length := int64(0)
	if !resp.bodiless(r.Method) && resp.content.open != nil {
		opened, err := resp.content.reader(ctx)
		if err != nil {
			return err
		}
		body, length = opened, resp.content.length
	}
	defer body.Close()
	var wrong error
	sink := okio.NewBufferedSink(writerSink{w, flush})
	d := resp.deliver(sink, body, length, func() bool {
		wrong = h.at(ctx, resp, ResponseBody)
		return wrong == nil
	})
	d.stop = resp.effects[ResponseBody].atChunk(d.stop, func(n int) int64 { return sizesOf(resp.chunks, n) })
	struck, err := d.run(ctx)
	if struck {
		return wrong
	}
	if err == nil {
		err = sink.Flush()
	}
	return err
}

// writerSink is a response of net/http as a sink, whose Flush sends.
type writerSink struct {
	w     io.Writer
	flush func() error
}

func (s writerSink) WriteBuffer(src *okio.Buffer, n int64) error {
	p, err := src.ReadN(n)
	if err == nil && len(p) > 0 {
		_, err = s.w.Write(p)
	}
	return err
}

func (s writerSink) Flush() error {
	if err := s.flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

func (s writerSink) Close() error { return s.Flush() }

func sendHijacked(w http.ResponseWriter, raw []byte) error {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	_, err = conn.Write(raw)
	return errors.Join(err, conn.Close())
}

// requestOf is a request of net/http without its body.
func requestOf(std *http.Request) (*Request, error) {
	r := &Request{Method: std.Method, Target: std.RequestURI, Proto: std.Proto, Authority: std.Host, TLS: std.TLS, RemoteAddr: address(std.RemoteAddr)}
	if r.Target == "" { // it was not received, but made
		r.Target = std.URL.RequestURI()
	}
	if std.ProtoMajor == 2 {
		r.Proto = "HTTP/2"
	}
	var fields []string
	if std.Host != "" && std.ProtoMajor < 2 {
		fields = append(fields, "Host", std.Host)
	}
	for _, name := range slices.Sorted(maps.Keys(std.Header)) {
		for _, value := range std.Header[name] {
			fields = append(fields, name, value)
		}
	}
	var err error
	r.Headers, err = okhttp.NewHeaders(fields...)
	if err != nil {
		return nil, fmt.Errorf("mockserver: %w", err)
	}
	return r, nil
}

// address is one as text.
type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }

// readStd reads the body and the trailers.
func (r *Request) readStd(std *http.Request) error {
	if std.Body == nil || std.Body == http.NoBody && std.Header.Get("Content-Length") == "" {
		return nil
	}
	kept, err := io.ReadAll(io.LimitReader(std.Body, defaultBodyLimit))
	if err != nil {
		return err
	}
	more, err := io.Copy(io.Discard, std.Body)
	if err != nil {
		return err
	}
	if r.Body = kept; r.Body == nil {
		r.Body = []byte{}
	}
	r.BodySize = int64(len(kept)) + more
	if len(std.Trailer) > 0 {
		r.Trailers = okhttp.HeadersFrom(std.Trailer)
	}
	return nil
}
