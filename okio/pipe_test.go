package okio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recordingSink remembers what is done to it.
type recordingSink struct {
	Buffer
	timeout  Timeout
	flushes  int
	closes   int
	fail     error           // of WriteBuffer, Flush and Close
	onWrite  func()          // before each write
	limits   []time.Duration // in force during each operation
	instants []time.Time     // the deadlines likewise
}

func (r *recordingSink) Timeout() *Timeout { return &r.timeout }

func (r *recordingSink) note() {
	r.limits = append(r.limits, r.timeout.Limit())
	r.instants = append(r.instants, r.timeout.Deadline())
}

func (r *recordingSink) WriteBuffer(src *Buffer, n int64) error {
	r.note()
	if r.onWrite != nil {
		r.onWrite()
	}
	if r.fail != nil {
		return r.fail
	}
	return r.Buffer.WriteBuffer(src, n)
}

func (r *recordingSink) Flush() error {
	r.note()
	r.flushes++
	return r.fail
}

func (r *recordingSink) Close() error {
	r.note()
	r.closes++
	return r.fail
}

// content returns the bytes in b without consuming them.
func content(b *Buffer) string {
	var sb strings.Builder
	for i := range b.Len() {
		sb.WriteByte(b.At(i))
	}
	return sb.String()
}

func sinkWrite(k Sink, s string) error {
	b := NewBufferString(s)
	defer b.Clear()
	return k.WriteBuffer(b, b.Len())
}

func mustSinkWrite(t *testing.T, k Sink, s string) {
	t.Helper()
	if err := sinkWrite(k, s); err != nil {
		t.Fatalf("write of %q: %v", s, err)
	}
}

// wantSource requires that exactly want comes next.
func wantSource(t *testing.T, s Source, want string) {
	t.Helper()
	var b Buffer
	for b.Len() < int64(len(want)) {
		if n, err := s.ReadBuffer(&b, int64(len(want))-b.Len()); n == 0 || err != nil {
			t.Fatalf("read = %d, %v after %q; want %q", n, err, content(&b), want)
		}
	}
	if got := content(&b); got != want {
		t.Fatalf("read %q, want %q", got, want)
	}
}

// wantSourceErr requires an error that is want and nothing delivered.
func wantSourceErr(t *testing.T, s Source, want error) {
	t.Helper()
	var b Buffer
	if n, err := s.ReadBuffer(&b, 100); n != 0 || b.Len() != 0 || !errors.Is(err, want) {
		t.Errorf("read = %d, %v with %q; want 0, %v", n, err, content(&b), want)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// Facts 111, 112 and 116, and what surrounds them.
func TestPipe(t *testing.T) {
	reason := errors.New("reason")
	tests := []struct {
		name string
		run  func(t *testing.T, p *Pipe)
	}{
		{"what is written before the close is delivered", func(t *testing.T, p *Pipe) {
			mustSinkWrite(t, p.Sink(), "abc")
			if err := errors.Join(p.Sink().Flush(), p.Sink().Close(), p.Sink().Close()); err != nil {
				t.Fatal(err)
			}
			wantErr(t, "write", sinkWrite(p.Sink(), "d"), ErrClosed)
			wantErr(t, "flush", p.Sink().Flush(), ErrClosed)
			wantSource(t, p.Source(), "abc")
			wantSourceErr(t, p.Source(), io.EOF)
			wantSourceErr(t, p.Source(), io.EOF)
		}},
		{"a read of at most 2", func(t *testing.T, p *Pipe) {
			mustSinkWrite(t, p.Sink(), "abc")
			var b Buffer
			n, err := p.Source().ReadBuffer(&b, 2)
			if n != 2 || err != nil || content(&b) != "ab" {
				t.Errorf("read %d, %v: %q", n, err, content(&b))
			}
		}},
		{"reading and writing nothing does not wait", func(t *testing.T, p *Pipe) {
			var b Buffer
			if n, err := p.Source().ReadBuffer(&b, 0); n != 0 || err != nil {
				t.Errorf("read = %d, %v", n, err)
			}
			mustSinkWrite(t, p.Sink(), "abc")
			mustSinkWrite(t, p.Sink(), "")
		}},
		{"wrong counts", func(t *testing.T, p *Pipe) {
			b := NewBufferString("ab")
			if n, err := p.Source().ReadBuffer(b, -1); n != 0 || err == nil {
				t.Errorf("read of -1 = %d, %v", n, err)
			}
			if err := p.Sink().WriteBuffer(b, -1); err == nil {
				t.Error("write of -1 succeeded")
			}
			if err := p.Sink().WriteBuffer(b, 3); err == nil {
				t.Error("write of 3 out of 2 succeeded")
			}
			if b.Len() != 2 {
				t.Errorf("%d bytes left of 2", b.Len())
			}
		}},
		{"a full pipe waits for the reader", func(t *testing.T, p *Pipe) {
			go func() {
				time.Sleep(time.Second)
				wantSource(t, p.Source(), "abc")
				time.Sleep(time.Second)
				wantSource(t, p.Source(), "def")
			}()
			start := time.Now()
			mustSinkWrite(t, p.Sink(), "abcdefghi")
			if d := time.Since(start); d != 2*time.Second {
				t.Errorf("written after %v, want 2s", d)
			}
			wantSource(t, p.Source(), "ghi")
		}},
		{"an empty pipe waits for the writer", func(t *testing.T, p *Pipe) {
			go func() {
				time.Sleep(time.Second)
				mustSinkWrite(t, p.Sink(), "a")
				time.Sleep(time.Second)
				_ = p.Sink().Close()
			}()
			start := time.Now()
			wantSource(t, p.Source(), "a")
			wantSourceErr(t, p.Source(), io.EOF)
			if d := time.Since(start); d != 2*time.Second {
				t.Errorf("ended after %v, want 2s", d)
			}
		}},
		{"the reader goes while the writer waits", func(t *testing.T, p *Pipe) {
			time.AfterFunc(time.Second, func() { _ = p.Source().Close() })
			start := time.Now()
			err := sinkWrite(p.Sink(), "abcdef")
			wantErr(t, "write", err, io.ErrClosedPipe)
			if !strings.Contains(err.Error(), "source is closed") || time.Since(start) != time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		}},
		{"write limit", func(t *testing.T, p *Pipe) {
			TimeoutOf(p.Sink()).SetLimit(time.Second)
			start := time.Now()
			b := NewBufferString("abcdef")
			checkTimeout(t, p.Sink().WriteBuffer(b, 6), "okio: write timeout after 1s")
			if d := time.Since(start); d != time.Second || content(b) != "def" {
				t.Errorf("after %v, %q left", d, content(b))
			}
			wantSource(t, p.Source(), "abc")
			if err := p.Sink().WriteBuffer(b, 3); err != nil { // the pipe works on
				t.Error(err)
			}
		}},
		{"the limit counts for each wait", func(t *testing.T, p *Pipe) {
			TimeoutOf(p.Sink()).SetLimit(time.Second)
			go func() {
				for range 5 {
					time.Sleep(900 * time.Millisecond)
					var b Buffer
					_, _ = p.Source().ReadBuffer(&b, 3)
				}
			}()
			mustSinkWrite(t, p.Sink(), "abcdefghijklmnopqr")
		}},
		{"the deadline does not", func(t *testing.T, p *Pipe) {
			start := time.Now()
			TimeoutOf(p.Sink()).SetLimit(time.Second)
			TimeoutOf(p.Sink()).SetDeadline(start.Add(2 * time.Second))
			go func() {
				for range 2 {
					time.Sleep(900 * time.Millisecond)
					var b Buffer
					_, _ = p.Source().ReadBuffer(&b, 3)
				}
			}()
			checkTimeout(t, sinkWrite(p.Sink(), "abcdefghijklmnopqr"), "okio: write timeout: deadline reached")
			if d := time.Since(start); d != 2*time.Second {
				t.Errorf("after %v, want 2s", d)
			}
		}},
		{"read limit", func(t *testing.T, p *Pipe) {
			TimeoutOf(p.Source()).SetLimit(time.Second)
			start := time.Now()
			for i := range 2 {
				_, err := p.Source().ReadBuffer(new(Buffer), 1)
				checkTimeout(t, err, "okio: read timeout after 1s")
				if d := time.Since(start); d != time.Duration(1+i)*time.Second {
					t.Errorf("after %v", d)
				}
			}
			mustSinkWrite(t, p.Sink(), "a")
			wantSource(t, p.Source(), "a")
		}},
		{"deadline in the past", func(t *testing.T, p *Pipe) { // fact 108
			start := time.Now()
			TimeoutOf(p.Source()).SetDeadline(start)
			_, err := p.Source().ReadBuffer(new(Buffer), 1)
			checkTimeout(t, err, "okio: read timeout: deadline reached")
			if d := time.Since(start); d != 0 {
				t.Errorf("after %v", d)
			}
			mustSinkWrite(t, p.Sink(), "a") // what needs no waiting succeeds
			wantSource(t, p.Source(), "a")
		}},
		{"unread bytes and a closed source", func(t *testing.T, p *Pipe) {
			mustSinkWrite(t, p.Sink(), "abc")
			if err := errors.Join(p.Source().Close(), p.Source().Close()); err != nil {
				t.Fatal(err)
			}
			wantErr(t, "flush", p.Sink().Flush(), io.ErrClosedPipe)
			wantErr(t, "close", p.Sink().Close(), io.ErrClosedPipe)
			wantErr(t, "close again", p.Sink().Close(), io.ErrClosedPipe)
			wantErr(t, "write", sinkWrite(p.Sink(), "d"), io.ErrClosedPipe)
			wantSourceErr(t, p.Source(), ErrClosed)
		}},
		{"all read and a closed source", func(t *testing.T, p *Pipe) {
			mustSinkWrite(t, p.Sink(), "abc")
			wantSource(t, p.Source(), "abc")
			_ = p.Source().Close()
			if err := errors.Join(p.Sink().Flush(), p.Sink().Close()); err != nil {
				t.Error(err)
			}
		}},
		{"cancel", func(t *testing.T, p *Pipe) {
			mustSinkWrite(t, p.Sink(), "abc")
			p.Cancel(reason)
			p.Cancel(errors.New("too late"))
			wantErr(t, "write", sinkWrite(p.Sink(), "d"), reason)
			wantErr(t, "flush", p.Sink().Flush(), reason)
			wantSourceErr(t, p.Source(), reason)
			wantErr(t, "fold", p.Fold(new(recordingSink)), reason)
			if err := errors.Join(p.Sink().Close(), p.Source().Close()); err != nil {
				t.Errorf("closing: %v", err)
			}
		}},
		{"cancel frees a writer", func(t *testing.T, p *Pipe) {
			time.AfterFunc(time.Second, func() { p.Cancel(nil) })
			err := sinkWrite(p.Sink(), "abcdef")
			wantErr(t, "write", err, ErrCanceled)
			wantErr(t, "write", err, context.Canceled)
		}},
		{"cancel frees a reader", func(t *testing.T, p *Pipe) {
			TimeoutOf(p.Source()).SetLimit(time.Minute)
			time.AfterFunc(time.Second, func() { p.Cancel(nil) })
			wantSourceErr(t, p.Source(), ErrCanceled)
		}},
		{"closing the source frees its reader", func(t *testing.T, p *Pipe) {
			time.AfterFunc(time.Second, func() { _ = p.Source().Close() })
			wantSourceErr(t, p.Source(), ErrClosed)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { tt.run(t, NewPipe(3)) })
		})
	}
}

// Facts 113 to 116.
func TestPipeFold(t *testing.T) {
	reason := errors.New("reason")
	tests := []struct {
		name string
		run  func(t *testing.T, p *Pipe, k *recordingSink)
	}{
		{"what is buffered goes over and is flushed", func(t *testing.T, p *Pipe, k *recordingSink) {
			mustSinkWrite(t, p.Sink(), "hello")
			if err := p.Fold(k); err != nil {
				t.Fatal(err)
			}
			if content(&k.Buffer) != "hello" || k.flushes != 1 || k.closes != 0 {
				t.Errorf("%q, %d flushes, %d closes", content(&k.Buffer), k.flushes, k.closes)
			}
			mustSinkWrite(t, p.Sink(), " world, longer than the pipe")
			if got := content(&k.Buffer); got != "hello world, longer than the pipe" {
				t.Errorf("target has %q", got)
			}
			if err := p.Sink().Flush(); err != nil || k.flushes != 2 {
				t.Errorf("flush: %v, %d flushes", err, k.flushes)
			}
			if err := errors.Join(p.Sink().Close(), p.Sink().Close()); err != nil || k.closes != 1 {
				t.Errorf("close: %v, %d closes", err, k.closes)
			}
			wantErr(t, "write", sinkWrite(p.Sink(), "x"), ErrClosed)
		}},
		{"nothing buffered, nothing flushed", func(t *testing.T, p *Pipe, k *recordingSink) {
			if err := p.Fold(k); err != nil || k.flushes != 0 || len(k.limits) != 0 {
				t.Errorf("%v, %d flushes, %d operations", err, k.flushes, len(k.limits))
			}
		}},
		{"twice", func(t *testing.T, p *Pipe, k *recordingSink) {
			if err := p.Fold(k); err != nil {
				t.Fatal(err)
			}
			wantErr(t, "second fold", p.Fold(k), errFolded)
			wantSourceErr(t, p.Source(), ErrClosed)
		}},
		{"frees a writer on a full pipe", func(t *testing.T, p *Pipe, k *recordingSink) {
			done := make(chan error)
			go func() { done <- sinkWrite(p.Sink(), "abcdefghijkl") }()
			synctest.Wait()
			if err := p.Fold(k); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			if got := content(&k.Buffer); got != "abcdefghijkl" {
				t.Errorf("target has %q", got)
			}
		}},
		{"a failing target", func(t *testing.T, p *Pipe, k *recordingSink) {
			k.fail = reason
			done := make(chan error)
			go func() { done <- sinkWrite(p.Sink(), "abcdefghijkl") }()
			synctest.Wait()
			wantErr(t, "fold", p.Fold(k), reason)
			wantErr(t, "write", <-done, io.ErrClosedPipe)
			wantSourceErr(t, p.Source(), ErrClosed)
			if k.closes != 0 {
				t.Error("target closed")
			}
			wantErr(t, "second fold", p.Fold(new(recordingSink)), errFolded)
		}},
		{"no target", func(t *testing.T, p *Pipe, k *recordingSink) {
			mustSinkWrite(t, p.Sink(), "abc")
			wantErr(t, "fold to nil", p.Fold(nil), errFoldNil)
			wantErr(t, "fold to itself", p.Fold(p.Sink()), errFoldSelf)
			if err := p.Fold(k); err != nil || content(&k.Buffer) != "abc" {
				t.Errorf("%v, %q", err, content(&k.Buffer))
			}
		}},
		{"a panicking target", func(t *testing.T, p *Pipe, k *recordingSink) {
			k.onWrite = func() { panic(reason) }
			done := make(chan error)
			go func() { done <- sinkWrite(p.Sink(), "abcdefghijkl") }()
			synctest.Wait()
			func() {
				defer func() {
					if got := recover(); got != reason {
						t.Errorf("recovered %v", got)
					}
				}()
				_ = p.Fold(k)
			}()
			wantErr(t, "write", <-done, io.ErrClosedPipe)
			wantErr(t, "second fold", p.Fold(new(recordingSink)), errFolded)
		}},
		{"sink closed before", func(t *testing.T, p *Pipe, k *recordingSink) {
			mustSinkWrite(t, p.Sink(), "hello")
			_ = p.Sink().Close()
			if err := p.Fold(k); err != nil || k.closes != 1 || content(&k.Buffer) != "hello" {
				t.Errorf("%v, %d closes, %q", err, k.closes, content(&k.Buffer))
			}
			if err := p.Sink().Close(); err != nil || k.closes != 1 {
				t.Errorf("%v, %d closes", err, k.closes)
			}
		}},
		{"sink closed during", func(t *testing.T, p *Pipe, k *recordingSink) {
			mustSinkWrite(t, p.Sink(), "hello")
			k.onWrite = func() { _ = p.Sink().Close() }
			if err := p.Fold(k); err != nil || k.closes != 1 || content(&k.Buffer) != "hello" {
				t.Errorf("%v, %d closes, %q", err, k.closes, content(&k.Buffer))
			}
		}},
		{"closing the target fails", func(t *testing.T, p *Pipe, k *recordingSink) {
			_ = p.Sink().Close()
			k.fail = reason
			wantErr(t, "fold", p.Fold(k), reason)
		}},
		{"canceled before: closing the sink closes the target", func(t *testing.T, p *Pipe, k *recordingSink) {
			p.Cancel(reason)
			wantErr(t, "fold", p.Fold(k), reason)
			wantErr(t, "second fold", p.Fold(new(recordingSink)), errFolded)
			if k.closes != 0 {
				t.Error("target closed at once")
			}
			if err := errors.Join(p.Sink().Close(), p.Sink().Close(), p.Source().Close()); err != nil || k.closes != 1 {
				t.Errorf("%v, %d closes", err, k.closes)
			}
		}},
		{"canceled and sink closed before: the target does not leak", func(t *testing.T, p *Pipe, k *recordingSink) {
			p.Cancel(reason)
			_ = p.Sink().Close()
			wantErr(t, "fold", p.Fold(k), reason)
			if k.closes != 1 {
				t.Errorf("%d closes", k.closes)
			}
		}},
		{"canceled after", func(t *testing.T, p *Pipe, k *recordingSink) {
			_ = p.Fold(k)
			p.Cancel(reason)
			wantErr(t, "write", sinkWrite(p.Sink(), "x"), reason)
			wantErr(t, "flush", p.Sink().Flush(), reason)
			if err := p.Sink().Close(); err != nil || k.closes != 1 {
				t.Errorf("%v, %d closes", err, k.closes)
			}
		}},
		{"limits of both apply while forwarding", func(t *testing.T, p *Pipe, k *recordingSink) {
			_ = p.Fold(k)
			k.timeout.SetLimit(3 * time.Second)
			deadline := time.Now().Add(time.Hour)
			for i, tt := range []struct{ own, want time.Duration }{{time.Second, time.Second}, {0, 3 * time.Second}, {5 * time.Second, 3 * time.Second}} {
				TimeoutOf(p.Sink()).SetLimit(tt.own)
				TimeoutOf(p.Sink()).SetDeadline(deadline)
				mustSinkWrite(t, p.Sink(), "x")
				if k.limits[i] != tt.want || !k.instants[i].Equal(deadline) {
					t.Errorf("own limit %v: %v and deadline %v while writing", tt.own, k.limits[i], k.instants[i])
				}
			}
			k.fail = reason
			wantErr(t, "flush", p.Sink().Flush(), reason)
			wantErr(t, "close", p.Sink().Close(), reason)
			if k.timeout.Limit() != 3*time.Second || !k.timeout.Deadline().IsZero() {
				t.Errorf("target is left with %v and %v", k.timeout.Limit(), k.timeout.Deadline())
			}
		}},
		{"into something that has no limits", func(t *testing.T, p *Pipe, k *recordingSink) {
			TimeoutOf(p.Sink()).SetLimit(time.Second)
			var b Buffer
			_ = p.Fold(&b)
			mustSinkWrite(t, p.Sink(), "x")
			if content(&b) != "x" {
				t.Errorf("target has %q", content(&b))
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { tt.run(t, NewPipe(5), new(recordingSink)) })
		})
	}
}

func TestPipeDefaultLimit(t *testing.T) {
	p := NewPipe(0)
	TimeoutOf(p.Sink()).SetDeadline(time.Unix(1, 0))
	err := sinkWrite(p.Sink(), strings.Repeat("x", defaultPairLimit+1))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("beyond 64 KiB: %v", err)
	}
	wantSource(t, p.Source(), strings.Repeat("x", defaultPairLimit))
}

// checkPipeTransfer sends data through a pipe in random pieces, folding it into a buffer midway if foldAt is not negative.
func checkPipeTransfer(t *testing.T, data []byte, limit int64, foldAt int, seed uint64) {
	t.Helper()
	p := NewPipe(limit)
	var wg sync.WaitGroup
	wg.Go(func() {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var b Buffer
		for rest := data; len(rest) > 0; {
			n := 1 + rnd.IntN(len(rest))
			_, _ = b.Write(rest[:n])
			rest = rest[n:]
			if err := p.Sink().WriteBuffer(&b, rnd.Int64N(b.Len()+1)); err != nil {
				t.Error(err)
				return
			}
		}
		if err := errors.Join(p.Sink().WriteBuffer(&b, b.Len()), p.Sink().Close()); err != nil {
			t.Error(err)
		}
	})
	var got recordingSink
	rnd := rand.New(rand.NewPCG(seed, 2))
	for {
		if foldAt >= 0 && got.Len() >= int64(foldAt) {
			if err := p.Fold(&got); err != nil {
				t.Error(err)
			}
			break
		}
		if n, err := p.Source().ReadBuffer(&got.Buffer, 1+rnd.Int64N(2*segmentSize)); err == io.EOF {
			break
		} else if n == 0 || err != nil {
			t.Errorf("read = %d, %v", n, err)
			break
		}
	}
	wg.Wait()
	out := make([]byte, got.Len())
	if _, err := io.ReadFull(&got, out); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(out, data) {
		t.Errorf("%d bytes arrived, differing from the %d that were sent", len(out), len(data))
	}
	if foldAt >= 0 && foldAt <= len(data) && got.closes != 1 {
		t.Errorf("folded target was closed %d times", got.closes)
	}
}

func FuzzPipe(f *testing.F) {
	f.Add(uint32(5), int64(1), -1, uint64(1))
	f.Add(uint32(100_000), int64(segmentSize), -1, uint64(2))
	f.Add(uint32(100_000), int64(1000), 30_000, uint64(3))
	f.Add(uint32(0), int64(0), 0, uint64(4))
	f.Fuzz(func(t *testing.T, size uint32, limit int64, foldAt int, seed uint64) {
		synctest.Test(t, func(t *testing.T) { checkPipeTransfer(t, transferData(size), limit, foldAt, seed) })
	})
}
