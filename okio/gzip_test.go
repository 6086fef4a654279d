package okio

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func hexBuffer(t testing.TB, s string) *Buffer {
	t.Helper()
	p, err := DecodeHex(s)
	if err != nil {
		t.Fatal(err)
	}
	return NewBufferString(string(p))
}

// readAll drains s into a string.
func readAll(s Source) (string, error) {
	var b Buffer
	_, err := readAllFrom(&b, s)
	return string(b.Snapshot()), err
}

// dripSource supplies its bytes one a call.
type dripSource struct{ Buffer }

func (d *dripSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	return d.Buffer.ReadBuffer(dst, min(max, 1))
}

func (d *dripSource) Read(p []byte) (int, error) { return d.Buffer.Read(p[:min(len(p), 1)]) }

func drip(s string) *dripSource {
	d := new(dripSource)
	_, _ = d.WriteString(s)
	return d
}

const gzipABC = "1f8b08000000000000004b4c4a0600c241243503000000"

func TestGzipSourceEnd(t *testing.T) {
	up := hexBuffer(t, gzipABC)
	s := NewBufferedSource(NewGzipSource(up))
	for _, want := range "abc" {
		if c, err := s.ReadByte(); c != byte(want) || err != nil {
			t.Fatal(c, err)
		}
	}
	if _, err := s.ReadByte(); err != io.EOF {
		t.Error(err)
	}
	if n, err := s.ReadBuffer(new(Buffer), 10); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
}

// The end of the source is looked for by the read that reports the end, not before.
func TestGzipSourceIsLazy(t *testing.T) {
	p, _ := DecodeHex(gzipABC)
	ended := false
	up := &funcSource{read: func(dst *Buffer, _ int64) (int64, error) {
		if len(p) == 0 {
			ended = true
			return 0, io.EOF
		}
		_ = dst.WriteByte(p[0])
		p = p[1:]
		return 1, nil
	}}
	s := NewGzipSource(up)
	if n, err := s.ReadBuffer(new(Buffer), 0); n != 0 || err != nil || len(p) != 23 {
		t.Errorf("a read of nothing: %d, %v, %d bytes left", n, err, len(p))
	}
	var b Buffer
	for b.Len() < 3 {
		if _, err := s.ReadBuffer(&b, 10); err != nil {
			t.Fatal(err)
		}
	}
	if ended || len(p) != 8 {
		t.Errorf("ended %v, %d bytes left, want the trailer of 8", ended, len(p))
	}
	if n, err := s.ReadBuffer(&b, 10); n != 0 || err != io.EOF || !ended {
		t.Error(n, err, ended)
	}
}

// funcSource is a source made of functions.
type funcSource struct {
	read   func(dst *Buffer, max int64) (int64, error)
	closed int
}

func (f *funcSource) ReadBuffer(dst *Buffer, max int64) (int64, error) { return f.read(dst, max) }

func (f *funcSource) Close() error { f.closed++; return nil }

func TestGzipHeaders(t *testing.T) {
	const body = "f348cdc9c95728cf2fca4951e40200" // "Hello world!\n" without its trailer
	header := func(flags string) string { return "1f8b08" + flags + "000000000000" }
	const trailer = "41e4a9b20d000000"
	for _, c := range []struct{ name, header string }{
		{"plain", header("00")},
		{"text", header("01")},
		{"extra", header("04") + "070065787472612121"},
		{"name", header("08") + "666f6f2e74787400"},
		{"comment", header("10") + "7275626269736800"},
		{"all", header("1c") + "0700" + "65787472612121" + "666f6f2e74787400" + "7275626269736800"},
		{"longest name and comment", header("18") + strings.Repeat("61", gzipFieldLimit) + "00" + strings.Repeat("62", gzipFieldLimit) + "00"},
		{"empty extra", header("04") + "0000"},
		{"extra over 32 KiB", header("04") + "00ff" + strings.Repeat("ab", 0xff00)},
		{"header checksum", header("02") + "1d26"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := DecodeHex(c.header + body + trailer)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := readAll(NewGzipSource(NewBufferString(string(p)))); got != "Hello world!\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if got, err := readAll(NewGzipSource(drip(string(p)))); got != "Hello world!\n" || err != nil {
				t.Errorf("byte by byte: %q, %v", got, err)
			}
			for n := range len(p) {
				if n > 100 && n < len(p)-60 {
					continue
				}
				_, err := readAll(NewGzipSource(NewBufferString(string(p[:n]))))
				var format *FormatError
				if !errors.As(err, &format) || !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("cut at %d: %v", n, err)
				}
			}
		})
	}
}

// The values of the checksum that RFC 1952 data of 32 bytes has.
func TestGzipTrailerValues(t *testing.T) {
	const text = "It's a UNIX system! I know this!"
	var plain bytes.Buffer
	w := stdgzip.NewWriter(&plain)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	good := plain.String()
	if got, err := readAll(NewGzipSource(NewBufferString(good))); got != text || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	cut := len(good) - 8
	_, err := readAll(NewGzipSource(NewBufferString(good[:cut] + "\x67\x45\x23\x01" + good[cut+4:])))
	if err == nil || err.Error() != "okio: gzip: CRC: actual 0x37ad8f8d != expected 0x01234567" {
		t.Error(err)
	}
	_, err = readAll(NewGzipSource(NewBufferString(good[:cut+4] + "\x56\x34\x12\x00")))
	if err == nil || err.Error() != "okio: gzip: ISIZE: actual 0x00000020 != expected 0x00123456" {
		t.Error(err)
	}
}

func TestGzipMembers(t *testing.T) {
	got, err := readAll(NewGzipSource(hexBuffer(t, gzipABC+gzipABC+"1f8b080000000000000003000000000000000000"+gzipABC)))
	if got != "abcabcabc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestGzipSinkBytes(t *testing.T) {
	var b Buffer
	k, err := NewGzipSink(&b, -1)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if got := b.Snapshot().Hex(); got != "1f8b080000000000000003000000000000000000" {
		t.Errorf("empty stream %s", got)
	}
	if got, err := readAll(NewGzipSource(&b)); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := k.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if err := k.WriteBuffer(filled('a', 1), 1); !errors.Is(err, ErrClosed) {
		t.Errorf("write after close: %v", err)
	}
	if err := k.Flush(); !errors.Is(err, ErrClosed) {
		t.Errorf("flush after close: %v", err)
	}
	for _, level := range []int{-3, 10} {
		if _, err := NewGzipSink(&b, level); err == nil {
			t.Errorf("level %d", level)
		}
		if _, err := NewDeflaterSink(&b, level); err == nil {
			t.Errorf("level %d", level)
		}
	}
}

func randomText(n int) string {
	rng := rand.New(rand.NewPCG(7, 7))
	p := make([]byte, n)
	for i := range p {
		p[i] = "etaoin shrdlu\n"[rng.IntN(14)]
	}
	return string(p)
}

func TestGzipRoundTrip(t *testing.T) {
	text := randomText(5*segN + 17)
	for level := minLevel; level <= maxLevel; level++ {
		for range 2 { // the second time with a used encoder
			var b Buffer
			k, err := NewGzipSink(&b, level)
			if err != nil {
				t.Fatal(err)
			}
			sink := NewBufferedSink(k)
			_, _ = sink.WriteString(text)
			if err := sink.Close(); err != nil {
				t.Fatal(err)
			}
			std, err := stdgzip.NewReader(bytes.NewReader([]byte(b.Snapshot())))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(std); string(got) != text || err != nil {
				t.Errorf("level %d: compress/gzip reads %d bytes, %v", level, len(got), err)
			}
			if got, err := readAll(NewGzipSource(&b)); got != text || err != nil {
				t.Errorf("level %d: %d bytes, %v", level, len(got), err)
			}
		}
	}
}

func TestGzipFlushIsDecodable(t *testing.T) {
	var b Buffer
	k, _ := NewGzipSink(&b, 6)
	src := NewBufferedSource(NewGzipSource(&b))
	for range 3 {
		if err := k.WriteBuffer(NewBufferString("hello"), 5); err != nil {
			t.Fatal(err)
		}
		if err := k.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := mustText(t, src, 5); got != "hello" {
			t.Errorf("%q", got)
		}
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if end, err := src.Exhausted(); !end || err != nil {
		t.Error(end, err)
	}
}

// ISIZE counts modulo 2^32, so streams beyond 4 GiB are whole.
func TestGzipLengthWraps(t *testing.T) {
	var b Buffer
	k, _ := NewGzipSink(&b, 1)
	k.(*gzipSink).size = 1<<32 - 2
	_ = k.WriteBuffer(NewBufferString("hello"), 5)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	s := NewGzipSource(&b).(*gzipSource)
	if _, err := s.ReadBuffer(new(Buffer), 1); err != nil {
		t.Fatal(err)
	}
	s.size += 1<<32 - 2
	if rest, err := readAll(s); rest != "ello" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

// A reader of one byte at a time must see what a reader of large slices sees, for data good and bad.
func FuzzGzip(f *testing.F) {
	for _, seed := range []string{gzipABC, gzipABC + gzipABC, gzipABC + "00", "1f8b0804000000000000070065787472612121f348cdc9c95728cf2fca4951e4020041e4a9b20d000000"} {
		p, _ := DecodeHex(seed)
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 20 // a kilobyte of gzip can hold a megabyte
		head := func(r io.Reader) (string, error) {
			p, err := io.ReadAll(io.LimitReader(r, most))
			return string(p), err
		}
		got, err := head(NewBufferedSource(NewGzipSource(NewBufferString(string(data)))))
		slow, slowErr := head(struct{ io.Reader }{NewBufferedSource(NewGzipSource(drip(string(data))))})
		if got != slow || (err == nil) != (slowErr == nil) {
			t.Fatalf("%d bytes, %v; byte by byte %d bytes, %v", len(got), err, len(slow), slowErr)
		}
		var want string
		std, stdErr := stdgzip.NewReader(bytes.NewReader(data))
		if stdErr == nil {
			want, stdErr = head(std)
		}
		if stdErr == nil && err == nil && got != want {
			t.Fatalf("%d bytes, compress/gzip has %d", len(got), len(want))
		}
		// The standard library ignores reserved flags, which we refuse.
		if reserved := len(data) > 3 && data[3]&gzipReserved != 0; stdErr == nil && err != nil && !reserved && singleMember(data) {
			t.Fatalf("compress/gzip accepts what fails here: %v", err)
		}
		// And everything must survive a round trip.
		var b Buffer
		k, _ := NewGzipSink(&b, 1)
		src := NewBufferString(string(data))
		if err := k.WriteBuffer(src, src.Len()); err != nil {
			t.Fatal(err)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if back, err := readAll(NewGzipSource(&b)); back != string(data) || err != nil {
			t.Fatalf("round trip: %d bytes of %d, %v", len(back), len(data), err)
		}
	})
}

// singleMember reports whether compress/gzip takes the data as one member of a header without name and comment, whose text
// and length it judges by rules of its own.
func singleMember(data []byte) bool {
	r := bytes.NewReader(data)
	std, err := stdgzip.NewReader(r)
	if err != nil || std.Name != "" || std.Comment != "" {
		return false
	}
	std.Multistream(false)
	if _, err := io.Copy(io.Discard, io.LimitReader(std, 1<<20)); err != nil {
		return false
	}
	return r.Len() == 0
}
