package okws

import (
	"errors"
	"io"
	"os"
)

// inflationWindow is where a compressed message comes out that is read as a stream: it slides along.
type inflationWindow struct{ bytes [2 * window]byte }

var inflationWindows shelf[inflationWindow]

// inflatedStream is a compressed message under way that is read as a stream, or dropped.
type inflatedStream struct {
	inflation *inflation
	window    *inflationWindow
	out       []byte // in the window: what came out, and before that what was there earlier
	at        int    // where what was not read begins
	err       error  // what comes after it, io.EOF at the end of the message
}

// newInflatedStream reads a message, or the rest of one of which a Read that was interrupted has the beginning.
func newInflatedStream(past []byte, begun *pendingRead) *inflatedStream {
	s := &inflatedStream{window: inflationWindows.take()}
	s.out = s.window.bytes[:0]
	if begun != nil {
		s.inflation = begun.inflation
		if missing := window - len(begun.bytes); missing > 0 {
			past = past[max(0, len(past)-missing):]
		} else {
			past = nil
		}
		s.out = append(s.out, past...)
		past = begun.bytes[max(0, len(begun.bytes)-window):]
	} else {
		s.inflation = takeInflation()
	}
	s.out = append(s.out, past...)
	s.at = len(s.out)
	return s
}

// read moves some of what comes out to p, and returns io.EOF after the last byte of the message.
func (s *inflatedStream) read(c *Conn, p []byte) (int, error) {
	if err := s.fill(c); err != nil {
		return 0, err
	}
	n := copy(p, s.out[s.at:])
	if s.at += n; s.at < len(s.out) && (s.err == nil || s.err == io.EOF) {
		return n, nil
	}
	return n, s.err
}

// fill has something to read, unless the message has ended. An error means that it was interrupted.
func (s *inflatedStream) fill(c *Conn) error {
	for s.at == len(s.out) && s.err == nil {
		if len(s.out) == cap(s.out) {
			s.at = copy(s.window.bytes[:], s.out[len(s.out)-window:])
			s.out = s.out[:s.at]
		}
		var err error
		s.out, err = s.inflation.more(&c.r, s.out, 0, nil)
		switch {
		case err == nil || err == errFull:
		case errors.Is(err, os.ErrDeadlineExceeded):
			if s.at == len(s.out) {
				return err
			}
		default:
			if s.err = err; err != io.EOF {
				break
			}
			c.inflate.past = c.inflate.past[:0] // it is in the window
			c.inflate.remember(s.out)
		}
	}
	return nil
}

// skip drops what is left.
func (s *inflatedStream) skip(c *Conn) error {
	for s.err == nil {
		s.at = len(s.out)
		if err := s.fill(c); err != nil {
			return err
		}
	}
	if s.err != io.EOF {
		return s.err
	}
	return nil
}

// stop gives the memory back.
func (s *inflatedStream) stop() {
	inflations.give(s.inflation)
	inflationWindows.give(s.window)
}
