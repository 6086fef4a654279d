package okio

import (
	"strings"
	"testing"
)

func BenchmarkReadByte(b *testing.B) {
	buf := filled('a', 64*segN)
	k := buf.Clone()
	for b.Loop() {
		if _, err := k.ReadByte(); err != nil {
			k = buf.Clone()
		}
	}
}

func BenchmarkReadUint32(b *testing.B) {
	buf := filled('a', 64*segN)
	k := buf.Clone()
	for b.Loop() {
		if _, err := k.ReadUint32(); err != nil {
			k = buf.Clone()
		}
	}
}

func BenchmarkLineView(b *testing.B) {
	text := strings.Repeat(strings.Repeat("x", 36)+"\r\n", 10000)
	buf := NewBufferString(text)
	s := NewBufferedSource(buf.Clone())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.LineView(8192); err != nil {
			_ = s.Close()
			s = NewBufferedSource(buf.Clone())
		}
	}
}

// A response head: written, moved down, read line by line.
func BenchmarkHead(b *testing.B) {
	var wire Buffer
	k := NewBufferedSink(&wire)
	s := NewBufferedSource(&wire)
	b.ReportAllocs()
	for b.Loop() {
		for range 8 {
			_, _ = k.WriteString("Content-Type")
			_, _ = k.WriteString(": ")
			_, _ = k.WriteString("text/plain; charset=utf-8")
			_, _ = k.WriteString("\r\n")
		}
		_ = k.Flush()
		for range 8 {
			if _, err := s.LineView(8192); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkMove1MiB(b *testing.B) {
	x, y := filled('a', 1<<20), new(Buffer)
	for b.Loop() {
		_ = y.WriteBuffer(x, x.Len())
		x, y = y, x
	}
}

func BenchmarkChain16KiB(b *testing.B) {
	p := make([]byte, 16<<10)
	var x, y, z Buffer
	b.SetBytes(16 << 10)
	for b.Loop() {
		_, _ = x.Write(p)
		_ = y.WriteBuffer(&x, x.Len())
		_ = z.WriteBuffer(&y, y.Len())
		_, _ = z.Read(p)
	}
}

func BenchmarkGunzip1MiB(b *testing.B) {
	var packed Buffer
	k, _ := NewGzipSink(&packed, 6)
	src := NewBufferString(randomText(1 << 20))
	_ = k.WriteBuffer(src, src.Len())
	_ = k.Close()
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		s := NewBufferedSource(NewGzipSource(packed.Clone()))
		if n, err := s.ReadAllTo(Discard()); n != 1<<20 || err != nil {
			b.Fatal(n, err)
		}
		_ = s.Close()
	}
}
