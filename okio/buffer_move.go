package okio

import (
	"fmt"
	"io"
)

// ReadBuffer moves up to max bytes to the end of dst and returns how many. It returns 0, io.EOF when the buffer is empty
// and max is not 0. It implements [Source].
func (b *Buffer) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkCount(max); err != nil {
		return 0, err
	}
	if max == 0 {
		return 0, nil
	}
	n := min(max, b.Len())
	if n == 0 {
		return 0, io.EOF
	}
	if err := dst.WriteBuffer(b, n); err != nil {
		return 0, err
	}
	return n, nil
}

// WriteBuffer moves n bytes from the front of src to the end of b, relinking whole segments and copying at most one segment
// at each seam. Moving everything takes constant time. It fails, moving nothing, if src is b or does not hold n bytes. It
// implements [Sink].
func (b *Buffer) WriteBuffer(src *Buffer, n int64) error {
	if src == b {
		return errSelfMove
	}
	size := src.Len()
	if err := checkTake(src, n); err != nil || n == 0 {
		return err
	}
	src.start += n
	b.end += n
	if n == size {
		b.joinAll(src)
		return nil
	}
	for n > 0 {
		h := src.head
		if level := int64(h.level()); n >= level {
			src.head = h.unlink()
			b.linkMerged(h)
			n -= level
			continue
		}
		b.takePrefix(src, int(n))
		return nil
	}
	return nil
}

// checkTake rejects an n that WriteBuffer(src, n) cannot take.
func checkTake(src *Buffer, n int64) error {
	if n < 0 || n > src.Len() {
		return takeErr(src, n)
	}
	return nil
}

func takeErr(src *Buffer, n int64) error { // apart, so that the check is inlined
	return fmt.Errorf("okio: cannot take %d bytes from a buffer of %d bytes", n, src.Len())
}

// joinAll takes the whole ring of src.
func (b *Buffer) joinAll(src *Buffer) {
	first := src.head
	src.head = nil
	if b.head == nil {
		b.head = first
		return
	}
	if t := b.head.prev; first.level() <= t.room() {
		t.append(first.bytes())
		rest := first.unlink()
		first.release()
		if rest == nil {
			return
		}
		first = rest
	}
	tail, last := b.head.prev, first.prev
	tail.next, first.prev = first, tail
	last.next, b.head.prev = b.head, last
}

// linkMerged appends an unlinked segment, copying it into the tail instead if it fits there.
func (b *Buffer) linkMerged(s *segment) {
	if b.head != nil {
		if t := b.head.prev; s.level() <= t.room() {
			t.append(s.bytes())
			s.release()
			return
		}
	}
	b.link(s)
}

// takePrefix moves n bytes, fewer than it holds, of the head of src. It copies rather than shares, because a shared array
// returns to the pool late; and if no tail has room for the bytes it copies the shorter side of the cut.
func (b *Buffer) takePrefix(src *Buffer, n int) {
	h := src.head
	if b.head != nil {
		if t := b.head.prev; n <= t.room() {
			t.append(h.data[h.pos : h.pos+n])
			h.pos += n
			return
		}
	}
	fresh := takeSegment()
	cut := h.pos + n
	if n > h.level()/2 && (h.root != nil || h.exclusive()) {
		fresh.append(h.data[cut:h.limit])
		h.limit = cut
		src.linkFront(fresh)
		h.unlink()
		b.link(h)
		return
	}
	fresh.append(h.data[h.pos:cut])
	h.pos = cut
	b.link(fresh)
}
