package okio

import (
	"bytes"
	stdflate "compress/flate"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestInflaterSource(t *testing.T) {
	deflate := func(text string) string {
		var out bytes.Buffer
		w, _ := stdflate.NewWriter(&out, 9)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		return out.String()
	}
	const text = "God help us, we're in the hands of engineers."
	s := NewInflaterSource(NewBufferString(deflate(text)))
	var b Buffer
	if n, err := s.ReadBuffer(&b, 1); n != 1 || err != nil || b.Snapshot() != "G" {
		t.Error(n, err)
	}
	if n, err := s.ReadBuffer(&b, 10); n != 10 || err != nil || b.Snapshot() != "God help us" {
		t.Error(n, err, b.Snapshot())
	}
	packed := deflate(text)
	for cut := range len(packed) - 1 {
		_, err := readAll(NewInflaterSource(NewBufferString(packed[:cut])))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	// What follows the stream stays in a source that is buffered.
	rest := NewBufferedSource(NewBufferString(packed + "rest"))
	if got, err := readAll(NewInflaterSource(rest)); got != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got := mustText(t, rest, 4); got != "rest" {
		t.Errorf("%q", got)
	}
	// Data without its end.
	p, _ := base64.StdEncoding.DecodeString("eJwAAAD//w==")
	up := NewBufferString(string(p[2:]))
	_, err := readAll(NewInflaterSource(up))
	if err == nil || err.Error() != "okio: deflate: source exhausted prematurely" || up.Len() != 0 {
		t.Error(err, up.Len())
	}
}

func TestDeflaterRoundTripAtEveryFill(t *testing.T) {
	text := randomText(1000)
	for fill := 0; fill < segN; fill += 97 {
		var b Buffer
		_, _ = b.WriteString(strings.Repeat("x", fill))
		k, _ := NewDeflaterSink(&b, -1)
		src := NewBufferString(text)
		if err := k.WriteBuffer(src, src.Len()); err != nil {
			t.Fatal(err)
		}
		if err := k.Flush(); err != nil {
			t.Fatal(err)
		}
		flushed := b.Clone()
		_ = flushed.Skip(int64(fill))
		if got := mustText(t, NewBufferedSource(NewInflaterSource(flushed)), 1000); got != text {
			t.Fatalf("fill %d: not decodable after a flush", fill)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		_ = b.Skip(int64(fill))
		if got, err := readAll(NewInflaterSource(&b)); got != text || err != nil {
			t.Fatalf("fill %d: %d bytes, %v", fill, len(got), err)
		}
	}
}

func TestInflaterSourceClose(t *testing.T) {
	up := &funcSource{read: hexBuffer(t, "4b4c4a0600").ReadBuffer}
	s := NewInflaterSource(up)
	var b Buffer
	if n, err := s.ReadBuffer(&b, 1); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for range 2 {
		if err := s.Close(); err != nil || up.closed != 1 {
			t.Error(err, up.closed)
		}
	}
	for _, most := range []int64{0, 1} {
		if _, err := s.ReadBuffer(&b, most); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if _, err := s.ReadBuffer(&b, -1); err == nil || errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestDeflaterSinkMisuseAndFailure(t *testing.T) {
	boom := errors.New("boom")
	down := &errSink{}
	k, _ := NewDeflaterSink(down, 1)
	if err := k.WriteBuffer(NewBufferString("abc"), 4); err == nil {
		t.Error("took more than there is")
	}
	if err := k.WriteBuffer(NewBufferString("abc"), -1); err == nil {
		t.Error("took a negative count")
	}
	down.flush = boom
	if err := k.Flush(); err != boom {
		t.Error(err)
	}
	if err := k.WriteBuffer(NewBufferString("abc"), 3); err != boom { // it sticks
		t.Error(err)
	}
	down.write = errors.New("too late")
	for i := range 2 {
		if err := k.Close(); i == 0 && err != boom || i == 1 && err != nil {
			t.Error(err)
		}
	}
	if err := k.WriteBuffer(NewBufferString("abc"), 3); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	// Its own output, which it would consume as it writes it.
	for _, wrap := range []func(Sink, int) (Sink, error){NewDeflaterSink, NewGzipSink} {
		var down Buffer
		out := NewBufferedSink(&down)
		k, _ := wrap(out, 1)
		_, _ = out.Buffer().WriteString("precious")
		before := out.Buffer().Snapshot()
		for _, n := range []int64{0, 3, out.Buffer().Len()} {
			if err := k.WriteBuffer(out.Buffer(), n); err != errSelfMove {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		if got := out.Buffer().Snapshot(); got != before {
			t.Errorf("%q left, want %q", got, before)
		}
	}
	// A failure in the middle of the data.
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 40*segN)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	k, _ = NewDeflaterSink(&errSink{write: boom}, 1)
	src := NewBufferString(string(noise))
	if err := k.WriteBuffer(src, src.Len()); err != boom || src.Len() == 0 {
		t.Error(err, src.Len())
	}
}

// Whoever uses the source beneath a decoder gets what he deserves, but no panic.
func TestInflaterSourceUsedBeneath(t *testing.T) {
	var packed Buffer
	k, _ := NewDeflaterSink(&packed, 0) // stored, so that the positions are known
	src := NewBufferString(randomText(3 * segN))
	_ = k.WriteBuffer(src, src.Len())
	_ = k.Close()
	for name, use := range map[string]func(*BufferedSource) error{
		"close": (*BufferedSource).Close,
		"skip":  func(s *BufferedSource) error { return s.Skip(s.Buffer().Len()) },
		"end":   func(s *BufferedSource) error { _, err := s.ReadAllTo(Discard()); return err },
	} {
		under := NewBufferedSource(packed.Clone())
		s := NewBufferedSource(NewInflaterSource(under))
		if err := s.Require(1); err != nil {
			t.Fatal(err)
		}
		if err := use(under); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadAllTo(Discard()); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
