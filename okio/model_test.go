package okio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// A model drives several buffers and the plain slices that say what they should hold through the same operations. Some
// buffers are kept aside as they are, to see that no operation on another one changes bytes that they share.
type model struct {
	t      testing.TB
	next   func(n int) int // a choice among n
	bufs   [4]*Buffer
	want   [4][]byte
	aside  []*Buffer
	asideW [][]byte
	log    []string
}

func newModel(t testing.TB, next func(int) int) *model {
	m := &model{t: t, next: next}
	for i := range m.bufs {
		m.bufs[i] = new(Buffer)
	}
	return m
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	last := m.log[max(0, len(m.log)-20):]
	m.t.Fatalf("%s\nafter %s", fmt.Sprintf(format, args...), strings.Join(last, "; "))
}

func (m *model) note(format string, args ...any) { m.log = append(m.log, fmt.Sprintf(format, args...)) }

// size chooses a length near the places where something changes.
func (m *model) size() int {
	switch m.next(8) {
	case 0, 1, 2:
		return m.next(20)
	case 3:
		return shareMinimum - 2 + m.next(5)
	case 4:
		return segmentSize - 3 + m.next(7)
	case 5:
		return segmentSize/2 - 2 + m.next(5)
	case 6:
		return m.next(segmentSize)
	default:
		return m.next(3 * segmentSize)
	}
}

// data makes n bytes of a small alphabet, so that searches find something.
func (m *model) data(n int) []byte {
	const alphabet = "aab\n\r0129fF-\xc3\xa9\xf0\x9f\xff"
	period := 1 + m.next(61)
	pattern := make([]byte, period)
	for i := range pattern {
		pattern[i] = alphabet[m.next(len(alphabet))]
	}
	p := make([]byte, n)
	for i := range p {
		p[i] = pattern[i%period]
	}
	return p
}

// some chooses a part of a buffer's length.
func (m *model) some(length int) int {
	if length == 0 {
		return 0
	}
	switch m.next(4) {
	case 0:
		return length
	case 1:
		return min(length, m.next(16))
	default:
		return min(length, m.size())
	}
}

func (m *model) check() {
	m.t.Helper()
	for i, b := range m.bufs {
		checkRing(m.t, b)
		if b.Len() != int64(len(m.want[i])) {
			m.fail("buffer %d has %d bytes, want %d", i, b.Len(), len(m.want[i]))
		}
	}
}

func (m *model) checkBytes() {
	m.t.Helper()
	same := func(b *Buffer, want []byte) bool {
		for p := range b.Chunks() {
			if !bytes.HasPrefix(want, p) {
				return false
			}
			want = want[len(p):]
		}
		return len(want) == 0
	}
	for i, b := range m.bufs {
		if !same(b, m.want[i]) {
			m.fail("buffer %d has the wrong bytes", i)
		}
	}
	for i, b := range m.aside {
		if !same(b, m.asideW[i]) {
			m.fail("buffer set aside %d has the wrong bytes", i)
		}
	}
}

// step does one operation.
func (m *model) step() {
	i := m.next(len(m.bufs))
	op := m.next(len(modelOps))
	m.note("%s(%d)", modelOps[op].name, i)
	modelOps[op].do(m, i, m.bufs[i])
	if len(m.want[i]) > 10*segmentSize {
		m.bufs[i].Clear()
		m.want[i] = nil
	}
	m.check()
}

// take removes n bytes from the model.
func (m *model) take(i, n int) []byte {
	p := m.want[i][:n]
	m.want[i] = m.want[i][n:]
	return p
}

// give appends to the model, which never writes to an array that others may see.
func (m *model) give(i int, p []byte) {
	m.want[i] = append(m.want[i][:len(m.want[i]):len(m.want[i])], p...)
}

// short is the error that a demand of n bytes must give.
func (m *model) short(i, n int) error {
	switch have := len(m.want[i]); {
	case n <= have:
		return nil
	case have == 0:
		return io.EOF
	default:
		return io.ErrUnexpectedEOF
	}
}

func TestModel(t *testing.T) {
	steps := 6000
	if testing.Short() {
		steps = 1500
	}
	for seed := range uint64(6) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel() // the runs share the pool, so that a double release shows
			rng := rand.New(rand.NewPCG(seed, 1))
			m := newModel(t, rng.IntN)
			for step := range steps {
				m.step()
				if step%16 == 0 {
					m.checkBytes()
				}
			}
			m.checkBytes()
		})
	}
}

// FuzzBuffer reads the choices of the model from its input.
func FuzzBuffer(f *testing.F) {
	f.Add([]byte("\x00\x00\x04\x01\x00\x10\x17\x02\x18\x00\x03"))
	f.Add(bytes.Repeat([]byte{1, 0, 7, 99, 16, 3, 200, 24}, 40))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 600 {
			script = script[:600]
		}
		m := newModel(t, func(n int) int {
			var v int
			for range 2 {
				if len(script) > 0 {
					v = v<<8 | int(script[0])
					script = script[1:]
				}
				if n <= 256 {
					break
				}
			}
			return v % n
		})
		for len(script) > 0 {
			m.step()
		}
		m.checkBytes()
	})
}
