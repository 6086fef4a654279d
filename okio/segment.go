package okio

import (
	"sync"
	"sync/atomic"
)

// segmentSize is the capacity of every segment in bytes. 16 KiB is the largest TLS record, HTTP/2's default largest
// frame and an exact size class of the allocator; smaller segments make socket reads and TLS writes measurably slower.
const segmentSize = 16 << 10

// shareMinimum is the shortest run of bytes worth sharing: below it a copy is cheaper than a counted view, and
// copies coalesce in the tail where views would pile up into long chains.
const shareMinimum = 1 << 10

// A segment is one link in the circular list of a Buffer: the bytes data[pos:limit].
//
// A segment that came from the pool with its array is a root. It alone may append to the array, at limit. A segment
// made by share is a view: it refers to its root's array and is read-only for ever. The root counts itself and its views
// in refs. While the count is above one, the bytes below the root's limit must not change and the limit must not go
// down, because views may be looking at them, from other goroutines too. Whoever lets go last returns the root to the pool.
type segment struct {
	data       []byte // always segmentSize long
	pos, limit int
	root       *segment // nil in a root
	refs       atomic.Int32
	next, prev *segment // nil while in no buffer
}

var segmentPool = sync.Pool{New: func() any {
	s := &segment{data: make([]byte, segmentSize)}
	s.refs.Store(1)
	return s
}}

// viewPool recycles the structs of views; they have no array of their own.
var viewPool = sync.Pool{New: func() any { return new(segment) }}

// takeSegment returns an empty root that belongs to no buffer.
func takeSegment() *segment { return segmentPool.Get().(*segment) }

// level is the number of bytes to read.
func (s *segment) level() int { return s.limit - s.pos }

// bytes is the readable range, without capacity beyond it.
func (s *segment) bytes() []byte { return s.data[s.pos:s.limit:s.limit] }

// exclusive reports whether nobody else sees the array, so that its bytes may be moved and its limit lowered.
func (s *segment) exclusive() bool { return s.root == nil && s.refs.Load() == 1 }

// room is the number of bytes that can be appended, shifting the present ones to the front if that is allowed.
func (s *segment) room() int {
	switch {
	case s.root != nil:
		return 0
	case s.exclusive():
		return segmentSize - s.level()
	default:
		return segmentSize - s.limit
	}
}

// append copies p to the end; the caller has checked room.
func (s *segment) append(p []byte) {
	if len(p) > segmentSize-s.limit {
		copy(s.data, s.data[s.pos:s.limit])
		s.limit -= s.pos
		s.pos = 0
	}
	s.limit += copy(s.data[s.limit:], p)
}

// share returns an unlinked view of n bytes starting off bytes into the readable range.
func (s *segment) share(off, n int) *segment {
	root := s
	if s.root != nil {
		root = s.root
	}
	root.refs.Add(1)
	v := viewPool.Get().(*segment)
	v.data, v.root = root.data, root
	v.pos = s.pos + off
	v.limit = v.pos + n
	return v
}

// release gives up an unlinked segment.
func (s *segment) release() {
	root := s
	if s.root != nil {
		root = s.root
		s.data, s.root = nil, nil
		s.pos, s.limit = 0, 0
		viewPool.Put(s)
	}
	// A count of one cannot rise again behind our back: only a holder can share.
	if root.refs.Load() != 1 {
		if root.refs.Add(-1) != 0 {
			return
		}
		root.refs.Store(1)
	}
	root.pos, root.limit = 0, 0
	if poison {
		copy(root.data, poisonBytes)
	}
	segmentPool.Put(root)
}

// pushAfter links s, which is in no buffer, behind at.
func (s *segment) pushAfter(at *segment) {
	s.prev, s.next = at, at.next
	at.next.prev = s
	at.next = s
}

// unlink takes s out of its ring and returns its successor, nil if s was alone.
func (s *segment) unlink() *segment {
	next := s.next
	if next == s {
		next = nil
	}
	s.prev.next, s.next.prev = s.next, s.prev
	s.prev, s.next = nil, nil
	return next
}
