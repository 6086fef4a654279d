package okio

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

const segN = segmentSize

// filled returns a buffer of n bytes c.
func filled(c byte, n int) *Buffer {
	return NewBufferString(strings.Repeat(string(rune(c)), n))
}

// levels lists the bytes readable in each segment.
func levels(b *Buffer) []int {
	var list []int
	for p := range b.Chunks() {
		list = append(list, len(p))
	}
	return list
}

// checkRing fails the test if b breaks an invariant of the ring.
func checkRing(t testing.TB, b *Buffer) {
	t.Helper()
	var size int64
	if s := b.head; s != nil {
		for {
			switch {
			case s.pos < 0 || s.limit > segmentSize || s.level() <= 0:
				t.Fatalf("segment [%d, %d)", s.pos, s.limit)
			case s.next == nil || s.prev == nil || s.next.prev != s || s.prev.next != s:
				t.Fatal("broken links")
			case len(s.data) != segmentSize:
				t.Fatalf("array of %d bytes", len(s.data))
			case s.root != nil && (&s.root.data[0] != &s.data[0] || s.root.refs.Load() < 1):
				t.Fatal("view of a released array")
			case s.root == nil && s.refs.Load() < 1:
				t.Fatal("released root in a ring")
			}
			size += int64(s.level())
			if s = s.next; s == b.head {
				break
			}
		}
	}
	if size != b.Len() {
		t.Fatalf("segments hold %d bytes, Len is %d", size, b.Len())
	}
}

func wantLevels(t *testing.T, b *Buffer, want ...int) {
	t.Helper()
	checkRing(t, b)
	if got := levels(b); !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
}

func mustText(t testing.TB, b interface{ ReadText(int64) (string, error) }, n int64) string {
	t.Helper()
	s, err := b.ReadText(n)
	if err != nil {
		t.Fatalf("ReadText(%d): %v", n, err)
	}
	return s
}

// move takes n bytes of src to the end of dst.
func move(t testing.TB, dst, src *Buffer, n int) {
	t.Helper()
	if err := dst.WriteBuffer(src, int64(n)); err != nil {
		t.Fatal(err)
	}
}

func TestReadText(t *testing.T) {
	var b Buffer
	_, _ = b.WriteString("ab")
	_, _ = b.WriteString("cdef")
	if got := mustText(t, &b, 4); got != "abcd" || b.Len() != 2 {
		t.Errorf("%q, %d left", got, b.Len())
	}
	if _, err := b.ReadText(3); err != io.ErrUnexpectedEOF || b.Len() != 2 {
		t.Errorf("short: %v, %d left", err, b.Len())
	}
	if got := mustText(t, &b, 2); got != "ef" {
		t.Errorf("%q", got)
	}
	if _, err := b.ReadText(1); err != io.EOF {
		t.Errorf("empty: %v", err)
	}
}

func TestReadTextAcrossSegments(t *testing.T) {
	var all strings.Builder
	for i, n := range []int{1000, 2500, 5000, 10000, 25000, 50000} {
		all.WriteString(strings.Repeat(string(rune('a'+i)), n))
	}
	var b Buffer
	_, _ = b.WriteString(all.String())
	rest := all.String()
	for _, n := range []int64{999, 2502, 4998, 10002, 24998, 50001} {
		if got := mustText(t, &b, n); got != rest[:n] {
			t.Errorf("wrong text of %d bytes", n)
		}
		rest = rest[n:]
		checkRing(t, &b)
	}
	if b.Len() != 0 {
		t.Errorf("%d left", b.Len())
	}
}

// The cases of the specification about where moved bytes end up; a level is what one segment holds.
func TestMoveLevels(t *testing.T) {
	both := func(n int) *Buffer {
		var b Buffer
		move(t, &b, filled('a', n), n)
		move(t, &b, filled('b', n), n)
		return &b
	}
	wantLevels(t, both(segN/2-1), segN-2)
	wantLevels(t, both(segN/2+1), segN/2+1, segN/2+1)
	wantLevels(t, both(3*segN+1), segN, segN, segN, 1, segN, segN, segN, 1)

	for _, c := range []struct {
		name         string
		sink, read   int
		source, move int
		wantSink     []int
		wantSource   []int
	}{
		{"split over half", segN - 10, 0, 2 * segN, segN/2 + 1, []int{segN - 10, segN/2 + 1}, []int{segN/2 - 1, segN}},
		{"split under half", segN - 10, 0, 2 * segN, segN/2 - 1, []int{segN - 10, segN/2 - 1}, []int{segN/2 + 1, segN}},
		{"into the tail", 10, 0, 2 * segN, 20, []int{30}, []int{segN - 20, segN}},
		{"into the tail, shifted", segN - 10, segN - 20, 2 * segN, 20, []int{30}, []int{segN - 20, segN}},
	} {
		sink, source := filled('a', c.sink), filled('b', c.source)
		if err := sink.Skip(int64(c.read)); err != nil {
			t.Fatal(err)
		}
		move(t, sink, source, c.move)
		t.Run(c.name, func(t *testing.T) {
			wantLevels(t, sink, c.wantSink...)
			wantLevels(t, source, c.wantSource...)
		})
	}
}

// In percent of a segment, as the specification writes them.
func TestMoveKeepsSegmentsDense(t *testing.T) {
	const u = segN / 100
	build := func(percents ...int) *Buffer {
		var b Buffer
		for _, p := range percents {
			s := takeSegment()
			s.limit = p * u
			b.end += int64(s.limit)
			b.link(s)
		}
		return &b
	}
	for _, c := range []struct{ sink, source, want []int }{
		{[]int{91, 61}, []int{72}, []int{91, 61, 72}},
		{[]int{100, 2}, []int{99, 3}, []int{100, 2, 99, 3}},
		{[]int{100, 40}, []int{30, 80}, []int{100, 70, 80}},
	} {
		sink, source := build(c.sink...), build(c.source...)
		move(t, sink, source, int(source.Len()))
		want := slices.Clone(c.want)
		for i := range want {
			want[i] *= u
		}
		wantLevels(t, sink, want...)
		wantLevels(t, source)
	}
	sink, source := build(51, 91), build(92, 82)
	move(t, sink, source, 30*u)
	wantLevels(t, sink, 51*u, 91*u, 30*u)
	wantLevels(t, source, 62*u, 82*u)
}

func TestMoveMisuse(t *testing.T) {
	b := filled('a', 10)
	if err := b.WriteBuffer(b, 1); err == nil {
		t.Error("moved a buffer into itself")
	}
	for _, n := range []int64{-1, 11} {
		if err := new(Buffer).WriteBuffer(b, n); err == nil || b.Len() != 10 {
			t.Errorf("took %d of 10 bytes: %v, %d left", n, err, b.Len())
		}
	}
	if _, err := b.ReadBuffer(new(Buffer), -1); err == nil {
		t.Error("a negative maximum")
	}
	if n, err := new(Buffer).ReadBuffer(b, 0); n != 0 || err != nil {
		t.Errorf("a maximum of zero: %d, %v", n, err)
	}
	if n, err := new(Buffer).ReadBuffer(b, 1); n != 0 || err != io.EOF {
		t.Errorf("from an empty buffer: %d, %v", n, err)
	}
}

func TestReadBuffer(t *testing.T) {
	sink, source := filled('a', 10), filled('b', 15)
	if n, err := source.ReadBuffer(sink, 10); n != 10 || err != nil || sink.Len() != 20 || source.Len() != 5 {
		t.Errorf("%d, %v, lengths %d and %d", n, err, sink.Len(), source.Len())
	}
	source = filled('b', 20)
	if n, err := source.ReadBuffer(sink, 25); n != 20 || err != nil || source.Len() != 0 {
		t.Errorf("%d, %v, length %d", n, err, source.Len())
	}
}

func TestAt(t *testing.T) {
	b := NewBufferString("a" + strings.Repeat("b", segN) + "c")
	size := b.Len()
	if b.At(size-1) != 'c' || b.At(size-2) != 'b' || b.At(0) != 'a' {
		t.Error("wrong bytes")
	}
	for _, i := range []int64{-1, size} {
		mustPanic(t, func() { b.At(i) })
	}
	mustPanic(t, func() { new(Buffer).At(0) })
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestEqual(t *testing.T) {
	a, b := NewBufferString("hotdog"), NewBufferString("dog")
	if a.Equal(b) {
		t.Error("hotdog equals dog")
	}
	_ = a.Skip(3)
	if !a.Equal(b) {
		t.Error("dog differs from dog")
	}
	x, y := filled('x', 1<<20), new(Buffer)
	for left := 1 << 20; left > 0; left -= min(left, 7777) {
		move(t, y, filled('x', min(left, 7777)), min(left, 7777))
	}
	if !x.Equal(y) {
		t.Error("layout matters")
	}
	_ = y.WriteByte('x')
	_ = x.WriteByte('y')
	if x.Equal(y) {
		t.Error("last byte does not matter")
	}
}

func TestSkipDropsAllWhenShort(t *testing.T) {
	b := filled('a', 10)
	if err := b.Skip(11); err != io.ErrUnexpectedEOF || b.Len() != 0 {
		t.Errorf("%v, %d left", err, b.Len())
	}
	if err := b.Skip(1); err != io.EOF {
		t.Error(err)
	}
	if err := b.Skip(-1); err == nil {
		t.Error("a negative count")
	}
}

func TestUnread(t *testing.T) {
	var b Buffer
	_, _ = b.WriteString("xé")
	c, _ := b.ReadByte()
	if err := b.UnreadByte(); c != 'x' || err != nil {
		t.Fatal(c, err)
	}
	if err := b.UnreadByte(); err == nil {
		t.Error("unread twice")
	}
	_ = b.Skip(1)
	r, size, err := b.ReadRune() // empties the buffer
	if r != 'é' || size != 2 || err != nil || b.head != nil {
		t.Fatal(r, size, err)
	}
	_, _ = b.WriteString("!")
	if err := b.UnreadRune(); err != nil {
		t.Fatal(err)
	}
	checkRing(t, &b)
	if got := b.Snapshot(); got != "é!" {
		t.Errorf("%q", got)
	}
	_, _, _ = b.ReadRune()
	if err := b.UnreadByte(); err != nil {
		t.Fatal(err)
	}
	if got := b.Snapshot(); got != "\xa9!" {
		t.Errorf("%q", got)
	}
	_, _ = b.ReadByte()
	_, _ = b.ReadN(1)
	if b.UnreadByte() == nil || b.UnreadRune() == nil {
		t.Error("unread after another read")
	}
}

func TestReadFromLeavesNoEmptyTail(t *testing.T) {
	var b Buffer
	n, err := b.ReadFrom(io.LimitReader(zeros{}, segN))
	if n != segN || err != nil {
		t.Fatal(n, err)
	}
	wantLevels(t, &b, segN)
	boom := errors.New("boom")
	if n, err := b.ReadFrom(io.MultiReader(strings.NewReader("abc"), failing{boom})); n != 3 || err != boom {
		t.Error(n, err)
	}
	if _, err := b.ReadFrom(failing{nil}); err != io.ErrNoProgress {
		t.Error(err)
	}
	checkRing(t, &b)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// failing reads nothing, with an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestWriteToShortWriter(t *testing.T) {
	b := NewBufferString("hello")
	n, err := b.WriteTo(shortWriter{})
	if n != 1 || err != io.ErrShortWrite || b.Snapshot() != "ello" {
		t.Error(n, err, b.Snapshot())
	}
}

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return 1, nil }
