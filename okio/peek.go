package okio

import (
	"errors"
	"io"
)

var errPeekInvalid = errors.New("okio: peek source is invalid because upstream source was used")

// Peek returns a source that reads ahead without consuming: it starts at what s would read next and makes s buffer what it
// needs. Reading from s invalidates it, which it reports when it next needs bytes from s; several peeks are independent.
// Closing it does not close s, but releases what it shares with s.
func (s *BufferedSource) Peek() *BufferedSource {
	return NewBufferedSource(&peekSource{up: s, start: s.buf.start})
}

// A peekSource shares bytes from the buffer of a BufferedSource.
type peekSource struct {
	up     *BufferedSource
	start  int64 // up's position when the peek was made
	off    int64 // how far from there the peek has got
	closed bool
}

func (p *peekSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkCount(max); err != nil {
		return 0, err
	}
	if p.closed {
		return 0, ErrClosed
	}
	if p.up.closed {
		return 0, ErrClosed
	}
	if p.up.buf.start != p.start {
		return 0, errPeekInvalid
	}
	if max == 0 {
		return 0, nil
	}
	if p.up.buf.Len() <= p.off {
		ok, err := p.up.Request(p.off + 1)
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, io.EOF
		}
	}
	n := min(max, p.up.buf.Len()-p.off)
	if err := p.up.buf.CopyTo(dst, p.off, n); err != nil {
		return 0, err
	}
	p.off += n
	return n, nil
}

func (p *peekSource) Timeout() *Timeout { return p.up.Timeout() }

func (p *peekSource) Close() error {
	p.closed = true
	return nil
}
