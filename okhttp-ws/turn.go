package okws

import (
	"context"
	"sync/atomic"
)

// A turn lets one goroutine at a time do something that may block, those who wait in their order, and each can give up. Where nobody waits it costs as much as a mutex.
type turn struct {
	claims atomic.Int64  // of who has it, or to whom it is on its way, and of who waits
	handed chan struct{} // the turn on its way to one who waits; there is room, as there is only one turn
}

func (t *turn) init() { t.handed = make(chan struct{}, 1) }

// try takes the turn if nobody has it.
func (t *turn) try() bool { return t.claims.CompareAndSwap(0, 1) }

// take waits for the turn until ctx ends, or until done is closed, which it reports as no error.
func (t *turn) take(ctx context.Context, done <-chan struct{}) (ok bool, err error) {
	if t.claims.Add(1) == 1 {
		return true, nil
	}
	select {
	case <-t.handed:
		return true, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-done:
	}
	for {
		switch n := t.claims.Load(); {
		case n == 1: // it is on its way here, and nobody else would take it
			<-t.handed
			t.give()
			return false, err
		case t.claims.CompareAndSwap(n, n-1):
			return false, err
		}
	}
}

func (t *turn) give() {
	if t.claims.Add(-1) > 0 {
		t.handed <- struct{}{}
	}
}
