package pool

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// A connection that carries several calls is idle when the last of them is over.
func TestSeveralCalls(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: 100}, func(w *world) {
		e := w.add("k", "a")
		if got, _ := w.p.Acquire("k", time.Now(), all); got != nil {
			t.Error("acquired above the limit")
		}
		w.p.SetLimit(e, 2)
		if got, idle := w.p.Acquire("k", time.Now(), all); got != e || idle != 0 {
			t.Errorf("acquired %v after %v", got, idle)
		}
		if _, _, calls := w.p.Stats(); calls != 2 {
			t.Errorf("%d calls, want 2", calls)
		}
		if kept, idle := w.p.Release(e); !kept || idle {
			t.Errorf("after one of two: kept %v, idle %v", kept, idle)
		}
		w.at(200)
		w.wantClosed()
		if kept, idle := w.p.Release(e); !kept || !idle {
			t.Errorf("after both: kept %v, idle %v", kept, idle)
		}
		w.at(300)
		w.wantClosed("a")
	})
}

func TestRetire(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, func(w *world) {
		a, b := w.add("k", "a"), w.add("k", "b")
		w.p.SetLimit(a, 3)
		told := 0
		for range 2 {
			w.p.Retire(a, func() { told++ })
		}
		if told != 1 {
			t.Errorf("told %d times of one retirement", told)
		}
		if got, _ := w.p.Acquire("k", time.Now(), all); got != nil {
			t.Errorf("acquired %v, which was retired", got.Conn.name)
		}
		w.wantClosed()
		w.p.Release(a)
		w.wantClosed("a")
		w.p.Release(b)
		w.p.Retire(b, func() { w.wantClosed("a") })
		w.wantClosed("a", "b")
	})
}

func TestFind(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, func(w *world) {
		a, b := w.add("k", "a"), w.add("other", "b")
		w.p.SetLimit(a, 2)
		if got := w.p.Find(func(f *fake) bool { return f.name == "b" }); got != nil {
			t.Error("found a connection that can carry no more")
		}
		if got := w.p.Find(func(f *fake) bool { return f.name == "a" }); got != a {
			t.Errorf("found %v", got)
		}
		w.p.Release(b)
		if got := w.p.Find(func(f *fake) bool { return f.name == "b" }); got != b {
			t.Errorf("found %v", got)
		}
	})
}

// The pool tells why it closes, and looks for forgotten calls as long as it has connections.
func TestClosedAndPrune(t *testing.T) {
	var mu sync.Mutex
	var reasons []CloseReason
	pruned := 0
	cfg := Config[*fake]{MaxIdle: 1, KeepAlive: 100, MaxAge: 10_000}
	cfg.Prune = func() {
		mu.Lock()
		defer mu.Unlock()
		pruned++
	}
	cfg.Closed = func(_ *fake, r CloseReason) {
		mu.Lock()
		defer mu.Unlock()
		reasons = append(reasons, r)
	}
	inBubble(t, cfg, func(w *world) {
		held := w.add("k", "held")
		w.at(100)
		w.at(250)
		mu.Lock()
		if pruned != 2 {
			t.Errorf("looked %d times for forgotten calls, want 2", pruned)
		}
		mu.Unlock()
		a, b := w.add("k", "a"), w.add("k", "b")
		w.p.Release(a)
		w.at(260)
		w.p.Release(b)
		w.at(400)
		w.p.Remove(w.add("k", "c"))
		d := w.add("k", "d")
		w.p.Release(d)
		w.p.EvictIdle()
		w.at(11_000)
		w.p.Release(held)
		w.p.Release(w.add("k", "e"))
		w.p.Close()
		want := []CloseReason{TooMany, Expired, Unfit, Evicted, TooOld, PoolGone}
		if !slices.Equal(reasons, want) {
			t.Errorf("reasons %q, want %q", reasons, want)
		}
	})
}

// A connection is full for as long as nothing but the number of its calls keeps another one away.
func TestFull(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour, MaxAge: 100}, func(w *world) {
		any := func(*fake) bool { return true }
		want := func(when string, want bool, match func(*fake) bool) {
			t.Helper()
			if c, ok := w.p.Full("k", match); ok != want || ok != (c != nil) {
				t.Errorf("%s: %v, %v", when, c, ok)
			}
		}
		want("without connections", false, any)
		e := w.add("k", "a")
		want("with one call of one", true, any)
		want("for another kind of connections", false, func(*fake) bool { return false })
		w.p.SetLimit(e, 2)
		want("with one call of two", false, any)
		w.p.SetLimit(e, 1)
		w.at(200)
		want("of a connection that is too old", false, any)
		e = w.add("k", "b")
		w.p.Retire(e, nil)
		want("of a connection that was retired", false, any)
	})
}
