package okio

import "testing"

// A peek shows what comes next where it was made, so it ends when its source goes elsewhere, whatever was buffered.
func TestRepositionInvalidatesPeeks(t *testing.T) {
	for _, test := range []struct {
		buffered, to int64
		ends         bool
	}{
		{0, 5, true}, {4, 8, true}, {4, 2, true}, {4, 4, true},
		{0, 0, false}, {4, 0, false},
	} {
		h := NewReadOnlyFileHandle(&memFile{data: []byte("0123456789")})
		b := NewBufferedSource(must[Source](t)(h.Source(0)))
		if _, err := b.buf.refill(b.up, max(test.buffered, 1)); err != nil {
			t.Fatal(err)
		}
		if test.buffered == 0 {
			if _, err := b.ReadByte(); err != nil {
				t.Fatal(err)
			}
			test.to++
		}
		at := must[int64](t)(h.Position(b))
		peek := b.Peek()
		if err := h.Reposition(b, test.to); err != nil {
			t.Fatal(err)
		}
		c, err := peek.ReadByte()
		if test.ends && err != errPeekInvalid || !test.ends && (err != nil || c != byte('0'+at)) {
			t.Errorf("%d bytes buffered, from %d to %d: peek gave %q, %v", test.buffered, at, test.to, c, err)
		}
		if c, err := b.ReadByte(); err != nil || c != byte('0'+test.to) {
			t.Errorf("%d bytes buffered, to %d: got %q, %v", test.buffered, test.to, c, err)
		}
		if now, err := h.Position(b); err != nil || now != test.to+1 {
			t.Errorf("%d bytes buffered, to %d: position %d, %v", test.buffered, test.to, now, err)
		}
	}
}
