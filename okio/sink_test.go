package okio

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestSinkEmitsCompleteSegments(t *testing.T) {
	var down Buffer
	k := NewBufferedSink(&down)
	_, _ = k.WriteString(strings.Repeat("a", segN-1))
	if down.Len() != 0 {
		t.Errorf("%d bytes down", down.Len())
	}
	_ = k.WriteByte('b')
	if down.Len() != segN || k.Buffer().Len() != 0 {
		t.Errorf("%d bytes down, %d kept", down.Len(), k.Buffer().Len())
	}
	down.Clear()
	_, _ = k.Write(make([]byte, 4*segN-1))
	if down.Len() != 3*segN || k.Buffer().Len() != segN-1 {
		t.Errorf("%d bytes down, %d kept", down.Len(), k.Buffer().Len())
	}
}

func TestEmitAndFlushThroughSeveralSinks(t *testing.T) {
	var b0 Buffer
	b1 := NewBufferedSink(&b0)
	b2 := NewBufferedSink(b1)
	_, _ = b2.WriteString("hello")
	if err := b2.Emit(); err != nil || b1.Buffer().Len() != 5 || b0.Len() != 0 {
		t.Error(err, b1.Buffer().Len(), b0.Len())
	}
	if err := b2.Flush(); err != nil || b0.Snapshot() != "hello" {
		t.Error(err, b0.Snapshot())
	}
	b0.Clear()
	_, _ = b2.Buffer().Write(make([]byte, 2*segN+3616))
	if err := b2.EmitFull(); err != nil || b2.Buffer().Len() != 3616 || b1.Buffer().Len() != 0 || b0.Len() != 2*segN {
		t.Error(err, b2.Buffer().Len(), b1.Buffer().Len(), b0.Len())
	}
}

// However much is written at once, it is copied and passed on a few segments at a time.
func TestSinkBoundsItsMemory(t *testing.T) {
	for _, write := range []func(*BufferedSink) (int, error){
		func(k *BufferedSink) (int, error) { return k.Write(make([]byte, 20*segN+1)) },
		func(k *BufferedSink) (int, error) { return k.WriteString(strings.Repeat("x", 20*segN+1)) },
		func(k *BufferedSink) (int, error) {
			n, err := k.ReadFrom(&readerOnly{Reader: io.LimitReader(zeros{}, 20*segN+1)})
			return int(n), err
		},
	} {
		var down countingSink
		k := NewBufferedSink(&down)
		_ = k.WriteByte('x')
		if n, err := write(k); n != 20*segN+1 || err != nil {
			t.Error(n, err)
		}
		if most := slices.Max(down.writes); most > writePiece+segN {
			t.Errorf("%d bytes were held back", most)
		}
	}
}

func TestSinkMakesNoEmptyWrites(t *testing.T) {
	var k countingSink
	s := NewBufferedSink(&k)
	_ = s.Flush()
	_ = s.Emit()
	_, _ = s.Write(nil)
	_ = s.WriteBuffer(new(Buffer), 0)
	_ = s.Close()
	if len(k.writes) != 0 {
		t.Error(k.writes)
	}
}

func TestSinkClosed(t *testing.T) {
	down := &errSink{}
	k := NewBufferedSink(down)
	_, _ = k.WriteString("x")
	for range 2 {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(down.calls, " "); got != "write close" || down.Snapshot() != "x" {
		t.Error(got, down.Snapshot())
	}
	for name, call := range map[string]func() error{
		"Write":         func() error { _, err := k.Write([]byte("x")); return err },
		"WriteString":   func() error { _, err := k.WriteString("x"); return err },
		"WriteByte":     func() error { return k.WriteByte('x') },
		"WriteRune":     func() error { _, err := k.WriteRune('x'); return err },
		"WriteUint16":   func() error { return k.WriteUint16(1) },
		"WriteUint32":   func() error { return k.WriteUint32(1) },
		"WriteUint64":   func() error { return k.WriteUint64(1) },
		"WriteUint16LE": func() error { return k.WriteUint16LE(1) },
		"WriteUint32LE": func() error { return k.WriteUint32LE(1) },
		"WriteUint64LE": func() error { return k.WriteUint64LE(1) },
		"WriteDecimal":  func() error { return k.WriteDecimal(1) },
		"WriteHex":      func() error { return k.WriteHex(1) },
		"WriteBuffer":   func() error { return k.WriteBuffer(filled('a', 1), 1) },
		"WriteFrom":     func() error { return k.WriteFrom(filled('a', 1), 1) },
		"WriteAllFrom":  func() error { _, err := k.WriteAllFrom(filled('a', 1)); return err },
		"ReadFrom":      func() error { _, err := k.ReadFrom(&readerOnly{Reader: strings.NewReader("x")}); return err },
		"Emit":          k.Emit,
		"EmitFull":      k.EmitFull,
		"Flush":         k.Flush,
		"Err":           k.Err,
	} {
		if err := call(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSinkCloseReportsTheFirstFailure(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	down := &errSink{write: first, close: second}
	k := NewBufferedSink(down)
	_ = k.WriteByte('x')
	if err := k.Close(); err != first || strings.Join(down.calls, " ") != "write close" {
		t.Error(err, down.calls)
	}
	if err := k.WriteByte('x'); !errors.Is(err, ErrClosed) || !errors.Is(k.Err(), ErrClosed) { // reported once
		t.Error(err, k.Err())
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if err := NewBufferedSink(&errSink{close: second}).Close(); err != second {
		t.Error(err)
	}
}

func TestSinkErrorSticks(t *testing.T) {
	boom := errors.New("boom")
	down := &errSink{write: boom}
	k := NewBufferedSink(down)
	if n, err := k.Write(make([]byte, 5*segN)); n != 0 || err != boom {
		t.Error(n, err)
	}
	down.write = nil
	if _, err := k.WriteString("x"); err != boom {
		t.Error(err)
	}
	if err := k.Flush(); err != boom || k.Err() != boom {
		t.Error(err)
	}
	if err := k.Close(); err != boom || len(down.calls) != 2 {
		t.Error(err, down.calls)
	}
	k = NewBufferedSink(&errSink{flush: boom})
	if err := k.Flush(); err != boom || k.Err() != boom {
		t.Error(err)
	}
	// A mistake of the caller and an error of a source do not.
	k = NewBufferedSink(new(Buffer))
	if k.WriteBuffer(new(Buffer), 1) == nil || k.Err() != nil {
		t.Error(k.Err())
	}
	bad := &funcSource{read: func(*Buffer, int64) (int64, error) { return 0, boom }}
	if _, err := k.WriteAllFrom(bad); err != boom || k.Err() != nil {
		t.Error(err, k.Err())
	}
}

func TestWriteFrom(t *testing.T) {
	calls := 0
	abcd := &funcSource{read: func(dst *Buffer, max int64) (int64, error) {
		calls++
		return NewBufferString("abcd").ReadBuffer(dst, max)
	}}
	var down Buffer
	k := NewBufferedSink(&down)
	if err := k.WriteFrom(abcd, 8); err != nil {
		t.Error(err)
	}
	if err := k.WriteFrom(abcd, 0); err != nil || calls != 2 {
		t.Error(err, calls)
	}
	if err := k.WriteFrom(abcd, -1); err == nil {
		t.Error("a negative count")
	}
	_ = k.Flush()
	if got := down.Snapshot(); got != "abcdabcd" {
		t.Error(got)
	}
	down.Clear()
	if err := k.WriteFrom(NewBufferString("abcd"), 8); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if err := k.WriteFrom(new(Buffer), 8); err != io.EOF {
		t.Error(err)
	}
	_ = k.Flush()
	if got := down.Snapshot(); got != "abcd" {
		t.Error(got)
	}
}

func TestCopyBetweenBufferedStreams(t *testing.T) {
	text := randomText(5 * segN)
	var down Buffer
	k := NewBufferedSink(&down)
	if n, err := io.Copy(k, NewBufferedSource(NewBufferString(text))); n != 5*segN || err != nil {
		t.Error(n, err)
	}
	if n, err := io.Copy(k, &readerOnly{Reader: strings.NewReader(text)}); n != 5*segN || err != nil {
		t.Error(n, err)
	}
	_, _ = k.WriteString(text)
	_, _ = k.Write([]byte(text))
	if n, err := k.WriteAllFrom(NewBufferString(text)); n != 5*segN || err != nil {
		t.Error(n, err)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if got := string(down.Snapshot()); got != strings.Repeat(text, 5) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestSinkValues(t *testing.T) {
	var down Buffer
	k := NewBufferedSink(&down)
	_ = k.WriteUint16(0x0102)
	_ = k.WriteUint32(0x01020304)
	_ = k.WriteUint64(0x0102030405060708)
	_ = k.WriteUint16LE(0x0102)
	_ = k.WriteUint32LE(0x01020304)
	_ = k.WriteUint64LE(0x0102030405060708)
	_ = k.WriteDecimal(-42)
	_ = k.WriteHex(0xbeef)
	_, _ = k.WriteRune('é')
	_ = k.Flush()
	want := ByteString("\x01\x02\x01\x02\x03\x04\x01\x02\x03\x04\x05\x06\x07\x08\x02\x01\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x01-42beefé")
	if got := down.Snapshot(); got != want {
		t.Errorf("%x", got)
	}
}

func TestDiscard(t *testing.T) {
	b := filled('a', 10)
	k := Discard()
	if err := k.WriteBuffer(b, 4); err != nil || b.Len() != 6 {
		t.Error(err, b.Len())
	}
	if err := k.WriteBuffer(b, 7); err == nil {
		t.Error("discarded more than there is")
	}
	if k.Flush() != nil || k.Close() != nil {
		t.Error("failed")
	}
}
