package pool

import "time"

// Release ends one call of a connection, and closes what the pool has too many of. It reports whether this one was kept, and whether it is
// idle now.
func (p *Pool[K, C]) Release(e *Entry[K, C]) (kept, idle bool) {
	now := time.Since(p.epoch)
	p.mu.Lock()
	if e.calls--; e.removed {
		p.mu.Unlock()
		return false, false
	}
	if p.calls--; e.calls > 0 {
		p.mu.Unlock()
		return true, false
	}
	e.idleAt = now
	p.inUse--
	p.idle++
	var reason CloseReason
	switch {
	case p.closed:
		reason = PoolGone
	case e.retired:
		reason = Unfit
	case p.cfg.MaxIdle == 0 && p.spare(e):
		reason = TooMany
	case p.tooOld(e, now):
		reason = TooOld
	}
	var out []*Entry[K, C]
	if reason != "" {
		p.remove(e)
		out = []*Entry[K, C]{e}
	} else if p.idle > p.cfg.MaxIdle {
		out, reason = p.surplus(), TooMany
	}
	p.arm(now)
	kept = !e.removed
	p.mu.Unlock()
	p.shut(out, reason)
	return kept, kept
}

// Retire lets a connection take no further call. It is closed when the last one is released, at once if there is none. If nobody has retired it
// before, told runs, unless it is nil, before the connection is closed.
func (p *Pool[K, C]) Retire(e *Entry[K, C], told func()) {
	p.mu.Lock()
	first := !e.retired && !e.removed
	e.retired = true
	over := first && e.calls == 0
	if over {
		p.remove(e)
	}
	p.mu.Unlock()
	if over {
		defer p.shut([]*Entry[K, C]{e}, Unfit)
	}
	if first && told != nil {
		told()
	}
}

// Remove takes a connection out of the pool, in use or not, and closes it.
func (p *Pool[K, C]) Remove(e *Entry[K, C]) {
	p.mu.Lock()
	if e.removed {
		p.mu.Unlock()
		e.Conn.Close()
		return
	}
	p.remove(e)
	p.mu.Unlock()
	p.shut([]*Entry[K, C]{e}, Unfit)
}

// remove unlinks an entry. The lock is held; the caller closes the connection once it is not.
func (p *Pool[K, C]) remove(e *Entry[K, C]) {
	e.removed = true
	if e.calls > 0 {
		p.inUse--
		p.calls -= e.calls
	} else {
		p.idle--
	}
	g := p.groups[e.key]
	for i, x := range g.entries {
		if x == e {
			copy(g.entries[i:], g.entries[i+1:])
			g.entries[len(g.entries)-1] = nil
			g.entries = g.entries[:len(g.entries)-1]
			break
		}
	}
	if g.policy == nil && len(g.entries) == 0 {
		delete(p.groups, e.key)
	}
}

// shut closes connections that were removed, all of them before anyone is told, who may panic. What policies miss then is opened once all that is
// over. The lock is not held.
func (p *Pool[K, C]) shut(out []*Entry[K, C], reason CloseReason) {
	if len(out) == 0 {
		return
	}
	defer p.replace(out)
	for _, e := range out {
		e.Conn.Close()
	}
	if p.cfg.Closed == nil {
		return
	}
	for _, e := range out {
		p.cfg.Closed(e.Conn, reason)
	}
}

// replace sees to the policies of connections that were removed.
func (p *Pool[K, C]) replace(out []*Entry[K, C]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range out {
		if g := p.groups[e.key]; g != nil && g.policy != nil {
			p.schedule(e.key, g)
		}
	}
}
