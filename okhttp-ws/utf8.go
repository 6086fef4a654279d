package okws

import (
	"encoding/binary"
	"unicode/utf8"
)

// textCheck validates UTF-8 that comes in pieces, and finds the first byte that no continuation could make valid.
type textCheck struct {
	open [utf8.UTFMax]byte // an encoding that is not complete
	n    int
}

// feed reports whether what came so far may be the beginning of valid text.
func (t *textCheck) feed(p []byte) bool {
	for t.n > 0 && len(p) > 0 {
		t.open[t.n] = p[0]
		t.n++
		p = p[1:]
		if begun := t.open[:t.n]; utf8.FullRune(begun) { // or wrong already
			if _, size := utf8.DecodeRune(begun); size != t.n {
				return false
			}
			t.n = 0
		}
	}
	p = p[ascii(p):]
	if len(p) == 0 {
		return true
	}
	whole := len(p) - unfinished(p)
	if !utf8.Valid(p[:whole]) {
		return false
	}
	t.n = copy(t.open[:], p[whole:])
	return true
}

// whole reports whether the text may end here.
func (t *textCheck) whole() bool { return t.n == 0 }

// ascii returns the length of a prefix of ASCII, in steps of 64 bytes.
func ascii(p []byte) int {
	all := len(p)
	for len(p) >= 64 {
		w := (*[64]byte)(p)
		first := binary.LittleEndian.Uint64(w[0:]) | binary.LittleEndian.Uint64(w[8:]) |
			binary.LittleEndian.Uint64(w[16:]) | binary.LittleEndian.Uint64(w[24:])
		second := binary.LittleEndian.Uint64(w[32:]) | binary.LittleEndian.Uint64(w[40:]) |
			binary.LittleEndian.Uint64(w[48:]) | binary.LittleEndian.Uint64(w[56:])
		if (first|second)&0x8080808080808080 != 0 {
			break
		}
		p = p[64:]
	}
	return all - len(p)
}

// unfinished returns how many bytes at the end of p begin an encoding that can go on after them.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		switch last := p[len(p)-n:]; {
		case !utf8.RuneStart(last[0]):
		case utf8.FullRune(last):
			return 0
		default:
			return n
		}
	}
	return 0
}
