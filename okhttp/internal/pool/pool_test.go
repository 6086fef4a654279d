package pool

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fake is a connection that remembers when it was closed.
type fake struct {
	name   string
	closed func(string)
}

func (f *fake) Close() error {
	f.closed(f.name)
	return nil
}

type world struct {
	t     *testing.T
	p     *Pool[string, *fake]
	start time.Time

	mu     sync.Mutex
	closed []string
}

func inBubble(t *testing.T, cfg Config[*fake], test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, p: New[string, *fake](cfg), start: time.Now()}
		test(w)
		w.p.Close()
	})
}

func (w *world) add(key, name string) *Entry[string, *fake] {
	e := NewEntry(key, &fake{name, func(name string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.closed = append(w.closed, name)
	}}, 1)
	w.p.Add(e)
	return e
}

// at moves to an instant since the start and lets what is due then happen.
func (w *world) at(d time.Duration) {
	time.Sleep(d - time.Since(w.start))
	synctest.Wait()
}

func (w *world) wantClosed(names ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.closed, names) {
		w.t.Errorf("at %v closed %v, want %v", time.Since(w.start), w.closed, names)
	}
}

func (w *world) wantStats(connections, idle int) {
	w.t.Helper()
	if c, i, _ := w.p.Stats(); c != connections || i != idle {
		w.t.Errorf("%d connections, %d idle, want %d and %d", c, i, connections, idle)
	}
}

// Fact 51 of the specification: idle from 50 with a keep-alive of 100 is closed at 150, and not at 149.
func TestKeepAliveBoundary(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: 100}, func(w *world) {
		e := w.add("k", "a")
		w.at(50)
		w.p.Release(e)
		w.at(149)
		w.wantClosed()
		w.wantStats(1, 1)
		w.at(150)
		w.wantClosed("a")
		w.wantStats(0, 0)
	})
}

// Each connection has its own time, however the timer was armed before.
func TestEachExpiresInItsTime(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: 100}, func(w *world) {
		a, b := w.add("k", "a"), w.add("other", "b")
		w.p.Release(a)
		w.at(30)
		w.p.Release(b)
		w.at(60)
		if e, idle := w.p.Acquire("k", time.Now(), all); e != a || idle != 60 {
			t.Fatalf("acquired %v after %v", e, idle)
		}
		w.p.Release(a)
		w.at(129)
		w.wantClosed()
		w.at(130)
		w.wantClosed("b")
		w.at(160)
		w.wantClosed("b", "a")
	})
}

// Fact 52: of three idle connections where two are allowed, the one idle for longest goes.
func TestMaxIdle(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 2, KeepAlive: time.Hour}, func(w *world) {
		a, b, c := w.add("k", "a"), w.add("k", "b"), w.add("other", "c")
		w.at(1)
		w.p.Release(b)
		w.at(2)
		w.p.Release(a)
		w.wantClosed()
		w.at(3)
		w.p.Release(c)
		w.wantClosed("b")
		w.wantStats(2, 2)
	})
}

func TestKeepNone(t *testing.T) {
	inBubble(t, Config[*fake]{KeepAlive: time.Hour}, func(w *world) {
		w.p.Release(w.add("k", "a"))
		w.wantClosed("a")
		w.wantStats(0, 0)
	})
}

func TestOldestFirst(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, func(w *world) {
		a, b := w.add("k", "a"), w.add("k", "b")
		w.p.Release(b)
		w.p.Release(a)
		for _, want := range []*Entry[string, *fake]{a, b, nil} {
			if e, _ := w.p.Acquire("k", time.Now(), all); e != want {
				t.Errorf("acquired %v, want %v", e, want)
			}
		}
		if e, _ := w.p.Acquire("other", time.Now(), all); e != nil {
			t.Errorf("acquired %v for another key", e)
		}
	})
}

// all accepts every connection.
func all(*fake) bool { return true }

func TestAcquireMatching(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, func(w *world) {
		a, b := w.add("k", "a"), w.add("k", "b")
		w.p.Release(a)
		w.p.Release(b)
		second := func(c *fake) bool { return c == b.Conn }
		for _, want := range []*Entry[string, *fake]{b, nil} {
			if e, _ := w.p.Acquire("k", time.Now(), second); e != want {
				t.Errorf("acquired %v, want %v", e, want)
			}
		}
		w.wantStats(2, 1)
	})
}

func TestMaxAge(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour, MaxAge: 100}, func(w *world) {
		a := w.add("k", "a")
		w.p.Release(a)
		w.at(99)
		if e, _ := w.p.Acquire("k", time.Now(), all); e != a {
			t.Fatal("not acquired before its age")
		}
		w.at(100)
		w.p.Release(a)
		w.wantClosed("a")
		b := w.add("k", "b")
		w.p.Release(b)
		w.at(200)
		if e, _ := w.p.Acquire("k", time.Now(), all); e != nil {
			t.Error("acquired at its age")
		}
	})
}

// What is above its age is closed at that time, whatever the timer was set for before.
func TestMaxAgeIsKept(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: 100, MaxAge: 30}, func(w *world) {
		a := w.add("k", "a")
		w.at(10)
		w.p.Release(a)
		w.at(20)
		b, c := w.add("k", "b"), w.add("k", "c")
		w.p.Release(b)
		w.at(29)
		w.wantClosed()
		w.at(30)
		w.wantClosed("a")
		w.at(49)
		w.wantClosed("a")
		w.at(50)
		w.wantClosed("a", "b")
		w.at(1000)
		w.p.Release(c)
		w.wantClosed("a", "b", "c")
	})
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: 20, MaxAge: 50}, func(w *world) {
		a := w.add("k", "a")
		w.at(45)
		w.p.Release(a)
		w.at(49)
		w.wantClosed()
		w.at(50)
		w.wantClosed("a")
	})
}

// A hook that panics on the pool's own goroutine does not keep it from closing connections, then and later.
func TestPanicWhileCleaning(t *testing.T) {
	var told []any
	cfg := Config[*fake]{MaxIdle: 5, KeepAlive: 100, Panicked: func(v any) { told = append(told, v) }}
	cfg.Prune = func() { panic("prune") }
	cfg.Closed = func(*fake, CloseReason) { panic("closed") }
	inBubble(t, cfg, func(w *world) {
		a, b := w.add("k", "a"), w.add("k", "b")
		w.p.Release(a)
		w.p.Release(b)
		w.at(100)
		w.wantClosed("a", "b")
		c := w.add("k", "c")
		w.p.Release(c)
		w.at(200)
		w.wantClosed("a", "b", "c")
		if !slices.Equal(told, []any{"prune", "closed", "prune", "closed"}) {
			t.Errorf("told of %v", told)
		}
	})
}

func TestEvictIdleLeavesThoseInUse(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, func(w *world) {
		a, b := w.add("k", "a"), w.add("k", "b")
		w.p.Release(a)
		w.p.EvictIdle()
		w.wantClosed("a")
		if got := w.p.InUse(); len(got) != 1 || got[0] != b.Conn {
			t.Errorf("in use %v", got)
		}
		w.p.Release(b)
		w.wantStats(1, 1)
	})
}

func TestRemoveAndReleaseAfterwards(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, func(w *world) {
		a := w.add("k", "a")
		w.p.Remove(a)
		w.wantClosed("a")
		w.p.Release(a)
		w.wantStats(0, 0)
	})
}

func TestClosedPoolKeepsNothing(t *testing.T) {
	inBubble(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, func(w *world) {
		a, b := w.add("k", "a"), w.add("k", "b")
		w.p.Release(a)
		w.p.Close()
		w.wantClosed("a")
		w.p.Release(b)
		w.wantClosed("a", "b")
		w.wantStats(0, 0)
	})
}

// Many goroutines take and give; no connection is ever held by two.
func TestConcurrent(t *testing.T) {
	p := New[string, *fake](Config[*fake]{MaxIdle: 3, KeepAlive: time.Millisecond})
	defer p.Close()
	var held sync.Map
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				key := "k" + string(rune('0'+i%3))
				e, _ := p.Acquire(key, time.Now(), all)
				if e == nil {
					e = NewEntry(key, &fake{"", func(string) {}}, 1)
					p.Add(e)
				}
				if _, twice := held.LoadOrStore(e, true); twice {
					t.Error("held twice")
				}
				held.Delete(e)
				if i%7 == 0 {
					p.Remove(e)
				} else {
					p.Release(e)
				}
			}
		})
	}
	wg.Wait()
	if all, idle, _ := p.Stats(); all != idle || idle > 3 {
		t.Errorf("%d connections, %d idle at the end", all, idle)
	}
}
