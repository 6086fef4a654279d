package okhttp

import (
	"context"
	"io"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// wire carries the messages of one exchange. Over HTTP/1.1 it is the connection's, which serves one exchange after another; over HTTP/2 each
// exchange has its own.
type wire interface {
	// limit sets the time limits of each operation, the end of all of them, and the largest head.
	limit(read, write time.Duration, deadline time.Time, maxHead int64)
	// bind lets a context cancel the exchange.
	bind(ctx context.Context)
	// unbind undoes it, and reports whether the context has not ended before.
	unbind() bool
	// linger notes that the rest of the response will be read when its user likes: a context that ends must not have to wait for that.
	linger()
	// writeHead begins the exchange. The head may be held back until there is more to send.
	writeHead(req *Request) error
	// requestBody opens the content of the request: of a number of bytes, or [http1.Chunked].
	requestBody(length int64) (requestSink, error)
	// finishRequest ends the request and sends what was held back.
	finishRequest() error
	flush() error
	// heardWithin waits for the first byte of an answer, and reports whether there is something to read, if only a failure.
	heardWithin(d time.Duration) bool
	// readHead reads the next head of a response.
	readHead() (http1.ResponseHead, error)
	// content opens the content of the response whose head was read last.
	content() (content, error)
	// discard reads content that nobody wants, until a moment, and reports whether it came to its end. It adds what it read to got.
	discard(body content, end time.Time, got *int64) bool
	// hurry lets everything that is read from now on end at a moment, if that comes before the limits there are.
	hurry(end time.Time)
	// overlap notes that the request's content is sent beside the response: waits for the server have no limit before it was. stop is called when
	// the exchange ends before its time.
	overlap(stop func())
	// abort ends the exchange because of a failure of this side, which whoever waits for the response gets.
	abort(err error)
	// socket returns what is left when the exchange has led to another protocol. What came with the response is read first.
	socket() okio.Socket
	// sent reports whether a byte of the request may have reached the server.
	sent() bool
	// judge decides what a failure of the exchange means for the connection.
	judge(call *Call, err error)
	// spend ends the exchange where it is. An HTTP/1.1 connection serves no other then.
	spend()
	// cancel frees whatever is blocked in an operation, from any goroutine.
	cancel()
}

// requestSink is the content of a request on its way.
type requestSink interface {
	okio.Sink
	CloseWithTrailers(fields []string) error
	Written() int64
}

// content is that of a response on its way.
type content interface {
	okio.Source
	Read(p []byte) (int, error)
	// Done reports whether the end was reached.
	Done() bool
	// Len is the number of bytes that the head announced, or negative; [http1.UntilClose] if the connection ends with it.
	Len() int64
	Trailers() ([]string, error)
}

// http1Wire is the wire of a connection over HTTP/1.1.
type http1Wire struct {
	conn         *Connection
	codec        *http1.ClientConn // nil after an upgrade
	source, sink *okio.Timeout
	parts        func() bool // from the context
}

func newHTTP1Wire(c *Connection, socket okio.Socket) *http1Wire {
	source, sink := socket.Source(), socket.Sink()
	return &http1Wire{
		conn: c, codec: http1.NewClientConn(source, sink, http1.Limits{}),
		source: okio.TimeoutOf(source), sink: okio.TimeoutOf(sink),
	}
}

func (w *http1Wire) limit(read, write time.Duration, deadline time.Time, maxHead int64) {
	w.source.SetLimit(read)
	w.source.SetDeadline(deadline)
	w.sink.SetLimit(write)
	w.sink.SetDeadline(deadline)
	w.codec.SetLimits(http1.Limits{MaxHead: maxHead})
}

func (w *http1Wire) bind(ctx context.Context) {
	if ctx.Done() != nil {
		w.parts = context.AfterFunc(ctx, w.conn.cancel)
	}
}

func (w *http1Wire) unbind() bool {
	parts := w.parts
	w.parts = nil
	return parts == nil || parts()
}

func (w *http1Wire) linger() {} // bind has seen to it

func (w *http1Wire) writeHead(req *Request) error {
	target, fields := onRoute(w.conn.route, req)
	return w.codec.WriteHead(req.method, target, fields)
}

func (w *http1Wire) requestBody(length int64) (requestSink, error) {
	body, err := w.codec.RequestBody(length)
	if err != nil {
		return nil, err
	}
	return body, nil
}

func (w *http1Wire) finishRequest() error { return w.codec.FinishRequest() }
func (w *http1Wire) flush() error         { return w.codec.Flush() }

func (w *http1Wire) heardWithin(d time.Duration) bool {
	deadline, end := w.source.Deadline(), time.Now().Add(d)
	if !deadline.IsZero() && deadline.Before(end) {
		return true
	}
	w.source.SetDeadline(end)
	defer w.source.SetDeadline(deadline)
	_, err := w.codec.Source().Request(1)
	return !isTimeout(err) || time.Now().Before(end)
}

func (w *http1Wire) readHead() (http1.ResponseHead, error) { return w.codec.ReadHead() }

func (w *http1Wire) content() (content, error) {
	body, err := w.codec.Body()
	if err != nil {
		return nil, err
	}
	return body, nil
}

func (w *http1Wire) hurry(end time.Time) {
	if at := w.source.Deadline(); at.IsZero() || end.Before(at) {
		w.source.SetDeadline(end)
	}
}

func (w *http1Wire) discard(body content, end time.Time, got *int64) bool {
	w.hurry(end)
	var waste okio.Buffer
	for {
		n, err := body.ReadBuffer(&waste, 16<<10)
		waste.Clear()
		*got += n
		if body.Done() {
			return true
		}
		if err != nil || !time.Now().Before(end) {
			return false
		}
	}
}

// socket gives up the codec: what follows is none of its business, and may last for long.
func (w *http1Wire) socket() okio.Socket {
	s := &http1Socket{w.conn.socket, readAhead{Source: w.conn.socket.Source()}}
	if b := w.codec.Source().Buffer(); b.Len() > 0 {
		s.source.ahead = b
	}
	w.codec = nil
	return s
}

// switched reports whether the connection has left HTTP/1.1.
func (w *http1Wire) switched() bool { return w.codec == nil }

// http1Socket is a connection after HTTP/1.1.
type http1Socket struct {
	okio.Socket
	source readAhead
}

func (s *http1Socket) Source() okio.Source { return &s.source }

// readAhead is the source of a connection, of which something may have been read ahead. To close it leaves that to whoever reads.
type readAhead struct {
	okio.Source
	ahead *okio.Buffer // nil when all of it was read
}

func (s *readAhead) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if s.ahead == nil {
		return s.Source.ReadBuffer(dst, most)
	}
	defer s.look()
	return s.ahead.ReadBuffer(dst, most)
}

// Read implements [io.Reader]: what was not read ahead goes straight to p.
func (s *readAhead) Read(p []byte) (int, error) {
	if s.ahead == nil {
		return s.Source.(io.Reader).Read(p) // of okio.NewSocket
	}
	defer s.look()
	return s.ahead.Read(p)
}

// look lets go of what was read ahead when there is no more of it.
func (s *readAhead) look() {
	if s.ahead.Len() == 0 {
		s.ahead = nil
	}
}

func (s *readAhead) Timeout() *okio.Timeout { return okio.TimeoutOf(s.Source) }

func (w *http1Wire) overlap(func())     {} // it cannot be
func (w *http1Wire) abort(error)        { w.spend() }
func (w *http1Wire) sent() bool         { return w.switched() || w.codec.Sent() }
func (w *http1Wire) judge(*Call, error) {} // the codec knows
func (w *http1Wire) cancel()            { w.conn.cancel() }

func (w *http1Wire) spend() {
	if !w.switched() {
		w.codec.Spend()
	}
}
