package okws

import (
	"context"
	"fmt"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// mirror is a connection below that answers each write with the same frame at once and costs next to nothing.
type mirror struct {
	frame   []byte
	answers int
	timeout okio.Timeout
}

func (m *mirror) Source() okio.Source    { return m }
func (m *mirror) Sink() okio.Sink        { return m }
func (m *mirror) Cancel(error)           {}
func (m *mirror) Close() error           { return nil }
func (m *mirror) Flush() error           { return nil }
func (m *mirror) Timeout() *okio.Timeout { return &m.timeout }

func (m *mirror) ReadBuffer(dst *okio.Buffer, _ int64) (int64, error) {
	n, err := dst.Write(m.frame)
	m.answers--
	return int64(n), err
}

func (m *mirror) WriteBuffer(src *okio.Buffer, n int64) error {
	m.answers++
	return src.Skip(n)
}

// What a message there and back costs besides the network, under a context that can be canceled.
func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{64, 1024, 65536} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p := pattern(size)
			cfg, err := (&Config{Compression: Compression{Off: true}}).settings()
			if err != nil {
				b.Fatal(err)
			}
			m := &mirror{frame: append(appendHeader(nil, header{op: opText, fin: true, length: int64(size)}), p...)}
			c := newConn(m, cfg, true, extensions{})
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			var memory []byte
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Write(ctx, Text, p); err != nil {
					b.Fatal(err)
				}
				if _, memory, err = c.ReadInto(ctx, memory[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
