package okws

import (
	"context"
	"sync/atomic"
)

// A turn lets one goroutine at a time do something that may block, those who wait in their order, and each can give up. Where nobody waits it costs as much as a mutex.
type turn struct {
	claims atomic.Int64                  // of who has it, or to whom it is on its way, and of who waits
	first  atomic.Pointer[chan struct{}] // what handed returns, made when somebody waits for the first time
}

// handed is where the turn is on its way to one who waits. There is room, as there is only one turn.
func (t *turn) handed() chan struct{} {
	if c := t.first.Load(); c != nil {
		return *c
	}
	c := make(chan struct{}, 1)
	if !t.first.CompareAndSwap(nil, &c) {
		return *t.first.Load()
	}
	return c
}

// try takes the turn if nobody has it.
func (t *turn) try() bool { return t.claims.CompareAndSwap(0, 1) }

// take waits for the turn until ctx ends, or until done is closed, which it reports as no error.
func (t *turn) take(ctx context.Context, done <-chan struct{}) (ok bool, err error) {
	if t.claims.Add(1) == 1 {
		return true, nil
	}
	select {
	case <-t.handed():
		return true, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-done:
	}
	for {
		switch n := t.claims.Load(); {
		case n == 1: // it is on its way here, and nobody else would take it
			<-t.handed()
			t.give()
			return false, err
		case t.claims.CompareAndSwap(n, n-1):
			return false, err
		}
	}
}

func (t *turn) give() {
	if t.claims.Add(-1) > 0 {
		t.handed() <- struct{}{}
	}
}
