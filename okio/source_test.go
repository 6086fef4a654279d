package okio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSourceReadsNoMoreThanItNeeds(t *testing.T) {
	up := filled('a', 2*segN)
	s := NewBufferedSource(up)
	if err := s.Require(2); err != nil || s.Buffer().Len() != segN || up.Len() != segN {
		t.Error(err, s.Buffer().Len(), up.Len())
	}
	up = filled('a', 2*segN)
	s = NewBufferedSource(up)
	if err := s.Skip(2); err != nil || s.Buffer().Len() != segN-2 || up.Len() != segN {
		t.Error(err, s.Buffer().Len(), up.Len())
	}
	// What was put into the buffer comes first.
	for _, call := range []func(*BufferedSource) error{
		func(s *BufferedSource) error { return s.Require(2) },
		func(s *BufferedSource) error { return s.Skip(2) },
	} {
		up := NewBufferString("bb")
		s := NewBufferedSource(up)
		_, _ = s.Buffer().WriteString("aa")
		if err := call(s); err != nil || up.Len() != 2 {
			t.Error(err, up.Len())
		}
	}
	up = filled('a', 1)
	s = NewBufferedSource(up)
	if n, err := s.ReadBuffer(new(Buffer), 0); n != 0 || err != nil || up.Len() != 1 {
		t.Error(n, err)
	}
	if n, err := s.Read(nil); n != 0 || err != nil || up.Len() != 1 {
		t.Error(n, err)
	}
}

func TestReadFull(t *testing.T) {
	var sink Buffer
	s := NewBufferedSource(NewBufferString("Hi"))
	if err := s.ReadFull(&sink, 5); err != io.ErrUnexpectedEOF || sink.Snapshot() != "Hi" {
		t.Error(err, sink.Snapshot())
	}
	if err := s.ReadFull(&sink, 1); err != io.EOF {
		t.Error(err)
	}
	up := filled('a', 3*segN)
	s = NewBufferedSource(up)
	_ = s.Skip(10)
	sink.Clear()
	if err := s.ReadFull(&sink, segN); err != nil || sink.Len() != segN || s.Buffer().Len()+up.Len() != 2*segN-10 {
		t.Error(err, sink.Len(), up.Len())
	}
	if err := s.ReadFull(&sink, -1); err == nil {
		t.Error("a negative count")
	}
	if err := s.ReadFull(s.Buffer(), 1); err == nil {
		t.Error("read into its own buffer")
	}
}

func TestDemandsConsumeNothingWhenShort(t *testing.T) {
	for _, n := range []int64{4, maxAllocation} {
		eachForm(t, "abc", func(t *testing.T, in values) {
			if _, err := in.ReadN(n); err != io.ErrUnexpectedEOF {
				t.Error(err)
			}
			if _, err := in.ReadByteString(n); err != io.ErrUnexpectedEOF {
				t.Error(err)
			}
			if _, err := in.ReadText(n); err != io.ErrUnexpectedEOF {
				t.Error(err)
			}
			if got := mustText(t, in, 3); got != "abc" {
				t.Errorf("%q", got)
			}
			if _, err := in.ReadText(n); err != io.EOF {
				t.Error(err)
			}
		})
	}
	eachForm(t, "abc", func(t *testing.T, in values) {
		for _, n := range []int64{-1, maxAllocation + 1} {
			if _, err := in.ReadN(n); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(n, err)
			}
			if _, err := in.ReadText(n); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(n, err)
			}
		}
		if err := in.Skip(-1); err == nil {
			t.Error("skipped back")
		}
	})
}

func TestSourceSkipShort(t *testing.T) {
	s := NewBufferedSource(drip("abc"))
	if err := s.Skip(4); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if err := s.Skip(1); err != io.EOF {
		t.Error(err)
	}
}

func TestExhaustedAndRequest(t *testing.T) {
	s := NewBufferedSource(drip("ab"))
	if end, err := s.Exhausted(); end || err != nil {
		t.Error(end, err)
	}
	if ok, err := s.Request(2); !ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := s.Request(3); ok || err != nil {
		t.Error(ok, err)
	}
	if _, err := s.Request(-1); err == nil {
		t.Error("a negative count")
	}
	_ = s.Skip(2)
	if end, err := s.Exhausted(); !end || err != nil {
		t.Error(end, err)
	}
	if err := s.Require(1); err != io.EOF {
		t.Error(err)
	}
	if ok, err := s.Request(0); !ok || err != nil {
		t.Error(ok, err)
	}
}

// countingSink counts the writes that it passes on.
type countingSink struct {
	Buffer
	writes []int64
}

func (k *countingSink) WriteBuffer(src *Buffer, n int64) error {
	k.writes = append(k.writes, n)
	return k.Buffer.WriteBuffer(src, n)
}

func TestReadAllTo(t *testing.T) {
	var k countingSink
	s := NewBufferedSource(filled('a', 3*segN))
	if n, err := s.ReadAllTo(&k); n != 3*segN || err != nil || len(k.writes) != 3 || k.writes[0] != segN {
		t.Error(n, err, k.writes)
	}
	// A whole buffer goes in one write.
	k = countingSink{}
	if n, err := filled('a', 3*segN).WriteTo(&k); n != 3*segN || err != nil || len(k.writes) != 1 {
		t.Error(n, err, k.writes)
	}
	k = countingSink{}
	if n, err := NewBufferedSource(new(Buffer)).ReadAllTo(&k); n != 0 || err != nil || len(k.writes) != 0 {
		t.Error(n, err, k.writes)
	}
	k = countingSink{}
	if n, err := NewBufferedSource(drip("abc")).ReadAllTo(&k); n != 3 || err != nil || len(k.writes) != 1 {
		t.Error(n, err, k.writes)
	}
	boom := errors.New("boom")
	if n, err := NewBufferedSource(filled('a', 10)).ReadAllTo(&errSink{write: boom}); n != 0 || err != boom {
		t.Error(n, err)
	}
}

func TestSourceClosed(t *testing.T) {
	up := &funcSource{read: filled('a', 10).ReadBuffer}
	s := NewBufferedSource(up)
	_ = s.Require(1)
	peek := s.Peek()
	for range 2 {
		if err := s.Close(); err != nil || up.closed != 1 {
			t.Error(err, up.closed)
		}
	}
	for name, call := range map[string]func() error{
		"ReadByte":     func() error { _, err := s.ReadByte(); return err },
		"UnreadByte":   s.UnreadByte,
		"UnreadRune":   s.UnreadRune,
		"ReadRune":     func() error { _, _, err := s.ReadRune(); return err },
		"Read":         func() error { _, err := s.Read(make([]byte, 1)); return err },
		"Read large":   func() error { _, err := s.Read(make([]byte, segN)); return err },
		"Read nothing": func() error { _, err := s.Read(nil); return err },
		"ReadBuffer":   func() error { _, err := s.ReadBuffer(new(Buffer), 1); return err },
		"ReadBuffer 0": func() error { _, err := s.ReadBuffer(new(Buffer), 0); return err },
		"Request":      func() error { _, err := s.Request(1); return err },
		"Require 0":    func() error { return s.Require(0) },
		"Exhausted":    func() error { _, err := s.Exhausted(); return err },
		"Skip":         func() error { return s.Skip(1) },
		"Skip 0":       func() error { return s.Skip(0) },
		"ReadFull":     func() error { return s.ReadFull(new(Buffer), 0) },
		"ReadAllTo":    func() error { _, err := s.ReadAllTo(Discard()); return err },
		"WriteTo":      func() error { _, err := s.WriteTo(io.Discard); return err },
		"ReadUint64":   func() error { _, err := s.ReadUint64(); return err },
		"ReadDecimal":  func() error { _, err := s.ReadDecimal(); return err },
		"ReadHex":      func() error { _, err := s.ReadHex(); return err },
		"ReadText 0":   func() error { _, err := s.ReadText(0); return err },
		"ReadLine":     func() error { _, err := s.ReadLine(); return err },
		"LineView":     func() error { _, err := s.LineView(1); return err },
		"IndexByte":    func() error { _, err := s.IndexByte('a', 0, 0); return err },
		"Index":        func() error { _, err := s.Index("a", 0, 0); return err },
		"IndexAny":     func() error { _, err := s.IndexAny(NewByteSet("a"), 0); return err },
		"RangeEqual":   func() error { _, err := s.RangeEqual(0, ""); return err },
		"Select":       func() error { _, err := s.Select(mustOptions(t, "a")); return err },
		"PeekN":        func() error { _, err := s.PeekN(0); return err },
		"peek":         func() error { _, err := peek.ReadByte(); return err },
	} {
		if err := call(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPeek(t *testing.T) {
	s := NewBufferedSource(NewBufferString("abcdefghi"))
	if got := mustText(t, s, 3); got != "abc" {
		t.Errorf("%q", got)
	}
	p := s.Peek()
	if got := mustText(t, p, 3); got != "def" {
		t.Errorf("%q", got)
	}
	if got := mustText(t, p, 3); got != "ghi" {
		t.Errorf("%q", got)
	}
	if ok, err := p.Request(1); ok || err != nil {
		t.Error(ok, err)
	}
	if got := mustText(t, s, 3); got != "def" {
		t.Errorf("%q", got)
	}
	if _, err := p.Request(1); err == nil || err.Error() != "okio: peek source is invalid because upstream source was used" {
		t.Error(err)
	}
	// A peek at a peek, and two at once.
	p, q := s.Peek(), s.Peek().Peek()
	if a, b := mustText(t, p, 2), mustText(t, q, 3); a != "gh" || b != "ghi" {
		t.Errorf("%q %q", a, b)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if got := mustText(t, s, 3); got != "ghi" {
		t.Errorf("%q after closing a peek", got)
	}
	if err := p.Require(1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestPeekHandsOutWhatIsBuffered(t *testing.T) {
	up := NewBufferString("ghi")
	s := NewBufferedSource(up)
	_, _ = s.Buffer().WriteString("abcdef")
	p := s.Peek()
	if ok, err := p.Request(3); !ok || err != nil || s.Buffer().Len() != 6 {
		t.Error(ok, err, s.Buffer().Len())
	}
	if got := mustText(t, p, 7); got != "abcdefg" || s.Buffer().Len() != 9 {
		t.Errorf("%q, %d buffered", got, s.Buffer().Len())
	}
	// What the peek has buffered can be read even after it became invalid, and no later read is fooled into finding it
	// valid again.
	_, _ = s.ReadByte()
	if got := mustText(t, p, 2); got != "hi" {
		t.Errorf("%q", got)
	}
	if _, err := p.ReadByte(); err != errPeekInvalid {
		t.Error(err)
	}
}

// Bytes that go past the buffer invalidate a peek as well.
func TestPeekNoticesDirectReads(t *testing.T) {
	for name, use := range map[string]func(*BufferedSource) error{
		"Read":     func(s *BufferedSource) error { _, err := s.Read(make([]byte, segN)); return err },
		"ReadFull": func(s *BufferedSource) error { return s.ReadFull(new(Buffer), 10) },
	} {
		s := NewBufferedSource(filled('a', 3*segN))
		p := s.Peek()
		if err := use(s); err != nil {
			t.Fatal(name, err)
		}
		if _, err := p.ReadByte(); err != errPeekInvalid {
			t.Error(name, err)
		}
	}
}

// readerOnly hides everything but Read.
type readerOnly struct {
	io.Reader
	sizes []int
}

func (r *readerOnly) Read(p []byte) (int, error) {
	r.sizes = append(r.sizes, len(p))
	return r.Reader.Read(p)
}

func TestLargeReadsBypassTheBuffer(t *testing.T) {
	r := &readerOnly{Reader: strings.NewReader(strings.Repeat("a", 5*segN))}
	s := NewBufferedSource(FromReader(r))
	p := make([]byte, 2*segN)
	if n, err := s.Read(p[:10]); n != 10 || err != nil || r.sizes[0] != segN {
		t.Error(n, err, r.sizes)
	}
	if n, err := s.Read(p); n != segN-10 || err != nil || len(r.sizes) != 1 {
		t.Error(n, err, r.sizes) // what is buffered comes first
	}
	if n, err := s.Read(p); n != 2*segN || err != nil || r.sizes[1] != 2*segN || s.Buffer().Len() != 0 {
		t.Error(n, err, r.sizes)
	}
	if n, err := s.Read(p[:segN-1]); n != segN-1 || err != nil || r.sizes[2] != segN {
		t.Error(n, err, r.sizes)
	}
}

func TestFromReader(t *testing.T) {
	b := NewBufferString("abc")
	if FromReader(b) != Source(b) {
		t.Error("wrapped a source")
	}
	if err := iotest.TestReader(NewBufferedSource(FromReader(iotest.DataErrReader(strings.NewReader("hello world")))), []byte("hello world")); err != nil {
		t.Error(err)
	}
	if err := iotest.TestReader(NewBufferString("hello world"), []byte("hello world")); err != nil {
		t.Error(err)
	}
	boom := errors.New("boom")
	s := FromReader(iotest.DataErrReader(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(boom))))
	var dst Buffer
	for dst.Len() < 3 {
		if n, err := s.ReadBuffer(&dst, 10); n == 0 || err != nil {
			t.Fatal(n, err)
		}
	}
	if n, err := s.ReadBuffer(&dst, 10); n != 0 || err != boom {
		t.Error(n, err)
	}
	if _, err := s.ReadBuffer(&dst, -1); err == nil {
		t.Error("a negative maximum")
	}
	c := &closeCounter{Reader: strings.NewReader("abc")}
	s = FromReader(c)
	for range 2 {
		if err := s.Close(); err != nil || c.closed != 1 {
			t.Error(err, c.closed)
		}
	}
	if _, err := s.ReadBuffer(&dst, 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	bad := FromReader(badReader{})
	if _, err := bad.ReadBuffer(&dst, 1); err == nil || err.Error() != "okio: okio.badReader returned a count of 2 from Read of 1 bytes" {
		t.Error(err)
	}
	if n, err := NewBufferedSource(bad).Read(make([]byte, segN)); n != 0 || err == nil {
		t.Error(n, err)
	}
	if _, err := FromReader(failing{}).ReadBuffer(&dst, 1); err != io.ErrNoProgress {
		t.Error(err)
	}
	checkRing(t, &dst)
}

type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

type badReader struct{}

func (badReader) Read(p []byte) (int, error) { return len(p) + 1, nil }

// A source that breaks the contract by delivering nothing must not hang its reader.
func TestSourceWithoutProgress(t *testing.T) {
	s := NewBufferedSource(&funcSource{read: func(*Buffer, int64) (int64, error) { return 0, nil }})
	if err := s.Require(1); err != io.ErrNoProgress {
		t.Error(err)
	}
	if err := NewBufferedSink(new(Buffer)).WriteFrom(s, 1); err != io.ErrNoProgress {
		t.Error(err)
	}
}

// An error is not remembered: the next call asks again, with what came before still there.
func TestSourceErrorsDoNotStick(t *testing.T) {
	boom := errors.New("boom")
	calls := 0
	s := NewBufferedSource(&funcSource{read: func(dst *Buffer, _ int64) (int64, error) {
		if calls++; calls == 2 {
			return 0, boom
		}
		_ = dst.WriteByte('x')
		return 1, nil
	}})
	if _, err := s.ReadUint16(); err != boom || s.Buffer().Len() != 1 {
		t.Error(err, s.Buffer().Len())
	}
	if v, err := s.ReadUint16(); v != 0x7878 || err != nil {
		t.Error(v, err)
	}
}

func TestLimitSource(t *testing.T) {
	read := func(s Source, max int64, dst *Buffer) (int64, string) {
		n, err := s.ReadBuffer(dst, max)
		if err != nil {
			return n, err.Error()
		}
		return n, ""
	}
	const tooMany, tooFew = "okio: expected 16 bytes but got 18", "okio: expected 16 bytes but got 14"
	for _, c := range []struct {
		name  string
		have  int
		exact bool
		want  []string // "n" or an error, for one read of 10 after the other
		got   int64
	}{
		{"exact, too many", 18, true, []string{"10", "6", tooMany, tooMany}, 16},
		{"exact, too few", 14, true, []string{"10", "4", tooFew, tooFew}, 14},
		{"exact", 16, true, []string{"10", "6", "EOF", "EOF"}, 16},
		{"truncating, too many", 18, false, []string{"10", "6", "EOF", "EOF"}, 16},
		{"truncating, too few", 14, false, []string{"10", "4", tooFew, tooFew}, 14},
	} {
		up := filled('a', c.have)
		s := NewLimitSource(up, 16, c.exact)
		var dst Buffer
		for i, want := range c.want {
			n, problem := read(s, 10, &dst)
			if problem == "" {
				problem = string(rune('0' + n%10))
				if n == 10 {
					problem = "10"
				}
			} else if n != 0 {
				t.Errorf("%s: %d bytes with an error", c.name, n)
			}
			if problem != want {
				t.Errorf("%s: read %d: %s, want %s", c.name, i, problem, want)
			}
		}
		if dst.Len() != c.got {
			t.Errorf("%s: %d bytes delivered", c.name, dst.Len())
		}
		if !c.exact && c.have == 18 && up.Len() != 2 {
			t.Errorf("%s: %d bytes left upstream", c.name, up.Len())
		}
	}
	_, err := readAll(NewLimitSource(NewBufferString("abc"), 4, false))
	var length *LengthError
	if !errors.As(err, &length) || length.Expected != 4 || length.Got != 3 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	_, err = readAll(NewLimitSource(NewBufferString("abc"), 2, true))
	if !errors.As(err, &length) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if got, err := readAll(NewLimitSource(NewBufferString("abc"), -1, false)); got != "" || err != nil {
		t.Error(got, err)
	}
}

func TestLimitSourceAsReader(t *testing.T) {
	for _, exact := range []bool{false, true} {
		for _, up := range []Source{filled('a', 3*segN), &funcSource{read: filled('a', 3*segN).ReadBuffer}} {
			want := 3*segN - 5
			if exact {
				want = 3 * segN
			}
			s := NewLimitSource(up, int64(want), exact)
			got, err := io.ReadAll(s.(io.Reader))
			if !bytes.Equal(got, bytes.Repeat([]byte("a"), want)) || err != nil {
				t.Errorf("exact %v: %d bytes, %v", exact, len(got), err)
			}
			if got, err := io.ReadAll(NewBufferedSource(NewLimitSource(filled('a', 10), 20, exact))); len(got) != 10 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("exact %v: %d bytes, %v", exact, len(got), err)
			}
		}
	}
	s := NewLimitSource(filled('a', 3), 3, false)
	_ = s.Close()
	if _, err := s.(io.Reader).Read(make([]byte, 1)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// limited has time limits, and everything that wraps it must show them.
type limited struct {
	Buffer
	timeout Timeout
}

func (l *limited) Timeout() *Timeout           { return &l.timeout }
func (l *limited) Read(p []byte) (int, error)  { return l.Buffer.Read(p) }
func (l *limited) Write(p []byte) (int, error) { return l.Buffer.Write(p) }

// limitedConn is the same without being a Source or Sink.
type limitedConn struct {
	readerOnly
	timeout Timeout
}

func (l *limitedConn) Timeout() *Timeout           { return &l.timeout }
func (l *limitedConn) Write(p []byte) (int, error) { return len(p), nil }

func TestWrappersShowTheTimeout(t *testing.T) {
	l := new(limited)
	gz, _ := NewGzipSink(l, 1)
	fl, _ := NewDeflaterSink(NewBufferedSink(l), 1)
	for name, stream := range map[string]any{
		"BufferedSource": NewBufferedSource(l),
		"BufferedSink":   NewBufferedSink(l),
		"Peek":           NewBufferedSource(l).Peek(),
		"LimitSource":    NewLimitSource(l, 1, false),
		"GzipSource":     NewGzipSource(l),
		"InflaterSource": NewInflaterSource(NewBufferedSource(l)),
		"GzipSink":       gz,
		"DeflaterSink":   fl,
	} {
		if TimeoutOf(stream) != &l.timeout {
			t.Errorf("%s hides the timeout", name)
		}
	}
	c := new(limitedConn)
	if TimeoutOf(FromReader(c)) != &c.timeout || TimeoutOf(ToWriter(c)) != &c.timeout {
		t.Error("an adaptor hides the timeout")
	}
}
