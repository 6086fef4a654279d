package okio

import "crypto/cipher"

// NewStreamCipherSource returns a source of what s delivers with the key stream of x applied: what encrypts and what
// decrypts are the same with a stream cipher, so the direction is the caller's. Bytes are changed where they lie, except
// where a clone or a copy shares them, which keeps what it has. Nothing is read ahead. It owns s and x.
//
// A stream cipher does not notice when the data was tampered with: authenticate what is encrypted, for example with
// [NewHMAC] over the encrypted bytes. A [cipher.AEAD] does both, but has no place here: it must not let go of a byte before
// it has seen all of them, so it works on whole records.
func NewStreamCipherSource(s Source, x cipher.Stream) Source {
	return &streamCipherSource{up: s, apply: x.XORKeyStream}
}

// NewStreamCipherSink returns a sink that writes to k what it is given, with the key stream of x applied; see
// [NewStreamCipherSource] for what that means. What it is given is changed where it lies, in the buffer that it comes in,
// except where a clone or a copy shares it. Complete segments are passed on, the rest with Flush or Close. The first error
// of k sticks, since the key stream cannot go back. It owns k and x.
func NewStreamCipherSink(k Sink, x cipher.Stream) Sink {
	c := &streamCipherSink{apply: x.XORKeyStream}
	c.init(k)
	return c
}

// A transform puts what src becomes into dst, which is as long and either src itself or elsewhere.
type transform func(dst, src []byte)

// moveChanged moves n bytes, more than none and all in the head of src, to the end of b and applies change to them, where
// they lie if nobody else sees them.
func (b *Buffer) moveChanged(src *Buffer, n int, change transform) {
	h := src.head
	p := h.data[h.pos : h.pos+n : h.pos+n]
	if h.exclusive() {
		change(p, p)
		_ = b.WriteBuffer(src, int64(n)) // they are there, and src is not b
		return
	}
	fresh := takeSegment()
	change(fresh.data[:n], p)
	b.grow(fresh, n)
	src.drop(int64(n))
}

type streamCipherSource struct {
	up     Source
	apply  transform
	raw    Buffer // what came, for as long as a call lasts
	closed bool
}

func (s *streamCipherSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkRead(max, s.closed); err != nil || max == 0 {
		return 0, err
	}
	n, err := s.raw.refill(s.up, max)
	if err != nil {
		return 0, err
	}
	for s.raw.head != nil {
		dst.moveChanged(&s.raw, s.raw.head.level(), s.apply)
	}
	return n, nil
}

func (s *streamCipherSource) Timeout() *Timeout { return TimeoutOf(s.up) }

func (s *streamCipherSource) Close() error {
	s.closed = true
	return s.up.Close()
}

// cipherOutput is where a cipher sink writes to.
type cipherOutput struct {
	out    *BufferedSink
	own    BufferedSink // what out points to if the sink was not buffered
	closed bool
}

func (o *cipherOutput) init(k Sink) {
	if b, ok := k.(*BufferedSink); ok {
		o.out = b
		return
	}
	o.own.down = k
	o.out = &o.own
}

// check is why n bytes of src cannot be written, nil if they can.
func (o *cipherOutput) check(src *Buffer, n int64) error {
	switch {
	case o.closed:
		return ErrClosed
	case src == &o.out.buf:
		return errSelfMove
	}
	if err := checkTake(src, n); err != nil {
		return err
	}
	return o.out.Err()
}

func (o *cipherOutput) Flush() error {
	if o.closed {
		return ErrClosed
	}
	return o.out.Flush()
}

func (o *cipherOutput) Timeout() *Timeout { return o.out.Timeout() }

type streamCipherSink struct {
	cipherOutput
	apply transform
}

func (k *streamCipherSink) WriteBuffer(src *Buffer, n int64) error {
	if err := k.check(src, n); err != nil {
		return err
	}
	for n > 0 {
		run := min(n, int64(src.head.level()))
		k.out.buf.moveChanged(src, int(run), k.apply)
		n -= run
		if err := k.out.EmitFull(); err != nil {
			return err
		}
	}
	return nil
}

func (k *streamCipherSink) Close() error {
	if k.closed {
		return nil
	}
	k.closed = true
	return k.out.Close()
}
