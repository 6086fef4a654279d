package okws

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// window is the most that deflate refers back to, in bytes.
const window = 32 << 10

// messageEnd goes behind a compressed message: the end of the flush that the sender left out (RFC 7692 section 7.2.2), and an empty final block so that the
// inflater comes to an end.
const messageEnd = "\x00\x00\xff\xff\x01\x00\x00\xff\xff"

// flateReader is an inflater with what it reads from, and with memory for what comes out of it piece by piece.
type flateReader struct {
	flate io.ReadCloser
	whole bytes.Reader
	out   []byte // of inflated, nil before it is needed
}

const inflated = 8 << 10

var flateReaders = sync.Pool{New: func() any {
	f := new(flateReader)
	f.flate = flate.NewReader(&f.whole)
	return f
}}

// inflater undoes the compression of a peer's messages, one after the other.
type inflater struct {
	context bool   // the peer refers to earlier messages
	past    []byte // what it may refer to, in its last 32 KiB
}

// remember notes what came out, for messages that refer to it.
func (f *inflater) remember(p []byte) {
	if !f.context {
		return
	}
	if len(p) >= window {
		f.past = append(f.past[:0], p[len(p)-window:]...)
		return
	}
	if len(f.past)+len(p) > 2*window {
		f.past = append(f.past[:0], f.past[len(f.past)-window:]...)
	}
	f.past = append(f.past, p...)
}

func (f *inflater) dictionary() []byte {
	return f.past[max(0, len(f.past)-window):]
}

// message inflates a whole message, whose end was appended to packed, to the end of dst. It fails when there is more than most, if that is positive.
func (f *inflater) message(dst, packed []byte, most int64) ([]byte, error) {
	r := flateReaders.Get().(*flateReader)
	defer func() {
		r.whole.Reset(nil)
		flateReaders.Put(r)
	}()
	r.whole.Reset(packed)
	if err := r.flate.(flate.Resetter).Reset(&r.whole, f.dictionary()); err != nil {
		return dst, damaged(err)
	}
	start := len(dst)
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.flate.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if got := int64(len(dst) - start); most > 0 && got > most {
			return dst, tooBig("inflated message", most)
		}
		switch {
		case err == io.EOF:
			f.ended(dst[start:], r.whole.Len() > 0)
			return dst, nil
		case err != nil:
			return dst, damaged(err)
		}
	}
}

// ended keeps the context for the next message, unless the sender ended its stream: then there is none.
func (f *inflater) ended(p []byte, early bool) {
	if early {
		f.past = f.past[:0]
		return
	}
	f.remember(p)
}

func damaged(err error) error {
	return &ProtocolError{Code: CodeInvalidPayload, Detail: "a compressed message cannot be inflated: " + err.Error(), Err: err}
}
