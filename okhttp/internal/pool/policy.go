package pool

import (
	"context"
	"math/rand/v2"
	"time"
)

// Policy asks for connections that are opened before anyone needs them.
type Policy[K comparable, C Conn] struct {
	MinCalls int           // calls that the connections of the key can carry together; 0 or less: no policy
	Backoff  time.Duration // after an opening that failed
	Jitter   time.Duration // by which the back-off varies, up and down; no more than the back-off counts
	// Open opens a connection and makes a place for it, under the policy's key.
	Open func(context.Context) (*Entry[K, C], error)
	// Added is told of each connection once it is in the pool.
	Added func(C)
}

type policy[K comparable, C Conn] struct {
	Policy[K, C]
	opening bool // a goroutine is at it
	ctx     context.Context
	stop    context.CancelFunc // ends a back-off
}

// SetPolicy replaces the policy of a key. A minimum that is higher than before opens connections until it is met; a lower one lets idle
// connections go.
func (p *Pool[K, C]) SetPolicy(key K, given Policy[K, C]) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	g := p.group(key)
	switch {
	case given.MinCalls > 0 && g.policy != nil:
		g.policy.Policy = given // a goroutine that is at it will see, after its back-off if it is in one
		p.schedule(key, g)
	case given.MinCalls > 0:
		g.policy = &policy[K, C]{Policy: given}
		g.policy.ctx, g.policy.stop = context.WithCancel(p.ctx)
		p.policies++
		p.schedule(key, g)
	default:
		if g.policy != nil {
			g.policy.stop()
			g.policy = nil
			p.policies--
		}
		if len(g.entries) == 0 {
			delete(p.groups, key)
		}
	}
	out := p.surplus()
	p.mu.Unlock()
	p.shut(out, TooMany)
}

// capacity is how many calls the connections of a group can carry together.
func (g *group[K, C]) capacity() (calls int64) {
	for _, e := range g.entries {
		if !e.retired {
			calls += int64(e.limit)
		}
	}
	return calls
}

// spare reports whether an entry can go without breaking a policy.
func (p *Pool[K, C]) spare(e *Entry[K, C]) bool {
	g := p.groups[e.key]
	return g.policy == nil || g.capacity()-int64(e.limit) >= int64(g.policy.MinCalls)
}

// schedule sees to it that the policy of a group gets what it asks for. The lock is held.
func (p *Pool[K, C]) schedule(key K, g *group[K, C]) {
	if p.closed || g.policy.opening || g.capacity() >= int64(g.policy.MinCalls) {
		return
	}
	g.policy.opening = true
	ctx := g.policy.ctx
	p.openers.Go(func() { p.open(ctx, key) })
}

// open opens connections of a key one after another until its policy is met.
func (p *Pool[K, C]) open(ctx context.Context, key K) {
	for {
		p.mu.Lock()
		g := p.groups[key]
		if g == nil || g.policy == nil || g.policy.ctx != ctx {
			p.mu.Unlock()
			return // another policy took its place, and has its own goroutine
		}
		if p.closed || g.capacity() >= int64(g.policy.MinCalls) {
			g.policy.opening = false
			p.mu.Unlock()
			return
		}
		now := g.policy.Policy
		wasted := p.wasted(g.latest)
		g.latest = nil
		p.mu.Unlock()
		if wasted {
			p.backOff(ctx, now)
			continue
		}
		opened := false
		p.guarded(func() {
			if e, err := now.Open(ctx); err == nil {
				opened = true
				p.addIdle(e)
				if now.Added != nil {
					now.Added(e.Conn)
				}
			}
		})
		if !opened {
			p.backOff(ctx, now)
		}
	}
}

// shortLived is how long a connection must have been open, if nobody used it, for its opening not to count as one that failed.
const shortLived = time.Second

// wasted reports whether a connection ended as soon as it was opened: opening another one at once would lead to the same. The lock is held.
func (p *Pool[K, C]) wasted(e *Entry[K, C]) bool {
	return e != nil && e.removed && e.retired && !e.used && time.Since(p.epoch)-e.made < shortLived
}

func (p *Pool[K, C]) backOff(ctx context.Context, now Policy[K, C]) {
	const longest = 1 << 60 // with the jitter added it is still a Duration
	wait := min(max(now.Backoff, 0), longest)
	if jitter := min(now.Jitter, wait); jitter > 0 {
		wait += rand.N(2*jitter+1) - jitter
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// addIdle puts a connection that no call asked for into the pool.
func (p *Pool[K, C]) addIdle(e *Entry[K, C]) {
	now := time.Since(p.epoch)
	e.made, e.idleAt = now, now
	p.mu.Lock()
	if p.closed {
		e.removed = true
		p.mu.Unlock()
		p.shut([]*Entry[K, C]{e}, PoolGone)
		return
	}
	p.link(e)
	p.groups[e.key].latest = e
	p.idle++
	out := p.surplus()
	p.arm(now)
	p.mu.Unlock()
	p.shut(out, TooMany)
}
