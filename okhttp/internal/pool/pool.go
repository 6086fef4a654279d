// Package pool keeps connections for reuse. It knows nothing of HTTP: a connection is anything that can be closed and carries a number of
// calls at a time, and what it connects to is a comparable key.
//
// # Concurrency
//
// One mutex guards the lists. It is never held while a connection is opened or closed, nor while a function of the Config runs. Besides its
// callers, a pool has one timer, armed while it holds a connection, and one goroutine for each key whose policy is not met yet; Close waits
// for those goroutines.
package pool

import (
	"context"
	"sync"
	"time"
)

// Conn is a pooled connection.
type Conn interface {
	comparable
	// Close releases the connection. It must not block for long.
	Close() error
}

// Config bounds what a pool keeps.
type Config[C Conn] struct {
	MaxIdle   int           // connections kept idle in all; 0 or less keeps none
	KeepAlive time.Duration // how long a connection is kept idle; must be above 0
	MaxAge    time.Duration // how long after its making a connection may be reused; 0 is unlimited

	Prune  func()               // looks for calls that were forgotten, and releases what they hold, before each look for idle connections
	Closed func(C, CloseReason) // is told of each connection that the pool closed
	// Panicked is told when one of these, or a function of a Policy, panics on a goroutine of the pool's own. nil lets the panic pass, which
	// ends the program.
	Panicked func(any)
}

// CloseReason tells why a pool closed a connection.
type CloseReason string

// The reasons.
const (
	Expired  CloseReason = "idle for the whole keep-alive"
	TooMany  CloseReason = "too many idle connections"
	TooOld   CloseReason = "above the maximum age"
	Evicted  CloseReason = "evicted"
	Unfit    CloseReason = "not fit for another exchange"
	PoolGone CloseReason = "the pool was closed"
)

// Pool keeps connections of type C by keys of type K. It is safe for concurrent use.
type Pool[K comparable, C Conn] struct {
	cfg   Config[C]
	epoch time.Time // durations since then are cheaper to come by than times

	mu     sync.Mutex
	groups map[K]*group[K, C]
	idle   int // connections that carry no call
	inUse  int // the others
	calls  int
	timer  *time.Timer
	armed  bool
	closed bool

	policies int // groups that have one
	ctx      context.Context
	stop     context.CancelFunc
	openers  sync.WaitGroup
}

// group is what the pool has for one key.
type group[K comparable, C Conn] struct {
	entries []*Entry[K, C] // oldest first
	policy  *policy[K, C]  // nil: none
	latest  *Entry[K, C]   // that the policy opened, until it is known whether it was of any use
}

// Entry is the place of one connection in its pool. A connection that must know its own gets to before it is added: from then on others have it.
type Entry[K comparable, C Conn] struct {
	Conn C

	key     K
	made    time.Duration // since the pool's epoch, as all instants here
	idleAt  time.Duration // since when it carries no call, if it does not
	calls   int           // that it carries
	limit   int           // that it can carry
	retired bool          // takes no further call
	removed bool
	used    bool // carried a call
}

// NewEntry makes the place of a connection that can carry at most limit calls.
func NewEntry[K comparable, C Conn](key K, c C, limit int) *Entry[K, C] {
	return &Entry[K, C]{Conn: c, key: key, limit: limit}
}

// New makes an empty pool.
func New[K comparable, C Conn](cfg Config[C]) *Pool[K, C] {
	cfg.MaxIdle = max(cfg.MaxIdle, 0)
	p := &Pool[K, C]{cfg: cfg, epoch: time.Now(), groups: map[K]*group[K, C]{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Acquire takes the oldest connection of a key that can carry one more call and that match accepts, and says for how long it was idle, 0 if it was not. It
// returns nil if there is none. match runs under the pool's lock: it only compares. The caller has read the clock already.
func (p *Pool[K, C]) Acquire(key K, at time.Time, match func(C) bool) (e *Entry[K, C], idleFor time.Duration) {
	now := at.Sub(p.epoch)
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.groups[key]
	if g == nil {
		return nil, 0
	}
	for _, e := range g.entries {
		if p.takes(e, now) && match(e.Conn) {
			return e, p.take(e, now)
		}
	}
	return nil, 0
}

// Find takes the first connection of any key that can carry one more call and that match accepts. match runs under the pool's lock: it
// only compares.
func (p *Pool[K, C]) Find(match func(C) bool) *Entry[K, C] {
	now := time.Since(p.epoch)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.groups {
		for _, e := range g.entries {
			if p.takes(e, now) && match(e.Conn) {
				p.take(e, now)
				return e
			}
		}
	}
	return nil
}

// Full returns a connection of the key that match accepts and that takes no other call only because it carries as many as it can. match runs under
// the pool's lock: it only compares.
func (p *Pool[K, C]) Full(key K, match func(C) bool) (c C, ok bool) {
	now := time.Since(p.epoch)
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.groups[key]; g != nil {
		for _, e := range g.entries {
			if e.calls >= e.limit && !e.retired && !p.tooOld(e, now) && match(e.Conn) {
				return e.Conn, true
			}
		}
	}
	return c, false
}

func (p *Pool[K, C]) takes(e *Entry[K, C], now time.Duration) bool {
	return e.calls < e.limit && !e.retired && !p.tooOld(e, now) && !(e.calls == 0 && p.expired(e, now))
}

func (p *Pool[K, C]) take(e *Entry[K, C], now time.Duration) (idleFor time.Duration) {
	if e.calls == 0 {
		idleFor = now - e.idleAt
		p.idle--
		p.inUse++
	}
	e.used = true
	e.calls++
	p.calls++
	return idleFor
}

// Add puts a new connection into the pool, carrying one call.
func (p *Pool[K, C]) Add(e *Entry[K, C]) {
	now := time.Since(p.epoch)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(e, now)
}

// add is Add with the lock held.
func (p *Pool[K, C]) add(e *Entry[K, C], now time.Duration) {
	e.made, e.calls = now, 1
	p.link(e)
	p.inUse++
	p.calls++
	p.arm(now)
}

// AddUnless is Add, unless there is a connection of the key that can carry one more call and that match accepts, which runs under the pool's
// lock. Then it takes that one, and the new connection stays out of the pool.
func (p *Pool[K, C]) AddUnless(e *Entry[K, C], match func(C) bool) (other *Entry[K, C], added bool) {
	now := time.Since(p.epoch)
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.groups[e.key]; g != nil {
		for _, other := range g.entries {
			if p.takes(other, now) && match(other.Conn) {
				p.take(other, now)
				return other, false
			}
		}
	}
	p.add(e, now)
	return nil, true
}

func (p *Pool[K, C]) link(e *Entry[K, C]) {
	g := p.group(e.key)
	g.entries = append(g.entries, e)
}

func (p *Pool[K, C]) group(key K) *group[K, C] {
	g := p.groups[key]
	if g == nil {
		g = new(group[K, C])
		p.groups[key] = g
	}
	return g
}

// Crowded reports whether a connection carries more calls than it can: its limit was lowered.
func (p *Pool[K, C]) Crowded(e *Entry[K, C]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return e.calls > e.limit
}

// SetLimit changes how many calls a connection can carry. Calls above it go on.
func (p *Pool[K, C]) SetLimit(e *Entry[K, C], limit int) {
	now := time.Since(p.epoch)
	p.mu.Lock()
	lower := limit < e.limit
	e.limit = limit
	var out []*Entry[K, C]
	if g := p.groups[e.key]; g != nil && g.policy != nil && !e.removed {
		if lower {
			p.schedule(e.key, g)
		} else {
			out = p.surplus()
		}
	}
	p.arm(now)
	p.mu.Unlock()
	p.shut(out, TooMany)
}

// Close closes all idle connections and from now on keeps none. Those in use are closed when they are released.
func (p *Pool[K, C]) Close() {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.stop()
	p.openers.Wait()
	p.shut(p.drop(func(e *Entry[K, C]) bool { return e.calls == 0 }), PoolGone)
}

// InUse returns the connections that carry a call now.
func (p *Pool[K, C]) InUse() []C {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]C, 0, p.inUse)
	for _, g := range p.groups {
		for _, e := range g.entries {
			if e.calls > 0 {
				list = append(list, e.Conn)
			}
		}
	}
	return list
}

// Stats returns how many connections there are, how many of them are idle, and how many calls the others carry.
func (p *Pool[K, C]) Stats() (connections, idle, calls int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle + p.inUse, p.idle, p.calls
}

// guarded runs what may call functions of the Config on a goroutine of the pool's own.
func (p *Pool[K, C]) guarded(f func()) {
	defer func() {
		if p.cfg.Panicked == nil {
			return
		}
		if v := recover(); v != nil {
			p.cfg.Panicked(v)
		}
	}()
	f()
}
