package disklrumodel

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var kinds = slices.Concat(slices.Sorted(maps.Keys(operations)), []string{"get", "edit", "edit", "write", "write", "write", "commit", "commit"})

var steps = rapid.Custom(func(t *rapid.T) step {
	return step{
		Kind:  rapid.SampledFrom(kinds).Draw(t, "kind"),
		Key:   rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key"),
		Slot:  rapid.IntRange(0, slots-1).Draw(t, "slot"),
		Value: rapid.IntRange(0, values-1).Draw(t, "value"),
		N:     rapid.IntRange(0, 12).Draw(t, "n"),
	}
})

func TestStore(t *testing.T) {
	for _, windows := range []bool{false, true} {
		for _, sync := range []bool{false, true} {
			t.Run(fmt.Sprintf("windows %v, sync %v", windows, sync), rapid.MakeCheck(func(t *rapid.T) {
				m, err := newMachine(windows, sync, 40)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range rapid.SliceOfN(steps, 1, 80).Draw(t, "script") {
					if err := m.do(s); err != nil {
						t.Fatalf("%+v: %v", s, err)
					}
				}
				if err := m.shut(); err != nil {
					t.Fatal(err)
				}
			}))
		}
	}
}
