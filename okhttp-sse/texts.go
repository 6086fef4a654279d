package oksse

import "strings"

const (
	textsSize  = 1 << 10 // of a piece of memory, in bytes
	textsShare = 8       // of the strings in it, at least
	longText   = 8 << 10 // what is longer is a piece of its own
)

// texts makes short strings, several of which share a piece of memory, so that one costs a fraction of an allocation. A string that is kept keeps no more
// alive than a piece of textsSize, or of so many times its own size.
type texts struct{ piece strings.Builder }

func (t *texts) string(p []byte) string {
	if len(p) > longText {
		return string(p)
	}
	if t.piece.Cap()-t.piece.Len() < len(p) {
		t.piece.Reset()
		t.piece.Grow(max(textsSize, textsShare*len(p)))
	}
	start := t.piece.Len()
	t.piece.Write(p)
	return t.piece.String()[start:]
}
