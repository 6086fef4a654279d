package http2

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// receiver takes the incoming bytes apart. It belongs to whoever reads.
type receiver struct {
	conn *Conn
	in   okio.Buffer

	frame   FrameHeader
	begun   bool // frame was read, and not dealt with
	settled bool // the first frame was seen
	preface int  // bytes of the client's preface that are missing, in the role of the server
	payload []byte

	content  int     // bytes of the DATA frame under way that are to come
	padding  int     // and of its padding
	target   *Stream // whose content it is; nil: nobody's
	toldLast bool    // the handler of pushes was told of its content as the last

	decoder *HeaderDecoder
	open    bool // a block of headers is
	block   headerBlock
	empty   int // frames that carried nothing, since
	since   time.Time
}

// headerBlock is a block of headers under way.
type headerBlock struct {
	stream   uint32
	promised uint32 // of a push, 0 if it is none
	last     bool   // nothing follows it on the stream
	looped   bool   // its stream depends on itself
}

func (r *receiver) init(c *Conn) {
	r.conn = c
	r.decoder = NewHeaderDecoder(HeaderLimits{MaxBytes: c.cfg.MaxHeaderBytes, MaxFields: c.cfg.MaxHeaderFields})
	r.decoder.SetTableSize(uint32(max(c.cfg.HeaderTableSize, initialTableSize)))
	if c.server {
		r.preface = len(ClientPreface)
	}
}

// buffered reports whether step gets on without reading.
func (r *receiver) buffered() bool {
	n := int(r.in.Len())
	switch {
	case r.content > 0 || r.padding > 0:
		return n > 0
	case r.preface > 0:
		return n > 0
	case !r.begun:
		return n >= FrameHeaderLen
	}
	return n >= r.wanted()
}

// wanted is how much of the payload has to be there before the frame can be dealt with.
func (r *receiver) wanted() int {
	if r.frame.Type != FrameData {
		return r.frame.Length
	}
	if r.frame.Flags&FlagPadded != 0 {
		return 1
	}
	return 0
}

// step deals with the frames that are there, or reads more bytes if there are none and that is allowed. It fails with os.ErrDeadlineExceeded when the deadline, unless
// zero, has passed, which harms nothing; any other failure is the end of the connection.
func (r *receiver) step(deadline time.Time, read bool) error {
	if !r.buffered() {
		if !read {
			return nil
		}
		return r.fill(deadline)
	}
	defer r.conn.tellWindows()
	for r.buffered() {
		if err := r.advance(); err != nil {
			if err = r.judge(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge resets the stream or ends the connection for what the peer did wrong.
func (r *receiver) judge(err error) error {
	var stream *StreamError
	if errors.As(err, &stream) {
		if err = r.conn.refuse(stream); err == nil {
			return nil
		}
	}
	code := InternalError
	var ce *ConnectionError
	if errors.As(err, &ce) {
		code = ce.Code
	}
	r.conn.fail(err, code, code)
	return err
}

// fill reads once.
func (r *receiver) fill(deadline time.Time) error {
	c := r.conn
	c.mu.Lock()
	if c.leader != nil && c.leader.interrupted {
		c.mu.Unlock()
		return nil
	}
	// A deadline that was set for an earlier wait stays: moving it costs more than being woken once in a while.
	if !deadline.IsZero() && (c.armed.IsZero() || c.armed.After(deadline)) {
		c.armed = deadline
		_ = c.raw.SetReadDeadline(deadline)
	}
	c.mu.Unlock()
	_, err := c.source.ReadBuffer(&r.in, 16<<10)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.leader != nil && c.leader.interrupted {
			return nil
		}
		c.disarm()
		if !deadline.IsZero() && !time.Now().Before(deadline) {
			return os.ErrDeadlineExceeded
		}
		return nil
	case err == io.EOF:
		err = r.ended()
		c.fail(err, NoError, Cancel)
	default:
		c.fail(err, ProtocolErrorCode, ProtocolErrorCode)
	}
	return err
}

// ended is what the end of the incoming bytes means.
func (r *receiver) ended() error {
	switch {
	case !r.settled:
		return fmt.Errorf("http2: required SETTINGS preface not received: %w", io.ErrUnexpectedEOF)
	case r.begun || r.content > 0 || r.open:
		return fmt.Errorf("http2: the connection ended inside a frame: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("http2: the peer closed the connection: %w", io.ErrUnexpectedEOF)
}

// advance deals with what is there.
func (r *receiver) advance() error {
	switch {
	case r.preface > 0:
		return r.takePreface()
	case r.content > 0:
		r.takeContent()
		return nil
	case r.padding > 0:
		n := min(r.padding, int(r.in.Len()))
		_ = r.in.Skip(int64(n))
		if r.padding -= n; r.padding == 0 {
			r.conn.mu.Lock()
			r.endContent()
			r.conn.mu.Unlock()
		}
		return nil
	case !r.begun:
		return r.takeHeader()
	}
	r.begun = false
	if err := r.notice(); err != nil {
		return err
	}
	if r.frame.Type == FrameData {
		return r.takeData()
	}
	n := r.frame.Length
	if cap(r.payload) < n {
		r.payload = make([]byte, max(n, 512))
	}
	payload := r.payload[:n]
	for got := 0; got < n; {
		m, err := r.in.Read(payload[got:])
		if err != nil {
			return err
		}
		got += m
	}
	if f := r.conn.cfg.Frames; f != nil {
		f(true, r.frame, payload)
	}
	if cap(r.payload) > keptRoom {
		r.payload = nil
	}
	return r.dispatch(payload)
}

func (r *receiver) takePreface() error {
	want := ClientPreface[len(ClientPreface)-r.preface:]
	var space [len(ClientPreface)]byte
	n, err := r.in.Read(space[:len(want)])
	if err != nil || string(space[:n]) != want[:n] { // as soon as it differs: nothing may follow
		return &ConnectionError{ProtocolErrorCode, "expected the connection preface of a client"}
	}
	r.preface -= n
	return nil
}

func (r *receiver) takeHeader() error {
	head, err := r.in.PeekN(FrameHeaderLen)
	if err != nil {
		return err
	}
	h := ParseFrameHeader(head)
	_ = r.in.Skip(FrameHeaderLen)
	r.frame = h
	if !r.settled && (h.Type != FrameSettings || h.Flags&FlagAck != 0) {
		return &ConnectionError{ProtocolErrorCode, "expected a SETTINGS frame but was " + h.Type.String()}
	}
	if r.open && (h.Type != FrameContinuation || h.Stream != r.block.stream) {
		return &ConnectionError{ProtocolErrorCode, fmt.Sprintf("expected a CONTINUATION frame of stream %d but was %v of stream %d", r.block.stream, h.Type, h.Stream)}
	}
	if err := h.Check(r.conn.cfg.MaxFrameSize); err != nil {
		var se *StreamError
		if !errors.As(err, &se) {
			return err
		}
		// The stream alone is at fault; its payload has to be taken off the wire nevertheless, and content counts.
		if h.Type == FrameData {
			r.conn.mu.Lock()
			err := r.conn.count(int64(h.Length))
			r.conn.mu.Unlock()
			if err != nil {
				return err
			}
		}
		if err := r.conn.refuse(se); err != nil {
			return err
		}
		r.padding = h.Length
		return nil
	}
	r.settled, r.begun = true, true
	return nil
}
