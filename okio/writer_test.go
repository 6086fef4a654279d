package okio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// pieces records the size of each write.
type pieces struct {
	bytes.Buffer
	sizes  []int
	closed int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.sizes = append(p.sizes, len(b))
	return p.Buffer.Write(b)
}

func (p *pieces) Close() error { p.closed++; return nil }

func TestToWriterJoinsSegments(t *testing.T) {
	var b Buffer
	text := randomText(3*segN + 5)
	for i := 0; i < len(text); i += 5000 { // crumbs, as views are
		part := NewBufferString(text[i:min(i+5000, len(text))])
		_ = part.CopyTo(&b, 0, part.Len())
	}
	var p pieces
	k := ToWriter(&p)
	if err := k.WriteBuffer(&b, b.Len()); err != nil {
		t.Fatal(err)
	}
	for i, n := range p.sizes[:len(p.sizes)-1] {
		if n < segN/2 || n > segN {
			t.Errorf("write %d is of %d bytes", i, n)
		}
	}
	if p.String() != text {
		t.Errorf("%d bytes", p.Len())
	}
	for range 2 {
		if err := k.Close(); err != nil || p.closed != 1 {
			t.Error(err, p.closed)
		}
	}
	if !errors.Is(k.WriteBuffer(filled('a', 1), 1), ErrClosed) || !errors.Is(k.Flush(), ErrClosed) {
		t.Error("usable after close")
	}
}

func TestToWriterErrors(t *testing.T) {
	b := filled('a', 10)
	if ToWriter(b) != Sink(b) {
		t.Error("wrapped a sink")
	}
	k := ToWriter(shortWriter{})
	if err := k.WriteBuffer(b, 5); err != io.ErrShortWrite || b.Len() != 9 {
		t.Error(err, b.Len())
	}
	if err := k.WriteBuffer(b, 100); err == nil || b.Len() != 9 {
		t.Error(err, b.Len())
	}
	if err := k.Flush(); err != nil {
		t.Error(err)
	}
	var p pieces
	w := bufio.NewWriter(&p)
	k = ToWriter(w)
	_ = k.WriteBuffer(b, 9)
	if err := k.Flush(); err != nil || p.Len() != 9 {
		t.Error(err, p.Len())
	}
}

func TestToWriterOverTCP(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	got := make(chan string, 1)
	go func() {
		c, err := ln.Accept()
		if err != nil {
			got <- err.Error()
			return
		}
		p, _ := io.ReadAll(c)
		_ = c.Close()
		got <- string(p)
	}()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	text := randomText(20*segN + 100)
	b := NewBufferString("head" + text + "tail")
	k := ToWriter(c)
	if !k.(*writerSink).vectored {
		t.Error("no vectored writes on a TCP connection")
	}
	_ = b.Skip(4)
	if err := k.WriteBuffer(b, int64(len(text))); err != nil {
		t.Fatal(err)
	}
	if b.Snapshot() != "tail" {
		t.Errorf("%q left", b.Snapshot())
	}
	more := NewBufferString(text)
	if n, err := more.WriteTo(c); n != int64(len(text)) || err != nil || more.Len() != 0 {
		t.Error(n, err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range k.(*writerSink).slices {
		if p != nil {
			t.Error("the sink keeps released memory")
		}
	}
	if p := <-got; p != text+text {
		t.Errorf("%d bytes of %d came", len(p), len(text))
	}
}

func TestToWriterVectorFailure(t *testing.T) {
	a, b := net.Pipe()
	_ = b.Close()
	k := &writerSink{w: a, vectored: true}
	buf := NewBufferString(strings.Repeat("x", 3*segN))
	if err := k.WriteBuffer(buf, 3*segN); err == nil || buf.Len() != 3*segN {
		t.Error(err, buf.Len())
	}
	checkRing(t, buf)
}
