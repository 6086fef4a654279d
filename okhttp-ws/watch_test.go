package okws

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// The function of a watch is called for the operation whose context ends, once, and for none after it.
func TestWatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var fired []string
		w := watch{fire: func(cause error) { fired = append(fired, cause.Error()) }}
		want := func(what string, hit, wantHit bool, want int) {
			t.Helper()
			if hit != wantHit || len(fired) != want {
				t.Errorf("%s: hit %v, fired %q", what, hit, fired)
			}
		}
		for _, times := range []int{1, 2, 3, 4} { // registered for the operation, for good, and without a lock
			fired = nil
			ctx, cancel := context.WithCancelCause(t.Context())
			for range times - 1 {
				w.begin(ctx)
				want("nothing happens", w.end(), false, 0)
			}
			w.begin(ctx)
			cancel(errors.New("enough"))
			synctest.Wait()
			want("canceled", w.end(), true, 1)
			w.begin(ctx)
			synctest.Wait()
			want("with an ended context", w.end(), true, 2)
			w.begin(context.Background())
			want("without", w.end(), false, 2)
			other, stop := context.WithCancel(t.Context())
			w.begin(other)
			want("with another", w.end(), false, 2)
			stop()
			synctest.Wait()
			want("ended between operations", w.end(), false, 2)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		for range 3 {
			w.begin(ctx)
			w.end()
		}
		w.begin(ctx)
		w.close()
		if w.now.Load() == nil {
			t.Error("closed while busy: the registration is needed still")
		}
		w.end()
		cancel(nil)
		synctest.Wait()
		if w.now.Load() != nil || len(fired) != 2 {
			t.Errorf("closed: %v, fired %q", w.now.Load(), fired)
		}
	})
}

// A context that ends just when an operation does is told of to that one or to none.
func TestWatchRace(t *testing.T) {
	var operation, struck atomic.Int64
	w := watch{fire: func(error) { struck.Store(operation.Load()) }}
	for range 2000 {
		ctx, cancel := context.WithCancel(context.Background())
		for n := range 6 {
			if n == 3 {
				go cancel()
			}
			now := operation.Add(1)
			w.begin(ctx)
			if hit := w.end(); hit != (struck.Load() == now) {
				t.Fatalf("operation %d: hit %v, and %d was struck", now, hit, struck.Load())
			}
		}
		cancel()
	}
}
