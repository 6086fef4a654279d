package okdns

import (
	"cmp"
	"slices"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// entry is what a cache knows of a host: the answers of the latest look-up that found an address, and the failure of a later one.
type entry struct {
	answers []okhttp.DNSAnswer
	began   time.Time // of the look-up, from which TTLs count
	refresh time.Time // from then on a request renews the answers
	expires time.Time
	stale   time.Time // until then they may be used in an emergency

	err   error
	retry time.Time // until then it counts

	asked uint64 // the number of the latest request for it
}

// over reports whether nothing of the entry can be used any more.
func (e *entry) over(now time.Time) bool {
	return !now.Before(e.expires) && !now.Before(e.stale) && !now.Before(e.retry)
}

// left returns copies of the answers with what is left of their TTLs, at least a nanosecond, because none at all means unknown.
func (e *entry) left(now time.Time) []okhttp.DNSAnswer {
	list := make([]okhttp.DNSAnswer, len(e.answers))
	for i, a := range e.answers {
		a = copied(a)
		switch {
		case !now.Before(e.expires):
			a.TTL = 1
		case a.TTL > 0:
			a.TTL = max(a.TTL-now.Sub(e.began), 1)
		}
		list[i] = a
	}
	return list
}

// keep files what came of a look-up. The mutex is held.
func (c *Cache) keep(host string, q *query, now time.Time) {
	e := c.entries[host]
	if !q.found {
		c.stats.Failures++
		if e != nil && now.Before(e.expires) {
			return // answers that are still good
		}
		if c.cfg.FailureTTL < 0 {
			if e != nil && NotFound(q.err) {
				delete(c.entries, host)
			}
			return
		}
	}
	if e == nil {
		e = &entry{asked: q.asked}
		c.entries[host] = e
	}
	if q.found {
		life := c.life(q)
		e.answers, e.began, e.expires = q.answers, q.began, q.began.Add(life)
		e.refresh, e.stale = e.expires, e.expires
		if c.cfg.RefreshBefore > 0 {
			e.refresh = e.expires.Add(-min(c.cfg.RefreshBefore, life/2))
		}
		if c.cfg.ServeStale > 0 {
			e.stale = e.expires.Add(c.cfg.ServeStale)
		}
		e.err, e.retry = nil, time.Time{}
	} else {
		if e.err, e.retry = q.err, q.began.Add(c.cfg.FailureTTL); NotFound(q.err) {
			e.answers, e.stale = nil, time.Time{} // the name is gone
		}
	}
	c.evict(now)
}

// life is how long the answers of a look-up are good.
func (c *Cache) life(q *query) time.Duration {
	life := c.cfg.MaxTTL
	for _, a := range q.answers {
		switch {
		case a.TTL > 0:
			life = min(life, a.TTL)
		case len(a.Addrs) > 0:
			life = min(life, c.cfg.UnknownTTL)
		}
	}
	if q.err != nil { // something is missing
		life = min(life, max(c.cfg.FailureTTL, 0))
	}
	return min(max(life, c.cfg.MinTTL), c.cfg.MaxTTL)
}

// evict makes room when there are twice as many hosts as there should be.
func (c *Cache) evict(now time.Time) {
	surplus := len(c.entries) - c.cfg.MaxEntries
	if surplus < c.cfg.MaxEntries {
		return
	}
	type candidate struct {
		host  string
		over  bool
		asked uint64
	}
	list := make([]candidate, 0, len(c.entries))
	for host, e := range c.entries {
		list = append(list, candidate{host, e.over(now), e.asked})
	}
	slices.SortFunc(list, func(a, b candidate) int {
		switch {
		case a.over && !b.over:
			return -1
		case b.over && !a.over:
			return 1
		}
		return cmp.Compare(a.asked, b.asked)
	})
	for _, gone := range list[:surplus] {
		delete(c.entries, gone.host)
	}
	c.stats.Evictions += uint64(surplus)
}
