package okiomodel

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/okhttp-go/ok/okio"
)

// numbers are mostly small or near the sizes where something changes.
var numbers = rapid.OneOf(
	rapid.IntRange(0, 40),
	rapid.IntRange(1000, 1050),
	rapid.IntRange(16370, 16400),
	rapid.IntRange(0, 1<<20),
)

var kinds = slices.Sorted(maps.Keys(operations))

var steps = rapid.Custom(func(t *rapid.T) step {
	return step{
		Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
		On:   rapid.IntRange(0, buffers-1).Draw(t, "on"),
		From: rapid.IntRange(0, buffers-1).Draw(t, "from"),
		A:    numbers.Draw(t, "a"),
		B:    numbers.Draw(t, "b"),
	}
})

func TestBuffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine()
		defer m.clear()
		for _, s := range rapid.SliceOfN(steps, 1, 60).Draw(t, "script") {
			if err := m.do(s); err != nil {
				t.Fatal(err)
			}
			if err := m.check(); err != nil {
				t.Fatalf("after %+v: %v", s, err)
			}
		}
	})
}

// A parcel is a buffer on its way from one goroutine to another, and what should be in it.
type parcel struct {
	buf  *okio.Buffer
	want []byte
}

// TestSharedAcrossGoroutines gives several goroutines clones of the same bytes, lets each follow a script of its own, and lets them hand clones of what
// they have to the next one, which takes them into its own buffers.
func TestSharedAcrossGoroutines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const workers = 3
		seed := pattern(rapid.IntRange(0, 100000).Draw(t, "size"), 7)
		var original okio.Buffer
		_, _ = original.Write(seed)
		var scripts [workers][]step
		for i := range scripts {
			scripts[i] = rapid.SliceOfN(steps, 5, 40).Draw(t, "script")
		}
		var lines [workers]chan parcel // each of them to the worker of its number
		for i := range lines {
			lines[i] = make(chan parcel, len(scripts[(i+workers-1)%workers]))
		}
		var failures [workers]error
		var all sync.WaitGroup
		for i := range workers {
			m := newMachine()
			m.buf[0], m.want[0] = original.Clone(), seed
			if err := original.CopyTo(m.buf[1], int64(len(seed)/3), int64(len(seed)/2)); err != nil {
				t.Fatal(err)
			}
			m.give(1, seed[len(seed)/3:len(seed)/3+len(seed)/2])
			all.Go(func() { failures[i] = m.work(scripts[i], lines[i], lines[(i+1)%workers]) })
		}
		// The original changes meanwhile.
		if err := original.Skip(int64(len(seed) / 2)); len(seed) > 1 && err != nil {
			t.Fatal(err)
		}
		_, _ = original.Write(seed)
		all.Wait()
		for i, err := range failures {
			if err != nil {
				t.Errorf("worker %d: %v", i, err)
			}
		}
		if err := compare(&original, append(slices.Clone(seed[len(seed)/2:]), seed...)); err != nil {
			t.Errorf("the original: %v", err)
		}
		original.Clear()
		for i := range lines {
			for len(lines[i]) > 0 {
				p := <-lines[i]
				if err := compare(p.buf, p.want); err != nil {
					t.Errorf("what nobody took: %v", err)
				}
				p.buf.Clear()
			}
		}
	})
}

// work follows a script, hands out a clone after each step, and takes in what it is handed.
func (m *machine) work(script []step, in <-chan parcel, out chan<- parcel) error {
	defer m.clear()
	for _, s := range script {
		if err := m.do(s); err != nil {
			return err
		}
		out <- parcel{m.buf[s.On].Clone(), m.want[s.On]}
		select {
		case p := <-in:
			if err := compare(p.buf, p.want); err != nil {
				return err
			}
			m.give(s.From, p.want)
			if err := m.buf[s.From].WriteBuffer(p.buf, p.buf.Len()); err != nil {
				return err
			}
		default:
		}
	}
	return m.check()
}

// TestEngine checks that the comparison sees what is wrong.
func TestEngine(t *testing.T) {
	for _, spoil := range []func(m *machine){
		func(m *machine) { m.want[1][3] ^= 1 },
		func(m *machine) { m.want[1] = m.want[1][:9] },
		func(m *machine) { m.want[1] = append(m.want[1], 0) },
		func(m *machine) { _ = m.buf[1].WriteByte(0) },
		func(m *machine) { _ = m.buf[1].Skip(1) },
	} {
		m := newMachine()
		if err := m.do(step{Kind: "write", On: 1, A: 10}); err != nil {
			t.Fatal(err)
		}
		if err := m.check(); err != nil {
			t.Fatal(err)
		}
		spoil(m)
		if m.check() == nil {
			t.Error("a difference goes unnoticed")
		}
	}
}
