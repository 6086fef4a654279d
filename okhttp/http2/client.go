package http2

import (
	"errors"
	"net"
	"strconv"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okio"
)

// NewClient begins a connection in the role of the client, over one that both sides have agreed to speak HTTP/2 on. It sends nothing yet: the
// preface goes with the first stream, or with Flush.
func NewClient(raw net.Conn, cfg Config) *Conn {
	c := newConn(raw, cfg, false)
	c.mu.Lock()
	c.nextID = 3 // as the reference; 1 belongs to upgrades from HTTP/1.1, which are not made
	c.mu.Unlock()
	return c
}

// Flush sends what was held back, the preface of the client above all.
func (c *Conn) Flush() { c.flush() }

// ErrTooManyStreams is the failure to open a stream where the peer allows no more at the same time.
var ErrTooManyStreams = errors.New("http2: the peer allows no more streams at the same time")

// Open opens a stream with the head of a request; of its fields those are left out that HTTP/2 does not have. last says that no content
// follows. The head is sent with the first content, by Flush of the sink or of the connection, or when somebody waits for the peer: so that
// the stream can be cancelled while the socket takes nothing, Open itself sends nothing. If the connection takes no more streams, nothing was sent, and the error is the
// connection's, a [*GoAwayError] or [ErrTooManyStreams].
func (c *Conn) Open(r RequestHead, fields []string, last bool) (*Stream, error) {
	s := new(Stream)
	if err := s.Open(c, r, fields, last); err != nil {
		return nil, err
	}
	return s, nil
}

// Open is [Conn.Open] for a stream in memory of the caller: a zero Stream, apart from limits and a context that it may have been given.
func (s *Stream) Open(c *Conn, r RequestHead, fields []string, last bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return err
	}
	if uint32(c.opened) >= c.maxStreams {
		return ErrTooManyStreams
	}
	block, err := c.encoder.AppendRequest(c.block[:0], r, fields)
	if err != nil {
		return err
	}
	c.block = block
	c.begin(s, c.nextID)
	if c.nextID += 2; c.nextID > lastNumber {
		c.doubted.Store(true)
	}
	if c.opened++; !c.greeted {
		s.rank = c.opened
	}
	s.headAt = c.appended.Load()
	s.bodiless, s.tunnel = r.Method == "HEAD", r.Method == "CONNECT"
	s.appendBlock(last)
	s.finished = last
	return nil
}

// appendBlock appends the frames of the block of headers that was encoded last. The lock is held.
func (s *Stream) appendBlock(last bool) {
	c := s.conn
	frames := AppendHeaders(c.scratch[:0], s.id, c.block, last, c.peerFrame)
	if f := c.cfg.Frames; f != nil {
		eachFrame(frames, func(h FrameHeader, payload []byte) { f(false, h, payload) })
	}
	c.append(frames)
	s.sentAt = c.appended.Load()
	if cap(c.block) > keptRoom {
		c.block = nil
	}
}

func eachFrame(frames []byte, f func(FrameHeader, []byte)) {
	for len(frames) >= FrameHeaderLen {
		h := ParseFrameHeader(frames)
		f(h, frames[FrameHeaderLen:][:h.Length])
		frames = frames[FrameHeaderLen+h.Length:]
	}
}

// SendTrailers sends the fields that follow the content, and ends the sending side.
func (s *Stream) SendTrailers(fields []string) error {
	return s.sendBlock(true, func(dst []byte) ([]byte, error) { return s.conn.encoder.AppendTrailers(dst, fields) })
}

func (s *Stream) sendBlock(last bool, encode func(dst []byte) ([]byte, error)) error {
	c := s.conn
	c.mu.Lock()
	if err := s.sendable(); err != nil {
		c.mu.Unlock()
		return err
	}
	block, err := encode(c.block[:0])
	if err != nil {
		c.mu.Unlock()
		return err
	}
	c.block = block
	s.appendBlock(last)
	if last {
		s.endOutput()
	}
	c.mu.Unlock()
	c.flushAs(s)
	return nil
}

// takeFields takes a whole block of headers.
func (c *Conn) takeFields(b headerBlock, fields []string, failed error) error {
	if b.promised != 0 {
		return c.takePromise(b, fields, failed)
	}
	c.mu.Lock()
	s := c.streams[b.stream]
	var err error
	switch {
	case s != nil:
		err = s.takeHead(fields, b.last, failed)
	case c.server && !c.ours(b.stream) && b.stream > c.lastID:
		err = c.accept(b, fields, failed)
	default:
		err = c.unknown(FrameHeader{Type: FrameHeaders, Stream: b.stream})
	}
	c.mu.Unlock()
	return err
}

// takeHead takes headers or trailers of an open stream. The lock is held.
func (s *Stream) takeHead(fields []string, last bool, failed error) error {
	bad := func(code ErrorCode, detail string) error {
		return &StreamError{Stream: s.id, Code: code, Detail: detail}
	}
	switch {
	case s.ended:
		return bad(StreamClosed, "headers came after the end")
	case failed != nil:
		return streamError(s.id, failed)
	case s.headed:
		trimValues(fields)
		if !last {
			return bad(ProtocolErrorCode, "trailers came without an end of the stream")
		}
		if err := ValidTrailers(fields); err != nil {
			return streamError(s.id, err)
		}
		if s.declared >= 0 && s.got != s.declared {
			return bad(ProtocolErrorCode, "expected "+strconv.FormatInt(s.declared, 10)+" bytes but received "+strconv.FormatInt(s.got, 10))
		}
		s.trailers = fields
		if s.promised {
			s.conn.push(pushEvent{kind: pushHeaders, stream: s, fields: fields, last: true})
		}
		s.endInput()
		return nil
	}
	trimValues(fields)
	if err := ValidResponse(fields); err != nil {
		return streamError(s.id, err)
	}
	declared, err := ContentLength(fields)
	status := Status(fields)
	switch {
	case err != nil:
		return streamError(s.id, err)
	case status < 200 && last:
		return bad(ProtocolErrorCode, "an informational response ended the stream")
	}
	if status >= 200 {
		s.headed = true
		switch {
		case status == 204 || status == 304 || s.bodiless:
			s.declared = 0 // whatever it says, there is none
		case s.tunnel && status < 300:
			s.declared = -1 // what it says means nothing (RFC 9110 section 9.3.6)
		default:
			s.declared = declared
		}
	}
	if last && s.declared > 0 {
		return bad(ProtocolErrorCode, "expected "+strconv.FormatInt(s.declared, 10)+" bytes but received 0")
	}
	if s.promised {
		s.conn.push(pushEvent{kind: pushHeaders, stream: s, fields: fields, last: last})
	} else {
		if s.holdHead(head{fields, last}); s.headBytes > s.conn.cfg.MaxHeaderBytes && status < 200 {
			return bad(EnhanceYourCalm, "informational responses that nobody reads")
		}
	}
	if last {
		s.endInput()
	}
	s.reader.tell()
	return nil
}

// holdHead keeps a head until it is read. The lock is held.
func (s *Stream) holdHead(h head) {
	if s.heads == nil {
		s.heads = s.headRoom[:0]
	}
	s.heads = append(s.heads, h)
	s.headBytes += h.size()
}

// takeHeld returns the first head that is held. The lock is held.
func (s *Stream) takeHeld() head {
	h := s.heads[0]
	s.heads[0] = head{}
	if s.heads = s.heads[1:]; len(s.heads) == 0 {
		s.heads = nil
	}
	s.headBytes -= h.size()
	return h
}

// size is what a head counts, each field 32 bytes more than its name and value.
func (h head) size() (n int) {
	for _, s := range h.fields {
		n += len(s) + 16
	}
	return n
}

// trimValues takes the white space off values, which HTTP/2 does not have around them (RFC 9113 section 8.2.1) and servers send that got them from
// somewhere else.
func trimValues(fields []string) {
	for i := 1; i < len(fields); i += 2 {
		fields[i] = ascii.TrimOWS(fields[i])
	}
}

func streamError(id uint32, err error) error {
	var ce *ConnectionError
	if errors.As(err, &ce) {
		return err
	}
	var se *StreamError
	if errors.As(err, &se) {
		return &StreamError{Stream: id, Code: se.Code, Detail: se.Detail}
	}
	return &StreamError{Stream: id, Code: ProtocolErrorCode, Detail: err.Error(), cause: err}
}

// Source returns the receiving side: the content of the response. Closing it before the end resets the stream, unless content is still being
// sent. It has to be closed, whatever became of the stream: what came and was not read counts as unread until then.
func (s *Stream) Source() okio.Source { return (*streamSource)(s) }

// Sink returns the sending side. Its closing ends the content.
func (s *Stream) Sink() okio.Sink { return (*streamSink)(s) }

type streamSource Stream

func (r *streamSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	return (*Stream)(r).read(dst, most)
}

func (r *streamSource) Close() error {
	(*Stream)(r).closeRead()
	return nil
}

type streamSink Stream

func (k *streamSink) WriteBuffer(src *okio.Buffer, n int64) error {
	if n == 0 {
		return nil
	}
	return (*Stream)(k).send(src, n)
}

func (k *streamSink) Flush() error {
	k.conn.flushAs((*Stream)(k))
	return (*Stream)(k).Err()
}

func (k *streamSink) Close() error { return (*Stream)(k).sendEnd() }
