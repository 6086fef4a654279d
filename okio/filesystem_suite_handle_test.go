package okio

import (
	"errors"
	"io"
	"strings"
)

func (tc *fsTest) openRW(rel string) *FileHandle {
	tc.Helper()
	h, err := tc.f.OpenReadWrite(tc.path(rel), 0)
	tc.ok(err)
	tc.Cleanup(func() { _ = h.Close() })
	return h
}

func (tc *fsTest) size(h *FileHandle, want int64) {
	tc.Helper()
	if n, err := h.Size(); n != want || err != nil {
		tc.Errorf("size %d, %v, want %d", n, err, want)
	}
}

func fsHandle(tc *fsTest) {
	tc.write("a", "abcdefghij")
	h := tc.openRW("a")
	tc.size(h, 10)
	p := make([]byte, 4)
	for _, test := range []struct {
		off  int64
		want string
		err  error
	}{{0, "abcd", nil}, {6, "ghij", nil}, {8, "ij", io.EOF}, {10, "", io.EOF}, {11, "", io.EOF}} {
		if n, err := h.ReadAt(p, test.off); string(p[:n]) != test.want || err != test.err {
			tc.Errorf("read at %d: %q, %v, want %q, %v", test.off, p[:n], err, test.want, test.err)
		}
	}
	if n, err := h.ReadAt(nil, 10); n != 0 || err != nil {
		tc.Errorf("read of nothing: %d, %v", n, err)
	}
	if _, err := h.ReadAt(p, -1); err == nil {
		tc.Error("read before the start")
	}
	if _, err := h.WriteAt(p, -1); err == nil {
		tc.Error("write before the start")
	}
	if _, err := h.WriteAt(p, 1<<63-3); err == nil {
		tc.Error("write beyond the largest offset")
	}
	if err := h.Truncate(-1); err == nil {
		tc.Error("negative size")
	}

	// Overwriting and extending.
	k, err := h.Sink(7)
	tc.ok(err)
	tc.put(k, "HIJKL")
	tc.want("a", "abcdefgHIJKL")
	k, err = h.Appending()
	tc.ok(err)
	tc.put(k, "mn")
	tc.want("a", "abcdefgHIJKLmn")
	if n, err := h.WriteAt([]byte("BC"), 1); n != 2 || err != nil {
		tc.Errorf("write: %d, %v", n, err)
	}
	tc.want("a", "aBCdefgHIJKLmn")

	// Both ways of setting the size.
	tc.ok(h.Truncate(3))
	tc.want("a", "aBC")
	tc.ok(h.Truncate(5))
	tc.want("a", "aBC\x00\x00")
	tc.ok(h.Truncate(0))
	tc.size(h, 0)

	// Beyond the end.
	k, err = h.Sink(10)
	tc.ok(err)
	tc.size(h, 0) // nothing was written yet
	tc.put(k, "x")
	tc.want("a", strings.Repeat("\x00", 10)+"x")
	tc.ok(h.Truncate(2))
	if n, err := h.WriteAt([]byte("y"), 4); n != 1 || err != nil {
		tc.Errorf("write: %d, %v", n, err)
	}
	tc.want("a", "\x00\x00\x00\x00y") // and not what was there before
	if n, err := h.WriteAt(nil, 100); n != 0 || err != nil {
		tc.Errorf("write of nothing: %d, %v", n, err)
	}
	tc.size(h, 5)
	tc.ok(h.Sync())

	// Streams see each other's writes.
	s, err := h.Source(0)
	tc.ok(err)
	k, err = h.Sink(0)
	tc.ok(err)
	var got Buffer
	for _, text := range []string{"one", "two"} {
		tc.ok(k.WriteBuffer(NewBufferString(text), 3))
		if n, err := s.ReadBuffer(&got, 3); n != 3 || err != nil {
			tc.Errorf("read: %d, %v", n, err)
		}
	}
	if got.Snapshot() != "onetwo" {
		tc.Errorf("read %q", got.Snapshot())
	}
	if n, err := s.ReadBuffer(&got, 3); n != 0 || err != io.EOF {
		tc.Errorf("read: %d, %v", n, err)
	}
	tc.ok(k.WriteBuffer(NewBufferString("!"), 1))
	if n, err := s.ReadBuffer(&got, 3); n != 1 || err != nil { // on behind what was the end
		tc.Errorf("read: %d, %v", n, err)
	}
	tc.ok(k.Flush())
	tc.ok(k.Close())
	tc.ok(s.Close())

	// Reading only.
	r, err := tc.f.OpenReadOnly(tc.path("a"))
	tc.ok(err)
	for range 2 {
		_, err = r.WriteAt([]byte("x"), 0)
		_, sinkErr := r.Sink(0)
		_, appendErr := r.Appending()
		for _, err := range []error{err, sinkErr, appendErr, r.Truncate(0), r.Sync()} {
			if !errors.Is(err, ErrReadOnly) {
				tc.Errorf("error %v, want %v", err, ErrReadOnly)
			}
		}
		tc.ok(r.Close()) // being read-only is checked first
	}
	tc.size(h, 7)
}

func fsHandlePositions(tc *fsTest) {
	tc.write("a", "abcdefghijklmnop")
	h := tc.openRW("a")
	at := func(stream any, want int64) {
		tc.Helper()
		if got, err := h.Position(stream); got != want || err != nil {
			tc.Errorf("position %d, %v, want %d", got, err, want)
		}
	}
	s, err := h.Source(2)
	tc.ok(err)
	defer s.Close()
	at(s, 2)
	_, _ = s.ReadBuffer(new(Buffer), 3)
	at(s, 5)
	tc.ok(h.Reposition(s, 1))
	at(s, 1)

	b := NewBufferedSource(s)
	text := func(n int64, want string) {
		tc.Helper()
		if got, err := b.ReadText(n); got != want || err != nil {
			tc.Errorf("read %q, %v, want %q", got, err, want)
		}
	}
	text(3, "bcd")
	at(b, 4)
	at(s, 16)
	if b.Buffer().Len() != 12 {
		tc.Fatalf("%d bytes are buffered", b.Buffer().Len())
	}
	tc.ok(h.Reposition(b, 8)) // within the buffer
	at(b, 8)
	if b.Buffer().Len() != 8 {
		tc.Errorf("%d bytes are buffered, want 8", b.Buffer().Len())
	}
	text(2, "ij")
	tc.ok(h.Reposition(b, 9)) // behind the buffer
	if b.Buffer().Len() != 0 {
		tc.Errorf("%d bytes are buffered, want none", b.Buffer().Len())
	}
	if err := b.UnreadByte(); err == nil {
		tc.Error("unread a byte from before the reposition")
	}
	text(1, "j")
	tc.ok(h.Reposition(b, 16)) // to its end
	at(b, 16)
	tc.ok(h.Reposition(b, 100))
	if end, err := b.Exhausted(); !end || err != nil {
		tc.Errorf("beyond the end: %v, %v", end, err)
	}
	tc.ok(h.Reposition(b, 0))
	text(1, "a")
	if err := h.Reposition(b, -1); err == nil {
		tc.Error("reposition before the start")
	}

	k, err := h.Sink(4)
	tc.ok(err)
	at(k, 4)
	w := NewBufferedSink(k)
	_, _ = w.WriteString("EFG")
	at(w, 7)
	at(k, 4)
	tc.want("a", "abcdefghijklmnop")
	tc.ok(h.Reposition(w, 12)) // what is buffered belongs to where it was
	tc.want("a", "abcdEFGhijklmnop")
	at(w, 12)
	_, _ = w.WriteString("MN")
	tc.ok(w.Flush())
	tc.want("a", "abcdEFGhijklMNop")
	tc.ok(h.Reposition(k, 0))
	at(w, 0)
	tc.ok(k.WriteBuffer(NewBufferString("AB"), 2))
	tc.want("a", "ABcdEFGhijklMNop")

	// Streams that are not ours, closed ones, and no streams.
	other := tc.openRW("b")
	foreignSource, err := other.Source(0)
	tc.ok(err)
	defer foreignSource.Close()
	foreignSink, err := other.Sink(0)
	tc.ok(err)
	defer foreignSink.Close()
	for _, test := range []struct {
		stream any
		want   string
	}{
		{foreignSource, "source was not created by this FileHandle"},
		{NewBufferedSource(foreignSource), "source was not created by this FileHandle"},
		{NewBufferedSource(NewBufferedSource(s)), "source was not created by this FileHandle"},
		{foreignSink, "sink was not created by this FileHandle"},
		{NewBufferedSink(foreignSink), "sink was not created by this FileHandle"},
		{NewBufferedSource(new(Buffer)), "source was not created by this FileHandle"},
		{Discard(), "sink was not created by this FileHandle"},
		{42, "stream was not created by this FileHandle: int"},
		{nil, "stream was not created by this FileHandle"},
	} {
		_, err := h.Position(test.stream)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			tc.Errorf("position of %T: %v", test.stream, err)
		}
		if err := h.Reposition(test.stream, 0); err == nil || !strings.Contains(err.Error(), test.want) {
			tc.Errorf("reposition of %T: %v", test.stream, err)
		}
	}
	beneathSource, beneathSink := NewBufferedSource(s), NewBufferedSink(k)
	tc.ok(b.Close())
	tc.ok(w.Close())
	for _, stream := range []any{s, k, b, w, beneathSource, beneathSink} {
		if _, err := h.Position(stream); !errors.Is(err, ErrClosed) {
			tc.Errorf("position of a closed %T: %v", stream, err)
		}
		if err := h.Reposition(stream, 0); !errors.Is(err, ErrClosed) {
			tc.Errorf("reposition of a closed %T: %v", stream, err)
		}
	}
}

func fsHandleClosing(tc *fsTest) {
	tc.write("a", "abc")
	h := tc.openRW("a")
	s, err := h.Source(0)
	tc.ok(err)
	k, err := h.Sink(1)
	tc.ok(err)
	tc.ok(h.Close())
	tc.ok(h.Close())
	_, readErr := h.ReadAt(make([]byte, 1), 0)
	_, writeErr := h.WriteAt(make([]byte, 1), 0)
	_, sizeErr := h.Size()
	_, sourceErr := h.Source(0)
	_, sinkErr := h.Sink(0)
	_, appendErr := h.Appending()
	for i, err := range []error{readErr, writeErr, sizeErr, sourceErr, sinkErr, appendErr, h.Truncate(0), h.Sync()} {
		if !errors.Is(err, ErrClosed) {
			tc.Errorf("%d: error %v, want %v", i, err, ErrClosed)
		}
	}
	// Its streams live on.
	if _, err := h.Position(s); err != nil {
		tc.Error(err)
	}
	tc.ok(k.WriteBuffer(NewBufferString("BC"), 2))
	tc.ok(k.Close())
	if got := tc.drain(s); got != "aBC" {
		tc.Errorf("read %q", got)
	}
}

func fsStreamsClosing(tc *fsTest) {
	tc.write("a", "abc")
	h := tc.openRW("a")
	fromHandle, err := h.Source(0)
	tc.ok(err)
	plain, err := tc.f.Source(tc.path("a"))
	tc.ok(err)
	for i, s := range []Source{fromHandle, plain} {
		tc.ok(s.Close())
		tc.ok(s.Close())
		if _, err := s.ReadBuffer(new(Buffer), 1); !errors.Is(err, ErrClosed) {
			tc.Errorf("source %d: error %v, want %v", i, err, ErrClosed)
		}
	}
	toHandle, err := h.Sink(0)
	tc.ok(err)
	tc.ok(toHandle.Close())
	into, err := tc.f.Sink(tc.path("b"), 0)
	tc.ok(err)
	tc.ok(into.Close())
	behind, err := tc.f.Appending(tc.path("b"), 0)
	tc.ok(err)
	tc.ok(behind.Close())
	for i, k := range []Sink{toHandle, into, behind} {
		tc.ok(k.Close())
		if err := k.WriteBuffer(NewBufferString("x"), 1); !errors.Is(err, ErrClosed) {
			tc.Errorf("sink %d: error %v, want %v", i, err, ErrClosed)
		}
		if err := k.Flush(); !errors.Is(err, ErrClosed) {
			tc.Errorf("sink %d: flush: error %v, want %v", i, err, ErrClosed)
		}
	}
	// A sink takes what it is told and no more.
	k, err := tc.f.Sink(tc.path("b"), 0)
	tc.ok(err)
	defer k.Close()
	b := NewBufferString("abc")
	for _, n := range []int64{-1, 4} {
		if err := k.WriteBuffer(b, n); err == nil || b.Len() != 3 {
			tc.Errorf("write of %d from 3: %v, %d left", n, err, b.Len())
		}
	}
	tc.ok(k.WriteBuffer(b, 2))
	tc.want("b", "ab")
}
