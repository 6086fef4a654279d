package okio

import "bytes"

// A ByteSet is a set of byte values to search for. It is immutable and safe for concurrent use.
type ByteSet struct {
	bits  [4]uint64
	chars []byte // without duplicates
}

// NewByteSet returns the set of the bytes of chars. An empty set matches nothing.
func NewByteSet(chars string) *ByteSet {
	set := new(ByteSet)
	for _, c := range []byte(chars) {
		if !set.has(c) {
			set.bits[c>>6] |= 1 << (c & 63)
			set.chars = append(set.chars, c)
		}
	}
	return set
}

func (set *ByteSet) has(c byte) bool { return set.bits[c>>6]&(1<<(c&63)) != 0 }

// index returns the first position of p that holds a byte of the set, or -1.
func (set *ByteSet) index(p []byte) int {
	switch len(set.chars) {
	case 0:
		return -1
	case 1:
		return bytes.IndexByte(p, set.chars[0])
	case 2:
		return indexPair(p, set.chars[0], set.chars[1])
	}
	for i, c := range p {
		if set.has(c) {
			return i
		}
	}
	return -1
}

// indexPair searches for two bytes in windows that double, so that a byte which never comes does not make every search for
// the other one scan the whole segment.
func indexPair(p []byte, x, y byte) int {
	for at, window := 0, 64; at < len(p); window *= 2 {
		end := min(at+window, len(p))
		part := p[at:end]
		i := bytes.IndexByte(part, x)
		if i >= 0 {
			part = part[:i]
		}
		if j := bytes.IndexByte(part, y); j >= 0 {
			return at + j
		}
		if i >= 0 {
			return at + i
		}
		at = end
	}
	return -1
}
