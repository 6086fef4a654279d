package okws

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	stdflate "compress/flate"
)

// inflate has a connection read a compressed message that has come whole.
func inflate(t *testing.T, f *inflater, p []byte) []byte {
	t.Helper()
	c := &Conn{inflate: *f}
	c.r.client, c.r.within, c.r.final, c.r.compressed, c.r.kind, c.r.left, c.r.size = true, true, true, true, opBinary, int64(len(p)), int64(len(p))
	_, _ = c.r.in.Write(p)
	in := takeInflation()
	defer inflations.give(in)
	got, err := c.readInflated(in, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	*f = c.inflate
	return got
}

func deflated(t *testing.T, d *deflater, p []byte) []byte {
	t.Helper()
	got, err := d.message(p)
	if err != nil {
		t.Fatal(err)
	}
	got = append([]byte(nil), got...)
	d.release()
	return got
}

func newDeflater(takeover bool, bits, level int) *deflater {
	return &deflater{agreement: agreement{on: true, takeover: takeover, window: bits, level: level}}
}

// The goldens of sections 8.4 and 9.6, and facts 76, 77.
func TestDeflateGoldens(t *testing.T) {
	for text, want := range map[string]string{"Hello": "f248cdc9c90700", "Hello deflate!": "f248cdc9c95748494dcb492c49550400", "": "00"} {
		if got := fmt.Sprintf("%x", deflated(t, newDeflater(false, 15, 9), []byte(text))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for packed, want := range map[string]string{"f248cdc9c957c8cc4bcb492cc9cccf530400": "Hello inflation!", "53621260020000": "\x22\x02\x10\x02", "00": ""} {
		if got := inflate(t, new(inflater), unhex(t, packed)); string(got) != want {
			t.Errorf("%s: %q, want %q", packed, got, want)
		}
	}
}

// Fact 78, for all levels and windows: what was compressed inflates again, with and without context, in small windows too.
func TestDeflateRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	step, most := 1, 100000
	if underRace {
		step, most = 7, 50000
	}
	for _, takeover := range []bool{true, false} {
		for bits := 8; bits <= 15; bits += step {
			for _, level := range []int{1, 6} {
				d, f := newDeflater(takeover, bits, level), &inflater{context: takeover}
				narrow := &inflater{context: takeover}
				text := []byte(strings.Repeat("the context is what was said before, ", 20))
				var sizes []int
				for range 8 {
					p := deflated(t, d, text)
					sizes = append(sizes, len(p))
					if got := inflate(t, f, p); !bytes.Equal(got, text) {
						t.Fatalf("takeover %v, %d bits, level %d: %q", takeover, bits, level, got)
					}
					if got := inflate(t, narrow, p); !bytes.Equal(got, text) {
						t.Fatal("another inflater")
					}
					narrow.past = narrow.past[max(0, len(narrow.past)-1<<bits):] // as one that has no more memory
				}
				if takeover && bits == 15 && sizes[1] >= sizes[0] || !takeover && sizes[1] != sizes[0] {
					t.Errorf("takeover %v, %d bits, level %d: sizes %v", takeover, bits, level, sizes)
				}
				for range 5 {
					p := make([]byte, r.IntN(most))
					for i := range p {
						p[i] = byte(r.IntN(4))
					}
					if got := inflate(t, f, deflated(t, d, p)); !bytes.Equal(got, p) {
						t.Fatalf("takeover %v, %d bits, level %d: %d bytes differ", takeover, bits, level, len(p))
					}
				}
			}
		}
	}
}

// Fact 80: a sender that ends its stream itself, with junk after it, spoils neither this message nor the next.
func TestSelfTerminated(t *testing.T) {
	final := func(text string, junk int) []byte {
		var b bytes.Buffer
		w, _ := stdflate.NewWriter(&b, 6)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		return append(b.Bytes(), bytes.Repeat([]byte{0xab}, junk)...)
	}
	for _, context := range []bool{true, false} {
		for _, junk := range []int{0, 1, 8193} {
			f := &inflater{context: context}
			for _, text := range []string{"first", strings.Repeat("second ", 10000), "third"} {
				if got := inflate(t, f, final(text, junk)); string(got) != text {
					t.Errorf("%d bytes of junk: %.20q", junk, got)
				}
			}
			if got := inflate(t, f, deflated(t, newDeflater(true, 15, 6), []byte("plain"))); string(got) != "plain" {
				t.Errorf("after %d bytes of junk: %q", junk, got)
			}
		}
		for _, stream := range []bool{true, false} { // over a connection
			bubble(t, func(t *testing.T) {
				c, h := end(t, true, nil, extensions{deflate: true, serverNoContextTakeover: !context})
				go func() {
					for range 2 {
						h.write(appendHeader(nil, header{op: opText, fin: true, rsv1: true, length: int64(len(final("hello", 8193)))}))
						h.write(final("hello", 8193))
						h.send("c107 f248cdc9c90700")
					}
				}()
				for range 2 {
					for _, want := range []string{"hello", "Hello"} {
						if !stream {
							wantMessage(t, c, Text, want)
							continue
						}
						_, r, err := c.NextReader(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						if p, err := io.ReadAll(r); err != nil || string(p) != want {
							t.Errorf("%q, %v", p, err)
						}
					}
				}
			})
		}
	}
}

// Small messages that are alike get smaller with context, where that is asked for below the threshold.
func TestAllWithContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var sizes []int64
		cfg := &Config{Compression: Compression{AllWithContext: true}, OnFrame: func(f Frame) {
			if f.Sent && f.Opcode == byte(opText) {
				sizes = append(sizes, f.Length)
			}
		}}
		c, s := pair(t, cfg, nil)
		for i := range 3 {
			text := fmt.Sprintf(`{"event":"price","symbol":"OKIO","value":%d}`, i)
			must(t, c.WriteText(t.Context(), text))
			wantMessage(t, s, Text, text)
		}
		if sizes[2] >= 20 {
			t.Errorf("sizes %v", sizes)
		}
	})
}
