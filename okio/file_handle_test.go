package okio

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"
	"sync"
	"testing"
)

// A memFile is a File in memory whose calls can be replaced.
type memFile struct {
	mu      sync.Mutex
	data    []byte
	closes  int
	readAt  func(p []byte, off int64) (int, error)
	writeAt func(p []byte, off int64) (int, error)
	close   error
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	if f.readAt != nil {
		return f.readAt(p, off)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if off+int64(n) == int64(len(f.data)) {
		return n, io.EOF // as io.ReaderAt allows, also with a full p
	}
	return n, nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	if f.writeAt != nil {
		return f.writeAt(p, off)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := off + int64(len(p)); end > int64(len(f.data)) {
		f.data = append(f.data, make([]byte, end-int64(len(f.data)))...)
	}
	return copy(f.data[off:], p), nil
}

func (f *memFile) Size() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *memFile) Truncate(n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.data = append(f.data[:min(n, int64(len(f.data)))], make([]byte, max(0, n-int64(len(f.data))))...)
	return nil
}

func (f *memFile) Sync() error { return nil }

func (f *memFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closes++
	return f.close
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The file is closed once, when the handle and the last of its streams are.
func TestFileHandleCountsItsUsers(t *testing.T) {
	problem := errors.New("close failed")
	closers := func(h *FileHandle) []io.Closer {
		return []io.Closer{h, must[Source](t)(h.Source(0)), must[Sink](t)(h.Sink(0)), must[Sink](t)(h.Appending()), must[Source](t)(h.Source(9))}
	}
	for first := range 5 {
		f := &memFile{close: problem}
		all := closers(NewFileHandle(f))
		for i := range all {
			c := all[(first+i)%len(all)]
			var want error
			if i == len(all)-1 {
				want = problem // whoever goes last
			}
			if f.closes != 0 {
				t.Fatalf("closed with %d users left", len(all)-i)
			}
			if err := c.Close(); err != want {
				t.Errorf("close %d gave %v, want %v", i, err, want)
			}
			if err := c.Close(); err != nil {
				t.Errorf("second close gave %v", err)
			}
		}
		if f.closes != 1 {
			t.Errorf("closed %d times", f.closes)
		}
	}
	// What fails does not count.
	f := new(memFile)
	h := NewFileHandle(f)
	for _, off := range []int64{-1, math.MinInt64} {
		if _, err := h.Source(off); err == nil {
			t.Error("source before the start")
		}
		if _, err := h.Sink(off); err == nil {
			t.Error("sink before the start")
		}
	}
	_, _ = h.ReadAt(make([]byte, 1), -1)
	if err := h.Close(); err != nil || f.closes != 1 {
		t.Error(err, f.closes)
	}
}

// An operation that runs while the handle is closed keeps the file open, and reports what closing it gave.
func TestFileHandleClosesBehindOperations(t *testing.T) {
	problem := errors.New("close failed")
	entered, leave := make(chan struct{}), make(chan struct{})
	f := &memFile{close: problem, readAt: func(p []byte, _ int64) (int, error) {
		close(entered)
		<-leave
		return len(p), nil
	}}
	h := NewReadOnlyFileHandle(f)
	result := make(chan error)
	go func() {
		_, err := h.ReadAt(make([]byte, 3), 0)
		result <- err
	}()
	<-entered
	if err := h.Close(); err != nil || f.closes != 0 {
		t.Errorf("closed beneath an operation: %v, %d", err, f.closes)
	}
	if _, err := h.Size(); !errors.Is(err, ErrClosed) || !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	close(leave)
	if err := <-result; err != problem || f.closes != 1 {
		t.Error(err, f.closes)
	}
}

func TestFileHandleIsConcurrent(t *testing.T) {
	h := NewFileHandle(new(memFile))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			own := strings.Repeat(string(rune('a'+i)), 1000)
			k, err := h.Sink(int64(i) * 1000)
			if err != nil {
				t.Error(err)
				return
			}
			for range 10 {
				_ = h.Reposition(k, int64(i)*1000)
				for b := NewBufferString(own); b.Len() > 0; {
					if err := k.WriteBuffer(b, min(b.Len(), 300)); err != nil {
						t.Error(err)
					}
				}
				s, err := h.Source(int64(i) * 1000)
				if err != nil {
					t.Error(err)
					return
				}
				var b Buffer
				if n, err := s.ReadBuffer(&b, 1000); n != 1000 || err != nil || string(b.Snapshot()) != own {
					t.Errorf("read %d, %v", n, err)
				}
				p := make([]byte, 10)
				if n, err := h.ReadAt(p, int64(i)*1000+500); n != 10 || err != nil || string(p) != own[:10] {
					t.Errorf("read %q, %v", p, err)
				}
				_ = s.Close()
			}
			_ = k.Close()
		})
	}
	wg.Wait()
	if n, err := h.Size(); n != 8000 || err != nil {
		t.Error(n, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// Files that break their contract do no harm beyond an error.
func TestFileHandleOfBadFiles(t *testing.T) {
	trickle := &memFile{data: []byte("abcdefgh")}
	trickle.readAt = func(p []byte, off int64) (int, error) {
		if off >= 8 {
			return 0, io.EOF
		}
		return copy(p[:min(len(p), 1)], trickle.data[off:]), nil
	}
	p := make([]byte, 5)
	if n, err := NewFileHandle(trickle).ReadAt(p, 1); string(p[:n]) != "bcdef" || err != nil {
		t.Errorf("%q, %v", p[:n], err)
	}
	problem := errors.New("disk on fire")
	for _, test := range []struct {
		n    int
		err  error
		want string
	}{
		{0, nil, io.ErrNoProgress.Error()},
		{-1, nil, "count of -1 from ReadAt of 5"},
		{6, nil, "count of 6 from ReadAt of 5"},
		{3, problem, "disk on fire"},
	} {
		h := NewFileHandle(&memFile{readAt: func([]byte, int64) (int, error) { return test.n, test.err }})
		if n, err := h.ReadAt(p, 0); err == nil || !strings.Contains(err.Error(), test.want) || n < 0 || n > 5 {
			t.Errorf("%d, %v: got %d, %v", test.n, test.err, n, err)
		}
	}
	for _, test := range []struct {
		n    int
		err  error
		want string
		wn   int
	}{
		{3, nil, io.ErrShortWrite.Error(), 3},
		{-1, nil, "count of -1 from WriteAt of 5", 0},
		{6, nil, "count of 6 from WriteAt of 5", 0},
		{3, problem, "disk on fire", 3},
		{0, problem, "disk on fire", 0},
	} {
		h := NewFileHandle(&memFile{writeAt: func([]byte, int64) (int, error) { return test.n, test.err }})
		if n, err := h.WriteAt(p, 0); n != test.wn || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d, %v: got %d, %v", test.n, test.err, n, err)
		}
		// A sink keeps what was not written and knows where it is.
		k := must[Sink](t)(h.Sink(10))
		b := NewBufferString("12345")
		if err := k.WriteBuffer(b, 5); err == nil || !strings.Contains(err.Error(), test.want) || b.Len() != int64(5-test.wn) {
			t.Errorf("%d, %v: sink gave %v, %d left", test.n, test.err, err, b.Len())
		}
		if at, err := h.Position(k); at != int64(10+test.wn) || err != nil {
			t.Errorf("position %d, %v", at, err)
		}
	}
}

// Bytes that came before an error are delivered first, alone.
func TestFileSourceDefersErrors(t *testing.T) {
	problem := errors.New("bad block")
	h := NewFileHandle(&memFile{readAt: func(p []byte, off int64) (int, error) {
		if off >= segmentSize+5 {
			return 0, problem
		}
		n := min(int64(len(p)), segmentSize+5-off)
		if n < int64(len(p)) {
			return int(n), problem
		}
		return int(n), nil
	}})
	s := must[Source](t)(h.Source(0))
	var b Buffer
	if n, err := s.ReadBuffer(&b, 3*segmentSize); n != segmentSize+5 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.ReadBuffer(&b, 1); n != 0 || err != problem {
		t.Error(n, err)
	}
	if b.Len() != segmentSize+5 {
		t.Error(b.Len())
	}
}

// Large reads pass the buffer, and positions know.
func TestFileSourceIsReadDirectly(t *testing.T) {
	f := &memFile{data: []byte(strings.Repeat("0123456789", segmentSize))}
	h := NewFileHandle(f)
	s := must[Source](t)(h.Source(0))
	b := NewBufferedSource(s)
	p := make([]byte, 2*segmentSize)
	n, err := b.Read(p)
	if n != len(p) || err != nil || string(p) != string(f.data[:len(p)]) || b.Buffer().Len() != 0 {
		t.Error(n, err, b.Buffer().Len())
	}
	if at, err := h.Position(b); at != int64(len(p)) || err != nil {
		t.Error(at, err)
	}
	rest, err := io.ReadAll(b)
	if err != nil || len(rest) != len(f.data)-len(p) {
		t.Error(len(rest), err)
	}
	_ = b.Close()
	if _, err := s.(io.Reader).Read(p); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// Sinks take apart neither order nor bytes of many segments.
func TestFileSinkOfManySegments(t *testing.T) {
	f := new(memFile)
	h := NewFileHandle(f)
	k := must[Sink](t)(h.Sink(3))
	b := new(Buffer)
	want := "\x00\x00\x00"
	for i := range 20 {
		piece := strings.Repeat(string(rune('a'+i)), segmentSize/2+100*i)
		want += piece
		_ = b.WriteBuffer(NewBufferString(piece), int64(len(piece)))
	}
	_, _ = b.WriteString("not this")
	if err := k.WriteBuffer(b, int64(len(want)-3)); err != nil || string(f.data) != want || b.Snapshot() != "not this" {
		t.Error(err, len(f.data), len(want), b.Len())
	}
	at := must[Sink](t)(h.Sink(math.MaxInt64))
	if err := at.WriteBuffer(b, 1); err == nil || !strings.Contains(err.Error(), "largest offset") || b.Len() != 8 {
		t.Error(err, b.Len())
	}
}

func TestFileStreamsAllocateNothing(t *testing.T) {
	if poison {
		t.Skip("the pool is not itself under the race detector")
	}
	f := &memFile{data: make([]byte, 4*segmentSize)}
	h := NewFileHandle(f)
	s, k := must[Source](t)(h.Source(0)), must[Sink](t)(h.Sink(0))
	var b Buffer
	allocs := testing.AllocsPerRun(100, func() {
		_ = h.Reposition(s, 0)
		_ = h.Reposition(k, 0)
		if n, err := s.ReadBuffer(&b, 4*segmentSize); n != 4*segmentSize || err != nil {
			t.Error(n, err)
		}
		if err := k.WriteBuffer(&b, b.Len()); err != nil {
			t.Error(err)
		}
	})
	if allocs >= 1 {
		t.Errorf("%v allocations a round", allocs)
	}
}
