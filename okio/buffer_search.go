package okio

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"
)

var errEmptyPattern = errors.New("okio: Index of an empty pattern")

// searchErr is what is wrong with a search range that no data can make right.
func searchErr(from, to int64) error {
	if from < 0 {
		return fmt.Errorf("okio: search from a negative offset: %d", from)
	}
	if from > to {
		return fmt.Errorf("okio: search from %d to %d", from, to)
	}
	return nil
}

// checkSearch panics where there is no error to return.
func checkSearch(from, to int64) {
	if from < 0 || from > to {
		panic(searchErr(from, to).Error())
	}
}

// IndexByte returns the offset of the first c in [from, to), or -1. The range may extend past the end; math.MaxInt64
// searches everything. It panics if from is negative or greater than to.
func (b *Buffer) IndexByte(c byte, from, to int64) int64 {
	checkSearch(from, to)
	to = min(to, b.Len())
	if from >= to {
		return -1
	}
	s, at := b.seek(from)
	for {
		p := s.data[s.pos:s.limit]
		if rest := to - at; rest < int64(len(p)) {
			p = p[:rest]
		}
		if from > at {
			if i := bytes.IndexByte(p[from-at:], c); i >= 0 {
				return from + int64(i)
			}
		} else if i := bytes.IndexByte(p, c); i >= 0 {
			return at + int64(i)
		}
		at += int64(s.level())
		s = s.next
		if at >= to {
			return -1
		}
	}
}

// Index returns the offset of the first occurrence of pat that starts in [from, to), or -1; the occurrence may extend past
// to. It panics if pat is empty, or if from is negative or greater than to.
func (b *Buffer) Index(pat ByteString, from, to int64) int64 {
	if len(pat) == 0 {
		panic(errEmptyPattern.Error())
	}
	checkSearch(from, to)
	size, length := b.Len(), int64(len(pat))
	if size < length {
		return -1
	}
	to = min(to, size-length+1)
	if from >= to {
		return -1
	}
	needle := unsafe.Slice(unsafe.StringData(string(pat)), len(pat)) // only read
	s, at := b.seek(from)
	for at < to {
		p := s.data[s.pos:s.limit]
		low := int(max(from-at, 0))
		high := int(min(to-at, int64(len(p))))              // candidates start in p[low:high]
		if whole := len(p) - len(needle) + 1; whole > low { // those below whole lie in this segment entirely
			stop := min(whole, high)
			if i := bytes.Index(p[low:stop+len(needle)-1], needle); i >= 0 {
				return at + int64(low+i)
			}
			low = stop
		}
		for low < high {
			i := bytes.IndexByte(p[low:high], needle[0])
			if i < 0 {
				break
			}
			if matchAt(s, low+i, pat) {
				return at + int64(low+i)
			}
			low += i + 1
		}
		at += int64(len(p))
		s = s.next
	}
	return -1
}

// matchAt compares pat with the bytes from offset off of s on, of which there must be enough.
func matchAt(s *segment, off int, pat ByteString) bool {
	for {
		p := s.data[s.pos+off : s.limit]
		n := min(len(p), len(pat))
		if string(p[:n]) != string(pat[:n]) {
			return false
		}
		if pat = pat[n:]; len(pat) == 0 {
			return true
		}
		s, off = s.next, 0
	}
}

// IndexAny returns the offset of the first byte at or after from that is in set, or -1. It panics if from is negative.
func (b *Buffer) IndexAny(set *ByteSet, from int64) int64 {
	size := b.Len()
	checkSearch(from, max(from, size))
	if from >= size {
		return -1
	}
	s, at := b.seek(from)
	for at < size {
		p := s.data[s.pos:s.limit]
		low := int(max(from-at, 0))
		if i := set.index(p[low:]); i >= 0 {
			return at + int64(low+i)
		}
		at += int64(len(p))
		s = s.next
	}
	return -1
}

// RangeEqual reports whether the bytes at off are pat. A range that is not inside the buffer is not equal to anything; it
// never panics.
func (b *Buffer) RangeEqual(off int64, pat ByteString) bool {
	size, length := b.Len(), int64(len(pat))
	if off < 0 || off > size || size-off < length {
		return false
	}
	if length == 0 {
		return true
	}
	s, at := b.seek(off)
	return matchAt(s, int(off-at), pat)
}

// Select consumes the best option that the front of the buffer matches and returns its index in the list the options were
// made of, or consumes nothing and returns -1.
func (b *Buffer) Select(o *Options) int {
	i, _ := o.match(b)
	if i >= 0 {
		b.drop(int64(len(o.list[i])))
	}
	return i
}
