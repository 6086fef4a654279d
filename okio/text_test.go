package okio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRunes(t *testing.T) {
	for _, c := range []struct {
		r   rune
		hex string
	}{
		{0, "00"}, {0x7f, "7f"}, {0x80, "c280"}, {0x7ff, "dfbf"}, {0x800, "e0a080"}, {0xffff, "efbfbf"}, {0x10000, "f0908080"}, {0x10ffff, "f48fbfbf"},
		{utf8.RuneError, "efbfbd"},
	} {
		var b Buffer
		if n, err := b.WriteRune(c.r); n != len(c.hex)/2 || err != nil {
			t.Errorf("%x: %d, %v", c.r, n, err)
		}
		if got := b.Snapshot().Hex(); got != c.hex {
			t.Errorf("%x: %s", c.r, got)
		}
		eachForm(t, string(b.Snapshot()), func(t *testing.T, in values) {
			if r, size, err := in.ReadRune(); r != c.r || size != len(c.hex)/2 || err != nil {
				t.Errorf("%x: %x, %d, %v", c.r, r, size, err)
			}
			if err := in.UnreadRune(); err != nil {
				t.Error(err)
			}
			if got := rest(t, in); got != string(b.Snapshot()) {
				t.Errorf("%x: %q after UnreadRune", c.r, got)
			}
		})
	}
	for _, r := range []rune{0xd800, 0xdfff, 0x110000, -1} {
		var b Buffer
		if n, err := b.WriteRune(r); n != 3 || err != nil || b.Snapshot() != "\xef\xbf\xbd" {
			t.Errorf("%x: %d, %v, %s", r, n, err, b.Snapshot().Hex())
		}
	}
}

func TestReadRuneMalformed(t *testing.T) {
	const bad = utf8.RuneError
	for _, c := range []struct {
		hex   string
		runes []rune // one for each call
		sizes []int
	}{
		{"bf", []rune{bad}, []int{1}},
		{"df20", []rune{bad, ' '}, []int{1, 1}},
		{"f888808080", []rune{bad, bad, bad, bad, bad}, []int{1, 1, 1, 1, 1}},
		{"f4908080", []rune{bad}, []int{4}},
		{"eda080", []rune{bad}, []int{3}},
		{"c080", []rune{bad}, []int{2}},
		{"e28061", []rune{bad, 'a'}, []int{2, 1}},
		{"f0f82020", []rune{bad, bad, ' ', ' '}, []int{1, 1, 1, 1}},
		{"f0906120", []rune{bad, 'a', ' '}, []int{2, 1, 1}},
		{"f090ee8080", []rune{bad, 0xe000}, []int{2, 3}},
	} {
		p, err := DecodeHex(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		eachForm(t, string(p), func(t *testing.T, in values) {
			for i, want := range c.runes {
				if r, size, err := in.ReadRune(); r != want || size != c.sizes[i] || err != nil {
					t.Errorf("%s: call %d: %x, %d, %v", c.hex, i, r, size, err)
				}
			}
			if _, _, err := in.ReadRune(); err != io.EOF {
				t.Errorf("%s: %v at the end", c.hex, err)
			}
		})
	}
	for _, cut := range []string{"\xdf", "\xe2\x82", "\xf0\x9f\x98", "\xf0a"} {
		eachForm(t, cut, func(t *testing.T, in values) {
			if _, _, err := in.ReadRune(); err != io.ErrUnexpectedEOF {
				t.Errorf("%q: %v", cut, err)
			}
			if got := rest(t, in); got != cut {
				t.Errorf("%q: %q left", cut, got)
			}
		})
	}
}

func TestReadLineLimit(t *testing.T) {
	lineErr := func(t *testing.T, err error, limit int64, content string, tooLong bool) {
		t.Helper()
		var line *LineError
		want := fmt.Sprintf(`okio: \n not found: limit=%d content=%s…`, limit, content)
		if !errors.As(err, &line) || err.Error() != want || line.TooLong != tooLong || errors.Is(err, io.ErrUnexpectedEOF) == tooLong {
			t.Errorf("%v, want %s", err, want)
		}
	}
	eachForm(t, "abc\ndef\n", func(t *testing.T, in values) {
		for _, want := range []string{"abc", "def"} {
			if got, err := in.ReadLineLimit(unlimited); got != want || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		if _, err := in.ReadLineLimit(unlimited); err != io.EOF {
			t.Error(err)
		}
	})
	eachForm(t, "\r\nabc", func(t *testing.T, in values) {
		if got, err := in.ReadLineLimit(0); got != "" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := in.ReadLineLimit(-1); err == nil {
			t.Error("a negative limit")
		}
		_, err := in.ReadLineLimit(unlimited)
		lineErr(t, err, 3, "616263", false)
	})
	for _, n := range []int{1, segN - 2, segN - 1, segN, 10 * segN} {
		line := strings.Repeat("a", n)
		for _, end := range []string{"\n", "\r\n"} {
			eachForm(t, line+end+"x", func(t *testing.T, in values) {
				_, err := in.ReadLineLimit(int64(n) - 1)
				var tooLong *LineError // how much it shows depends on how much was buffered
				if !errors.As(err, &tooLong) || !tooLong.TooLong || tooLong.Limit != int64(n)-1 || tooLong.Content[0] != 'a' || len(tooLong.Content) > 32 {
					t.Errorf("line of %d: %v", n, err)
				}
				if got, err := in.ReadLineLimit(int64(n)); got != line || err != nil {
					t.Errorf("line of %d: %d, %v", n, len(got), err)
				}
				if got := rest(t, in); got != "x" {
					t.Errorf("%q left", got)
				}
			})
		}
	}
	eachForm(t, "abc\n", func(t *testing.T, in values) {
		_, err := in.ReadLineLimit(2)
		if err == nil || !strings.HasPrefix(err.Error(), `okio: \n not found: limit=2 content=61626`) {
			t.Error(err)
		}
		if got, err := in.ReadLineLimit(3); got != "abc" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	eachForm(t, strings.Repeat("a", 33), func(t *testing.T, in values) {
		_, err := in.ReadLineLimit(unlimited)
		lineErr(t, err, 33, strings.Repeat("61", 32), false)
	})
	eachForm(t, "abc\r", func(t *testing.T, in values) {
		_, err := in.ReadLineLimit(3)
		var line *LineError
		if !errors.As(err, &line) || line.Limit != 3 || line.Content != "abc\r" {
			t.Error(err)
		}
	})
	eachForm(t, "abc", func(t *testing.T, in values) {
		_, err := in.ReadLineLimit(unlimited)
		lineErr(t, err, 3, "616263", false)
		if got := rest(t, in); got != "abc" {
			t.Errorf("%q left", got)
		}
	})
}

func TestReadLine(t *testing.T) {
	for _, c := range []struct {
		in    string
		lines []string
	}{
		{"abc\r\ndef\r\nghi\rjkl\r\n", []string{"abc", "def", "ghi\rjkl"}},
		{"abc\ndef", []string{"abc", "def"}},
		{"\n\n\n", []string{"", "", ""}},
		{"abc\r", []string{"abc\r"}},
		{"\r\r\n", []string{"\r"}},
		{strings.Repeat("x", segN-1) + "\r\ny", []string{strings.Repeat("x", segN-1), "y"}},
		{"", nil},
	} {
		eachForm(t, c.in, func(t *testing.T, in values) {
			for _, want := range c.lines {
				if got, err := in.ReadLine(); got != want || err != nil {
					t.Errorf("%.20q: %.20q, %v", c.in, got, err)
				}
			}
			if _, err := in.ReadLine(); err != io.EOF {
				t.Errorf("%.20q: %v", c.in, err)
			}
		})
	}
}

func TestLineView(t *testing.T) {
	// Lines that end in, at and behind the end of a segment, and some in the middle of one.
	var lines []string
	for _, n := range []int{0, 3, 5000, segN - 5006, 1, segN - 3, 0, segN - 2, segN, 2*segN + 7, 0, 30} {
		lines = append(lines, strings.Repeat(string(rune('a'+len(lines))), n))
	}
	for _, end := range []string{"\n", "\r\n"} {
		data := strings.Join(lines, end) + end
		for name, up := range map[string]Source{"whole": NewBufferString(data), "drip": drip(data)} {
			s := NewBufferedSource(up)
			for i, want := range lines {
				got, err := s.LineView(int64(len(want)))
				if string(got) != want || got == nil || err != nil {
					t.Fatalf("%s: line %d: %d bytes, %v; want %d", name, i, len(got), err, len(want))
				}
				checkRing(t, s.Buffer())
			}
			if _, err := s.LineView(10); err != io.EOF {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestLineViewErrors(t *testing.T) {
	s := NewBufferedSource(NewBufferString("abcd\r\nefgh"))
	var line *LineError
	if _, err := s.LineView(3); !errors.As(err, &line) || !line.TooLong || line.Limit != 3 {
		t.Error(err)
	}
	if _, err := s.LineView(-1); err == nil {
		t.Error("a negative limit")
	}
	if got, err := s.LineView(4); string(got) != "abcd" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := s.LineView(100); !errors.As(err, &line) || line.TooLong || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if got := mustText(t, s, 4); got != "efgh" {
		t.Errorf("%q", got)
	}
	_ = s.Close()
	if _, err := s.LineView(4); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// At most limit+2 bytes are looked at, and none beyond the terminator.
func TestLinesAreLazy(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int64
		left  int
	}{
		{"abc\nxyz", 3, 3},
		{"abc\r\nxyz", 3, 3},
		{"abc\rxyz", 3, 2},
		{"abcdefg", 3, 3},
	} {
		up := drip(c.in)
		_, _ = NewBufferedSource(up).LineView(c.limit)
		if up.Len() != int64(c.left) {
			t.Errorf("%q: %d bytes left upstream, want %d", c.in, up.Len(), c.left)
		}
		up = drip(c.in)
		_, _ = NewBufferedSource(up).ReadLineLimit(c.limit)
		if up.Len() != int64(c.left) {
			t.Errorf("%q: %d bytes left upstream, want %d", c.in, up.Len(), c.left)
		}
	}
}

// FuzzLines compares every way to read lines with a plain search.
func FuzzLines(f *testing.F) {
	f.Add([]byte("abc\r\ndef\nghi"), uint16(3), uint16(2))
	f.Add([]byte("\r\n\r\r\n\n"), uint16(0), uint16(0))
	f.Add([]byte("x"), uint16(20000), uint16(16380))
	f.Fuzz(func(t *testing.T, data []byte, limit uint16, pad uint16) {
		data = append(bytes.Repeat([]byte("p"), int(pad)), data...)
		want := func(p []byte) (line string, end int, ok bool) {
			lf := bytes.IndexByte(p, '\n')
			if lf < 0 {
				return "", 0, false
			}
			line = strings.TrimSuffix(string(p[:lf]), "\r")
			return line, lf + 1, len(line) <= int(limit)
		}
		b := NewBufferString(string(data))
		s := NewBufferedSource(NewBufferString(string(data)))
		v := NewBufferedSource(FromReader(struct{ io.Reader }{bytes.NewReader(data)}))
		for p := data; ; {
			line, end, ok := want(p)
			got, err := b.ReadLineLimit(int64(limit))
			got2, err2 := s.ReadLineLimit(int64(limit))
			got3, err3 := v.LineView(int64(limit))
			for i, e := range []error{err, err2, err3} {
				var lineErr *LineError
				if (e == nil) != ok || !ok && len(p) > 0 && !errors.As(e, &lineErr) || !ok && len(p) == 0 && e != io.EOF {
					t.Fatalf("form %d: %v, want line of %d", i, e, len(line))
				}
			}
			if !ok {
				break
			}
			if got != line || got2 != line || string(got3) != line {
				t.Fatalf("%q %q %q, want %q", got, got2, got3, line)
			}
			p = p[end:]
		}
		checkRing(t, b)
		checkRing(t, s.Buffer())
		checkRing(t, v.Buffer())
	})
}
