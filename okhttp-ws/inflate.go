package okws

import (
	"errors"
	"io"
)

// window is the most that deflate refers back to, in bytes.
const window = 32 << 10

// messageEnd goes behind a compressed message: the end of the flush that the sender left out (RFC 7692 section 7.2.2).
const messageEnd = "\x00\x00\xff\xff"

// inflater is what lasts from one compressed message to the next.
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

// inflation is a compressed message under way. It looks at what came out before it waits for more to come.
type inflation struct {
	decoder decoder
	in      []byte // what came and was not used, in buffer
	ended   bool   // the end of the message came
	size    int64  // of what came out
	text    textCheck
	buffer  [32 << 10]byte
}

var inflations shelf[inflation]

func takeInflation() *inflation {
	f := inflations.take()
	f.decoder.reset()
	f.in, f.ended, f.size, f.text = nil, false, 0, textCheck{}
	return f
}

// more inflates to the end of dst, in its capacity, as [decoder.decode] does. It returns nil when there is more, errFull if there was no room for it, and io.EOF at the end of
// the message. When r was interrupted it can be called again.
func (f *inflation) more(r *reader, dst []byte, start int, past []byte) ([]byte, error) {
	before := len(dst)
	for {
		var used int
		var err error
		dst, used, err = f.decoder.decode(dst, start, past, f.in)
		f.in = f.in[used:]
		if got := dst[before:]; len(got) > 0 {
			if err := f.check(r, got); err != nil {
				return dst, err
			}
			if err == errFull || err == errHungry {
				return dst, nil
			}
			before = len(dst)
		}
		switch err {
		case errFull:
			return dst, err
		case errHungry:
			err = f.feed(r)
		case io.EOF: // others may follow the block that calls itself the final one, from the next byte on (RFC 7692 section 7.2.1)
			f.decoder.reset()
			continue
		default:
			return dst, damaged(err)
		}
		if err == io.EOF && !f.text.whole() {
			err = r.badText()
		}
		if err != nil {
			return dst, err
		}
	}
}

var errUnfinished = errors.New("it ends in the middle of a block")

// feed waits for more of the message.
func (f *inflation) feed(r *reader) error {
	idle := len(f.in) == 0 && f.decoder.between()
	if f.ended {
		if idle {
			return io.EOF
		}
		return damaged(errUnfinished)
	}
	kept := copy(f.buffer[:], f.in)
	n, err := r.read(f.buffer[kept : len(f.buffer)-len(messageEnd)])
	if f.in = f.buffer[:kept+n]; err != io.EOF {
		return err
	}
	f.ended = true
	if !idle { // otherwise the sender has not even begun to flush, or ended with a final block, and left nothing out
		f.in = append(f.in, messageEnd...)
	}
	return nil
}

// check looks at what came out.
func (f *inflation) check(r *reader, got []byte) error {
	if f.size += int64(len(got)); r.max > 0 && f.size > r.max {
		return tooBig("inflated message", r.max)
	}
	if r.kind == opText && !r.skipCheck && !f.text.feed(got) {
		return r.badText()
	}
	return nil
}

// makeRoom makes dst larger, for about as much as is still to come out.
func (f *inflation) makeRoom(r *reader, dst []byte) []byte {
	waiting := r.left + int64(len(f.in))
	if f.size == 0 {
		return makeRoom(dst, max(512, min(4*waiting, trusted)))
	}
	ratio := float64(f.size) / float64(max(1, r.size-waiting))
	want := 512 + f.size/8 + int64(ratio*float64(min(waiting, 1<<40)))
	if r.max > 0 {
		want = min(want, r.max-f.size+1)
	}
	return makeRoom(dst, want)
}

func damaged(err error) error {
	return &ProtocolError{Code: CodeInvalidPayload, Detail: "a compressed message cannot be inflated: " + err.Error(), Err: err}
}
