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

// arm sets the timer for when the next connection is to be closed. Calls that were forgotten are looked for at that time too, at the latest
// after the keep-alive. The lock is held.
func (p *Pool[K, C]) arm(now time.Duration) {
	if p.armed || p.closed || p.idle+p.inUse == 0 {
		return
	}
	in := p.cfg.KeepAlive
	if p.cfg.MaxAge > 0 { // what comes while the timer runs must not be due before it
		in = min(in, p.cfg.MaxAge)
	}
	for _, g := range p.groups {
		for _, e := range g.entries {
			if e.calls == 0 {
				in = min(in, p.cfg.KeepAlive-(now-e.idleAt))
			}
			if p.cfg.MaxAge > 0 && (e.calls == 0 || !p.tooOld(e, now)) { // it may become idle until then
				in = min(in, p.cfg.MaxAge-(now-e.made))
			}
		}
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
		p.guarded(p.cfg.Prune)
	}
	now := time.Since(p.epoch)
	old := p.drop(func(e *Entry[K, C]) bool { return e.calls == 0 && p.expired(e, now) })
	aged := p.drop(func(e *Entry[K, C]) bool { return e.calls == 0 && p.tooOld(e, now) })
	p.mu.Lock()
	out := p.surplus()
	p.armed = false
	p.arm(now)
	p.mu.Unlock()
	p.guarded(func() { p.shut(old, Expired) })
	p.guarded(func() { p.shut(aged, TooOld) })
	p.guarded(func() { p.shut(out, TooMany) })
}
