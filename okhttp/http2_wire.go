package okhttp

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// http2Wire is the wire of one exchange over HTTP/2. It is also the content of its response.
type http2Wire struct {
	conn        *Connection
	stream      http2.Stream
	open        atomic.Bool // the stream is, or was
	canceled    atomic.Bool
	ctx         context.Context
	stop        atomic.Pointer[func()] // tells the body that is sent beside the response, if there is one
	read, write time.Duration
	deadline    time.Time
	length      int64       // that the response announced
	due         int64       // of that, what has to come; 0 if it may be that nothing does
	bodiless    bool        // the request was HEAD
	last        bool        // nothing follows its head
	partial     okio.Buffer // content taken off the stream for Read
}

func (w *http2Wire) limit(read, write time.Duration, deadline time.Time, _ int64) {
	w.read, w.write, w.deadline = read, write, deadline
	w.stream.SetLimits(read, write, deadline)
}

func (w *http2Wire) bind(ctx context.Context) {
	w.ctx = ctx
	w.stream.Bind(ctx)
}

func (w *http2Wire) unbind() bool { return w.stream.Unbind() }

func (w *http2Wire) linger() { w.stream.Watch() }

func (w *http2Wire) writeHead(req *Request) error {
	head := http2.RequestHead{Method: req.method, Path: req.url.requestTarget(), Authority: req.url.hostPort(), Scheme: req.url.Scheme()}
	_, fields := onRoute(w.conn.route, req)
	last := req.body == nil
	w.bodiless = req.method == "HEAD"
	if protocol := req.Upgrade(); protocol != "" {
		head.Method, head.Protocol, last = "CONNECT", protocol, false
		fields = headersOf(fields).Without("Sec-WebSocket-Key").nv // RFC 8441 section 5
	}
	if body := req.body; body != nil && (body.IsOneShot() || body.IsDuplex()) && w.conn.calls.several() {
		// Others may have left no room, which is known once the server's settings are, and this one could not be sent again.
		if err := w.conn.greet(w.ctx, w.read); err != nil {
			return err
		}
	}
	if err := w.stream.Open(w.conn.http2, head, fields, last); err != nil {
		return err
	}
	w.open.Store(true)
	if !last {
		w.stream.Watch() // what is sent may be long in coming
	}
	if w.canceled.Load() {
		w.stream.Cancel(http2.Cancel, ErrCanceled)
	}
	return nil
}

func (w *http2Wire) requestBody(length int64) (requestSink, error) {
	return &http2Body{wire: w, stream: &w.stream, length: length}, nil
}

func (w *http2Wire) finishRequest() error {
	_ = w.stream.Sink().Flush() // a failure is that of the response
	return nil
}

func (w *http2Wire) flush() error {
	return w.stream.Sink().Flush()
}

func (w *http2Wire) heardWithin(d time.Duration) bool {
	end := time.Now().Add(d)
	if !w.deadline.IsZero() && w.deadline.Before(end) {
		return true
	}
	return w.stream.Heard(end)
}

func (w *http2Wire) readHead() (http1.ResponseHead, error) {
	fields, last, err := w.stream.ReadHead()
	if err != nil {
		return http1.ResponseHead{}, w.named(err, "read", w.read)
	}
	_, rest := http2.SplitPseudo(fields)
	w.last = last
	w.length, _ = http2.ContentLength(rest)
	status := http2.Status(fields)
	if !w.bodiless && status != 304 {
		w.due = w.length
	}
	if (status == 204 || status == 205) && w.length > 0 {
		return http1.ResponseHead{}, fault.Protocolf("HTTP %d had non-zero Content-Length: %d", status, w.length)
	}
	return http1.ResponseHead{Minor: 1, Status: status, Fields: rest}, nil
}

// named names the operation that ran out of time, and the limit that was up: its own, or that of the whole call.
func (w *http2Wire) named(err error, operation string, limit time.Duration) error {
	switch {
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return err
	case !w.deadline.IsZero() && !time.Now().Before(w.deadline):
		return &timeoutError{operation + " timeout: deadline reached", err}
	case limit > 0:
		return &timeoutError{operation + " timeout after " + limit.String(), err}
	}
	return err
}

func (w *http2Wire) content() (content, error) { return w, nil }

func (w *http2Wire) hurry(end time.Time) {
	if w.deadline.IsZero() || end.Before(w.deadline) {
		w.stream.SetLimits(w.read, w.write, end)
	}
}

// discard never waits: what is under way does no harm, and the stream is reset.
func (w *http2Wire) discard(_ content, _ time.Time, got *int64) bool {
	n, whole := w.stream.Discard()
	*got += n
	return whole
}

func (w *http2Wire) socket() okio.Socket { return w.stream.Socket() }

func (w *http2Wire) overlap(stop func()) {
	w.stop.Store(&stop)
	w.stream.Overlap()
	if w.canceled.Load() {
		stop()
	}
}

func (w *http2Wire) abort(err error) { w.stream.Cancel(http2.Cancel, err) }

func (w *http2Wire) sent() bool {
	return w.open.Load() && w.stream.Sent() && !untouched(w.stream.Err())
}

// untouched reports whether a stream ended in a way that proves that the server did not act on it (RFC 9113 section 8.7).
func untouched(err error) bool {
	var away *http2.GoAwayError
	return errors.As(err, &away) || refusedStream(err)
}

// refusedStream reports whether the server refused a stream.
func refusedStream(err error) bool {
	var reset *http2.StreamResetError
	return errors.As(err, &reset) && reset.Remote && reset.Code == http2.RefusedStream
}

// crowdedOut reports whether the server refused a stream because there were more than it allows, before it could say how many that is. The failure
// says nothing about the connection, nor about its route.
func (w *http2Wire) crowdedOut(err error) bool {
	return refusedStream(err) && w.stream.Crowded()
}

// judge decides, after a failure, whether the connection gets other calls: one refused stream says nothing about it, the second does, and so
// does any other reset by the server.
func (w *http2Wire) judge(call *Call, err error) {
	if errors.Is(err, http2.ErrTooManyStreams) {
		w.conn.review() // the pool is about to be told of it, and must know before another attempt is made
		return
	}
	var reset *http2.StreamResetError
	if !errors.As(err, &reset) || !reset.Remote || call.IsCanceled() {
		return
	}
	if w.crowdedOut(err) {
		return
	}
	if reset.Code == http2.NoError {
		return // the server has answered, and wants no more of the request (RFC 9113 section 8.1)
	}
	if reset.Code == http2.RefusedStream && w.conn.refused.Add(1) < 2 {
		return
	}
	w.conn.failed.Store(true)
	w.conn.pool.retire(w.conn, call, "the server reset a stream of it: "+reset.Code.String())
}

func (w *http2Wire) spend() {
	if stop := w.stop.Load(); stop != nil {
		(*stop)()
	}
	if w.open.Load() {
		w.stream.Cancel(http2.Cancel, ErrCanceled)
	}
}

func (w *http2Wire) cancel() {
	w.canceled.Store(true)
	w.spend()
}

// ReadBuffer implements content.
func (w *http2Wire) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if w.partial.Len() > 0 {
		return w.partial.ReadBuffer(dst, most)
	}
	switch { // what came before that is there, but not for a call that was canceled
	case w.canceled.Load():
		return 0, ErrCanceled
	case w.ctx.Err() != nil:
		return 0, context.Cause(w.ctx)
	}
	n, err := w.stream.Source().ReadBuffer(dst, most)
	w.due -= n
	if err != nil && err != io.EOF {
		err = w.named(err, "read", w.read)
	}
	return n, err
}

// Read implements content.
func (w *http2Wire) Read(p []byte) (int, error) {
	if w.partial.Len() == 0 {
		if _, err := w.ReadBuffer(&w.partial, int64(len(p))); err != nil {
			return 0, err
		}
	}
	return w.partial.Read(p)
}

// Close implements content.
func (w *http2Wire) Close() error {
	w.partial.Clear()
	return w.stream.Source().Close()
}

// Done implements content.
func (w *http2Wire) Done() bool {
	return w.partial.Len() == 0 && (w.last || w.due <= 0 && w.stream.Ended())
}

// Len implements content.
func (w *http2Wire) Len() int64 {
	if w.last {
		return 0
	}
	return max(w.length, http1.Chunked)
}

// Trailers implements content.
func (w *http2Wire) Trailers() ([]string, error) { return w.stream.Trailers() }

// http2Body is the content of a request over HTTP/2.
type http2Body struct {
	wire    *http2Wire
	stream  *http2.Stream
	length  int64 // or http1.Chunked
	written int64
	closed  bool
}

func (b *http2Body) WriteBuffer(src *okio.Buffer, n int64) error {
	if b.closed {
		return okio.ErrClosed
	}
	if b.length >= 0 && b.written+n > b.length {
		return fault.Protocolf("expected %d bytes but received %d", b.length, b.written+n)
	}
	before := src.Len()
	err := b.stream.Sink().WriteBuffer(src, n)
	b.written += before - src.Len()
	return b.wire.named(err, "write", b.wire.write)
}

func (b *http2Body) Flush() error { return b.stream.Sink().Flush() }

func (b *http2Body) Close() error { return b.CloseWithTrailers(nil) }

func (b *http2Body) CloseWithTrailers(fields []string) error {
	if b.closed {
		return nil
	}
	b.closed = true
	if b.length >= 0 && b.written < b.length {
		return fault.Protocolf("unexpected end of stream: expected %d bytes but received %d", b.length, b.written)
	}
	if len(fields) > 0 {
		return b.stream.SendTrailers(fields)
	}
	return b.wire.named(b.stream.Sink().Close(), "write", b.wire.write)
}

func (b *http2Body) Written() int64 { return b.written }
