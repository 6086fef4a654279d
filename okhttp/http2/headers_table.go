package http2

import "golang.org/x/net/http2/hpack"

// A tableUpdate reads the changes of the size of the dynamic table with which a header block can begin (RFC 7541 section 6.3). hpack reads them too, but
// refuses a second one while the table has entries, and does not know when one is due. It still refuses those that come after a field.
type tableUpdate struct {
	allowed int64 // by our SETTINGS
	size    int64 // of the table
	due     int64 // the size that the next block has to begin with, or less; -1 if it need not
	over    bool  // the block is past its updates

	within bool // a number
	number int64
	shift  uint
}

func newTableUpdate() tableUpdate {
	return tableUpdate{allowed: initialTableSize, size: initialTableSize, due: -1}
}

func (u *tableUpdate) allow(n uint32) {
	u.allowed = int64(n)
	if u.allowed < u.size && (u.due < 0 || u.allowed < u.due) {
		u.due = u.allowed
	}
}

// read returns what follows the updates, which may end in a later fragment.
func (u *tableUpdate) read(b []byte, hp *hpack.Decoder) (rest []byte, err error) {
	for len(b) > 0 {
		c := b[0]
		switch {
		case u.within:
			u.number += int64(c&0x7f) << u.shift
			u.shift += 7
			if u.within = c >= 0x80; u.within && u.shift > 28 {
				return nil, connectionErrorf(CompressionError, "size of the dynamic table in more than 5 bytes")
			}
		case c&0xe0 != 0x20: // the first field
			u.over = true
			return b, u.missed()
		default:
			u.number, u.shift = int64(c&0x1f), 0
			u.within = u.number == 0x1f
		}
		b = b[1:]
		if !u.within {
			if err := u.apply(hp); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

func (u *tableUpdate) apply(hp *hpack.Decoder) error {
	switch {
	case u.number > u.allowed:
		return connectionErrorf(CompressionError, "dynamic table of %d bytes, expected at most %d", u.number, u.allowed)
	case u.due >= 0 && u.number > u.due:
		return u.missed()
	}
	u.due, u.size = -1, u.number
	hp.SetMaxDynamicTableSize(uint32(u.number))
	return nil
}

func (u *tableUpdate) missed() error {
	if u.due < 0 {
		return nil
	}
	return connectionErrorf(CompressionError, "header block does not begin by reducing the dynamic table to %d bytes", u.due)
}

// close checks the end of a block, which may have had nothing but updates.
func (u *tableUpdate) close() error {
	if u.within {
		return connectionErrorf(CompressionError, "header block ends within the size of the dynamic table")
	}
	if !u.over {
		return u.missed()
	}
	return nil
}
