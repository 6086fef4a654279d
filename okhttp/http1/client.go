package http1

import (
	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// ClientConn is the client role of one connection. An exchange goes through its methods in this order:
//
//	WriteHead, [RequestBody,] FinishRequest, ReadHead (again after a 1xx), Body
//
// ReadHead may come before FinishRequest, for a request that waits for 100 (Continue) and for a server that answers early. A call
// out of order is a [*StateError]. After the exchange, [ClientConn.Reusable] tells whether another one may follow.
type ClientConn struct {
	src  *okio.BufferedSource
	sink *okio.BufferedSink
	wire emitSink // below sink
	head headReader

	writing clientWrite
	reading clientRead
	method  string
	// spent is set once the connection cannot carry another exchange.
	spent bool

	request  BodyWriter
	response BodyReader
	length   int64 // of the response body, by the last head
}

type clientWrite uint8

const (
	writeIdle clientWrite = iota
	writeHead
	writeBody
	writeDone
)

func (s clientWrite) String() string {
	return [...]string{"no request was begun", "the request is open", "the request body is open", "the request was finished"}[s]
}

type clientRead uint8

const (
	readIdle clientRead = iota
	readHeads
	readReady
	readBody
	readUpgraded
	readFailed
)

func (s clientRead) String() string {
	return [...]string{"no response is due", "a response head is due", "the response head was read", "the response body is open",
		"the connection was upgraded", "the response head could not be read"}[s]
}

// NewClientConn makes the client role over the two directions of a connection.
func NewClientConn(src okio.Source, sink okio.Sink, limits Limits) *ClientConn {
	c := &ClientConn{src: okio.NewBufferedSource(src), wire: emitSink{Sink: sink}}
	c.sink = okio.NewBufferedSink(&c.wire)
	c.head = headReader{src: c.src, limit: limits.maxHead(), folded: true, what: "response head"}
	return c
}

// Sent reports whether a byte of the current request may have reached the peer: writing any was begun.
func (c *ClientConn) Sent() bool { return c.wire.used }

// SetLimits replaces the limits, for the exchanges that begin after it.
func (c *ClientConn) SetLimits(l Limits) { c.head.limit = l.maxHead() }

// WriteHead begins an exchange: it buffers the request line and the fields, in their order. The fields decide nothing here but
// whether the connection may be reused; the caller keeps them true to the body. Invalid methods, targets, names and values are a
// [ProtocolError] and write nothing.
func (c *ClientConn) WriteHead(method, target string, fields []string) error {
	if c.writing != writeIdle || c.spent {
		return &StateError{Op: "WriteHead", State: c.state()}
	}
	c.wire.used = false
	if err := writeRequestHead(c.sink.Buffer(), method, target, fields); err != nil {
		return err
	}
	c.method = method
	c.head.left = c.head.limit
	c.spent = HasToken(fields, "connection", "close")
	c.writing, c.reading = writeHead, readHeads
	return nil
}

func (c *ClientConn) state() string {
	switch {
	case c.spent && c.writing == writeIdle:
		return "the connection is spent"
	case c.reading == readBody || c.reading == readUpgraded:
		return c.reading.String()
	}
	return c.writing.String()
}

// RequestBody opens the content of the request: length is a number of bytes or [Chunked]. The caller has put the matching
// Content-Length or Transfer-Encoding field into the head.
func (c *ClientConn) RequestBody(length int64) (*BodyWriter, error) {
	if c.writing != writeHead || length < Chunked {
		return nil, &StateError{Op: "RequestBody", State: c.state()}
	}
	c.writing = writeBody
	c.request.reset(c.sink, length)
	return &c.request, nil
}

// Flush sends what is buffered of an unfinished request.
func (c *ClientConn) Flush() error { return c.sink.Flush() }

// FinishRequest ends the request, closing its body, and sends what is still buffered.
func (c *ClientConn) FinishRequest() error {
	switch c.writing {
	case writeHead:
	case writeBody:
		if err := c.request.Close(); err != nil {
			c.spent = true
			return err
		}
	default:
		return &StateError{Op: "FinishRequest", State: c.state()}
	}
	c.writing = writeDone
	return c.sink.Flush()
}

// ReadHead reads the next response head. After a 1xx (see [ResponseHead.Informational]) it is called again.
//
// io.EOF means that the peer closed the connection before the first byte of a head, io.ErrUnexpectedEOF that it closed inside one.
// Malformed heads are a [ProtocolError], heads above the limit a [TooLargeError]; after either the connection is spent.
func (c *ClientConn) ReadHead() (h ResponseHead, err error) {
	if c.reading != readHeads {
		return h, &StateError{Op: "ReadHead", State: c.reading.String()}
	}
	if h, err = c.readHead(); err != nil {
		c.spent, c.reading = true, readFailed
		return ResponseHead{}, err
	}
	return h, nil
}

func (c *ClientConn) readHead() (h ResponseHead, err error) {
	block, err := c.head.block()
	if err != nil {
		return h, err
	}
	line, rest := cutLine(block.text)
	if h, err = parseStatusLine(line); err != nil {
		return h, err
	}
	if h.Fields, err = c.head.fields(rest, block.lines-1); err != nil {
		return h, err
	}
	switch {
	case h.Informational():
		return h, nil
	case c.method == "CONNECT" && h.Status/100 == 2: // what the fields say about content is ignored (RFC 9110 section 9.3.6)
		c.spent, c.reading = true, readUpgraded
		return h, nil
	}
	f, err := frame(h.Fields)
	if err != nil {
		return h, err
	}
	if c.length, err = c.responseLength(&h, f); err != nil {
		return h, err
	}
	if f.contradict {
		h.Fields = without(h.Fields, "content-length")
	}
	if f.close || f.contradict || c.length == UntilClose || h.Minor == 0 && (!f.keepAlive || f.coded) {
		c.spent = true
	}
	c.reading = readReady
	if h.Status == 101 {
		c.spent, c.reading = true, readUpgraded
	}
	return h, nil
}

// responseLength applies RFC 9112 section 6.3 in its order.
func (c *ClientConn) responseLength(h *ResponseHead, f framing) (int64, error) {
	switch {
	case (h.Status == 204 || h.Status == 205) && f.length > 0:
		return 0, fault.Protocolf("HTTP %d had non-zero Content-Length: %d", h.Status, f.length)
	case c.method == "HEAD" || h.Status == 101 || h.Status == 304:
		return 0, nil
	case h.Status == 204:
		if f.coded { // it must not be there, and who knows what follows
			c.spent = true
		}
		return 0, nil
	case f.chunked:
		return Chunked, nil
	case f.coded:
		return UntilClose, nil
	case f.hasLength:
		return f.length, nil
	}
	return UntilClose, nil
}

// Body opens the content of the response whose head was read last; it is empty where the method or the status allows none
// (RFC 9112 section 6.3).
func (c *ClientConn) Body() (*BodyReader, error) {
	if c.reading != readReady {
		return nil, &StateError{Op: "Body", State: c.reading.String()}
	}
	c.reading = readBody
	c.response.reset(&c.head, c.length)
	return &c.response, nil
}

// Spend marks the connection as not to be used for another exchange.
func (c *ClientConn) Spend() { c.spent = true }

// Reusable reports whether the connection is fit for another exchange: the last one, if any, came to its end on both sides, both peers
// keep the connection open, the framing was sound and no byte is left over. Bytes that nobody asked for are taken as the start of a forged response
// (RFC 9112 section 9.2), so such a connection is never reused.
func (c *ClientConn) Reusable() bool {
	fresh := c.writing == writeIdle && c.reading == readIdle
	over := c.writing == writeDone && c.reading == readBody && c.response.done && c.response.err == nil
	return !c.spent && (fresh || over) && c.src.Buffer().Len() == 0 && c.sink.Buffer().Len() == 0
}

// Next makes a reusable connection ready for its next exchange. It is a [*StateError] to call it on one that is not.
func (c *ClientConn) Next() error {
	if !c.Reusable() {
		return &StateError{Op: "Next", State: "the connection is not reusable"}
	}
	c.writing, c.reading = writeIdle, readIdle
	return nil
}

// Source is the reading direction. After a 101, or a 2xx to CONNECT, the connection belongs to another protocol and its bytes, those
// already received among them, are read here.
func (c *ClientConn) Source() *okio.BufferedSource { return c.src }

// Sink is the writing direction; see [ClientConn.Source].
func (c *ClientConn) Sink() *okio.BufferedSink { return c.sink }
