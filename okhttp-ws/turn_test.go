package okws

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// One at a time has the turn, and all who want it get it, however many give up meanwhile.
func TestTurn(t *testing.T) {
	for _, canceled := range []bool{false, true} {
		var n turn
		inside, had := 0, 0
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for k := range 200 {
					ctx, cancel := context.WithCancel(context.Background())
					if canceled && (i+k)%2 == 0 {
						go cancel()
					}
					if ok, err := n.take(ctx, nil); ok {
						if inside++; inside != 1 {
							t.Errorf("%d have the turn", inside)
						}
						had++
						inside--
						n.give()
					} else if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					cancel()
				}
			})
		}
		all.Wait()
		if !canceled && had != 16*200 {
			t.Errorf("it was had %d times", had)
		}
		if !n.try() {
			t.Error("nobody has the turn, and it cannot be had")
		}
	}
}

// Those who wait get the turn in their order, but for who gave up, and done ends all waits.
func TestTurnOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var n turn
		if !n.try() || n.try() {
			t.Fatal("a new turn")
		}
		done := make(chan struct{})
		var mu sync.Mutex
		var order []int
		for i := range 5 {
			ctx, cancel := timeout(t, time.Hour)
			if i == 2 {
				ctx, cancel = timeout(t, time.Second)
			}
			go func() {
				defer cancel()
				ok, err := n.take(ctx, done)
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				switch {
				case i == 2 && (ok || err == nil), i < 2 && !ok, i > 2 && (ok || err != nil):
					t.Errorf("%d: %v, %v", i, ok, err)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		for range 2 {
			n.give()
			synctest.Wait()
		}
		close(done)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(order) != 5 || order[0] != 2 || order[1] != 0 || order[2] != 1 {
			t.Errorf("in order %v", order)
		}
		if n.try() {
			t.Error("the turn is had")
		}
		n.give()
		if !n.try() {
			t.Error("the turn was given back")
		}
	})
}
