package okio

import "hash"

// A HashingSource hands on what a source delivers and hashes it on the way, where it lies, without copying it. It hashes
// exactly the bytes that were delivered.
type HashingSource struct {
	up Source
	h  hash.Hash
}

// NewHashingSource returns a source of what s delivers that feeds it to h: any [hash.Hash], or what [NewHMAC] returns. It
// goes on from the state that h is in, and nobody else may use h as long as the source is in use. It owns s.
func NewHashingSource(s Source, h hash.Hash) *HashingSource { return &HashingSource{up: s, h: h} }

// ReadBuffer moves up to max bytes to the end of dst and hashes them. It implements [Source].
func (s *HashingSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if max <= 0 {
		return s.up.ReadBuffer(dst, max)
	}
	n, err := dst.refill(s.up, max)
	dst.hashRange(s.h, dst.Len()-n, n)
	return n, err
}

// Hash returns the hash of what was delivered since the source was made, or since the last call of Hash, and starts afresh.
func (s *HashingSource) Hash() ByteString { return takeHash(s.h) }

// Timeout returns the limits of the source beneath.
func (s *HashingSource) Timeout() *Timeout { return TimeoutOf(s.up) }

// Close closes the source beneath. The hash can still be taken.
func (s *HashingSource) Close() error { return s.up.Close() }

// A HashingSink hands what it is given to a sink and hashes it on the way, where it lies, without copying it.
//
// Bytes are hashed before they are handed on. So after a write that failed the hash covers all the bytes of that write,
// whatever the sink beneath took of them.
type HashingSink struct {
	down Sink
	h    hash.Hash
}

// NewHashingSink returns a sink that writes to k and feeds what it is given to h: any [hash.Hash], or what [NewHMAC]
// returns. It goes on from the state that h is in, and nobody else may use h as long as the sink is in use. It owns k.
func NewHashingSink(k Sink, h hash.Hash) *HashingSink { return &HashingSink{down: k, h: h} }

// WriteBuffer hashes the first n bytes of src and writes them to the sink beneath. If src does not hold n bytes it fails and
// hashes nothing. It implements [Sink].
func (k *HashingSink) WriteBuffer(src *Buffer, n int64) error {
	if err := checkTake(src, n); err != nil {
		return err
	}
	src.hashRange(k.h, 0, n)
	return k.down.WriteBuffer(src, n)
}

// Hash returns the hash of what was written since the sink was made, or since the last call of Hash, and starts afresh.
func (k *HashingSink) Hash() ByteString { return takeHash(k.h) }

// Flush flushes the sink beneath.
func (k *HashingSink) Flush() error { return k.down.Flush() }

// Timeout returns the limits of the sink beneath.
func (k *HashingSink) Timeout() *Timeout { return TimeoutOf(k.down) }

// Close closes the sink beneath. The hash can still be taken.
func (k *HashingSink) Close() error { return k.down.Close() }

// hashRange hashes n bytes from offset off, which exist, without consuming them.
func (b *Buffer) hashRange(h hash.Hash, off, n int64) {
	if n == 0 {
		return
	}
	s, at := b.seek(off)
	p := s.bytes()[off-at:]
	for {
		if int64(len(p)) >= n {
			_, _ = h.Write(p[:n]) // a hash.Hash never fails
			return
		}
		_, _ = h.Write(p)
		n -= int64(len(p))
		s = s.next
		p = s.bytes()
	}
}

func takeHash(h hash.Hash) ByteString {
	sum := ByteString(h.Sum(nil))
	h.Reset()
	return sum
}

var (
	_ Source  = (*HashingSource)(nil)
	_ Limited = (*HashingSource)(nil)
	_ Sink    = (*HashingSink)(nil)
	_ Limited = (*HashingSink)(nil)
)
