package okws

import (
	"bytes"
	stdflate "compress/flate"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
)

var errTooMuch = errors.New("too much")

// inflatePieces inflates with input of so many bytes at a time into room of so many at a time. What is before that is not to be touched.
func inflatePieces(d *decoder, past, in []byte, piece, room int, most int) (out []byte, left int, err error) {
	const prefix = "before"
	memory := []byte(prefix)
	out = memory
	from, to := 0, 0
	for {
		if n := len(out); n == cap(out) {
			if n+room > len(memory) {
				memory = make([]byte, 2*n+room)
				copy(memory, out)
			}
			out = memory[: n : n+room]
		}
		var used int
		out, used, err = d.decode(out, len(prefix), past, in[from:to:to])
		from += used
		switch {
		case len(out) > most:
			return nil, 0, errTooMuch
		case err == errFull:
		case err == errHungry && to < len(in):
			to = min(len(in), to+piece)
		default:
			if string(out[:len(prefix)]) != prefix {
				panic("what was before was touched")
			}
			return out[len(prefix):], len(in) - from, err
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
		content = content[:min(len(content), 600)]
		for _, level := range []int{-2, 0, 1, 6, 9} {
			var packed bytes.Buffer
			w, _ := flate.NewWriter(&packed, level)
			_, _ = w.Write(content)
			_ = w.Close()
			f.Add(packed.Bytes(), uint16(3), uint16(20), []byte("past"))
		}
	}
	f.Fuzz(func(t *testing.T, packed []byte, piece, room uint16, past []byte) {
		const most, longestCopy = 1 << 14, 258
		source := bytes.NewReader(packed)
		want, stdErr := io.ReadAll(io.LimitReader(stdflate.NewReaderDict(source, past), most))
		var d decoder
		got, left, err := inflatePieces(&d, past, packed, 1<<30, 2*most, most)
		if len(want) >= most-longestCopy || err == errTooMuch {
			return
		}
		stdKind := errSymbol // for all that is damaged
		switch stdErr {
		case nil:
			stdKind = io.EOF
		case io.ErrUnexpectedEOF:
			stdKind = errHungry
		}
		kind := err
		if err != io.EOF && err != errHungry {
			kind = errSymbol
		}
		switch {
		case err == errNoEnd && stdErr != nil: // which the standard library does not find out, but it cannot end well
			if !bytes.HasPrefix(want, got) {
				t.Fatalf("%x, the standard library begins with %x", got, want)
			}
		case err == errHungry && stdKind == errSymbol: // of a code without symbols the standard library does not even want a bit
			if !bytes.HasPrefix(got, want) {
				t.Fatalf("%x, the standard library begins with %x", got, want)
			}
		case kind != stdKind:
			t.Fatalf("%v, the standard library says %v", err, stdErr)
		case err == errHungry: // the standard library wants as many bits of a literal as the end of the block has
			if !bytes.HasPrefix(got, want) || len(got) > len(want)+maxCode {
				t.Fatalf("%x, the standard library says %x", got, want)
			}
		case !bytes.Equal(got, want):
			t.Fatalf("%x, the standard library says %x", got, want)
		case err == io.EOF && left != source.Len():
			t.Fatalf("%d bytes are left, of the standard library %d", left, source.Len())
		}
		for _, sizes := range [][2]int{{int(piece) + 1, int(room) + 1}, {1, 2 * most}, {1 << 30, 1}, {int(piece)&15 + 1, int(room)&15 + 1}} {
			d.reset()
			inPieces, leftInPieces, errInPieces := inflatePieces(&d, past, packed, sizes[0], sizes[1], most)
			if err != errInPieces || !bytes.Equal(inPieces, got) || err == io.EOF && left != leftInPieces {
				t.Fatalf("%v: %d bytes, %d left, %v; whole %d bytes, %d left, %v", sizes, len(inPieces), leftInPieces, errInPieces, len(got), left, err)
			}
		}
	})
}

// everyday is what people send: JSON, as records and as numbers, and text.
func everyday() map[string][]byte {
	random := rand.New(rand.NewPCG(3, 4))
	var records, numbers []byte
	for i := 0; len(records) < 64<<10; i++ {
		records = fmt.Appendf(records, `{"id":"%08x-%04x","symbol":"%c%c%cUSDT","price":%d.%02d,"amount":"0.%06d","side":%q,"time":%d},`, random.Uint32(), random.IntN(1<<16),
			'A'+random.IntN(26), 'A'+random.IntN(26), 'A'+random.IntN(26), random.IntN(70000), random.IntN(100), random.IntN(1e6), []string{"buy", "sell"}[random.IntN(2)], 1700000000000+int64(i)*37)
	}
	for len(numbers) < 64<<10 {
		numbers = fmt.Appendf(numbers, "[%d,%.4f],", random.IntN(1e6), random.NormFloat64())
	}
	text, _ := os.ReadFile("reader.go")
	return map[string][]byte{"records": records, "a record": records[:300], "numbers": numbers, "source": text, "a line of source": text[:1000]}
}

func BenchmarkDecoder(b *testing.B) {
	all := everyday()
	for name, content := range contents() {
		if len(content) >= 3000 {
			all[name] = content
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		content := all[name]
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
