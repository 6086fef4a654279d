package okws

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// The files families_*_test.go go through what the families of the Autobahn suite are about, in the words of RFC 6455 and RFC 7692: each case in both roles, with what the peer
// sends in one piece, chopped, and byte by byte.

// sent is a frame that a peer sends: its first byte, and the payload as it is before masking.
type sent struct {
	first   byte
	payload string
}

// wire is the frame as bytes: masked if it comes from a client.
func (f sent) wire(masked bool) []byte {
	h := header{op: opcode(f.first & 0xf), fin: true, masked: masked, key: 0x5b0c42a7, length: int64(len(f.payload))}
	if !masked {
		h.key = 0
	}
	b := appendHeader(nil, h)
	b[0] = f.first
	body := []byte(f.payload)
	h.key.mask(body, body)
	return append(b, body...)
}

func wires(masked bool, frames ...sent) (b []byte) {
	for _, f := range frames {
		b = append(b, f.wire(masked)...)
	}
	return b
}

// outcome is what came of frames: messages and what answers they got, in the order of each, and how it ended.
type outcome struct {
	messages []string // "text …" and "binary …"
	answers  []string // control frames: "ping …", "pong …", "close 1000 …"
	err      error
}

// brief renders a message, cut short.
func brief(kind string, p []byte) string {
	if len(p) > 200 {
		return fmt.Sprintf("%s of %d bytes", kind, len(p))
	}
	return strings.TrimSpace(kind + " " + string(p))
}

// converse has one end hear bytes in pieces of some size, 0 for one piece, and then the end of the stream.
func converse(t *testing.T, client bool, cfg *Config, agreed extensions, stream []byte, piece int) (o outcome) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		c, h := end(t, client, cfg, agreed)
		answers := make(chan []string, 1)
		go func() { answers <- h.controls() }()
		go func() {
			for rest := stream; len(rest) > 0; {
				n := len(rest)
				if piece > 0 {
					n = min(n, piece)
				}
				if h.push(rest[:n]) != nil {
					return
				}
				rest = rest[n:]
			}
			_ = h.Sink().Close()
		}()
		for o.err == nil {
			var kind Type
			var p []byte
			if kind, p, o.err = c.Read(t.Context()); o.err == nil {
				o.messages = append(o.messages, brief(kind.String(), p))
			}
		}
		o.answers = <-answers
	})
	return o
}

// controls returns the control frames that come until the end of the stream.
func (h *hand) controls() (list []string) {
	var b okio.Buffer
	for {
		if _, err := h.Source().ReadBuffer(&b, 1<<20); err != nil {
			break
		}
	}
	for b.Len() >= 2 {
		head, err := parseHeader(must2(b.PeekN(min(int(b.Len()), headerSize(b.At(1))))))
		if err != nil {
			h.t.Error(err)
			return list
		}
		_ = b.Skip(int64(head.size))
		p := must2(b.ReadN(head.length))
		head.key.mask(p, p)
		switch {
		case head.op == opClose && len(p) >= 2:
			list = append(list, strings.TrimSpace(fmt.Sprintf("close %d %s", int(p[0])<<8|int(p[1]), p[2:])))
		case head.op == opClose:
			list = append(list, "close")
		case head.op == opPing:
			list = append(list, brief("ping", p))
		case head.op == opPong:
			list = append(list, brief("pong", p))
		}
	}
	return list
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// familyCase is what a peer sends, and what is to come of it. The end is a part of the error's text.
type familyCase struct {
	name     string
	frames   []sent
	messages []string
	answers  []string
	end      string
}

// run goes through the cases in both roles and in pieces.
func run(t *testing.T, cases []familyCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, client := range []bool{true, false} {
				stream := wires(!client, c.frames...)
				for _, piece := range []int{0, 1, 7, 997} {
					if piece > 0 && len(stream)/piece > 5000 {
						continue
					}
					o := converse(t, client, nil, extensions{}, stream, piece)
					if !slices.Equal(o.messages, c.messages) || !slices.Equal(o.answers, c.answers) || !strings.Contains(o.err.Error(), c.end) {
						t.Errorf("client %v, pieces of %d: messages %q, answers %q, %v", client, piece, o.messages, o.answers, o.err)
					}
				}
			}
		})
	}
}

const (
	normal = "\x03\xe8"
	byPeer = "closed by the peer: 1000"
)

var (
	closes   = sent{0x88, normal}
	answered = []string{"close 1000"}
	refused  = []string{"close 1002"}
)

// Family 1: messages of every form of length, of both types.
func TestFamilyFraming(t *testing.T) {
	var cases []familyCase
	for _, n := range []int{0, 1, 125, 126, 127, 128, 65535, 65536, 65537} {
		text := strings.Repeat("*", n)
		cases = append(cases, familyCase{fmt.Sprint(n), []sent{{0x81, text}, {0x82, text}, closes},
			[]string{brief("text", []byte(text)), brief("binary", []byte(text))}, answered, byPeer})
	}
	run(t, cases)
}

// Family 2: pings are answered with what they carry, in their order, before the close frame; pongs nobody asked for are ignored.
func TestFamilyPings(t *testing.T) {
	many := func(n int) (frames []sent, pongs []string) {
		for i := range n {
			frames, pongs = append(frames, sent{0x89, fmt.Sprint(i)}), append(pongs, fmt.Sprint("pong ", i))
		}
		return append(frames, closes), append(pongs, "close 1000")
	}
	ten, tenPongs := many(10)
	run(t, []familyCase{
		{"without payload", []sent{{0x89, ""}, closes}, nil, []string{"pong", "close 1000"}, byPeer},
		{"with payload", []sent{{0x89, "Hello"}, closes}, nil, []string{"pong Hello", "close 1000"}, byPeer},
		{"that is no text", []sent{{0x89, "\x00\xff\xfe\xfd"}, closes}, nil, []string{"pong \x00\xff\xfe\xfd", "close 1000"}, byPeer},
		{"of 125 bytes", []sent{{0x89, strings.Repeat("\xfe", 125)}, closes}, nil, []string{"pong " + strings.Repeat("\xfe", 125), "close 1000"}, byPeer},
		{"of 126 bytes", []sent{{0x89, strings.Repeat("\xfe", 126)}}, nil, refused, "Control frame must be less than 125B."},
		{"unsolicited pong", []sent{{0x8a, ""}, {0x8a, "unasked"}, {0x89, "asked"}, closes}, nil, []string{"pong asked", "close 1000"}, byPeer},
		{"ten", ten, nil, tenPongs, byPeer},
	})
}

// Family 3: bits that nobody agreed on, in the first frame and after a message, which is still read.
func TestFamilyReservedBits(t *testing.T) {
	var cases []familyCase
	for bits := 1; bits < 8; bits++ {
		want := [...]string{"", "rsv3", "rsv2", "rsv2", "rsv1", "rsv1", "rsv1", "rsv1"}[bits]
		for _, op := range []byte{0x81, 0x82, 0x88, 0x89, 0x8a} {
			cases = append(cases, familyCase{fmt.Sprintf("%d in %x", bits, op), []sent{{0x81, "Hello"}, {op | byte(bits)<<4, "\x03\xe8"}, {0x89, ""}},
				[]string{"text Hello"}, refused, "Unexpected " + want + " flag"})
		}
	}
	run(t, cases)
}

// Family 4: opcodes that mean nothing, with and without payload.
func TestFamilyOpcodes(t *testing.T) {
	var cases []familyCase
	for op := byte(3); op < 16; op++ {
		if op >= 8 && op <= 10 {
			continue
		}
		want := fmt.Sprintf("Unknown opcode: %x", op)
		if op > 10 {
			want = fmt.Sprintf("Unknown control opcode: %x", op)
		}
		for _, payload := range []string{"", "payload"} {
			cases = append(cases, familyCase{fmt.Sprintf("%x %s", op, payload), []sent{{0x81, "Hello"}, {0x80 | op, payload}, {0x89, ""}}, []string{"text Hello"}, refused, want})
		}
	}
	run(t, cases)
}

// Family 5: fragments, with control frames between them, and what is out of its order.
func TestFamilyFragments(t *testing.T) {
	run(t, []familyCase{
		{"ping in fragments", []sent{{0x09, "frag"}, {0x80, "ment"}}, nil, refused, "Control frames must be final."},
		{"pong in fragments", []sent{{0x0a, "frag"}, {0x80, "ment"}}, nil, refused, "Control frames must be final."},
		{"close in fragments", []sent{{0x08, normal}, {0x80, "ment"}}, nil, refused, "Control frames must be final."},
		{"two", []sent{{0x01, "frag"}, {0x80, "ment"}, closes}, []string{"text fragment"}, answered, byPeer},
		{"three, a ping between", []sent{{0x02, "fr"}, {0x00, "ag"}, {0x89, "ping"}, {0x80, "ment"}, closes}, []string{"binary fragment"}, []string{"pong ping", "close 1000"}, byPeer},
		{"empty ones", []sent{{0x01, ""}, {0x00, ""}, {0x89, "1"}, {0x00, "x"}, {0x89, "2"}, {0x00, ""}, {0x80, ""}, closes}, []string{"text x"},
			[]string{"pong 1", "pong 2", "close 1000"}, byPeer},
		{"continuation first", []sent{{0x80, "x"}, {0x81, "Hello"}}, nil, refused, "Unknown opcode: 0"},
		{"open continuation first", []sent{{0x00, "x"}, {0x81, "Hello"}}, nil, refused, "Unknown opcode: 0"},
		{"continuation after the end", []sent{{0x01, "a"}, {0x80, "b"}, {0x80, "c"}}, []string{"text ab"}, refused, "Unknown opcode: 0"},
		{"text inside", []sent{{0x01, "a"}, {0x81, "b"}}, nil, refused, "Expected continuation opcode. Got: 1"},
		{"binary inside", []sent{{0x01, "a"}, {0x00, "b"}, {0x02, "c"}}, nil, refused, "Expected continuation opcode. Got: 2"},
		{"close inside", []sent{{0x01, "a"}, closes}, nil, answered, byPeer},
		{"messages one after the other", []sent{{0x01, "a"}, {0x00, "b"}, {0x80, "c"}, {0x02, "d"}, {0x80, "e"}, {0x81, "f"}, closes},
			[]string{"text abc", "binary de", "text f"}, answered, byPeer},
	})
}

// Family 10: a message in frames of 1300 bytes, as a sender that fragments by itself would send it.
func TestFamilyAutoFragments(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 4096)
	frames := []sent{}
	for off := 0; off < len(text); off += 1300 {
		first := byte(0)
		if off == 0 {
			first = 1
		}
		if off+1300 >= len(text) {
			first |= 0x80
		}
		frames = append(frames, sent{first, text[off:min(off+1300, len(text))]})
	}
	for _, client := range []bool{true, false} {
		for _, piece := range []int{0, 997} {
			bubble(t, func(t *testing.T) {
				c, h := end(t, client, nil, extensions{})
				go func() {
					for rest := wires(!client, frames...); len(rest) > 0; {
						n := len(rest)
						if piece > 0 {
							n = min(n, piece)
						}
						h.write(rest[:n])
						rest = rest[n:]
					}
					must(t, h.Sink().Close())
				}()
				_, r, err := c.NextReader(t.Context())
				must(t, err)
				if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, []byte(text)) {
					t.Errorf("read %d bytes, %v", len(got), err)
				}
				if _, _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
					t.Errorf("ended with %v", err)
				}
			})
		}
	}
}
