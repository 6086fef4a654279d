package okws

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// pattern is content of which every place is told from its neighbours, and valid text.
func pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte('0' + (i*7+i>>8+i>>16)%75)
	}
	return p
}

// big has one end hear a message that a peer sends in fragments and pieces, 0 for one, and send it back, in both roles.
func big(t *testing.T, kind Type, size, fragment, piece int) {
	t.Helper()
	want := pattern(size)
	for _, client := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			c, h := end(t, client, nil, extensions{})
			go h.sendBig(!client, byte(kind), want, fragment, piece)
			got, p, err := c.Read(t.Context())
			if err != nil || got != kind || !bytes.Equal(p, want) {
				t.Errorf("client %v: read %v of %d bytes, %v", client, got, len(p), err)
				return
			}
			written := make(chan error, 1)
			go func() { written <- c.Write(t.Context(), kind, p) }()
			back := h.receive()
			must(t, <-written)
			if !bytes.Equal(back, want) {
				t.Errorf("client %v: %d bytes came back", client, len(back))
			}
		})
	}
}

// sendBig sends a message.
func (h *hand) sendBig(masked bool, op byte, p []byte, fragment, piece int) {
	if fragment == 0 {
		fragment = len(p)
	}
	for first := true; first || len(p) > 0; first = false {
		n := min(fragment, len(p))
		frame := sent{op, string(p[:n])}
		if p, op = p[n:], 0; len(p) == 0 {
			frame.first |= 0x80
		}
		for rest := frame.wire(masked); len(rest) > 0; {
			k := len(rest)
			if piece > 0 {
				k = min(k, piece)
			}
			h.write(rest[:k])
			rest = rest[k:]
		}
	}
}

// receive returns the payload of the frame that comes.
func (h *hand) receive() []byte {
	var b okio.Buffer
	need := func(n int64) bool {
		for b.Len() < n {
			if _, err := h.Source().ReadBuffer(&b, 1<<20); err != nil {
				h.t.Error(err)
				return false
			}
		}
		return true
	}
	if !need(2) || !need(int64(headerSize(b.At(1)))) {
		return nil
	}
	head := must2(parseHeader(must2(b.PeekN(headerSize(b.At(1))))))
	if !need(int64(head.size) + head.length) {
		return nil
	}
	_ = b.Skip(int64(head.size))
	p := must2(b.ReadN(head.length))
	head.key.mask(p, p)
	return p
}

// Family 9: large messages, in one frame, in fragments of any size, and chopped by whatever lies between.
func TestFamilyBig(t *testing.T) {
	of := map[Type][]int{Text: {64 << 10, 1 << 20, 4 << 20}, Binary: {64 << 10, 256 << 10, 16 << 20}}
	frames := 1024 // and pieces
	if underRace {
		of, frames = map[Type][]int{Text: {64 << 10, 1 << 20}, Binary: {64 << 10, 2 << 20}}, 256
	}
	for kind, sizes := range of {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%v of %d KiB", kind, size>>10), func(t *testing.T) { big(t, kind, size, 0, 0) })
		}
		for _, fragment := range []int{64, 1 << 10, 16 << 10, 64 << 10, 256 << 10} {
			t.Run(fmt.Sprintf("%v in fragments of %d", kind, fragment), func(t *testing.T) { big(t, kind, min(1<<20, frames*fragment), fragment, 0) })
		}
		for _, piece := range []int{64, 512, 5000} {
			t.Run(fmt.Sprintf("%v in pieces of %d", kind, piece), func(t *testing.T) { big(t, kind, min(512<<10, frames*piece), 0, piece) })
			t.Run(fmt.Sprintf("%v in fragments and pieces of %d", kind, piece), func(t *testing.T) { big(t, kind, 100*piece, 3*piece+1, piece) })
		}
	}
}

// Many small messages, each of which is answered before the next one comes (9.7 and 9.8).
func TestFamilyRoundTrips(t *testing.T) {
	for _, size := range []int{0, 16, 64, 256, 1024, 4096} {
		bubble(t, func(t *testing.T) {
			c, s := pair(t, &Config{Compression: Compression{Off: true}}, nil)
			go func() { echo(s) }()
			want := pattern(size)
			for range 300 {
				must(t, c.Write(t.Context(), Text, want))
				wantMessage(t, c, Text, string(want))
			}
			must(t, c.Close(CodeNormal, ""))
		})
	}
}
