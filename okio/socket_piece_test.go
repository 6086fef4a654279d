package okio

import "testing"

// 64 KiB and the header of whoever frames them are one write, which wakes the peer once.
func TestSizesOfSocketPieces(t *testing.T) {
	for _, tt := range []struct {
		vectored   bool
		n, want    int64
		followedBy int64
	}{
		{true, 1, 1, 0},
		{true, 64 << 10, 64 << 10, 0},
		{true, 64<<10 + 14, 64<<10 + 14, 0},
		{true, 68 << 10, 68 << 10, 0},
		{true, 68<<10 + 1, 64 << 10, 4<<10 + 1},
		{true, 132 << 10, 64 << 10, 68 << 10},
		{false, 100, 100, 0},
		{false, 64 << 10, joinedChunk, 64<<10 - joinedChunk}, // TLS
	} {
		k := socketSink{vectored: tt.vectored}
		got := k.piece(tt.n)
		if got != tt.want {
			t.Errorf("of %d bytes, vectored %t, %d go first, expected %d", tt.n, tt.vectored, got, tt.want)
		}
		if next := tt.n - got; next > 0 && next != tt.followedBy {
			t.Errorf("of %d bytes %d are left, expected %d", tt.n, next, tt.followedBy)
		}
	}
}
