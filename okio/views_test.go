package okio

import (
	"io"
	"strings"
	"sync"
	"testing"
)

func TestCloneIsIndependent(t *testing.T) {
	a := filled('a', 3*segN)
	c := a.Clone()
	_, _ = a.WriteString("b")
	_, _ = c.WriteString("c")
	as := strings.Repeat("a", 3*segN)
	if a.Snapshot() != ByteString(as+"b") || c.Snapshot() != ByteString(as+"c") {
		t.Error("one sees what was written to the other")
	}
	a = NewBufferString("abc")
	c = a.Clone()
	_, _ = a.WriteString("def")
	_, _ = c.WriteString("DEF")
	if a.Snapshot() != "abcdef" || c.Snapshot() != "abcDEF" {
		t.Errorf("%q %q", a.Snapshot(), c.Snapshot())
	}
}

func TestCopyTo(t *testing.T) {
	party := NewBufferString("party")
	var dst Buffer
	if err := party.CopyTo(&dst, 1, 3); err != nil || dst.Snapshot() != "art" || party.Snapshot() != "party" {
		t.Error(err, dst.Snapshot())
	}
	dst.Clear()
	if err := party.CopyTo(&dst, 2, 3); err != nil || dst.Snapshot() != "rty" {
		t.Error(err, dst.Snapshot())
	}
	if err := party.CopyTo(party, 0, 5); err != nil || party.Snapshot() != "partyparty" {
		t.Error(err, party.Snapshot())
	}
	big := filled('a', 2*segN+10)
	if err := big.CopyTo(big, 5, 2*segN); err != nil || big.Len() != 4*segN+10 {
		t.Error(err, big.Len())
	}
	checkRing(t, big)
	for _, r := range [][2]int64{{-1, 1}, {0, -1}, {0, 11}, {11, 0}, {1 << 62, 1 << 62}} {
		if err := party.CopyTo(&dst, r[0], r[1]); err == nil {
			t.Errorf("copied %d bytes at %d of 10", r[1], r[0])
		}
	}
}

// Bytes that a clone shares must stay when the other buffer has room in front of them and would like to shift.
func TestSharedBytesAreNotShifted(t *testing.T) {
	a := NewBufferString(strings.Repeat("-", segN/2) + strings.Repeat("x", segN/2-1))
	_ = a.Skip(segN / 2)
	c := a.Clone()
	move(t, a, filled('y', 100), 100)
	if c.Snapshot() != ByteString(strings.Repeat("x", segN/2-1)) {
		t.Error("the clone changed")
	}
	wantLevels(t, a, segN/2-1, 100)
	c.Clear() // now a is alone again and may shift
	_ = a.Skip(a.Len() - 100)
	wantLevels(t, a, 100)
}

// A view that was read half way has another byte in front of it than the one to be put back.
func TestUnreadBeforeAView(t *testing.T) {
	big := filled('v', 4096)
	b := NewBufferString("x")
	_ = big.CopyTo(b, 2000, 2000)
	c, _ := b.ReadByte()
	if c != 'x' || b.head.root == nil {
		t.Fatal("not the case to test")
	}
	if err := b.UnreadByte(); err != nil {
		t.Fatal(err)
	}
	checkRing(t, b)
	if got := string(b.Snapshot()); got != "x"+strings.Repeat("v", 2000) {
		t.Errorf("%.10q", got)
	}
	if big.Snapshot() != ByteString(strings.Repeat("v", 4096)) {
		t.Error("wrote into shared bytes")
	}
}

func TestReleaseReturnsWhatNobodyElseHolds(t *testing.T) {
	b := filled('a', 100)
	root := b.head
	c := b.Clone()
	if root.refs.Load() != 2 {
		t.Fatalf("%d holders", root.refs.Load())
	}
	b.Clear()
	if root.refs.Load() != 1 || root.limit == 0 {
		t.Errorf("%d holders, limit %d: released while shared", root.refs.Load(), root.limit)
	}
	if got := c.Snapshot(); got != ByteString(strings.Repeat("a", 100)) {
		t.Errorf("%q", got)
	}
	c.Clear()
	if root.refs.Load() != 1 || root.limit != 0 {
		t.Errorf("%d holders, limit %d: not released", root.refs.Load(), root.limit)
	}
}

func TestSnapshotOfPart(t *testing.T) {
	b := NewBufferString("xxxx")
	s := b.Snapshot()
	var other Buffer
	move(t, &other, b, 2)
	_, _ = other.WriteString("yy")
	if s != "xxxx" || other.Snapshot() != "xxyy" || new(Buffer).Snapshot() != "" {
		t.Error(s, other.Snapshot())
	}
	if got, err := NewBufferString("abcd").ReadByteString(1); got != "a" || err != nil {
		t.Error(got, err)
	}
}

func TestReserveAndCommit(t *testing.T) {
	var b Buffer
	room := b.Reserve(segN)
	if len(room) != segN {
		t.Errorf("%d bytes", len(room))
	}
	if b.Len() != 0 || b.head != nil {
		t.Error("a reserve changed the buffer")
	}
	copy(room, "hello")
	b.Commit(5)
	if b.Snapshot() != "hello" {
		t.Error(b.Snapshot())
	}
	if room := b.Reserve(1); len(room) != segN-5 {
		t.Errorf("%d bytes behind the tail", len(room))
	}
	b.Commit(0)
	if room := b.Reserve(segN - 4); len(room) != segN {
		t.Errorf("%d bytes of a fresh segment", len(room))
	}
	b.Commit(1)
	wantLevels(t, &b, 5, 1)
	for _, n := range []int{-1, 0, segN + 1} {
		mustPanic(t, func() { b.Reserve(n) })
	}
	mustPanic(t, func() { b.Commit(0) }) // nothing is reserved
	b.Reserve(10)
	mustPanic(t, func() { b.Commit(segN + 1) })
	mustPanic(t, func() { b.Commit(-1) })
	b.Reserve(10)
	_ = b.WriteByte('x')
	mustPanic(t, func() { b.Commit(1) }) // something was done in between
	b.Reserve(10)
	_ = b.Skip(b.Len())
	mustPanic(t, func() { b.Commit(1) })
	b.Reserve(10)
	b.Clear()
	mustPanic(t, func() { b.Commit(1) })
	checkRing(t, &b)
}

// What leaves the length and the offsets alone may still have moved the bytes, or let go of the reserved tail.
func TestCommitAfterRearranging(t *testing.T) {
	halves := func() *Buffer { // "head" in a view, "tail" in a segment of its own
		h := NewBufferString("head")
		b := h.Clone()
		h.Clear()
		_, _ = b.WriteString("tail")
		return b
	}
	one := func() *Buffer { return NewBufferString("x") }
	long := func() *Buffer { return NewBufferString("xyz") }
	tests := []struct {
		name  string
		make  func() *Buffer
		min   int // above what the tail has, the room is a fresh segment
		since func(b *Buffer)
	}{
		{"PeekN that joins", halves, 4, func(b *Buffer) { _, _ = b.PeekN(8) }},
		{"PeekN that joins, fresh room", halves, segN, func(b *Buffer) { _, _ = b.PeekN(8) }},
		{"last byte put back", one, 4, func(b *Buffer) { _, _ = b.ReadByte(); _ = b.UnreadByte() }},
		{"last byte put back, fresh room", one, segN, func(b *Buffer) { _, _ = b.ReadByte(); _ = b.UnreadByte() }},
		{"byte put back", long, 4, func(b *Buffer) { _, _ = b.ReadByte(); _ = b.UnreadByte() }},
		{"last rune put back", one, 4, func(b *Buffer) { _, _, _ = b.ReadRune(); _ = b.UnreadRune() }},
		{"away and back", one, 4, func(b *Buffer) {
			var o Buffer
			move(t, &o, b, 1)
			move(t, b, &o, 1)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := tt.make()
			want := b.Snapshot()
			copy(b.Reserve(tt.min), "1234")
			tt.since(b)
			var others [4]Buffer // one of them gets what b let go of
			for i := range others {
				_, _ = others[i].WriteString("victim")
			}
			mustPanic(t, func() { b.Commit(4) })
			mustPanic(t, func() { b.Commit(0) })
			for i := range others {
				checkRing(t, &others[i])
				if got := others[i].Snapshot(); got != "victim" {
					t.Errorf("another buffer holds %q", got)
				}
			}
			checkRing(t, b)
			if got := b.Snapshot(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			copy(b.Reserve(2), "ok")
			b.Commit(2)
			if got := b.Snapshot(); got != want+"ok" {
				t.Errorf("%q after another Commit", got)
			}
		})
	}
	b := NewBufferString("head") // what only looks does no harm
	copy(b.Reserve(4), "tail")
	_, _ = b.PeekN(4)
	b.Clone().Clear()
	_, _ = b.Len(), b.At(0)
	b.Commit(4)
	if b.Snapshot() != "headtail" {
		t.Error(b.Snapshot())
	}
}

// The length is made up: nothing is read before it is found too large. On 32-bit systems this one would be cut down to 0.
func TestSnapshotTooLarge(t *testing.T) {
	mustPanic(t, func() { (&Buffer{end: 1 << 62}).Snapshot() })
}

func TestPeekN(t *testing.T) {
	pad := strings.Repeat("-", segN-3)
	eachForm(t, pad+"abcdef", func(t *testing.T, in values) {
		_ = in.Skip(int64(len(pad)))
		for _, want := range []string{"", "a", "abcdef"} {
			if got, err := in.PeekN(len(want)); string(got) != want || err != nil || cap(got) != len(got) {
				t.Errorf("%q, %v", got, err)
			}
		}
		if _, err := in.PeekN(7); err != io.ErrUnexpectedEOF {
			t.Error(err)
		}
		for _, n := range []int{-1, segN + 1} {
			if _, err := in.PeekN(n); err == nil || err == io.ErrUnexpectedEOF {
				t.Error(n, err)
			}
		}
		if got := rest(t, in); got != "abcdef" {
			t.Errorf("%q left", got)
		}
		if _, err := in.PeekN(1); err != io.EOF {
			t.Error(err)
		}
	})
}

func TestChunksStops(t *testing.T) {
	b := filled('a', 3*segN)
	count := 0
	for range b.Chunks() {
		count++
		break
	}
	if count != 1 || b.Len() != 3*segN {
		t.Error(count, b.Len())
	}
	for range new(Buffer).Chunks() {
		t.Error("a chunk of nothing")
	}
}

// Clones share arrays and may be used, and given up, by different goroutines.
func TestClonesInDifferentGoroutines(t *testing.T) {
	for range 20 {
		b := NewBufferString(randomText(3*segN + 500))
		want := b.Snapshot()
		var group sync.WaitGroup
		for i := range 4 {
			c := b.Clone()
			group.Go(func() {
				_, _ = c.WriteString(strings.Repeat(string(rune('0'+i)), 2000))
				var moved Buffer
				_ = moved.WriteBuffer(c, int64(len(want))-100)
				if moved.Snapshot()+c.Snapshot()[:100] != want {
					t.Error("a clone changed")
				}
				moved.Clear()
				c.Clear()
			})
		}
		_, _ = b.WriteString("more")
		_ = b.Skip(segN + 100)
		if b.Snapshot() != want[segN+100:]+"more" {
			t.Error("the original changed")
		}
		b.Clear()
		group.Wait()
	}
}
