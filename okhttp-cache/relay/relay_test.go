package relay

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// memory is a file system with one file.
type memory struct {
	t  *testing.T
	fs okio.FakeFileSystem
}

var path = okio.ParsePath("/relay")

func newMemory(t *testing.T) *memory {
	m := &memory{t: t}
	m.fs.EmulateUnix()
	t.Cleanup(func() {
		if err := m.fs.CheckNoOpenFiles(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func (m *memory) open() *okio.FileHandle {
	m.t.Helper()
	h, err := m.fs.OpenReadWrite(path, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	return h
}

func (m *memory) content() []byte {
	m.t.Helper()
	h := m.open()
	defer h.Close()
	size, err := h.Size()
	if err != nil {
		m.t.Fatal(err)
	}
	p := make([]byte, size)
	if _, err := h.ReadAt(p, 0); err != nil && err != io.EOF {
		m.t.Fatal(err)
	}
	return p
}

func (m *memory) write(p string) {
	m.t.Helper()
	h := m.open()
	defer h.Close()
	if err := h.Truncate(0); err != nil {
		m.t.Fatal(err)
	}
	if _, err := h.WriteAt([]byte(p), 0); err != nil {
		m.t.Fatal(err)
	}
}

// upstream counts how often it was closed, and fails at its end if it is told to.
type upstream struct {
	okio.Buffer
	end    error
	closed int
}

func (u *upstream) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	n, err := u.Buffer.ReadBuffer(dst, most)
	if err == io.EOF && u.end != nil {
		err = u.end
	}
	return n, err
}

func (u *upstream) Close() error { u.closed++; return nil }

func upstreamOf(s string) *upstream {
	u := new(upstream)
	u.WriteString(s)
	return u
}

func (m *memory) relay(u okio.Source, buffer int) *Relay {
	m.t.Helper()
	r, err := New(m.open(), u, Config{Metadata: "meta", Buffer: buffer})
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func sourceOf(t *testing.T, r *Relay) okio.Source {
	t.Helper()
	s, ok := r.NewSource(t.Context())
	if !ok {
		t.Fatal("no source")
	}
	return s
}

// want reads until it has all of text, at most so many bytes at a time.
func want(t *testing.T, s okio.Source, most int64, text string) {
	t.Helper()
	var b okio.Buffer
	for b.Len() < int64(len(text)) {
		if n, err := s.ReadBuffer(&b, min(most, int64(len(text))-b.Len())); err != nil || n == 0 {
			t.Fatalf("read %q, then %d, %v", b.Snapshot(), n, err)
		}
	}
	if got := string(b.Snapshot()); got != text {
		t.Fatalf("read %q, want %q", got, text)
	}
}

func wantEnd(t *testing.T, s okio.Source, end error) {
	t.Helper()
	var b okio.Buffer
	if n, err := s.ReadBuffer(&b, 100); n != 0 || !errors.Is(err, end) {
		t.Fatalf("at the end %d, %v, want %v", n, err, end)
	}
}

const (
	cleanHello = "4f6b48747470206361636865207631" + "0a" + "0000000000000005" + "0000000000000004" + "68656c6c6f" + "6d657461"
)

// Section 5.1: a complete file, byte for byte.
func TestCleanFile(t *testing.T) {
	m := newMemory(t)
	s := sourceOf(t, m.relay(upstreamOf("hello"), 0))
	want(t, s, 100, "hello")
	wantEnd(t, s, io.EOF)
	s.Close()
	if got := hex.EncodeToString(m.content()); got != cleanHello {
		t.Errorf("file %s\nwant %s", got, cleanHello)
	}
}

// Section 5.1, and R6: all was read but not the end.
func TestDirtyFile(t *testing.T) {
	m := newMemory(t)
	u := upstreamOf("hel")
	s := sourceOf(t, m.relay(u, 0))
	want(t, s, 100, "hel")
	s.Close()
	if got, want := string(m.content()), "OkHttp DIRTY :(\n"+strings.Repeat("\xff", 16)+"hel"; got != want {
		t.Errorf("file %q, want %q", got, want)
	}
	if u.closed != 1 {
		t.Errorf("upstream closed %d times", u.closed)
	}
	if _, err := Read(m.open()); !errors.As(err, new(*FormatError)) || !strings.Contains(err.Error(), "unreadable cache file") {
		t.Errorf("read again: %v", err)
	}
}

// R1: one reader with small and large reads.
func TestOneReader(t *testing.T) {
	m := newMemory(t)
	r := m.relay(upstreamOf("abcdefghijklm"), 1024)
	s := sourceOf(t, r)
	want(t, s, 5, "abcde")
	want(t, s, 1024, "fghijklm")
	wantEnd(t, s, io.EOF)
	if r.IsClosed() {
		t.Error("closed already")
	}
	s.Close()
	if !r.IsClosed() {
		t.Error("not closed")
	}
	if got := m.content(); !bytes.HasPrefix(got, []byte(cleanPrefix+"\x00\x00\x00\x00\x00\x00\x00\x0d")) {
		t.Errorf("file %q", got)
	}
}

// R2, R3 and R4: two readers in turn, through the buffer and through the file.
func TestTwoReaders(t *testing.T) {
	const text = "abcdefghijklmnopqrst"
	type step struct {
		source int
		text   string
	}
	for name, c := range map[string]struct {
		upstream string
		buffer   int
		steps    []step
	}{
		"in turn":  {text, 1024, []step{{0, text}, {1, text}}},
		"buffered": {text[:10], 5, []step{{0, "abcde"}, {1, "abcde"}, {1, "fghij"}, {0, "fghij"}}},
		"from the file": {text, 5, []step{{0, "abcdefghij"}, {1, "abcdefghij"}, {1, "klmnopqrst"},
			{0, "klmnopqrst"}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(t)
			r := m.relay(upstreamOf(c.upstream), c.buffer)
			s := []okio.Source{sourceOf(t, r), sourceOf(t, r)}
			for _, step := range c.steps {
				want(t, s[step.source], 100, step.text)
			}
			wantEnd(t, s[0], io.EOF)
			wantEnd(t, s[1], io.EOF)
			s[0].Close()
			s[1].Close()
			if got := string(m.content()); got[:prefixSize] != cleanPrefix || got[headerSize:] != c.upstream+"meta" {
				t.Errorf("file %q", got)
			}
		})
	}
}

// R5: reopened.
func TestReopened(t *testing.T) {
	m := newMemory(t)
	r := m.relay(upstreamOf("hello"), 0)
	s := sourceOf(t, r)
	want(t, s, 100, "hello")
	wantEnd(t, s, io.EOF)
	s.Close()
	if _, ok := r.NewSource(t.Context()); ok {
		t.Error("a source of what is closed")
	}
	r, err := Read(m.open())
	if err != nil {
		t.Fatal(err)
	}
	if r.Metadata() != "meta" {
		t.Errorf("metadata %q", r.Metadata())
	}
	s = sourceOf(t, r)
	want(t, s, 100, "hello")
	wantEnd(t, s, io.EOF)
	s.Close()
	if _, ok := r.NewSource(t.Context()); ok {
		t.Error("a source of what is closed")
	}
	wantEnd(t, s, okio.ErrClosed)
}

// R7: closing twice gives up one source.
func TestClosedTwice(t *testing.T) {
	m := newMemory(t)
	r := m.relay(upstreamOf("hello"), 0)
	a, b := sourceOf(t, r), sourceOf(t, r)
	a.Close()
	a.Close()
	if r.IsClosed() || len(m.fs.OpenPaths()) != 1 {
		t.Error("closed")
	}
	want(t, b, 100, "hello")
	b.Close()
	if !r.IsClosed() {
		t.Error("not closed")
	}
}

// R9: the failure of the upstream is that of every reader.
func TestUpstreamFails(t *testing.T) {
	m := newMemory(t)
	u := upstreamOf("seven b")
	u.end = errors.New("broken")
	done := make(chan error, 1)
	r, err := New(m.open(), u, Config{Buffer: 4, Done: func(err error) { done <- err }})
	if err != nil {
		t.Fatal(err)
	}
	a, b := sourceOf(t, r), sourceOf(t, r)
	for range 2 {
		want(t, a, 100, "seven b")
		wantEnd(t, a, u.end)
		wantEnd(t, a, u.end)
		a, b = b, a
	}
	late := sourceOf(t, r)
	want(t, late, 100, "seven b")
	wantEnd(t, late, u.end)
	for _, s := range []okio.Source{a, b, late} {
		s.Close()
	}
	if got := <-done; got != u.end || u.closed != 1 {
		t.Errorf("done with %v, closed %d times", got, u.closed)
	}
	if got := string(m.content()); !strings.HasPrefix(got, dirtyPrefix) {
		t.Errorf("file %q", got)
	}
}

// A file that cannot be written fails every reader at the place that it is written to.
func TestFileFails(t *testing.T) {
	m := newMemory(t)
	u := upstreamOf("abcdefgh")
	r := m.relay(u, 4)
	s := sourceOf(t, r)
	want(t, s, 100, "abcd")
	full := errors.New("disk full")
	m.fs.SetFault(func(op okio.FakeOp) error {
		if op.Name == "write" {
			return full
		}
		return nil
	})
	wantEnd(t, s, full)
	late := sourceOf(t, r)
	want(t, late, 100, "abcd")
	wantEnd(t, late, full)
	s.Close()
	late.Close()
	if u.closed != 1 {
		t.Errorf("upstream closed %d times", u.closed)
	}
}

// What came whole is read whole, even if the file cannot be marked as complete.
func TestUnclean(t *testing.T) {
	m := newMemory(t)
	var done error
	r, err := New(m.open(), upstreamOf("abcd"), Config{Done: func(err error) { done = err }})
	if err != nil {
		t.Fatal(err)
	}
	s := sourceOf(t, r)
	want(t, s, 100, "abcd")
	full := errors.New("disk full")
	m.fs.SetFault(func(okio.FakeOp) error { return full })
	wantEnd(t, s, io.EOF)
	m.fs.SetFault(nil)
	s.Close()
	if !errors.Is(done, full) {
		t.Errorf("done with %v", done)
	}
	if got := string(m.content()); !strings.HasPrefix(got, dirtyPrefix) {
		t.Errorf("file %q", got)
	}
}

type panicking struct{ upstream }

func (*panicking) ReadBuffer(*okio.Buffer, int64) (int64, error) { panic("oh") }

func TestUpstreamPanics(t *testing.T) {
	s := sourceOf(t, newMemory(t).relay(new(panicking), 0))
	defer s.Close()
	var b okio.Buffer
	if n, err := s.ReadBuffer(&b, 1); n != 0 || err == nil || !strings.Contains(err.Error(), "panicked: oh") {
		t.Errorf("%d, %v", n, err)
	}
}

func TestNewFails(t *testing.T) {
	m := newMemory(t)
	h := m.open()
	m.fs.SetFault(func(okio.FakeOp) error { return errors.New("no") })
	u := upstreamOf("x")
	if _, err := New(h, u, Config{}); err == nil || u.closed != 1 {
		t.Errorf("%v, upstream closed %d times", err, u.closed)
	}
}

func TestBadReads(t *testing.T) {
	s := sourceOf(t, newMemory(t).relay(upstreamOf("x"), 0))
	defer s.Close()
	var b okio.Buffer
	if n, err := s.ReadBuffer(&b, -1); n != 0 || err == nil {
		t.Errorf("negative: %d, %v", n, err)
	}
	if n, err := s.ReadBuffer(&b, 0); n != 0 || err != nil {
		t.Errorf("zero: %d, %v", n, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	canceled, _ := s.(*source).relay.NewSource(ctx)
	defer canceled.Close()
	if n, err := canceled.ReadBuffer(&b, 1); n != 0 || err != gone {
		t.Errorf("canceled: %d, %v", n, err)
	}
}
