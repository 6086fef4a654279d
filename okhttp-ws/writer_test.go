package okws

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okio"
)

// Fact 66: the frames of section 8.4, with a mask that is known.
func TestGoldenFrames(t *testing.T) {
	const mask = 0xbb20b460 // 60b420bb on the wire
	for _, c := range []struct {
		op      opcode
		payload string
		rsv1    bool
		server  string
		client  string
	}{
		{opText, "Hello", false, "8105 48656c6c6f", "8185 60b420bb 28d14cd70f"},
		{opText, "\xf2\x48\xcd\xc9\xc9\x07\x00", true, "c107 f248cdc9c90700", "c187 60b420bb 92fced72a9b320"},
		{opClose, "", false, "8800", "8880 60b420bb"},
		{opClose, "\x03\xe9", false, "8802 03e9", "8882 60b420bb 635d"},
		{opClose, "\x03\xe9Hello", false, "8807 03e9 48656c6c6f", "8887 60b420bb 635d68de0cd84f"},
		{opPing, "Hello", false, "8905 48656c6c6f", "8985 60b420bb 28d14cd70f"},
		{opPong, "", false, "8a00", "8a80 60b420bb"},
		{opText, "", false, "8100", "8180 60b420bb"},
	} {
		for _, client := range []bool{false, true} {
			h := header{op: c.op, fin: true, rsv1: c.rsv1, length: int64(len(c.payload))}
			want := c.server
			if client {
				h.masked, h.key, want = true, mask, c.client
			}
			got := appendHeader(nil, h)
			body := make([]byte, len(c.payload))
			h.key.mask(body, []byte(c.payload))
			if got = append(got, body...); !bytes.Equal(got, unhex(t, want)) {
				t.Errorf("%v %q: %x, want %s", c.op, c.payload, got, want)
			}
		}
	}
	if got := appendHeader(nil, header{op: opText, fin: true, masked: true, key: 0x3d21fa37, length: 5}); !bytes.Equal(got, unhex(t, "818537fa213d")) {
		t.Errorf("%x", got)
	}
	for length, want := range map[int64]string{12345: "817e3039", 65535: "817effff", 65536: "817f0000000000010000", 126: "817e007e", 125: "817d"} {
		if got := appendHeader(nil, header{op: opText, fin: true, length: length}); !bytes.Equal(got, unhex(t, want)) {
			t.Errorf("%d: %x", length, got)
		}
	}
}

// Facts 21 and 66 on the wire: what a connection sends, frame by frame.
func TestSentFrames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, false, &Config{Compression: Compression{Level: 9, NoContextTakeover: true}}, extensions{deflate: true, serverNoContextTakeover: true})
		must(t, c.WriteText(t.Context(), "Hello"))
		h.want("8105 48656c6c6f")
		must(t, c.WriteWith(t.Context(), Text, []byte("Hello"), true))
		h.want("8105 48656c6c6f") // it would not get smaller
		a1023, a1024 := bytes.Repeat([]byte("a"), 1023), bytes.Repeat([]byte("a"), 1024)
		must(t, c.Write(t.Context(), Text, a1023))
		h.want("817e03ff")
		h.want8(1023)
		must(t, c.Write(t.Context(), Binary, a1024))
		h.want("c2")
		if n := h.byte(); n > 20 {
			t.Errorf("1024 letters were compressed to %d bytes", n)
		} else {
			h.want8(int64(n))
		}
		must(t, c.WriteWith(t.Context(), Binary, a1024, false))
		h.want("827e0400")
		h.want8(1024)
		if err := c.Write(t.Context(), 3, nil); !errors.As(err, new(*ArgumentError)) {
			t.Errorf("a type that there is not: %v", err)
		}
		must(t, c.WriteText(t.Context(), ""))
		h.want("8100")
	})
	bubble(t, func(t *testing.T) { // nobody agreed on the extension
		c, h := end(t, false, &Config{Compression: Compression{Level: 9}}, extensions{})
		must(t, c.WriteWith(t.Context(), Binary, bytes.Repeat([]byte("a"), 1024), true))
		h.want("827e0400")
		h.want8(1024)
	})
}

// byte returns the next byte.
func (h *hand) byte() byte {
	var b okio.Buffer
	if _, err := h.Source().ReadBuffer(&b, 1); err != nil {
		h.t.Error(err)
		return 0
	}
	return b.At(0)
}

// Facts 37, 67, 68: what cannot be sent, and does no harm.
func TestBadCloses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, nil, extensions{})
		for code, want := range map[Code]string{
			98724976: "okws: Code must be in range [1000,5000): 98724976", 1005: "okws: Code 1005 is reserved and may not be used.",
			-1: "okws: Code must be in range [1000,5000): -1",
		} {
			if err := c.Close(code, ""); err == nil || err.Error() != want {
				t.Errorf("%d: %v", code, err)
			}
		}
		if err := c.Close(1000, strings.Repeat("é", 62)); !errors.As(err, new(*ArgumentError)) {
			t.Errorf("a reason of 124 bytes: %v", err)
		}
		if err := c.Close(1000, "\xff"); !errors.As(err, new(*ArgumentError)) {
			t.Errorf("a reason that is no text: %v", err)
		}
		must(t, c.WriteText(t.Context(), "still good"))
		h.want("818a")
	})
}

func TestMask(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		src := make([]byte, r.IntN(300))
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		key := maskKey(r.Uint32())
		var k [4]byte
		binary.LittleEndian.PutUint32(k[:], uint32(key))
		want := make([]byte, len(src))
		for i := range src {
			want[i] = src[i] ^ k[i%4]
		}
		got := append([]byte(nil), src...)
		next, off := key, 0
		for off < len(got) { // in pieces, in place
			n := min(1+r.IntN(100), len(got)-off)
			next = next.mask(got[off:off+n], got[off:off+n])
			off += n
		}
		if !bytes.Equal(got, want) || next != key.after(len(src)) {
			t.Fatalf("%d bytes with %08x: %x, want %x", len(src), key, got, want)
		}
	}
}

// Text that comes in pieces of any size is judged as it is whole, and no later than at the first byte that cannot be.
func TestTextCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "é", "€", "\U0001F600", strings.Repeat("ascii", 20), "\x80", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8", "\xe2\x82", "\xf0\x9f"}
	for range 5000 {
		var b []byte
		for range r.IntN(8) {
			b = append(b, pieces[r.IntN(len(pieces))]...)
		}
		var check textCheck
		bad := -1
		for off := 0; off < len(b) && bad < 0; {
			n := min(1+r.IntN(40), len(b)-off)
			if !check.feed(b[off : off+n]) {
				bad = off
			}
			off += n
		}
		if got := bad < 0 && check.whole(); got != utf8.Valid(b) {
			t.Fatalf("%q: %v", b, got)
		}
		check = textCheck{}
		for i := range b { // byte by byte: as long as there is a valid text that begins so
			want := possible(b[:i+1])
			if got := check.feed(b[i : i+1]); got != want {
				t.Fatalf("%q: %v", b[:i+1], got)
			} else if !got {
				break
			}
		}
	}
}

// possible reports whether valid text can begin with p.
func possible(p []byte) bool {
	for n := range 4 {
		if n <= len(p) && utf8.Valid(p[:len(p)-n]) && !utf8.FullRune(p[len(p)-n:]) {
			return true
		}
	}
	return utf8.Valid(p)
}

// Fact 68: what goes into control frames fits into them, because longer pings are no pings. A reason is checked by TestReasons.
func TestControlPayloads(t *testing.T) {
	longest := strings.Repeat("x", 125)
	for _, client := range []bool{true, false} {
		o := converse(t, client, nil, extensions{}, wires(!client, sent{0x89, longest}, sent{0x89, longest + "x"}), 0)
		wantViolation(t, o.err, CodeProtocolError, "Control frame must be less than 125B.")
		bubble(t, func(t *testing.T) {
			c, h := end(t, client, nil, extensions{})
			go func() { _, _ = c.Ping(background()) }()
			go func() { _ = c.Discard(background()) }()
			h.write(sent{0x89, longest}.wire(!client))
			synctest.Wait()
			must(t, h.Sink().Close())
			for _, got := range h.controls() {
				if kind, payload, _ := strings.Cut(got, " "); kind == "pong" && payload != longest || kind == "ping" && len(payload) > 8 {
					t.Errorf("client %v: it sent %q", client, got)
				}
			}
		})
	}
}

// Facts 65 and 79: reading, and writing with and without compression, after the end, whichever came first.
func TestUseAfterClose(t *testing.T) {
	for name, finish := range map[string]func(c *Conn){
		"CloseNow": func(c *Conn) { _ = c.CloseNow() },
		"close frame": func(c *Conn) {
			c.takeWriting(0)
			defer c.writing.give()
			must(t, c.writeClose(CodeNormal, ""))
		},
	} {
		for _, on := range []bool{true, false} {
			bubble(t, func(t *testing.T) {
				c, h := end(t, true, nil, extensions{deflate: on})
				must(t, c.WriteWith(t.Context(), Text, []byte("before"), true))
				w, err := c.NextWriter(t.Context(), Text)
				must(t, err)
				waited := make(chan error, 1)
				go func() { waited <- c.Write(t.Context(), Text, nil) }() // for the message that is open
				synctest.Wait()
				finish(c)
				if err := <-waited; !errors.Is(err, ErrClosed) {
					t.Errorf("%s: who waited: %v", name, err)
				}
				_, writing := w.Write([]byte("x"))
				for what, err := range map[string]error{
					"write": c.Write(t.Context(), Text, nil), "compress": c.WriteWith(t.Context(), Text, []byte("after"), true), "go on": writing, "end": w.Close(),
				} {
					if !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "closed") {
						t.Errorf("%s: %s: %v", name, what, err)
					}
				}
				if name == "CloseNow" {
					_, _, reading := c.Read(t.Context())
					_, _, streaming := c.NextReader(t.Context())
					_, pinging := c.Ping(t.Context())
					for what, err := range map[string]error{"read": reading, "stream": streaming, "ping": pinging, "discard": c.Discard(t.Context())} {
						if !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "closed") {
							t.Errorf("%s: %v", what, err)
						}
					}
				}
				h.Socket.Cancel(nil)
			})
		}
	}
}
