package okio

import (
	"math"
	"strings"
	"testing"
)

func TestIndexByte(t *testing.T) {
	halves := filled('a', segN/2)
	for _, c := range []byte("bcd") {
		_, _ = halves.WriteString(strings.Repeat(string(c), segN/2))
	}
	for _, c := range []struct {
		c          byte
		from, want int64
	}{
		{'a', segN/2 - 1, segN/2 - 1}, {'c', segN/2 - 1, segN}, {'d', 2*segN - 1, 2*segN - 1}, {'a', segN / 2, -1}, {'d', 2 * segN, -1}, {'a', 5 * segN, -1},
	} {
		if got := halves.IndexByte(c.c, c.from, unlimited); got != c.want {
			t.Errorf("%c from %d: %d, want %d", c.c, c.from, got, c.want)
		}
	}
	if got := halves.IndexByte('a', 0, 0); got != -1 {
		t.Error(got)
	}
	mustPanic(t, func() { halves.IndexByte('a', 10, 0) })
	mustPanic(t, func() { halves.IndexByte('a', -1, 0) })
}

func TestIndexByteStopsReading(t *testing.T) {
	up := drip("abcdef")
	s := NewBufferedSource(up)
	if got, err := s.IndexByte('e', 0, 4); got != -1 || err != nil || up.Len() != 2 {
		t.Error(got, err, up.Len())
	}
	if got, err := s.IndexByte('e', 0, 5); got != 4 || err != nil || up.Len() != 1 {
		t.Error(got, err, up.Len())
	}
	if got, err := s.IndexByte('x', 0, unlimited); got != -1 || err != nil || s.Buffer().Len() != 6 {
		t.Error(got, err)
	}
}

func TestIndex(t *testing.T) {
	const move = "Don't move! He can't see us if we don't move."
	for _, c := range []struct {
		in       string
		pat      ByteString
		from, to int64
		want     int64
	}{
		{"flip flop", "flop", 0, unlimited, 5},
		{"hi hi hi hey", "hi hi hey", 0, unlimited, 3},
		{"hi hi hi hi hey", "hi hi hey", 1, unlimited, 6},
		{move, "move", 0, 6, -1},
		{move, "move", 0, 7, 6},
		{move, "move", 7, 40, -1},
		{move, "move", 7, 41, 40},
		{move, "move", 41, 42, -1},
		{"aaaaa", "a", 0, 1, 0},
		{"aaaaa", "aa", 0, 1, 0},
		{"aaaaa", "aaa", 0, 1, 0},
		{"aaaaa", "aaaa", 0, 1, 0},
		{"aaaaa", "aaaaa", 0, 1, 0},
		{"aaaaa", "a", 0, 0, -1},
		{"aaaaa", "aa", 4, 5, -1},
		{"aaaaa", "aaaaaa", 0, unlimited, -1},
		{"", "a", 0, unlimited, -1},
		{"abc", "c", 7, unlimited, -1},
	} {
		if got := NewBufferString(c.in).Index(c.pat, c.from, c.to); got != c.want {
			t.Errorf("buffer: %q in %q [%d, %d): %d, want %d", c.pat, c.in, c.from, c.to, got, c.want)
		}
		for _, up := range []Source{NewBufferString(c.in), drip(c.in)} {
			if got, err := NewBufferedSource(up).Index(c.pat, c.from, c.to); got != c.want || err != nil {
				t.Errorf("source: %q in %q [%d, %d): %d, %v, want %d", c.pat, c.in, c.from, c.to, got, err, c.want)
			}
		}
	}
	b := NewBufferString("abc")
	mustPanic(t, func() { b.Index("", 0, 1) })
	mustPanic(t, func() { b.Index("a", -1, 1) })
	mustPanic(t, func() { b.Index("a", 2, 1) })
}

// A search reads only while more data could change the answer.
func TestIndexBuffersNoMoreThanNeeded(t *testing.T) {
	const plan = "A man, a plan, a canal: Panama. And then some."
	for _, c := range []struct {
		in       string
		pat      ByteString
		from, to int64
		want     int64
		buffered string
	}{
		{"shellxyz", "hello", 0, 4, -1, "shellx"},
		{"lookxyz", "hello", 0, 4, -1, "look"},
		{plan, "X man,", 0, 1, -1, "A"},
		{plan, "A Xan,", 0, 1, -1, "A m"},
		{plan, "A man,", 0, 1, 0, "A man,"},
		{plan, "plan", 0, 10, 9, "A man, a plan"},
		{plan, "Panama.", 25, 27, -1, plan[:27]},
	} {
		s := NewBufferedSource(drip(c.in))
		got, err := s.Index(c.pat, c.from, c.to)
		if got != c.want || err != nil || string(s.Buffer().Snapshot()) != c.buffered {
			t.Errorf("%q [%d, %d): %d, %v, buffered %q, want %d and %q", c.pat, c.from, c.to, got, err, s.Buffer().Snapshot(), c.want, c.buffered)
		}
	}
}

func TestIndexAny(t *testing.T) {
	data := "a" + strings.Repeat("b", segN) + "c"
	for _, c := range []struct {
		chars      string
		from, want int64
	}{
		{"DEFGaHIJK", 0, 0}, {"cDEFGHIJK", 0, segN + 1}, {"", 0, -1}, {"DEFGHIJKb", 15, 15}, {"c", 0, segN + 1}, {"cx", 0, segN + 1}, {"xc", 5, segN + 1},
		{"ca", 0, 0}, {"xy", 0, -1}, {"xyz", 0, -1}, {"a", 1, -1}, {"c", segN + 2, -1}, {"cc", segN + 1, segN + 1},
	} {
		set := NewByteSet(c.chars)
		if got := NewBufferString(data).IndexAny(set, c.from); got != c.want {
			t.Errorf("%q from %d: %d, want %d", c.chars, c.from, got, c.want)
		}
		if got, err := NewBufferedSource(NewBufferString(data)).IndexAny(set, c.from); got != c.want || err != nil {
			t.Errorf("source: %q from %d: %d, %v, want %d", c.chars, c.from, got, err, c.want)
		}
	}
	mustPanic(t, func() { new(Buffer).IndexAny(NewByteSet("a"), -1) })
}

// Where there is an error to return, arguments that make no sense give one, and nothing is read.
func TestSourceSearchArguments(t *testing.T) {
	up := NewBufferString("abc")
	s := NewBufferedSource(up)
	abc := NewByteSet("abc")
	tests := []struct {
		want string
		call func() (int64, error)
	}{
		{"okio: search from a negative offset: -1", func() (int64, error) { return s.IndexByte('a', -1, 1) }},
		{"okio: search from 10 to 0", func() (int64, error) { return s.IndexByte('a', 10, 0) }},
		{"okio: Index of an empty pattern", func() (int64, error) { return s.Index("", 0, 1) }},
		{"okio: search from a negative offset: -1", func() (int64, error) { return s.Index("a", -1, 1) }},
		{"okio: search from 2 to 1", func() (int64, error) { return s.Index("a", 2, 1) }},
		{"okio: search from a negative offset: -9223372036854775808", func() (int64, error) { return s.IndexAny(abc, math.MinInt64) }},
	}
	for _, tt := range tests {
		if i, err := tt.call(); i != -1 || err == nil || err.Error() != tt.want {
			t.Errorf("%d, %v, want %s", i, err, tt.want)
		}
	}
	if up.Len() != 3 {
		t.Errorf("read %d bytes", 3-up.Len())
	}
}

func TestByteSetHasEveryByte(t *testing.T) {
	for c := range 256 {
		set := NewByteSet(string([]byte{byte(c), byte(c + 1), byte(c + 2)}))
		for d := range 256 {
			want := byte(d-c) < 3
			if got := set.index([]byte{byte(d)}) == 0; got != want {
				t.Fatalf("set of %d and the next two: %d is in it: %v", c, d, got)
			}
		}
	}
}

func TestRangeEqual(t *testing.T) {
	const plan = "A man, a plan, a canal. Panama."
	for _, c := range []struct {
		off  int64
		pat  ByteString
		want bool
	}{
		{0, "A man", true}, {7, "a plan", true}, {24, "Panama.", true}, {24, "Panama. Panama. Panama.", false}, {-1, "A", false}, {31, "", true}, {0, "", true}, {31, "A", false}, {32, "A", false},
	} {
		if got := NewBufferString(plan).RangeEqual(c.off, c.pat); got != c.want {
			t.Errorf("%q at %d: %v", c.pat, c.off, got)
		}
		if got, err := NewBufferedSource(drip(plan)).RangeEqual(c.off, c.pat); got != c.want || err != nil {
			t.Errorf("source: %q at %d: %v, %v", c.pat, c.off, got, err)
		}
	}
	for _, c := range []struct {
		pat      ByteString
		want     bool
		buffered ByteString
	}{{"A man.", false, "A man,"}, {"X man,", false, "A"}, {"A man,", true, "A man,"}} {
		s := NewBufferedSource(drip(plan))
		got, err := s.RangeEqual(0, c.pat)
		if got != c.want || err != nil || s.Buffer().Snapshot() != c.buffered {
			t.Errorf("%q: %v, %v, buffered %q", c.pat, got, err, s.Buffer().Snapshot())
		}
	}
}
