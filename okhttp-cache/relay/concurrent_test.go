package relay

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// R8: two readers at once on a slow pipe.
func TestSlowUpstream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		pipe := okio.NewPipe(100)
		r := m.relay(pipe.Source(), 5)
		const text = "abcdefghijklmnopqrst"
		go func() {
			k := okio.NewBufferedSink(pipe.Sink())
			defer k.Close()
			for i := range len(text) {
				time.Sleep(time.Second)
				k.WriteString(text[i : i+1])
				k.Flush()
			}
		}()
		var wg sync.WaitGroup
		for range 2 {
			s := sourceOf(t, r)
			wg.Go(func() {
				defer s.Close()
				want(t, s, 3, text)
				wantEnd(t, s, io.EOF)
			})
		}
		wg.Wait()
		synctest.Wait()
		if got := string(m.content()); got != cleanPrefix+"\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00\x00\x00\x00\x00\x04"+text+"meta" {
			t.Errorf("file %q", got)
		}
	})
}

// A reader that gives up leaves the piece under way to the others.
func TestReaderGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		pipe := okio.NewPipe(100)
		r := m.relay(pipe.Source(), 5)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		hasty, _ := r.NewSource(ctx)
		patient := sourceOf(t, r)
		wantEnd(t, hasty, context.DeadlineExceeded)
		hasty.Close()
		k := okio.NewBufferedSink(pipe.Sink())
		k.WriteString("late")
		k.Close()
		want(t, patient, 100, "late")
		wantEnd(t, patient, io.EOF)
		patient.Close()
		synctest.Wait()
	})
}

// stuck is an upstream that ends when it is canceled.
type stuck struct {
	canceled chan struct{}
	once     sync.Once
	upstream
}

func (s *stuck) ReadBuffer(*okio.Buffer, int64) (int64, error) {
	<-s.canceled
	return 0, errors.New("canceled")
}

// When everybody left, the upstream is canceled in the middle of a read, and upstream and file are closed after it.
func TestEverybodyLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		u := &stuck{canceled: make(chan struct{})}
		var done error
		r, err := New(m.open(), u, Config{
			Cancel: func() { u.once.Do(func() { close(u.canceled) }) },
			Done:   func(err error) { done = err },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		s, _ := r.NewSource(ctx)
		wantEnd(t, s, context.Canceled)
		s.Close()
		synctest.Wait()
		if u.closed != 1 || done == nil {
			t.Errorf("upstream closed %d times, done with %v", u.closed, done)
		}
	})
}

// Many readers at many paces read the same.
func TestManyReaders(t *testing.T) {
	m := newMemory(t)
	text := make([]byte, 200<<10)
	for i := range text {
		text[i] = byte(i * i >> 8)
	}
	r := m.relay(upstreamOf(string(text)), 1000)
	var wg sync.WaitGroup
	for i := range 8 {
		s := sourceOf(t, r)
		wg.Go(func() {
			defer s.Close()
			want(t, s, int64(100+i*777), string(text))
			wantEnd(t, s, io.EOF)
		})
	}
	wg.Wait()
}
