//go:build unix

package okio

import (
	"testing"
)

// As long as nothing can be read, no segment is taken.
func TestSocketHoldsNoSegmentWhileIdle(t *testing.T) {
	for _, kind := range connKinds[:2] {
		t.Run(kind.name, func(t *testing.T) {
			x, y := kind.pair(t)
			source := NewSocket(x).Source().(*socketSource)
			if source.raw == nil {
				t.Fatal("not read through the descriptor")
			}
			var dst Buffer
			source.raw.dst, source.raw.max = &dst, 10
			try := func() (ready bool) {
				if err := source.raw.raw.Control(func(fd uintptr) { ready = source.raw.try(fd) }); err != nil {
					t.Fatal(err)
				}
				return ready
			}
			if try() || dst.head != nil {
				t.Errorf("a read of an idle connection ended or left a segment: %v", dst.head)
			}
			mustWrite(t, y, "data")
			for !try() { // the system may need a moment to carry it over
			}
			if content(&dst) != "data" {
				t.Errorf("read %q", content(&dst))
			}
		})
	}
}
