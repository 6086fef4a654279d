package okio

import (
	"bytes"
	stdflate "compress/flate"
	stdgzip "compress/gzip"
	"encoding/base64"
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
func (f *funcSource) Close() error                                     { f.closed++; return nil }

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

func TestGzipErrors(t *testing.T) {
	const start, body = "1f8b0800000000000000", "4b4c4a0600"
	for _, c := range []struct{ name, data, want string }{
		{"not gzip", "1f8c0800000000000000" + body, "okio: gzip: ID1ID2: actual 0x00001f8c != expected 0x00001f8b"},
		{"method", "1f8b0700000000000000" + body, "okio: gzip: compression method 7 is not 8"},
		{"reserved flags", "1f8b0820000000000000" + body, "okio: gzip: reserved flags are set: 0x20"},
		{"header checksum", "1f8b08020000000000000000" + body, "okio: gzip: FHCRC: actual 0x0000261d != expected 0x00000000"},
		{"checksum", start + body + "6745230103000000", "okio: gzip: CRC: actual 0x352441c2 != expected 0x01234567"},
		{"length", start + body + "c241243556341200", "okio: gzip: ISIZE: actual 0x00000003 != expected 0x00123456"},
		{"one byte more", gzipABC + "00", "okio: gzip: gzip finished without exhausting source"},
		{"half a magic more", gzipABC + "1f", "okio: gzip: gzip finished without exhausting source"},
		{"cut second member", gzipABC + "1f8b08", "okio: gzip: source exhausted prematurely"},
		{"bad block", start + "ff", "okio: gzip: invalid data: flate: corrupt input before offset 1"},
		{"endless name", "1f8b0808000000000000" + strings.Repeat("61", 1<<16+1), "okio: gzip: file name is longer than 65536 bytes"},
		{"endless comment", "1f8b0810000000000000" + strings.Repeat("61", 1<<17), "okio: gzip: comment is longer than 65536 bytes"},
		{"nothing", "", "okio: gzip: source exhausted prematurely"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewGzipSource(hexBuffer(t, c.data))
			for range 2 { // the error repeats
				_, err := readAll(s)
				var format *FormatError
				if !errors.As(err, &format) || err.Error() != c.want {
					t.Errorf("%v, want %s", err, c.want)
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

func TestGzipTrailingByteFailsTheLastRead(t *testing.T) {
	s := NewBufferedSource(NewGzipSource(hexBuffer(t, gzipABC+"00")))
	if got := mustText(t, s, 3); got != "abc" {
		t.Errorf("%q", got)
	}
	var format *FormatError
	if _, err := s.ReadByte(); !errors.As(err, &format) {
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

func TestInflaterSource(t *testing.T) {
	deflate := func(text string) string {
		var out bytes.Buffer
		w, _ := stdflate.NewWriter(&out, 9)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		return out.String()
	}
	const text = "God help us, we're in the hands of engineers."
	s := NewInflaterSource(NewBufferString(deflate(text)))
	var b Buffer
	if n, err := s.ReadBuffer(&b, 1); n != 1 || err != nil || b.Snapshot() != "G" {
		t.Error(n, err)
	}
	if n, err := s.ReadBuffer(&b, 10); n != 10 || err != nil || b.Snapshot() != "God help us" {
		t.Error(n, err, b.Snapshot())
	}
	packed := deflate(text)
	for cut := range len(packed) - 1 {
		_, err := readAll(NewInflaterSource(NewBufferString(packed[:cut])))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	// What follows the stream stays in a source that is buffered.
	rest := NewBufferedSource(NewBufferString(packed + "rest"))
	if got, err := readAll(NewInflaterSource(rest)); got != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got := mustText(t, rest, 4); got != "rest" {
		t.Errorf("%q", got)
	}
	// Data without its end.
	p, _ := base64.StdEncoding.DecodeString("eJwAAAD//w==")
	up := NewBufferString(string(p[2:]))
	_, err := readAll(NewInflaterSource(up))
	if err == nil || err.Error() != "okio: deflate: source exhausted prematurely" || up.Len() != 0 {
		t.Error(err, up.Len())
	}
}

func TestDeflaterRoundTripAtEveryFill(t *testing.T) {
	text := randomText(1000)
	for fill := 0; fill < segN; fill += 97 {
		var b Buffer
		_, _ = b.WriteString(strings.Repeat("x", fill))
		k, _ := NewDeflaterSink(&b, -1)
		src := NewBufferString(text)
		if err := k.WriteBuffer(src, src.Len()); err != nil {
			t.Fatal(err)
		}
		if err := k.Flush(); err != nil {
			t.Fatal(err)
		}
		flushed := b.Clone()
		_ = flushed.Skip(int64(fill))
		if got := mustText(t, NewBufferedSource(NewInflaterSource(flushed)), 1000); got != text {
			t.Fatalf("fill %d: not decodable after a flush", fill)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		_ = b.Skip(int64(fill))
		if got, err := readAll(NewInflaterSource(&b)); got != text || err != nil {
			t.Fatalf("fill %d: %d bytes, %v", fill, len(got), err)
		}
	}
}

// errSink fails as it is told.
type errSink struct {
	write, flush, close error
	calls               []string
	Buffer
}

func (k *errSink) WriteBuffer(src *Buffer, n int64) error {
	k.calls = append(k.calls, "write")
	if k.write != nil {
		return k.write
	}
	return k.Buffer.WriteBuffer(src, n)
}
func (k *errSink) Flush() error { k.calls = append(k.calls, "flush"); return k.flush }
func (k *errSink) Close() error { k.calls = append(k.calls, "close"); return k.close }

func TestGzipSinkCloseReportsTheFirstFailure(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	down := &errSink{write: first, close: second}
	k, _ := NewGzipSink(down, 1)
	_ = k.WriteBuffer(NewBufferString("hello"), 5)
	if err := k.Close(); err != first {
		t.Error(err)
	}
	if strings.Join(down.calls, " ") != "write close" {
		t.Error(down.calls)
	}
}

func TestGzipSourceClose(t *testing.T) {
	up := &funcSource{read: hexBuffer(t, gzipABC).ReadBuffer}
	s := NewGzipSource(up)
	if err := s.Close(); err != nil || up.closed != 1 {
		t.Error(err, up.closed)
	}
	if err := s.Close(); err != nil || up.closed != 1 {
		t.Error(err, up.closed)
	}
	if _, err := s.ReadBuffer(new(Buffer), 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// Errors of the source beneath pass through as they are and repeat.
func TestGzipSourceUpstreamError(t *testing.T) {
	boom := errors.New("boom")
	p := hexBuffer(t, gzipABC[:24])
	s := NewGzipSource(&funcSource{read: func(dst *Buffer, max int64) (int64, error) {
		if p.Len() > 0 {
			return p.ReadBuffer(dst, max)
		}
		return 0, boom
	}})
	for range 2 {
		if _, err := readAll(s); err != boom {
			t.Error(err)
		}
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

func TestInflaterSourceClose(t *testing.T) {
	up := &funcSource{read: hexBuffer(t, "4b4c4a0600").ReadBuffer}
	s := NewInflaterSource(up)
	var b Buffer
	if n, err := s.ReadBuffer(&b, 1); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for range 2 {
		if err := s.Close(); err != nil || up.closed != 1 {
			t.Error(err, up.closed)
		}
	}
	for _, most := range []int64{0, 1} {
		if _, err := s.ReadBuffer(&b, most); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if _, err := s.ReadBuffer(&b, -1); err == nil || errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestDeflaterSinkMisuseAndFailure(t *testing.T) {
	boom := errors.New("boom")
	down := &errSink{}
	k, _ := NewDeflaterSink(down, 1)
	if err := k.WriteBuffer(NewBufferString("abc"), 4); err == nil {
		t.Error("took more than there is")
	}
	if err := k.WriteBuffer(NewBufferString("abc"), -1); err == nil {
		t.Error("took a negative count")
	}
	down.flush = boom
	if err := k.Flush(); err != boom {
		t.Error(err)
	}
	if err := k.WriteBuffer(NewBufferString("abc"), 3); err != boom { // it sticks
		t.Error(err)
	}
	down.write = errors.New("too late")
	for i := range 2 {
		if err := k.Close(); i == 0 && err != boom || i == 1 && err != nil {
			t.Error(err)
		}
	}
	if err := k.WriteBuffer(NewBufferString("abc"), 3); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	// Its own output, which it would consume as it writes it.
	for _, wrap := range []func(Sink, int) (Sink, error){NewDeflaterSink, NewGzipSink} {
		var down Buffer
		out := NewBufferedSink(&down)
		k, _ := wrap(out, 1)
		_, _ = out.Buffer().WriteString("precious")
		before := out.Buffer().Snapshot()
		for _, n := range []int64{0, 3, out.Buffer().Len()} {
			if err := k.WriteBuffer(out.Buffer(), n); err != errSelfMove {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		if got := out.Buffer().Snapshot(); got != before {
			t.Errorf("%q left, want %q", got, before)
		}
	}
	// A failure in the middle of the data.
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 40*segN)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	k, _ = NewDeflaterSink(&errSink{write: boom}, 1)
	src := NewBufferString(string(noise))
	if err := k.WriteBuffer(src, src.Len()); err != boom || src.Len() == 0 {
		t.Error(err, src.Len())
	}
}

// Bad data in a later segment of a stream, read in large slices through the direct path.
func TestGzipDirectReadOfBadData(t *testing.T) {
	var b Buffer
	k, _ := NewGzipSink(&b, 6)
	src := NewBufferString(randomText(20 * segN))
	_ = k.WriteBuffer(src, src.Len())
	_ = k.Close()
	p := []byte(b.Snapshot())
	p[len(p)/2] ^= 0xff
	got, err := io.ReadAll(NewBufferedSource(NewGzipSource(NewBufferString(string(p)))))
	var format *FormatError
	if !errors.As(err, &format) || len(got) == 0 || len(got) > 20*segN {
		t.Error(len(got), err)
	}
}

// Whoever uses the source beneath a decoder gets what he deserves, but no panic.
func TestInflaterSourceUsedBeneath(t *testing.T) {
	var packed Buffer
	k, _ := NewDeflaterSink(&packed, 0) // stored, so that the positions are known
	src := NewBufferString(randomText(3 * segN))
	_ = k.WriteBuffer(src, src.Len())
	_ = k.Close()
	for name, use := range map[string]func(*BufferedSource) error{
		"close": (*BufferedSource).Close,
		"skip":  func(s *BufferedSource) error { return s.Skip(s.Buffer().Len()) },
		"end":   func(s *BufferedSource) error { _, err := s.ReadAllTo(Discard()); return err },
	} {
		under := NewBufferedSource(packed.Clone())
		s := NewBufferedSource(NewInflaterSource(under))
		if err := s.Require(1); err != nil {
			t.Fatal(err)
		}
		if err := use(under); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadAllTo(Discard()); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
