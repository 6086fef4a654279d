package okws

import (
	"errors"
	"io"
	"math"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// directRead is the size from which on payload is read into its place, past the buffer. Less than that is worth reading together with what follows.
const directRead = 16 << 10

// reader takes messages off a source (RFC 6455 sections 5 and 6.2). Every method can fail with a time limit that was up, or because it was interrupted, and can
// then be called again: what has come is not lost. All other errors are final.
type reader struct {
	source  okio.Source
	direct  io.Reader // the source, if it reads into memory of others
	timeout *okio.Timeout
	limit   time.Duration // for each read inside a frame; between frames there is none
	in      okio.Buffer

	client    bool // the role of this side
	deflated  bool // permessage-deflate was agreed on
	skipCheck bool // of text
	max       int64

	// control is told of control frames. The payload is valid during the call.
	control func(op opcode, payload []byte) error
	// traced is told of every frame, nil for nobody.
	traced func(h header)

	// The message under way.
	within     bool // its first frame has come, and not all of its payload was read
	kind       opcode
	compressed bool
	size       int64 // of payload so far, compressed or not
	text       textCheck

	// Its frame under way.
	final bool
	left  int64
	key   maskKey
}

func (r *reader) init(s okio.Source) {
	r.source, r.timeout = s, okio.TimeoutOf(s)
	r.direct, _ = s.(io.Reader)
	r.limit = r.timeout.Limit()
}

// fill has at least n bytes in the buffer.
func (r *reader) fill(n int64) error {
	for r.in.Len() < n {
		limit := r.limit
		if r.in.Len() == 0 && r.left == 0 {
			limit = 0 // silence between frames is fine
		}
		r.timeout.SetLimit(limit)
		if _, err := r.source.ReadBuffer(&r.in, 64<<10); err != nil {
			return r.ended(err)
		}
	}
	return nil
}

// errStreamEnd is the end of the stream between messages. It is not io.EOF, which is the end of a message.
var errStreamEnd = errors.New("end of stream")

// ended tells the end of the stream in the middle of something from one between messages.
func (r *reader) ended(err error) error {
	switch {
	case err != io.EOF:
		return err
	case r.within || r.in.Len() > 0:
		return io.ErrUnexpectedEOF
	}
	return errStreamEnd
}

// begin goes on to the first frame of a message. It waits for that itself, with few calls below it, so that a goroutine that only waits gets along with the smallest stack.
func (r *reader) begin() error {
	for !r.within {
		if err := r.fill(2); err != nil {
			return err
		}
		if err := r.frame(); err != nil {
			return err
		}
	}
	return nil
}

// advance goes on to the next byte of the message's payload. It returns io.EOF after the last one.
func (r *reader) advance() error {
	for r.left == 0 {
		if r.final {
			return r.finish()
		}
		if err := r.frame(); err != nil {
			return err
		}
	}
	return nil
}

// finish ends the message.
func (r *reader) finish() error {
	if !r.compressed && !r.text.whole() {
		return r.badText()
	}
	r.within = false
	return io.EOF
}

// frame reads a control frame whole, or the header of a frame of a message.
func (r *reader) frame() error {
	if err := r.fill(2); err != nil {
		return err
	}
	start, err := r.in.PeekN(2)
	if err != nil {
		return err
	}
	first, second := start[0], start[1]
	if err := r.checkHeader(first, second); err != nil {
		return err
	}
	size := headerSize(second)
	op := opcode(first & 0xf)
	whole := size
	if op.control() {
		whole += int(second &^ bitMask)
	}
	if err := r.fill(int64(whole)); err != nil {
		return err
	}
	p, err := r.in.PeekN(whole)
	if err != nil {
		return err
	}
	h, err := parseHeader(p)
	if err != nil {
		return err
	}
	if op.control() {
		return r.controlFrame(h, p[size:])
	}
	if err := r.in.Skip(int64(size)); err != nil {
		return err
	}
	return r.messageFrame(h)
}

func (r *reader) controlFrame(h header, payload []byte) error {
	var copied [maxControl]byte
	p := copied[:len(payload)]
	h.key.mask(p, payload)
	if err := r.in.Skip(int64(h.size + len(p))); err != nil {
		return err
	}
	if r.traced != nil {
		r.traced(h)
	}
	return r.control(h.op, p)
}

func (r *reader) messageFrame(h header) error {
	if !r.within {
		r.within, r.kind, r.compressed, r.size = true, h.op, h.rsv1, 0
		r.text = textCheck{}
	}
	if r.traced != nil {
		r.traced(h)
	}
	most := r.max
	if r.compressed && most > 0 {
		most += most>>8 + 64 // what cannot be compressed grows a little
	}
	if most > 0 && h.length > most-r.size {
		return tooBig("message", r.max)
	}
	r.size += h.length
	r.final, r.left, r.key = h.fin, h.length, h.key
	return nil
}

// read moves some of the payload to p, and returns io.EOF after the last byte of the message. p is not empty.
func (r *reader) read(p []byte) (int, error) {
	if err := r.advance(); err != nil {
		return 0, err
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	var n int
	var err error
	if len(p) >= directRead && r.direct != nil && r.in.Len() == 0 {
		r.timeout.SetLimit(r.limit)
		if n, err = r.direct.Read(p); n == 0 && err != nil {
			return 0, r.ended(err)
		}
	} else {
		if err := r.fill(1); err != nil {
			return 0, err
		}
		n, _ = r.in.Read(p) // there is something
	}
	r.left -= int64(n)
	p = p[:n]
	if !r.client {
		r.key = r.key.mask(p, p)
	}
	return n, r.check(p)
}

// check validates text as it comes.
func (r *reader) check(p []byte) error {
	if r.kind == opText && !r.compressed && !r.skipCheck && !r.text.feed(p) {
		return r.badText()
	}
	return nil
}

func (r *reader) badText() error {
	return &ProtocolError{Code: CodeInvalidPayload, Detail: "a text message is not UTF-8"}
}

// skip drops the rest of the message under way, if there is one.
func (r *reader) skip() error {
	for r.within {
		err := r.advance()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = r.fill(1)
		}
		if err != nil {
			return err
		}
		n := min(r.left, r.in.Len())
		if err := r.in.Skip(n); err != nil {
			return err
		}
		r.left -= n
		r.key = r.key.after(int(n & 3))
		r.text = textCheck{} // nobody sees it
	}
	return nil
}

const (
	// trusted is how much memory a peer gets by announcing that it will send something.
	trusted = 64 << 10
	// growth is how much more it gets for each byte that it has sent.
	growth = 16
)

// appendAll appends the rest of the message to dst. If it fails, what it had is returned too.
func (r *reader) appendAll(dst []byte) ([]byte, error) {
	for {
		switch err := r.advance(); {
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, err
		}
		if r.left > int64(math.MaxInt-len(dst)) { // with 32 bits, and without a limit below that
			return dst, tooBig("message", math.MaxInt)
		}
		if len(dst) == cap(dst) {
			dst = makeRoom(dst, r.left)
		}
		n, err := r.read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if err != nil {
			return dst, err
		}
	}
}

// makeRoom makes dst larger: for want bytes, if so much seems reasonable.
func makeRoom(dst []byte, want int64) []byte {
	have := int64(len(dst))
	room := have + min(want, max(trusted, (growth-1)*have))
	if have > 0 {
		room = max(room, min(2*have, have+1<<20))
	}
	larger := make([]byte, have, min(room, math.MaxInt))
	copy(larger, dst)
	return larger
}
