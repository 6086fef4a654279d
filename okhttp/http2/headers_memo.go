package http2

import "slices"

// memo is the latest blocks of requests that came out as nothing but what the table has and literals that stay out of it. As long as the table does not
// change, the same request is the same block again.
type memo struct {
	blocks [4]memoBlock
	next   int
}

type memoBlock struct {
	head   RequestHead
	fields []string
	block  []byte // empty: none
}

// maxMemo is how large a block may be that is remembered.
const maxMemo = 1 << 10

// find returns the block of a request, nil if it is not known.
func (m *memo) find(r *RequestHead, fields []string) []byte {
	for i := range m.blocks {
		if b := &m.blocks[i]; b.head == *r && len(b.block) > 0 && slices.Equal(b.fields, fields) {
			return b.block
		}
	}
	return nil
}

func (m *memo) add(r *RequestHead, fields []string, block []byte) {
	if len(block) > maxMemo {
		return
	}
	b := &m.blocks[m.next]
	m.next = (m.next + 1) % len(m.blocks)
	b.head, b.fields, b.block = *r, append(b.fields[:0], fields...), append(b.block[:0], block...)
}

// clear forgets the blocks, because the table has changed.
func (m *memo) clear() {
	for i := range m.blocks {
		m.blocks[i].block = m.blocks[i].block[:0]
	}
}
