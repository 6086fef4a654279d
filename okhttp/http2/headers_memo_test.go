package http2

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Requests out of a few, again and again, with blocks of other kinds and changes of the table in between: what is decoded is what was encoded.
func TestEncodeAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		e := NewHeaderEncoder()
		size := uint32(4096)
		d := NewHeaderDecoder(HeaderLimits{})
		d.SetTableSize(maxTableSize)
		for i := range 300 {
			var block []byte
			var want []string
			switch n := random.IntN(20); {
			case n == 0:
				size = []uint32{0, 60, 200, 4096, 9000}[random.IntN(5)]
				e.SetTableSize(size)
				continue
			case n < 3:
				fields := []string{"x-trailer", fmt.Sprint(random.IntN(4))}
				block, _ = e.AppendTrailers([]byte("x"), fields)
				want = fields
			default:
				head := RequestHead{Method: "GET", Path: fmt.Sprint("/", random.IntN(6)), Authority: "a.test", Scheme: "https"}
				fields := []string{"cookie", fmt.Sprint("short=", random.IntN(2)), "x-one", fmt.Sprint(random.IntN(3))}
				block, _ = e.AppendRequest([]byte("x"), head, fields)
				want = append([]string{":method", "GET", ":path", head.Path, ":authority", "a.test", ":scheme", "https"}, fields...)
			}
			err := d.Decode(block[1:])
			if got, end := d.Close(); err != nil || end != nil || !slices.Equal(got, want) {
				t.Fatalf("block %d, table of %d: %q, %v, %v\nwant %q", i, size, got, err, end, want)
			}
		}
	}
}

// A request that goes again makes no garbage and takes one byte a field.
func TestEncodeAgainIsCheap(t *testing.T) {
	e := NewHeaderEncoder()
	head := RequestHead{Method: "GET", Path: "/", Authority: "a.test", Scheme: "https"}
	fields := []string{"user-agent", "x", "accept-encoding", "gzip"}
	block := make([]byte, 0, 100)
	send := func() []byte {
		b, err := e.AppendRequest(block, head, fields)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	send()
	send()
	if n := testing.AllocsPerRun(100, func() { send() }); n > 0 || len(send()) != 6 {
		t.Errorf("%v allocations, %d bytes", n, len(send()))
	}
}
