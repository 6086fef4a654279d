package okws

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
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

// selfTerminated ends with a final block, after which RFC 7692 section 7.2.3.4 wants a byte that begins another one.
func selfTerminated(text string) []byte {
	var b bytes.Buffer
	w, _ := stdflate.NewWriter(&b, 6)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

// A sender may end its stream itself (RFC 7692 section 7.2.1), with or without the byte that should follow, and go on after that: with other streams, and with blocks that refer
// to what came before them. None of it spoils the next message.
func TestSelfTerminated(t *testing.T) {
	d := newDeflater(true, 15, 6)
	said := deflated(t, d, []byte("what was said before"))
	again := deflated(t, d, []byte("what was said before")) // refers to that, where there is context
	long := strings.Repeat("second ", 10000)
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"alone":              {selfTerminated("first"), "first"},
		"long":               {selfTerminated(long), long},
		"7.2.3.4":            {append(selfTerminated("Hello"), 0), "Hello"},
		"two":                {slices.Concat(selfTerminated("first, "), selfTerminated("second")), "first, second"},
		"two and a byte":     {slices.Concat(selfTerminated("first, "), selfTerminated(long), []byte{0}), "first, " + long},
		"empty ones":         {slices.Concat(selfTerminated(""), selfTerminated(""), selfTerminated("x")), "x"},
		"flushed after that": {slices.Concat(selfTerminated("first, "), said), "first, what was said before"},
		"whole flush":        {slices.Concat(selfTerminated("first"), []byte("\x00\x00\x00\xff\xff")), "first"},
		"reference across":   {slices.Concat(said, []byte(messageEnd), selfTerminated(""), again), "what was said beforewhat was said before"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, context := range []bool{true, false} {
				f := &inflater{context: context}
				for range 2 {
					if got := inflate(t, f, test.data); string(got) != test.want {
						t.Errorf("%.40q", got)
					}
					if got := inflate(t, f, deflated(t, newDeflater(true, 15, 6), []byte("plain"))); string(got) != "plain" {
						t.Errorf("after it: %q", got)
					}
				}
				for _, stream := range []bool{true, false} { // over a connection, byte by byte
					overConnection(t, test.data, test.want, context, stream)
				}
			}
		})
	}
}

func overConnection(t *testing.T, data []byte, want string, context, stream bool) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{deflate: true, serverNoContextTakeover: !context})
		go func() {
			for range 2 {
				h.write(appendHeader(nil, header{op: opText, fin: true, rsv1: true, length: int64(len(data))}))
				for i := range data {
					h.write(data[i : i+1])
				}
				h.send("c107 f248cdc9c90700")
			}
		}()
		for range 2 {
			for _, want := range []string{want, "Hello"} {
				if !stream {
					wantMessage(t, c, Text, want)
					continue
				}
				_, r, err := c.NextReader(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if p, err := io.ReadAll(r); err != nil || string(p) != want {
					t.Errorf("%.40q, %v", p, err)
				}
			}
		}
	})
}

// Fact 80, as RFC 7692 section 7.2.1 has it: what follows a final block is of the message, so that junk there is a fault like any other. It is neither dropped, which would hide
// that something is missing, nor part of the next message.
func TestJunkAfterFinalBlock(t *testing.T) {
	for _, junk := range []byte{0xff, 0x06} { // a type of block that does not exist
		for _, n := range []int{1, 8193} {
			bubble(t, func(t *testing.T) {
				c, h := end(t, true, nil, extensions{deflate: true})
				data := append(selfTerminated("hello"), bytes.Repeat([]byte{junk}, n)...)
				h.write(appendHeader(nil, header{op: opText, fin: true, rsv1: true, length: int64(len(data))}))
				h.write(data)
				_, _, err := c.Read(t.Context())
				var broken *ProtocolError
				if !errors.As(err, &broken) || broken.Code != CodeInvalidPayload {
					t.Errorf("%d times %#x: %v", n, junk, err)
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
