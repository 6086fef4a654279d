package pool

import "time"

// EvictIdle closes all idle connections. Those of a key with a policy are then opened anew.
func (p *Pool[K, C]) EvictIdle() {
	p.shut(p.drop(func(e *Entry[K, C]) bool { return e.calls == 0 }), Evicted)
}

// drop removes what matches.
func (p *Pool[K, C]) drop(match func(*Entry[K, C]) bool) (out []*Entry[K, C]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.groups {
		for _, e := range g.entries {
			if match(e) {
				out = append(out, e)
			}
		}
	}
	for _, e := range out {
		p.remove(e)
	}
	return out
}

// expired reports whether an idle connection must not be used any more.
func (p *Pool[K, C]) expired(e *Entry[K, C], now time.Duration) bool {
	return now-e.idleAt >= p.cfg.KeepAlive
}

func (p *Pool[K, C]) tooOld(e *Entry[K, C], now time.Duration) bool {
	return p.cfg.MaxAge > 0 && now-e.made >= p.cfg.MaxAge
}

// surplus removes idle connections above the limit, those idle for longest first. What a policy needs neither counts nor goes. The lock is
// held.
func (p *Pool[K, C]) surplus() (out []*Entry[K, C]) {
	for p.idle > p.cfg.MaxIdle {
		oldest, count := p.longestIdle(p.policies > 0)
		if count <= p.cfg.MaxIdle {
			break
		}
		p.remove(oldest)
		out = append(out, oldest)
	}
	return out
}

// longestIdle returns the connection that is idle for longest, and how many are idle; of all, or of those that no policy needs.
func (p *Pool[K, C]) longestIdle(spareOnly bool) (oldest *Entry[K, C], count int) {
	for _, g := range p.groups {
		for _, e := range g.entries {
			if e.calls > 0 || spareOnly && !p.spare(e) {
				continue
			}
			count++
			if oldest == nil || e.idleAt < oldest.idleAt {
				oldest = e
			}
		}
	}
	return oldest, count
}

// arm sets the timer for the expiry of the connection that is idle for longest; while all are in use, for the next look at calls that were
// forgotten. The lock is held.
func (p *Pool[K, C]) arm(now time.Duration) {
	if p.armed || p.closed || p.idle+p.inUse == 0 {
		return
	}
	in := p.cfg.KeepAlive
	if oldest, _ := p.longestIdle(false); oldest != nil {
		in -= now - oldest.idleAt
	}
	p.armed = true
	if p.timer == nil {
		p.timer = time.AfterFunc(in, p.clean)
	} else {
		p.timer.Reset(in)
	}
}

// clean closes what has been idle for the whole keep-alive and looks again when the next one is due.
func (p *Pool[K, C]) clean() {
	if p.cfg.Prune != nil {
		p.cfg.Prune()
	}
	now := time.Since(p.epoch)
	p.shut(p.drop(func(e *Entry[K, C]) bool { return e.calls == 0 && p.expired(e, now) }), Expired)
	p.shut(p.drop(func(e *Entry[K, C]) bool { return e.calls == 0 && p.tooOld(e, now) }), TooOld)
	p.mu.Lock()
	out := p.surplus()
	p.armed = false
	p.arm(now)
	p.mu.Unlock()
	p.shut(out, TooMany)
}
