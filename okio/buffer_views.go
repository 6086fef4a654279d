package okio

import (
	"bytes"
	"fmt"
	"hash"
	"iter"
	"unsafe"
)

// Clone returns a buffer with the same contents. Both share the bytes, whose arrays are counted, and may be used by
// different goroutines from then on. Clear a clone that is let go unread, so that the arrays return to the pool.
func (b *Buffer) Clone() *Buffer {
	c := new(Buffer)
	b.shareTo(c, 0, b.Len(), 0)
	return c
}

// CopyTo appends n bytes from offset off to dst without consuming them. It shares them as [Buffer.Clone] does, apart from
// short runs, which are copied. dst may be b itself. It fails, copying nothing, if the range is not inside the buffer.
func (b *Buffer) CopyTo(dst *Buffer, off, n int64) error {
	if err := b.checkRange(off, n); err != nil {
		return err
	}
	b.shareTo(dst, off, n, shareMinimum)
	return nil
}

// shareTo appends views of a range that exists to dst, and copies of what is shorter than least.
func (b *Buffer) shareTo(dst *Buffer, off, n int64, least int) {
	if n == 0 {
		return
	}
	s, at := b.seek(off)
	skip := int(off - at)
	for n > 0 {
		take := int(min(int64(s.level()-skip), n))
		next := s.next // dst may be b and grow behind s
		if take < least {
			_, _ = dst.Write(s.data[s.pos+skip : s.pos+skip+take])
		} else {
			dst.link(s.share(skip, take))
			dst.end += int64(take)
		}
		n -= int64(take)
		s, skip = next, 0
	}
}

// Snapshot returns a copy of everything. It panics if that does not fit into a string.
func (b *Buffer) Snapshot() ByteString {
	size := int(b.Len())
	if int64(size) != b.Len() { // on 32-bit systems
		panic(fmt.Sprintf("okio: Snapshot of %d bytes: more than a string holds", b.Len()))
	}
	if size == 0 {
		return ""
	}
	p := make([]byte, size)
	b.peekInto(p)
	return ByteString(unsafe.String(&p[0], len(p))) // p is referred to by nothing else
}

// Chunks iterates over the contents, without consuming them, in slices that must not be written to. The buffer must not be
// changed while the iteration runs.
func (b *Buffer) Chunks() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for s := b.head; s != nil; {
			if !yield(s.bytes()) {
				return
			}
			if s = s.next; s == b.head {
				return
			}
		}
	}
}

// PeekN returns a view of the first n bytes in one piece, without consuming them. It must not be written to and is valid
// until the next call. An n above 16 KiB is an error, since no segment could hold the view.
func (b *Buffer) PeekN(n int) ([]byte, error) {
	if n < 0 || n > segmentSize {
		return nil, fmt.Errorf("okio: cannot view %d bytes in one piece: not in 0..%d", n, segmentSize)
	}
	if have := b.Len(); int64(n) > have {
		return nil, shortErr(have)
	}
	if n == 0 {
		return []byte{}, nil
	}
	if b.head.level() < n {
		b.gather(n)
	}
	h := b.head
	return h.data[h.pos : h.pos+n : h.pos+n], nil
}

// gather makes the head hold at least n bytes, more than it does now.
func (b *Buffer) gather(n int) {
	b.dropReserve() // the tail may go, and the offsets stay
	fresh := takeSegment()
	for fresh.limit < n {
		h := b.head
		k := copy(fresh.data[fresh.limit:n], h.data[h.pos:h.limit])
		fresh.limit += k
		h.pos += k
		if h.pos == h.limit {
			b.popHead()
		}
	}
	b.linkFront(fresh)
}

// Reserve returns room for at least min bytes behind the end, up to 16 KiB, for the caller to fill and hand over with
// [Buffer.Commit]. The room holds stale data. Nothing may be done with the buffer between the two calls. It panics if min
// is not in 1..16384.
func (b *Buffer) Reserve(min int) []byte {
	if min < 1 || min > segmentSize {
		panic(fmt.Sprintf("okio: Reserve of %d bytes: not in 1..%d", min, segmentSize))
	}
	b.dropReserve()
	s := b.room(min)
	b.reserved, b.reservedFresh, b.reservedAt, b.reservedEnd = s, s.next == nil, b.start, b.end
	return s.data[s.limit:]
}

// Commit appends the first n bytes of what the last [Buffer.Reserve] returned. It panics if n is negative or exceeds the
// room, or if the buffer changed since: by writing, by reading, even if that was taken back, or by a PeekN that had to
// join segments.
func (b *Buffer) Commit(n int) {
	s := b.reserved
	if s == nil || b.reservedAt != b.start || b.reservedEnd != b.end {
		panic("okio: Commit without a Reserve right before it")
	}
	if n < 0 || n > segmentSize-s.limit {
		panic(fmt.Sprintf("okio: Commit of %d bytes: %d were reserved", n, segmentSize-s.limit))
	}
	b.reserved, b.reservedFresh = nil, false
	b.grow(s, n)
}

// dropReserve gives up what a Reserve without Commit left. Only a fresh segment is ours to release: a tail may be in other
// hands by now.
func (b *Buffer) dropReserve() {
	if b.reservedFresh {
		b.reserved.release()
	}
	b.reserved, b.reservedFresh = nil, false
}

// Equal reports whether both buffers hold the same bytes, whatever segments they lie in.
func (b *Buffer) Equal(o *Buffer) bool {
	left := b.Len()
	if left != o.Len() {
		return false
	}
	if left == 0 || b == o {
		return true
	}
	s, t := b.head, o.head
	p, q := s.bytes(), t.bytes()
	for {
		n := min(len(p), len(q))
		if !bytes.Equal(p[:n], q[:n]) {
			return false
		}
		if left -= int64(n); left == 0 {
			return true
		}
		if p = p[n:]; len(p) == 0 {
			s = s.next
			p = s.bytes()
		}
		if q = q[n:]; len(q) == 0 {
			t = t.next
			q = t.bytes()
		}
	}
}

// Sum returns the hash of everything, without consuming it. It resets h first.
func (b *Buffer) Sum(h hash.Hash) ByteString {
	h.Reset()
	for p := range b.Chunks() {
		_, _ = h.Write(p) // a hash.Hash never fails
	}
	return ByteString(h.Sum(nil))
}
