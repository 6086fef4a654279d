package http1

import (
	"io"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// ServerConn is the server role of one connection. An exchange goes through its methods in this order:
//
//	ReadRequest, [Body,] WriteHead (any 1xx first), [ResponseBody,] FinishResponse
//
// WriteHead may come before the request body was read. A call out of order is a [*StateError]. After the exchange,
// [ServerConn.Reusable] tells whether ReadRequest may be called again.
type ServerConn struct {
	src  *okio.BufferedSource
	sink *okio.BufferedSink
	head headReader

	state   serverState
	method  string
	minor   int
	spent   bool
	length  int64 // of the request body
	opened  bool  // the request body was asked for
	status  int
	request BodyReader

	response BodyWriter
}

type serverState uint8

const (
	serverIdle serverState = iota
	serverRequest
	serverHead
	serverBody
	serverFailed
)

func (s serverState) String() string {
	return [...]string{"no request was read", "the response head is due", "the response body is due", "the response body is open",
		"the request could not be read"}[s]
}

// NewServerConn makes the server role over the two directions of a connection.
func NewServerConn(src okio.Source, sink okio.Sink, limits Limits) *ServerConn {
	s := &ServerConn{src: okio.NewBufferedSource(src), sink: okio.NewBufferedSink(sink)}
	s.head = headReader{src: s.src, limit: limits.maxHead(), what: "request head"}
	return s
}

// ReadRequest reads the next request head. io.EOF means that the peer closed the connection before its first byte, which is how
// a kept-alive connection ends. Malformed heads are a [ProtocolError] (answer 400), heads above the limit a [TooLargeError] (answer
// 431); after either only WriteHead and FinishResponse are of use. Empty lines before the request line are skipped (RFC 9112
// section 2.2). A missing or repeated Host is for [RequestHead.CheckHost].
func (s *ServerConn) ReadRequest() (h RequestHead, err error) {
	if s.state != serverIdle || s.spent {
		return h, &StateError{Op: "ReadRequest", State: s.state.String()}
	}
	s.head.left = s.head.limit
	s.method, s.minor, s.opened, s.status = "", 1, false, 0
	if h, err = s.readHead(); err != nil {
		s.spent, s.state = true, serverFailed
		return RequestHead{}, err
	}
	s.state = serverRequest
	return h, nil
}

func (s *ServerConn) readHead() (h RequestHead, err error) {
	// A client of another protocol, TLS for one, may never send the line end that a request line is waited for with.
	ok, err := s.src.Request(1)
	if err != nil {
		return h, err
	}
	if ok {
		if c := s.src.Buffer().At(0); !ascii.IsTokenByte(c) && c != '\r' && c != '\n' {
			return h, fault.Protocolf("expected a request line but got 0x%02x", c)
		}
	}
	block, err := s.head.block()
	for skipped := 0; err == nil && block.lines == 0; skipped++ {
		if skipped == 4 {
			return h, fault.Protocolf("expected a request line but got empty lines")
		}
		block, err = s.head.block()
	}
	if err != nil {
		return h, err
	}
	line, rest := cutLine(block.text)
	if h, err = parseRequestLine(line); err != nil {
		return h, err
	}
	if h.Fields, err = s.head.fields(rest, block.lines-1); err != nil {
		return h, err
	}
	f, err := frame(h.Fields)
	if err != nil {
		return h, err
	}
	s.method, s.minor = h.Method, h.Minor
	s.spent = f.close || h.Minor == 0 && !f.keepAlive
	switch {
	case f.contradict: // RFC 9112 section 6.1: the mark of request smuggling
		return h, fault.Protocolf("both Transfer-Encoding and Content-Length in a request")
	case f.coded && h.Minor == 0:
		return h, fault.Protocolf("Transfer-Encoding in an HTTP/1.0 request")
	case f.coded && !f.chunked:
		return h, fault.Protocolf("Transfer-Encoding of a request does not end with chunked")
	case f.chunked:
		s.length = Chunked
	case f.hasLength:
		s.length = f.length
	default:
		s.length = 0
	}
	return h, nil
}

// Body opens the content of the request, empty where it has none. The call out of order is a [*StateError].
func (s *ServerConn) Body() (*BodyReader, error) {
	if s.method == "" || s.state == serverFailed || s.opened {
		return nil, &StateError{Op: "Body", State: s.state.String()}
	}
	s.opened = true
	s.request.reset(&s.head, s.length)
	return &s.request, nil
}

// WriteHead buffers a response head. A 1xx other than 101 is sent at once and leaves the final head due (RFC 9110 section 15.2).
// The caller puts the fields that frame the body into the head itself.
func (s *ServerConn) WriteHead(status int, reason string, fields []string) error {
	if s.state != serverRequest && s.state != serverFailed {
		return &StateError{Op: "WriteHead", State: s.state.String()}
	}
	if err := writeResponseHead(s.sink.Buffer(), status, reason, fields); err != nil {
		return err
	}
	if h := (ResponseHead{Status: status}); h.Informational() {
		return s.sink.Flush()
	}
	if HasToken(fields, "connection", "close") || status == 101 || s.method == "CONNECT" && status/100 == 2 {
		s.spent = true
	}
	if s.minor == 0 && !HasToken(fields, "connection", "keep-alive") {
		s.spent = true
	}
	s.status = status
	s.state = serverHead
	return nil
}

// ResponseBody opens the content of the response: length is a number of bytes, [Chunked], or [UntilClose], after which the
// connection has to be closed. Where the method or the status allows no content, HEAD for one, what is written is counted and dropped.
func (s *ServerConn) ResponseBody(length int64) (*BodyWriter, error) {
	if s.state != serverHead || length < UntilClose {
		return nil, &StateError{Op: "ResponseBody", State: s.state.String()}
	}
	s.state = serverBody
	if length == UntilClose {
		s.spent = true
	}
	if s.bodiless() {
		s.response.reset(okio.NewBufferedSink(okio.Discard()), UntilClose) // counted, neither framed nor checked
	} else {
		s.response.reset(s.sink, length)
	}
	return &s.response, nil
}

func (s *ServerConn) bodiless() bool {
	return s.method == "HEAD" || s.status == 204 || s.status == 304 || s.status/100 == 1
}

// Flush sends what is buffered of an unfinished response.
func (s *ServerConn) Flush() error { return s.sink.Flush() }

// FinishResponse ends the response, closing its body, and sends what is still buffered.
func (s *ServerConn) FinishResponse() error {
	switch s.state {
	case serverHead:
	case serverBody:
		if err := s.response.Close(); err != nil {
			s.spent = true
			return err
		}
	default:
		return &StateError{Op: "FinishResponse", State: s.state.String()}
	}
	s.state = serverIdle
	return s.sink.Flush()
}

// Reusable reports whether another request may follow: the response is finished, both peers keep the connection open, and the request
// body was read to its end. Unlike a client, a server may find the next request already buffered (RFC 9112 section 9.3.2).
func (s *ServerConn) Reusable() bool {
	return s.state == serverIdle && !s.spent && (s.length == 0 || s.opened && s.request.done && s.request.err == nil)
}

// Drain reads the rest of the request body, up to limit bytes, so that the connection may be reused. It reports whether the end came, and
// fails as reading the body does.
func (s *ServerConn) Drain(limit int64) (bool, error) {
	if !s.opened {
		if _, err := s.Body(); err != nil {
			return false, err
		}
	}
	var waste okio.Buffer
	for limit > 0 {
		n, err := s.request.ReadBuffer(&waste, limit)
		waste.Clear()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		limit -= n
	}
	return s.request.done, nil
}

// Spend marks the connection as not to be used for another exchange.
func (s *ServerConn) Spend() { s.spent = true }

// Source is the reading direction. After a 101, or a 2xx to CONNECT, the connection belongs to another protocol and its bytes, those
// already received among them, are read here.
func (s *ServerConn) Source() *okio.BufferedSource { return s.src }

// Sink is the writing direction; see [ServerConn.Source].
func (s *ServerConn) Sink() *okio.BufferedSink { return s.sink }
