package okio

import (
	"io"
	"strings"
	"testing"
)

// What flows through buffers in a steady state must not allocate: not to write, move, copy out, share or read lines.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if poison {
		t.Skip("the pool drops segments at random under the race detector")
	}
	chunk := make([]byte, 5000)
	text := string(chunk)
	head := "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nServer: test\r\n\r\nhello, world"
	out := make([]byte, 2*segN)
	var a, b, c Buffer
	loop := &Buffer{}
	in := NewBufferedSource(loop)
	k := NewBufferedSink(&c)
	set := NewByteSet("\r\n")
	options := mustOptions(t, "HTTP/1.0", "HTTP/1.1")
	writer := ToWriter(io.Discard)
	long := strings.Repeat("x", segN+100) + "\r\n"

	for _, flow := range []struct {
		name string
		run  func()
	}{
		{"write, move and read", func() {
			for range 10 {
				_, _ = a.Write(chunk)
				_, _ = a.WriteString(text)
			}
			_ = b.WriteBuffer(&a, a.Len())
			_ = c.WriteBuffer(&b, 7777)
			_ = c.WriteBuffer(&b, b.Len())
			for c.Len() > 0 {
				_, _ = c.Read(out)
			}
		}},
		{"lines", func() {
			_, _ = loop.WriteString(head)
			for range 4 {
				if _, err := in.LineView(8192); err != nil {
					t.Fatal(err)
				}
			}
			_ = in.Skip(12)
		}},
		{"lines across segments", func() {
			_, _ = loop.WriteString(long)
			if _, err := in.LineView(1 << 20); err != nil {
				t.Fatal(err)
			}
		}},
		{"search and select", func() {
			_, _ = loop.WriteString(head)
			_, _ = in.IndexByte('\n', 0, 100)
			_, _ = in.Index("\r\n\r\n", 0, 1000)
			_, _ = in.IndexAny(set, 0)
			_, _ = in.Select(options)
			_ = in.Skip(in.Buffer().Len())
		}},
		{"numbers", func() {
			_ = k.WriteByte('x')
			_ = k.WriteUint64(1)
			_ = k.WriteDecimal(-123456789)
			_ = k.WriteHex(0xabcdef)
			_, _ = k.WriteRune('é')
			_ = k.Flush()
			_, _ = c.ReadByte()
			_, _ = c.ReadUint64()
			_, _ = c.ReadDecimal()
			_ = c.Skip(c.Len())
		}},
		{"views", func() {
			_, _ = a.Write(chunk)
			_ = a.CopyTo(&b, 1000, 3000)
			_, _ = b.PeekN(100)
			copy(b.Reserve(100), text)
			b.Commit(50)
			a.Clear()
			b.Clear()
		}},
		{"to a writer", func() {
			for range 10 {
				_, _ = a.Write(chunk)
			}
			if err := writer.WriteBuffer(&a, a.Len()); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		if n := testing.AllocsPerRun(200, flow.run); n >= 1 {
			t.Errorf("%s: %v allocations a run", flow.name, n)
		}
	}
}

func TestOneAllocationForAResult(t *testing.T) {
	if poison {
		t.Skip("the pool drops segments at random under the race detector")
	}
	text := strings.Repeat("x", segN+1000)
	var b Buffer
	s := NewBufferedSource(&b)
	for _, c := range []struct {
		name string
		read func() error
	}{
		{"ReadText in a segment", func() error { _, err := s.ReadText(100); return err }},
		{"ReadText across segments", func() error { _, err := s.ReadText(int64(len(text) - 100)); return err }},
	} {
		n := testing.AllocsPerRun(100, func() {
			_, _ = b.WriteString(text)
			if err := c.read(); err != nil {
				t.Fatal(err)
			}
			_ = s.Skip(s.Buffer().Len() + b.Len())
		})
		if n != 1 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// A gzip response may cost its source and little else: the decoder is pooled.
func TestGzipSourceAllocations(t *testing.T) {
	if poison {
		t.Skip("the pool drops segments at random under the race detector")
	}
	packed := new(Buffer)
	k, _ := NewGzipSink(packed, -1)
	_ = k.WriteBuffer(NewBufferString(randomText(3000)), 3000)
	_ = k.Close()
	var up, out Buffer
	n := testing.AllocsPerRun(100, func() {
		_ = packed.CopyTo(&up, 0, packed.Len())
		s := NewGzipSource(&up)
		for {
			if _, err := s.ReadBuffer(&out, 1<<20); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		out.Clear()
		_ = s.Close()
	})
	t.Logf("%v allocations", n)
	if n > 4 {
		t.Errorf("%v allocations", n)
	}
	if b, err := readAll(NewGzipSource(packed)); len(b) != 3000 || err != nil {
		t.Error(len(b), err)
	}
}
