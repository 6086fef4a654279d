package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// opener makes connections for a policy: named a, b, c …, each carrying a number of calls.
type opener struct {
	w      *world
	limit  int
	opened int
	starts []time.Duration
	fail   int // the next openings that fail
	made   []*Entry[string, *fake]
}

func (o *opener) policy(calls int) Policy[string, *fake] {
	return Policy[string, *fake]{MinCalls: calls, Backoff: time.Minute, Open: func(ctx context.Context) (*Entry[string, *fake], error) {
		c, err := o.open(ctx)
		if err != nil {
			return nil, err
		}
		e := NewEntry("k", c, o.limit)
		o.made = append(o.made, e)
		return e, nil
	}}
}

func (o *opener) open(ctx context.Context) (*fake, error) {
	o.starts = append(o.starts, time.Since(o.w.start))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if o.fail > 0 {
		o.fail--
		return nil, errors.New("refused")
	}
	o.opened++
	name := string(rune('a' + o.opened - 1))
	return &fake{name, func(name string) {
		o.w.mu.Lock()
		defer o.w.mu.Unlock()
		o.w.closed = append(o.w.closed, name)
	}}, nil
}

func withPolicy(t *testing.T, cfg Config[*fake], limit int, test func(w *world, o *opener)) {
	t.Helper()
	inBubble(t, cfg, func(w *world) { test(w, &opener{w: w, limit: limit}) })
}

func TestPolicyOpens(t *testing.T) {
	withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
		w.p.SetPolicy("k", o.policy(1))
		w.at(1)
		w.wantStats(1, 1)
		w.p.SetPolicy("k", o.policy(2))
		w.at(2)
		w.wantStats(2, 2)
		w.p.SetPolicy("k", o.policy(2))
		w.at(3)
		w.wantStats(2, 2)
		if e, idle := w.p.Acquire("k", time.Now(), all); e != o.made[0] || idle != 3 {
			t.Errorf("acquired %v after %v, want the first that was opened, at 0", e, idle)
		}
	})
}

// Lowering a policy lets a connection go once the idle limit is exceeded.
func TestPolicyLowered(t *testing.T) {
	withPolicy(t, Config[*fake]{MaxIdle: -1, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
		w.p.SetPolicy("k", o.policy(2))
		w.at(1)
		w.wantStats(2, 2)
		w.p.SetPolicy("k", o.policy(1))
		w.wantStats(1, 1)
		w.p.SetPolicy("k", o.policy(0))
		w.wantStats(0, 0)
	})
}

// Connections of HTTP/2 carry several calls.
func TestPolicyCapacity(t *testing.T) {
	for calls, want := range map[int]int{5: 1, 6: 2} {
		t.Run(fmt.Sprint(calls), func(t *testing.T) {
			withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, 5, func(w *world, o *opener) {
				w.p.SetPolicy("k", o.policy(calls))
				w.at(1)
				w.wantStats(want, want)
			})
		})
	}
	withPolicy(t, Config[*fake]{MaxIdle: 1, KeepAlive: time.Hour}, 5, func(w *world, o *opener) {
		w.p.SetPolicy("k", o.policy(5))
		w.at(1)
		w.p.SetLimit(o.made[0], 3)
		w.at(2)
		w.wantStats(2, 2)
		w.p.SetLimit(o.made[0], 5) // the second is not needed any more
		w.wantStats(1, 1)
	})
}

func TestPolicyReplacesWhatGoes(t *testing.T) {
	withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: 100}, 1, func(w *world, o *opener) {
		w.p.SetPolicy("k", o.policy(1))
		w.at(99)
		w.wantClosed()
		w.at(100) // the old one goes although the policy needs it, and another takes its place
		w.wantClosed("a")
		w.wantStats(1, 1)
		w.p.EvictIdle()
		w.at(101)
		w.wantClosed("a", "b")
		w.wantStats(1, 1)
		w.p.Remove(o.made[2])
		w.at(102)
		w.wantStats(1, 1)
		e, _ := w.p.Acquire("k", time.Now(), all)
		w.p.Retire(e, nil)
		w.p.Release(e)
		w.at(103)
		w.wantClosed("a", "b", "c", "d")
		w.wantStats(1, 1)
	})
}

// A connection that ends as soon as it was opened, without having been used, is one that could not be opened.
func TestPolicyWasted(t *testing.T) {
	withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
		w.p.SetPolicy("k", o.policy(1))
		for i := range 3 {
			w.at(time.Duration(i)*time.Minute + time.Duration(i+1)*time.Millisecond)
			w.wantStats(1, 1)
			w.p.Retire(o.made[i], nil)
			w.at(time.Duration(i+1)*time.Minute - time.Second)
			w.wantStats(0, 0)
		}
		w.at(3*time.Minute + 3*time.Millisecond + time.Second) // it lasts
		w.p.Retire(o.made[3], nil)
		w.at(3*time.Minute + 4*time.Millisecond + time.Second)
		w.wantStats(1, 1)
	})
}

// Idle connections that a policy needs neither count nor go.
func TestPolicyAndIdleLimit(t *testing.T) {
	withPolicy(t, Config[*fake]{MaxIdle: 1, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
		w.p.SetPolicy("k", o.policy(2))
		w.at(1)
		x, y := w.add("other", "x"), w.add("other", "y")
		w.p.Release(x)
		w.wantClosed()
		w.at(2)
		w.p.Release(y)
		w.wantClosed("x")
		w.wantStats(3, 3)
	})
}

func TestPolicyBackOff(t *testing.T) {
	withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
		o.fail = 2
		w.p.SetPolicy("k", o.policy(1))
		w.at(time.Second)
		w.p.SetPolicy("k", o.policy(1)) // neither this nor the eviction shortens the wait
		w.p.EvictIdle()
		w.at(3 * time.Minute)
		if want := []time.Duration{0, time.Minute, 2 * time.Minute}; !slices.Equal(o.starts, want) {
			t.Errorf("opened at %v, want %v", o.starts, want)
		}
		w.wantStats(1, 1)
	})
	withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
		o.fail = 1000
		jittered := o.policy(1)
		jittered.Jitter = 100 * time.Millisecond
		w.p.SetPolicy("k", jittered)
		w.at(100 * time.Minute)
		for i := 1; i < len(o.starts); i++ {
			if d := o.starts[i] - o.starts[i-1]; d < time.Minute-jittered.Jitter || d > time.Minute+jittered.Jitter {
				t.Fatalf("a back-off of %v", d)
			}
		}
		w.p.SetPolicy("k", o.policy(0)) // ends the back-off, and with it the goroutine
		w.at(101 * time.Minute)
		n := len(o.starts)
		w.at(200 * time.Minute)
		if len(o.starts) != n {
			t.Error("opened without a policy")
		}
	})
}

// Absurd values of a user end nothing.
func TestPolicyBackOffBounds(t *testing.T) {
	for _, d := range []struct{ backoff, jitter time.Duration }{{1<<63 - 1, 1<<63 - 1}, {time.Minute, 1<<63 - 1}, {0, 1<<63 - 1}, {-1, -1}} {
		withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
			o.fail = 3
			policy := o.policy(1)
			policy.Backoff, policy.Jitter = d.backoff, d.jitter
			w.p.SetPolicy("k", policy)
			w.at(10 * time.Minute)
			if d.backoff > time.Hour && len(o.starts) != 1 || d.backoff <= 0 && len(o.starts) != 4 {
				t.Errorf("%d openings with a back-off of %v", len(o.starts), d.backoff)
			}
		})
	}
}

// An opening that panics is one that failed.
func TestPolicyPanics(t *testing.T) {
	var told []any
	withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour, Panicked: func(v any) { told = append(told, v) }}, 1, func(w *world, o *opener) {
		policy := o.policy(1)
		open := policy.Open
		policy.Open = func(ctx context.Context) (*Entry[string, *fake], error) {
			if len(told) < 2 {
				panic("opening")
			}
			return open(ctx)
		}
		w.p.SetPolicy("k", policy)
		w.at(time.Minute)
		w.wantStats(0, 0)
		w.at(2 * time.Minute)
		w.wantStats(1, 1)
		if len(told) != 2 || told[0] != "opening" {
			t.Errorf("told of %v", told)
		}
	})
}

func TestCloseEndsPolicies(t *testing.T) {
	withPolicy(t, Config[*fake]{MaxIdle: 5, KeepAlive: time.Hour}, 1, func(w *world, o *opener) {
		w.p.SetPolicy("k", o.policy(2))
		w.at(1)
		o.fail = 1000
		w.p.SetPolicy("failing", o.policy(1))
		w.at(2)
		w.p.Close()
		w.wantStats(0, 0)
		w.p.SetPolicy("k", o.policy(3))
		w.at(3)
		w.wantStats(0, 0)
	})
}
