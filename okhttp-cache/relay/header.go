package relay

import (
	"encoding/binary"
	"fmt"
)

const (
	headerSize  = 32
	prefixSize  = 16
	cleanPrefix = "OkHttp cache v1\n"
	dirtyPrefix = "OkHttp DIRTY :(\n"
)

// A FormatError reports a file that is not a complete relay: one that was not finished, was cut short or is something else.
type FormatError struct {
	Detail string // what is there and what was expected
}

func (e *FormatError) Error() string { return "relay: unreadable cache file: " + e.Detail }

// header is the beginning of a file: the lengths of content and metadata, -1 as long as they are not known.
type header struct{ content, metadata int64 }

var dirtyHeader = header{-1, -1}

// encode writes the header, clean if the lengths are known.
func (h header) encode() [headerSize]byte {
	var p [headerSize]byte
	prefix := cleanPrefix
	if h == dirtyHeader {
		prefix = dirtyPrefix
	}
	copy(p[:], prefix)
	binary.BigEndian.PutUint64(p[16:], uint64(h.content))
	binary.BigEndian.PutUint64(p[24:], uint64(h.metadata))
	return p
}

// parseHeader reads the header of a file of that size, which must be complete.
func parseHeader(p []byte, size int64) (header, error) {
	if len(p) < headerSize {
		return header{}, &FormatError{fmt.Sprintf("%d bytes, of which the header takes %d", len(p), headerSize)}
	}
	switch prefix := string(p[:prefixSize]); prefix {
	case cleanPrefix:
	case dirtyPrefix:
		return header{}, &FormatError{"it was not finished"}
	default:
		return header{}, &FormatError{fmt.Sprintf("it begins with %q, not with %q", prefix, cleanPrefix)}
	}
	h := header{int64(binary.BigEndian.Uint64(p[16:])), int64(binary.BigEndian.Uint64(p[24:]))}
	// The order keeps the sum from overflowing.
	if h.content < 0 || h.metadata < 0 || h.content > size-headerSize || h.metadata != size-headerSize-h.content {
		return header{}, &FormatError{fmt.Sprintf("the header tells of %d and %d bytes, but %d follow it", h.content, h.metadata, size-headerSize)}
	}
	return h, nil
}
