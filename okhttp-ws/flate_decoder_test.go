package okws

import (
	"bytes"
	stdflate "compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
)

// inflatePieces inflates with input of so many bytes at a time into room of so many at a time. Behind what there is, the room is not to be touched.
func inflatePieces(d *decoder, past, in []byte, piece, room int, most int) (out []byte, left int, err error) {
	prefix := "before"
	out = append(out, prefix...)
	var rest []byte
	for {
		var used int
		if len(out) == cap(out) {
			larger := make([]byte, len(out), len(out)+room)
			copy(larger, out)
			out = larger
		}
		out, used, err = d.decode(out, len(prefix), past, rest)
		rest = rest[used:]
		switch {
		case len(out) > most:
			return nil, 0, errors.New("too much")
		case err == errFull:
		case err == errHungry && len(in) > 0:
			n := min(piece, len(in))
			rest = append(append([]byte(nil), rest...), in[:n]...)
			in = in[n:]
		default:
			return out[len(prefix):], len(rest) + len(in), err
		}
	}
}

// contents are of different kinds: no, few or many copies, few or many different bytes, long codes.
func contents() map[string][]byte {
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 200_000)
	_, _ = random.Read(noise)
	var skewed []byte // symbols as rare as in Fibonacci's numbers have codes as long as can be
	for i, a, b := 0, 1, 1; i < 24; i, a, b = i+1, b, a+b {
		skewed = append(skewed, bytes.Repeat([]byte{byte(i)}, a)...)
	}
	rand.New(random).Shuffle(len(skewed), func(i, j int) { skewed[i], skewed[j] = skewed[j], skewed[i] })
	var words []byte
	for len(words) < 300_000 {
		words = fmt.Appendf(words, "word %d of %x; ", random.Uint64()%1000, random.Uint64()%50)
	}
	return map[string][]byte{
		"nothing": {}, "one": {7}, "hello": []byte("Hello"), "zeros": make([]byte, 100_000), "noise": noise, "skewed": skewed, "words": words,
		"few words": words[:4000], "few of them": noise[:3000], "skew": skewed[:5000], "pairs": bytes.Repeat([]byte("ab"), 2000), "text": []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 3000)),
	}
}

// What compressors make is inflated, however it comes and wherever the room ends.
func TestDecoder(t *testing.T) {
	for name, want := range contents() {
		for level := -2; level <= 9; level++ {
			var packed bytes.Buffer
			w, err := stdflate.NewWriter(&packed, level)
			must(t, err)
			_, _ = w.Write(want)
			must(t, w.Close())
			for _, sizes := range [][2]int{{1 << 30, 1 << 20}, {1, 1 << 20}, {1 << 30, 1}, {7, 300}, {1000, 259}} {
				if min(sizes[0], sizes[1]) < 10000 && len(want) > 5000 {
					continue
				}
				var d decoder
				got, left, err := inflatePieces(&d, nil, packed.Bytes(), sizes[0], sizes[1], 1<<30)
				if err != io.EOF || left != 0 || !bytes.Equal(got, want) {
					t.Fatalf("%s, level %d, %v: %d of %d bytes, %d left, %v", name, level, sizes, len(got), len(want), left, err)
				}
			}
		}
	}
}

// What came before can be referred to, and no more.
func TestDecoderPast(t *testing.T) {
	past := bytes.Repeat([]byte("what was said before, "), 1400)
	want := append(append([]byte("x"), past[len(past)-3000:]...), past[:2000]...)
	var packed bytes.Buffer
	w, err := stdflate.NewWriterDict(&packed, 9, past)
	must(t, err)
	_, _ = w.Write(want)
	must(t, w.Close())
	for _, piece := range []int{1, 10, 1 << 20} {
		for _, room := range []int{1, 100, 1 << 20} {
			var d decoder
			if got, _, err := inflatePieces(&d, past, packed.Bytes(), piece, room, 1<<30); err != io.EOF || !bytes.Equal(got, want) {
				t.Fatalf("pieces of %d, room of %d: %d bytes, %v", piece, room, len(got), err)
			}
			d.reset()
			if _, _, err := inflatePieces(&d, nil, packed.Bytes(), piece, room, 1<<30); err != errTooFar {
				t.Fatalf("without it: %v", err)
			}
		}
	}
}

// What is wrong is said.
func TestDecoderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		packed string
		want   error
	}{
		"type 3":                 {"\x07", errBlockType},
		"stored length":          {"\x01\x05\x00\x05\x00", errStored},
		"copy from nowhere":      {"\x03\x02\x00", errTooFar},
		"length symbol 286":      {"\x1b\x03", errSymbol},
		"287 literals":           {"\xf5\xff\xff", errCounts},
		"no codes for lengths":   {"\x05\x00\x00\x00\x00", errSymbol},
		"ends early":             {"\x4b\x4c", errHungry},
		"ends in a stored block": {"\x01\x05\x00\xfa\xffab", errHungry},
		"nothing":                {"", errHungry},
	} {
		for _, piece := range []int{1, 100} {
			var d decoder
			if _, _, err := inflatePieces(&d, nil, []byte(c.packed), piece, 1000, 1<<20); err != c.want {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
	}
}

// FuzzDecoder compares with the standard library's inflater, and pieces with the whole.
func FuzzDecoder(f *testing.F) {
	for _, content := range contents() {
		content = content[:min(len(content), 3000)]
		for _, level := range []int{-2, 0, 1, 6, 9} {
			var packed bytes.Buffer
			w, _ := flate.NewWriter(&packed, level)
			_, _ = w.Write(content)
			_ = w.Close()
			f.Add(packed.Bytes(), uint16(3), uint16(20), []byte("past"))
		}
	}
	f.Fuzz(func(t *testing.T, packed []byte, piece, room uint16, past []byte) {
		const most = 1 << 14
		std := stdflate.NewReaderDict(bytes.NewReader(packed), past)
		want, stdErr := io.ReadAll(io.LimitReader(std, most))
		var d decoder
		got, _, err := inflatePieces(&d, past, packed, 1<<30, 2*most, most)
		if len(want) >= most-longestCopy || err != nil && err.Error() == "too much" {
			return
		}
		if (err == io.EOF) != (stdErr == nil) {
			// The standard library finds out later that a block's codes have no end.
			t.Fatalf("%v, the standard library says %v", err, stdErr)
		}
		if err == io.EOF && !bytes.Equal(got, want) {
			t.Fatalf("%x, the standard library says %x", got, want)
		}
		d.reset()
		inPieces, _, errInPieces := inflatePieces(&d, past, packed, int(piece)+1, int(room)+1, most)
		if err != errInPieces || !bytes.Equal(inPieces, got) {
			t.Fatalf("in pieces %d bytes, %v; whole %d bytes, %v", len(inPieces), errInPieces, len(got), err)
		}
	})
}

func BenchmarkDecoder(b *testing.B) {
	for name, content := range contents() {
		if len(content) < 3000 {
			continue
		}
		for _, level := range []int{1, 6} {
			var packed bytes.Buffer
			w, _ := flate.NewWriter(&packed, level)
			_, _ = w.Write(content)
			_ = w.Close()
			b.Run(fmt.Sprintf("%s-%d/own", name, level), func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				var d decoder
				out := make([]byte, 0, len(content))
				for b.Loop() {
					d.reset()
					if _, _, err := d.decode(out, 0, nil, packed.Bytes()); err != io.EOF {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s-%d/klauspost", name, level), func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				in := bytes.NewReader(nil)
				r := flate.NewReader(in)
				out := make([]byte, len(content))
				for b.Loop() {
					in.Reset(packed.Bytes())
					_ = r.(flate.Resetter).Reset(in, nil)
					if _, err := io.ReadFull(r, out); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
