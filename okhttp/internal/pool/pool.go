// Package pool keeps connections for reuse. It knows nothing of HTTP: a connection is anything that can be closed, and what it
// connects to is a comparable key. A connection carries one call at a time.
//
// One mutex guards the lists and is never held while a connection is closed. The only other activity is one timer, armed while
// a connection is idle, which closes those idle for too long.
package pool

import (
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
type Config struct {
	MaxIdle   int           // connections kept idle in all; 0 or less keeps none
	KeepAlive time.Duration // how long a connection is kept idle; must be above 0
	MaxAge    time.Duration // how long after its making a connection may be reused; 0 is unlimited
}

// Pool keeps connections of type C by keys of type K. It is safe for concurrent use.
type Pool[K comparable, C Conn] struct {
	cfg   Config
	epoch time.Time // durations since then are cheaper to come by than times

	mu     sync.Mutex
	groups map[K][]*Entry[K, C] // of one key, oldest first
	idle   int
	inUse  int
	timer  *time.Timer
	armed  bool
	closed bool
}

// Entry is the place of one connection in its pool.
type Entry[K comparable, C Conn] struct {
	Conn C

	key     K
	made    time.Duration // since the pool's epoch, as all instants here
	idleAt  time.Duration // inUse while a call has it
	removed bool
}

// inUse is the idleAt of an entry that is not idle.
const inUse time.Duration = -1

// New makes an empty pool.
func New[K comparable, C Conn](cfg Config) *Pool[K, C] {
	return &Pool[K, C]{cfg: cfg, epoch: time.Now(), groups: map[K][]*Entry[K, C]{}}
}

// Acquire takes the oldest idle connection of a key and says for how long it was idle. It returns nil if there is none. The caller has
// read the clock already.
func (p *Pool[K, C]) Acquire(key K, at time.Time) (e *Entry[K, C], idleFor time.Duration) {
	now := at.Sub(p.epoch)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.groups[key] {
		if e.idleAt == inUse || p.expired(e, now) {
			continue
		}
		idleFor = now - e.idleAt
		e.idleAt = inUse
		p.idle--
		p.inUse++
		return e, idleFor
	}
	return nil, 0
}

// Add puts a new connection into the pool, in use.
func (p *Pool[K, C]) Add(key K, c C) *Entry[K, C] {
	e := &Entry[K, C]{Conn: c, key: key, made: time.Since(p.epoch), idleAt: inUse}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.groups[key] = append(p.groups[key], e)
	p.inUse++
	return e
}

// Release gives a connection back for others to use, and closes what the pool has too many of. It reports whether this one was kept.
func (p *Pool[K, C]) Release(e *Entry[K, C]) bool {
	now := time.Since(p.epoch)
	p.mu.Lock()
	if e.removed {
		p.mu.Unlock()
		return false
	}
	if p.closed || p.cfg.MaxIdle <= 0 || p.tooOld(e, now) {
		p.remove(e)
		p.mu.Unlock()
		e.Conn.Close()
		return false
	}
	e.idleAt = now
	p.idle++
	p.inUse--
	var surplus *Entry[K, C]
	if p.idle > p.cfg.MaxIdle {
		surplus = p.longestIdle()
		p.remove(surplus)
	}
	p.arm(now)
	p.mu.Unlock()
	if surplus != nil {
		surplus.Conn.Close()
	}
	return surplus != e
}

// Remove takes a connection out of the pool, in use or not, and closes it.
func (p *Pool[K, C]) Remove(e *Entry[K, C]) {
	p.mu.Lock()
	if !e.removed {
		p.remove(e)
	}
	p.mu.Unlock()
	e.Conn.Close()
}

// EvictIdle closes all idle connections.
func (p *Pool[K, C]) EvictIdle() {
	p.evict(func(e *Entry[K, C]) bool { return e.idleAt != inUse })
}

// Close closes all idle connections and from now on keeps none. Those in use are closed when they are released.
func (p *Pool[K, C]) Close() {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.EvictIdle()
}

// InUse returns the connections that a call holds now.
func (p *Pool[K, C]) InUse() []C {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]C, 0, p.inUse)
	for _, group := range p.groups {
		for _, e := range group {
			if e.idleAt == inUse {
				list = append(list, e.Conn)
			}
		}
	}
	return list
}

// Stats returns how many connections there are, and how many of them are idle.
func (p *Pool[K, C]) Stats() (connections, idle int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle + p.inUse, p.idle
}

// expired reports whether an idle connection must not be used any more.
func (p *Pool[K, C]) expired(e *Entry[K, C], now time.Duration) bool {
	return now-e.idleAt >= p.cfg.KeepAlive || p.tooOld(e, now)
}

func (p *Pool[K, C]) tooOld(e *Entry[K, C], now time.Duration) bool {
	return p.cfg.MaxAge > 0 && now-e.made >= p.cfg.MaxAge
}

// remove unlinks an entry. The lock is held; the caller closes the connection once it is not.
func (p *Pool[K, C]) remove(e *Entry[K, C]) {
	e.removed = true
	if e.idleAt == inUse {
		p.inUse--
	} else {
		p.idle--
	}
	group := p.groups[e.key]
	for i, x := range group {
		if x == e {
			copy(group[i:], group[i+1:])
			group[len(group)-1] = nil
			group = group[:len(group)-1]
			break
		}
	}
	if len(group) == 0 {
		delete(p.groups, e.key)
	} else {
		p.groups[e.key] = group
	}
}

func (p *Pool[K, C]) longestIdle() (oldest *Entry[K, C]) {
	for _, group := range p.groups {
		for _, e := range group {
			if e.idleAt != inUse && (oldest == nil || e.idleAt < oldest.idleAt) {
				oldest = e
			}
		}
	}
	return oldest
}

// arm sets the timer for the expiry of the longest idle connection, if it is not set already. The lock is held.
func (p *Pool[K, C]) arm(now time.Duration) {
	if p.armed || p.closed || p.idle == 0 {
		return
	}
	at := p.cfg.KeepAlive - (now - p.longestIdle().idleAt)
	p.armed = true
	if p.timer == nil {
		p.timer = time.AfterFunc(at, p.expire)
	} else {
		p.timer.Reset(at)
	}
}

// expire closes what has been idle for the whole keep-alive and looks again when the next one is due.
func (p *Pool[K, C]) expire() {
	now := time.Since(p.epoch)
	p.evict(func(e *Entry[K, C]) bool {
		return e.idleAt != inUse && p.expired(e, now)
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = false
	p.arm(now)
}

func (p *Pool[K, C]) evict(match func(*Entry[K, C]) bool) {
	p.mu.Lock()
	var out []*Entry[K, C]
	for _, group := range p.groups {
		for _, e := range group {
			if match(e) {
				out = append(out, e)
			}
		}
	}
	for _, e := range out {
		p.remove(e)
	}
	p.mu.Unlock()
	for _, e := range out {
		e.Conn.Close()
	}
}
