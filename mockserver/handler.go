package mockserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// Handler lets an [http.Handler] answer, as net/http's server would: 1xx statuses, Flush, trailers, "Connection: close", [http.ErrAbortHandler] and a Content-Type found
// by looking at the first bytes mean what they mean there. A Content-Length that the handler sets holds: Write beyond it is [http.ErrContentLength],
// and a response that is shorter is broken off. What is set in the header after the first Write, or WriteHeader, is not sent, but for trailers. The request
// body was read before the handler is called, and is what [WithBodyLimit] kept: reading fails where more came. A
// response that is over within 32 KiB and without Flush has a Content-Length; others are sent while the handler writes them. The
// context of the request ends when the client is found to be gone, which is looked for once the handler asks its context, as [Dispatcher] says, and on HTTP/1 is once it does not take
// the response where that has begun, and when the server closes. Header fields go out sorted
// by name. HEAD is told a Content-Length wherever one is known, 0 too, and over HTTP/2 Write beyond the Content-Length fails as on HTTP/1.
//
// Trailers are those that the field Trailer announced before the head was sent, and those under [http.TrailerPrefix], as the header has them when the handler
// returns. Over HTTP/1.1 they need the chunked coding: a response with a Content-Length has none, nor has one that is over within 32 KiB and said nothing of them before
// its first Write. HTTP/2 always has them, but for HEAD and a status without content. Fields that must not be trailers (RFC 9110 section 6.5.1) are left out.
//
// What differs from net/http: there is no Date but the one that the handler sets, so that a response is the same each time. "Expect: 100-continue" is answered
// with 100 whether the handler reads or not, and other expectations are for the handler. There is no [http.Hijacker], and there are no deadlines: [http.ResponseController] returns
// [http.ErrNotSupported]. Status 101 ends the connection over HTTP/1, and is a fault of the script over HTTP/2.
//
// The handler runs on a goroutine that the server waits for when it closes. A panic is answered with 500, or breaks the response off, and fails the test of
// [New].
func Handler(h http.Handler) Dispatcher { return &handlerDispatcher{h} }

type handlerDispatcher struct{ handler http.Handler }

// Decide implements [Decider] and decides nothing: it is there for "Expect: 100-continue".
func (d *handlerDispatcher) Decide(*Request) (Response, bool) { return Response{}, false }

// Dispatch implements [Dispatcher].
func (d *handlerDispatcher) Dispatch(ctx context.Context, r *Request) Response {
	request, err := r.std()
	if err != nil {
		return Reply(400).Header("Content-Type", "text/plain; charset=utf-8").Text(err.Error() + "\n")
	}
	inner, watch := ctx, func() {}
	if x, ok := ctx.(*exchangeContext); ok {
		inner, watch = x.Context, x.begin // most handlers do not ask whether their client is there, and pay nothing for it
	}
	life, cancel := context.WithCancel(inner)
	if r.LocalAddr != nil {
		life = context.WithValue(life, http.LocalAddrContextKey, r.LocalAddr)
	}
	whole := &handlerContext{life, watch}
	w := newHandlerWriter(whole, cancel, r)
	unbind := context.AfterFunc(inner, func() { w.reader.CloseWithError(context.Cause(inner)) }) // nobody is going to read any more
	run := func() {
		defer cancel()
		defer unbind()
		defer w.finish()
		d.handler.ServeHTTP(w, request.WithContext(whole))
		w.returned = true
	}
	if s, ok := ctx.Value(serverKey{}).(*Server); ok {
		w.fault = s.fault
		s.goroutines.Go(run)
	} else {
		go run()
	}
	select {
	case resp := <-w.ready:
		return resp
	case <-inner.Done():
		select {
		case resp := <-w.ready: // at the same moment, or the reason
			return resp
		default:
			return Reply(503)
		}
	}
}

// handlerContext is the context of a handler: from the moment on that somebody asks whether it ended, its client is watched.
type handlerContext struct {
	context.Context
	watch func()
}

// Done implements [context.Context].
func (c *handlerContext) Done() <-chan struct{} {
	c.watch()
	return c.Context.Done()
}

// Err implements [context.Context].
func (c *handlerContext) Err() error {
	c.watch()
	return c.Context.Err()
}

// serverKey finds the server in the context of its dispatchers.
type serverKey struct{}

// std returns the request as net/http's server would give it to a handler.
func (r *Request) std() (*http.Request, error) {
	u, err := url.ParseRequestURI(r.Target)
	if r.Method == http.MethodConnect && !strings.HasPrefix(r.Target, "/") {
		u, err = &url.URL{Host: r.Target}, nil
	}
	if err != nil {
		return nil, err
	}
	major, minor := 1, 1
	proto := r.Proto
	switch proto {
	case "HTTP/2":
		major, minor, proto = 2, 0, "HTTP/2.0"
	case "HTTP/1.0":
		minor = 0
	}
	header := r.Headers.HTTP()
	header.Del("Host")
	request := &http.Request{
		Method: r.Method, URL: u, Proto: proto, ProtoMajor: major, ProtoMinor: minor, Header: header, Body: http.NoBody, Host: r.Authority,
		RequestURI: r.Target, TLS: r.TLS,
	}
	if r.RemoteAddr != nil {
		request.RemoteAddr = r.RemoteAddr.String()
	}
	if r.Body != nil {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), r.BodySize
		if _, sized := r.Headers.Last("Content-Length"); !sized {
			request.ContentLength = -1
		}
		if kept := int64(len(r.Body)); kept < r.BodySize {
			over := fmt.Errorf("mockserver: %d bytes of the request body were kept, and it has %d: see WithBodyLimit", kept, r.BodySize)
			request.Body = io.NopCloser(io.MultiReader(bytes.NewReader(r.Body), failingReader{over}))
		}
	}
	if r.Trailers.Len() > 0 {
		request.Trailer = r.Trailers.HTTP()
	}
	return request, nil
}

// failingReader fails.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// errShort is why a response breaks off whose handler said that it would be longer.
var errShort = errors.New("mockserver: the handler wrote less than the Content-Length that it set")

// buffered is how much of a response a handler may write before it is sent.
const buffered = 32 << 10

// handlerWriter turns what a handler writes into a Response.
type handlerWriter struct {
	ready chan Response // one-slot; gets the response once
	fault func(error)   // reports a panic that comes too late for the response

	request   *Request
	head      bool // the request is HEAD
	header    http.Header
	sent      http.Header // header as it was at WriteHeader, which is what goes out; nil until then
	declared  int64       // the Content-Length of the handler, -1 for none
	written   int64
	chunked   bool // the response is for the chunked coding
	coded     bool // the handler says so, after which net/http does not look for a Content-Type
	status    int  // 0 until WriteHeader
	infos     []informational
	body      bytes.Buffer // until committed
	committed bool
	returned  bool // the handler did, which one that calls t.Fatal does not, nor does it panic
	pipe      *io.PipeWriter
	reader    *handlerBody
	ending    handlerEnd
}

func newHandlerWriter(ctx context.Context, cancel func(), request *Request) *handlerWriter {
	r, w := io.Pipe()
	return &handlerWriter{
		ready: make(chan Response, 1), fault: func(error) {}, request: request, head: request.Method == http.MethodHead, header: http.Header{}, declared: -1, pipe: w,
		reader: &handlerBody{r, cancel}, ending: handlerEnd{ctx: ctx, over: make(chan struct{})},
	}
}

// handlerBody ends the handler when it is closed.
type handlerBody struct {
	*io.PipeReader
	cancel func()
}

func (b *handlerBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

func (w *handlerWriter) Header() http.Header { return w.header }

func (w *handlerWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %v", status)) // as in net/http
	}
	if status >= 100 && status < 200 && status != 101 {
		w.infos = append(w.infos, informational{status: status, fields: fieldsOf(withoutLate(w.header))})
		return
	}
	w.status = status
	w.sent = withoutLate(w.header)
	w.ending.announce(w.sent["Trailer"], len(w.sent) < len(w.header))
	version2 := w.request.Proto == "HTTP/2" // where there are no codings
	switch coding := w.sent.Get("Transfer-Encoding"); {
	case !version2 && strings.EqualFold(coding, "chunked"):
		w.chunked, w.coded = true, true
		w.sent.Del("Content-Length")
	case w.sent.Get("Content-Length") != "":
		n, err := strconv.ParseUint(w.sent.Get("Content-Length"), 10, 63)
		if err != nil { // as if it were not there
			w.sent.Del("Content-Length")
			w.chunked = !version2
			break
		}
		w.declared = int64(n)
	}
	w.sent.Del("Transfer-Encoding") // the framing is the server's
}

// short reports whether the response is less than the handler said.
func (w *handlerWriter) short() bool {
	return !w.head && bodyAllowed(w.status) && w.written < w.declared
}

func bodyAllowed(status int) bool { return status >= 200 && status != 204 && status != 304 }

func (w *handlerWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !bodyAllowed(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if w.declared >= 0 && int64(len(p)) > w.declared-w.written {
		return 0, http.ErrContentLength
	}
	w.written += int64(len(p))
	return w.write(p)
}

func (w *handlerWriter) write(p []byte) (int, error) {
	switch {
	case w.committed && w.head:
		return len(p), nil
	case w.committed:
		return w.pipe.Write(p)
	case w.body.Len()+len(p) <= buffered:
		return w.body.Write(p)
	}
	rest := w.body.Bytes()
	w.sniff(append(rest[:len(rest):len(rest)], p[:min(len(p), 512)]...))
	w.commit()
	if len(rest) > 0 && !w.head {
		if _, err := w.pipe.Write(rest); err != nil {
			return 0, err
		}
	}
	return w.write(p)
}

// Flush implements [http.Flusher].
func (w *handlerWriter) Flush() {
	w.WriteHeader(http.StatusOK)
	if w.committed || !bodyAllowed(w.status) {
		return
	}
	rest := w.body.Bytes()
	w.sniff(rest)
	w.commit()
	if len(rest) > 0 && !w.head {
		_, _ = w.pipe.Write(rest) // the next Write meets the failure again
	}
}

// sniff finds the Content-Type where the handler says none.
func (w *handlerWriter) sniff(p []byte) {
	if _, given := w.sent["Content-Type"]; !given && !w.coded && w.sent.Get("Content-Encoding") == "" && len(p) > 0 {
		w.sent.Set("Content-Type", http.DetectContentType(p))
	}
}

// commit hands the head over; the body follows through the pipe, and the trailers when the handler is over.
func (w *handlerWriter) commit() {
	w.committed = true
	resp := w.response().Stream(w.declared, func() (io.ReadCloser, error) { return w.reader, nil })
	if w.declared < 0 {
		resp = w.unsized(resp)
	}
	resp.late = w.ending.await
	w.ready <- resp
}

func (w *handlerWriter) response() Response {
	resp := Reply(w.status).Reason(http.StatusText(w.status))
	resp.infos = w.infos
	fields := fieldsOf(w.sent)
	for i := 0; i < len(fields); i += 2 {
		resp = resp.AddHeader(fields[i], fields[i+1])
	}
	return resp
}

// unsized frames a body whose length is not told.
func (w *handlerWriter) unsized(resp Response) Response {
	switch {
	case w.head:
		resp.unframed = true
		return resp
	case w.request.Proto == "HTTP/2":
		return resp
	case w.request.Proto == "HTTP/1.0":
		return resp.UntilClose()
	}
	return resp.Chunked()
}

// finish is deferred around the handler.
func (w *handlerWriter) finish() {
	p := recover()
	var broken error
	switch {
	case p != nil:
		broken = errors.New("mockserver: the handler gave up")
	case !w.returned:
		broken = errGone
	case w.committed && w.short():
		broken = errShort
	}
	if broken == nil {
		w.WriteHeader(http.StatusOK)
	}
	w.ending.end(w.header, broken)
	switch {
	case w.committed:
		w.pipe.CloseWithError(broken)
		if p != nil && p != http.ErrAbortHandler {
			w.fault(newPanicError("handler", p).answering(w.request))
		}
	case p == nil && broken != nil:
		w.ready <- scriptFault(broken)
	case p == nil:
		w.ready <- w.whole()
	case p == http.ErrAbortHandler:
		w.ready <- Reply(500).On(ResponseStart, CloseStream{http2.InternalError})
	default:
		w.ready <- Fault(newPanicError("handler", p))
	}
}

// whole is the response of a handler that returned before anything of it was sent.
func (w *handlerWriter) whole() Response {
	w.sniff(w.body.Bytes())
	if w.short() {
		body := io.MultiReader(bytes.NewReader(w.body.Bytes()), failingReader{errShort})
		return w.response().Stream(w.declared, func() (io.ReadCloser, error) { return io.NopCloser(body), nil })
	}
	resp := w.response()
	if w.head || !bodyAllowed(w.status) {
		return w.bodiless(resp)
	}
	resp = resp.Body(w.body.Bytes())
	if w.chunked || w.ending.announced && w.declared < 0 {
		resp = w.unsized(resp)
	}
	if w.ending.trailers.Len() > 0 {
		resp.late = w.ending.await
	}
	return resp
}

// bodiless gives the response to HEAD the length that the response to GET would have.
func (w *handlerWriter) bodiless(resp Response) Response {
	if w.head && bodyAllowed(w.status) && w.body.Len() > 0 {
		resp = resp.Body(w.body.Bytes())
	}
	return resp
}

// fieldsOf returns a header as names and values, sorted by name.
func fieldsOf(h http.Header) (fields []string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			fields = append(fields, name, value)
		}
	}
	return fields
}
