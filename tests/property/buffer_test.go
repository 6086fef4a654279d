// Package property holds the values of the libraries against what must be true of all of them, on inputs that rapid makes up, and makes small when
// they fail.
package property

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/okhttp-go/ok/okio"
)

// TestMain makes five times as many checks as rapid does by default: each is quick. The flag -rapid.checks still counts.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// segment is the size of the pieces that a buffer keeps its bytes in, around which things are likely to go wrong.
const segment = 16 << 10

var (
	// rapid's own ranges prefer small numbers, which leave everything in one segment.
	sizes = rapid.OneOf(
		rapid.IntRange(0, 20),
		rapid.SampledFrom([]int{1023, 1024, 1025}), // where sharing becomes cheaper than copying
		rapid.SampledFrom([]int{segment - 21, segment - 1, segment, segment + 1}),
		rapid.SampledFrom([]int{2000, segment / 2, segment - 2000, segment + segment/2, 3 * segment}),
	)
	// A small alphabet, so that searches find something.
	patterns = rapid.SliceOfN(rapid.SampledFrom([]byte("ab\r\n\x00\xff")), 1, 40)
	data     = rapid.Custom(func(t *rapid.T) []byte {
		pattern, n := patterns.Draw(t, "pattern"), sizes.Draw(t, "size")
		return bytes.Repeat(pattern, n/len(pattern)+1)[:n]
	})
)

// part draws a length up to the whole.
func part(t *rapid.T, whole int, label string) int {
	return min(rapid.OneOf(sizes, rapid.Just(whole)).Draw(t, label), whole)
}

// A pair is a buffer and the bytes that it must hold. The bytes are never written to once they are there.
type pair struct {
	buf  *okio.Buffer
	want []byte
}

// GoString is what rapid prints.
func (p *pair) GoString() string { return fmt.Sprintf("a buffer of %d bytes", len(p.want)) }

// append is what writing means.
func (p *pair) append(b []byte) { p.want = append(p.want[:len(p.want):len(p.want)], b...) }

// take is what reading means.
func (p *pair) take(n int) []byte {
	b := p.want[:n]
	p.want = p.want[n:]
	return b
}

// verify compares everything, in the pieces that the buffer has and at single places.
func (p *pair) verify() error {
	if got := p.buf.Len(); got != int64(len(p.want)) {
		return fmt.Errorf("length %d, want %d", got, len(p.want))
	}
	rest := p.want
	for chunk := range p.buf.Chunks() {
		if !bytes.HasPrefix(rest, chunk) {
			return fmt.Errorf("wrong bytes within %d from offset %d", len(chunk), len(p.want)-len(rest))
		}
		rest = rest[len(chunk):]
	}
	if len(rest) > 0 {
		return fmt.Errorf("pieces end %d bytes early", len(rest))
	}
	return nil
}

// An op is one operation on a pair, whose arguments are settled before it runs, so that it can run on any goroutine.
type op struct {
	name string
	run  func(p *pair) error
}

func (o op) String() string { return o.name }

// GoString is what rapid prints.
func (o op) GoString() string { return o.name }

// demand is the error of asking for n bytes.
func demand(p *pair, n int) error {
	switch {
	case n <= len(p.want):
		return nil
	case len(p.want) == 0:
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

func same(what string, got, want any) error {
	if got != want {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}

// ops are operations of one buffer alone.
var ops = rapid.OneOf(
	rapid.Map(data, func(b []byte) op {
		return op{fmt.Sprintf("Write %d", len(b)), func(p *pair) error {
			n, err := p.buf.Write(b)
			p.append(b)
			if err != nil {
				return err
			}
			return same("Write", n, len(b))
		}}
	}),
	rapid.Map(data, func(b []byte) op {
		return op{fmt.Sprintf("ReadFrom %d", len(b)), func(p *pair) error {
			n, err := p.buf.ReadFrom(struct{ io.Reader }{bytes.NewReader(b)})
			p.append(b)
			if err != nil {
				return err
			}
			return same("ReadFrom", n, int64(len(b)))
		}}
	}),
	rapid.Map(rapid.Byte(), func(c byte) op {
		return op{fmt.Sprintf("WriteByte %x", c), func(p *pair) error {
			p.append([]byte{c})
			return p.buf.WriteByte(c)
		}}
	}),
	rapid.Map(rapid.Int64(), func(v int64) op {
		return op{fmt.Sprintf("WriteDecimal %d", v), func(p *pair) error {
			p.buf.WriteDecimal(v)
			p.append(fmt.Append(nil, v))
			return nil
		}}
	}),
	rapid.Map(sizes, func(n int) op {
		return op{fmt.Sprintf("Reserve and Commit %d", n), func(p *pair) error {
			n := min(max(n, 1), segment)
			room := p.buf.Reserve(n)
			if len(room) < n {
				return fmt.Errorf("Reserve(%d) gave %d", n, len(room))
			}
			filled := bytes.Repeat([]byte{'r'}, n)
			copy(room, filled)
			p.buf.Commit(n)
			p.append(filled)
			return nil
		}}
	}),
	rapid.Map(sizes, func(n int) op {
		return op{fmt.Sprintf("Read %d", n), func(p *pair) error {
			b := make([]byte, n)
			got, err := p.buf.Read(b)
			if want := min(n, len(p.want)); got != want || (err != nil) != (want == 0 && n > 0) || err != nil && err != io.EOF {
				return fmt.Errorf("Read: %d, %v, want %d", got, err, want)
			}
			if !bytes.Equal(b[:got], p.take(got)) {
				return fmt.Errorf("Read: wrong bytes")
			}
			return nil
		}}
	}),
	rapid.Map(sizes, func(n int) op {
		return op{fmt.Sprintf("ReadText %d", n), func(p *pair) error {
			text, err := p.buf.ReadText(int64(n))
			if want := demand(p, n); err != want {
				return fmt.Errorf("ReadText: %v, want %v", err, want)
			}
			if err == nil && text != string(p.take(n)) {
				return fmt.Errorf("ReadText: wrong text")
			}
			return nil
		}}
	}),
	rapid.Map(sizes, func(n int) op {
		return op{fmt.Sprintf("Skip %d", n), func(p *pair) error {
			n := min(n, len(p.want))
			p.take(n)
			return p.buf.Skip(int64(n))
		}}
	}),
	rapid.Just(op{"ReadLine", func(p *pair) error {
		line, err := p.buf.ReadLine()
		if len(p.want) == 0 {
			return same("ReadLine", err, io.EOF)
		}
		if err != nil {
			return err
		}
		want, _, terminated := strings.Cut(string(p.want), "\n")
		p.take(len(want))
		if terminated {
			p.take(1)
			want = strings.TrimSuffix(want, "\r")
		}
		return same("ReadLine", line, want)
	}}),
	rapid.Map(patterns, func(pattern []byte) op {
		return op{fmt.Sprintf("Index %q", pattern), func(p *pair) error {
			return same("Index", p.buf.Index(okio.ByteString(pattern), 0, math.MaxInt64), int64(bytes.Index(p.want, pattern)))
		}}
	}),
	rapid.Map(rapid.Byte(), func(c byte) op {
		return op{fmt.Sprintf("IndexByte %x", c), func(p *pair) error {
			return same("IndexByte", p.buf.IndexByte(c, 0, math.MaxInt64), int64(bytes.IndexByte(p.want, c)))
		}}
	}),
	rapid.Just(op{"Snapshot", func(p *pair) error {
		if p.buf.Snapshot() != okio.ByteString(p.want) {
			return fmt.Errorf("Snapshot: wrong bytes")
		}
		return nil
	}}),
	rapid.Just(op{"WriteTo", func(p *pair) error {
		var out bytes.Buffer
		n, err := p.buf.WriteTo(struct{ io.Writer }{&out})
		if err != nil || n != int64(len(p.want)) || !bytes.Equal(out.Bytes(), p.take(len(p.want))) {
			return fmt.Errorf("WriteTo: %d, %v", n, err)
		}
		return nil
	}}),
	rapid.Just(op{"CopyTo itself", func(p *pair) error {
		if len(p.want) > 4*segment { // it doubles
			return nil
		}
		err := p.buf.CopyTo(p.buf, 0, p.buf.Len())
		p.append(p.want)
		return err
	}}),
	rapid.Just(op{"Clear", func(p *pair) error {
		p.buf.Clear()
		p.want = nil
		return nil
	}}),
)

// TestBuffers moves bytes between buffers that share some, and works on each of them alone in between.
func TestBuffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := make([]*pair, 4)
		for i := range pairs {
			pairs[i] = &pair{buf: new(okio.Buffer)}
		}
		defer func() {
			for _, p := range pairs {
				p.buf.Clear()
			}
		}()
		pick := rapid.SampledFrom(pairs)
		two := func(t *rapid.T) (from, to *pair) {
			from = pick.Draw(t, "from")
			return from, rapid.SampledFrom(slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return p == from })).Draw(t, "to")
		}
		must := func(t *rapid.T, err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"alone": func(t *rapid.T) { must(t, ops.Draw(t, "op").run(pick.Draw(t, "buffer"))) },
			"move": func(t *rapid.T) {
				from, to := two(t)
				n := part(t, len(from.want), "n")
				must(t, to.buf.WriteBuffer(from.buf, int64(n)))
				to.append(from.take(n))
			},
			"pull": func(t *rapid.T) {
				from, to := two(t)
				n := sizes.Draw(t, "n")
				got, err := from.buf.ReadBuffer(to.buf, int64(n))
				if want := min(n, len(from.want)); got != int64(want) || (err == io.EOF) != (want == 0 && n > 0) {
					t.Fatalf("ReadBuffer: %d, %v, want %d", got, err, want)
				}
				to.append(from.take(int(got)))
			},
			"copy": func(t *rapid.T) {
				from, to := two(t)
				off := part(t, len(from.want), "offset")
				n := part(t, len(from.want)-off, "n")
				must(t, from.buf.CopyTo(to.buf, int64(off), int64(n)))
				to.append(from.want[off : off+n])
			},
			"clone": func(t *rapid.T) {
				from, to := two(t)
				to.buf.Clear()
				to.buf, to.want = from.buf.Clone(), from.want
				if !to.buf.Equal(from.buf) {
					t.Fatal("a clone is not equal")
				}
			},
			"": func(t *rapid.T) { // after each of them
				for i, p := range pairs {
					if err := p.verify(); err != nil {
						t.Fatalf("buffer %d: %v", i, err)
					}
					if len(p.want) > 8*segment {
						p.buf.Clear()
						p.want = nil
					}
				}
			},
		})
	})
}

// TestBuffersAcrossGoroutines gives buffers that share their bytes to a goroutine each. What one does must not show in another.
func TestBuffersAcrossGoroutines(t *testing.T) {
	work := rapid.SliceOfN(ops, 1, 12)
	rapid.Check(t, func(t *rapid.T) {
		base := &pair{buf: new(okio.Buffer)}
		for _, b := range rapid.SliceOfN(data, 1, 4).Draw(t, "base") {
			base.buf.Write(b)
			base.append(b)
		}
		pairs := []*pair{base}
		for range rapid.IntRange(1, 4).Draw(t, "clones") {
			from := rapid.SampledFrom(pairs).Draw(t, "from")
			p := &pair{buf: new(okio.Buffer)}
			if rapid.Bool().Draw(t, "whole") {
				p.buf, p.want = from.buf.Clone(), from.want
			} else {
				off := part(t, len(from.want), "offset")
				n := part(t, len(from.want)-off, "n")
				if err := from.buf.CopyTo(p.buf, int64(off), int64(n)); err != nil {
					t.Fatal(err)
				}
				p.append(from.want[off : off+n])
			}
			pairs = append(pairs, p)
		}
		steps := make([][]op, len(pairs))
		for i := range steps {
			steps[i] = work.Draw(t, "steps")
		}
		failures := make([]error, len(pairs))
		start := make(chan struct{})
		var all sync.WaitGroup
		for i, p := range pairs {
			all.Go(func() {
				<-start
				failures[i] = runAll(p, steps[i])
			})
		}
		close(start)
		all.Wait()
		for i, p := range pairs {
			if failures[i] == nil {
				failures[i] = p.verify() // the others went on meanwhile
			}
			if failures[i] != nil {
				t.Errorf("buffer %d: %v", i, failures[i])
			}
			p.buf.Clear()
		}
	})
}

// runAll does operations one after another until one fails or panics.
func runAll(p *pair, steps []op) (failed error) {
	var at op
	defer func() {
		if r := recover(); r != nil {
			failed = fmt.Errorf("%v: panic: %v", at, r)
		}
	}()
	for _, at = range steps {
		err := at.run(p)
		if err == nil {
			err = p.verify()
		}
		if err != nil {
			return fmt.Errorf("%v: %w", at, err)
		}
	}
	return nil
}
