package okcookie

import (
	"cmp"
	"slices"
	"time"
)

// store puts a cookie in its place, or out of it if it has expired. The mutex is held.
func (j *Jar) store(c Cookie, now time.Time) {
	created := now
	if old := j.domains[c.Domain][c.identity()]; old != nil && !old.IsExpired(now) {
		created = old.Created // it keeps its place in the order
	}
	if j.opt.MaxAge > 0 && !c.IsSession() {
		if end := now.Add(j.opt.MaxAge); c.Expires.After(end) {
			c.Expires = clampExpiry(end)
		}
	}
	if c.IsExpired(now) {
		j.drop(c.Domain, c.identity())
		return
	}
	j.put(Entry{Cookie: c, Created: created, Accessed: now})
	j.evict(c.Domain, now)
}

// put files a cookie in place of the one that is the same. The mutex is held.
func (j *Jar) put(e Entry) {
	id := e.identity()
	j.serial++
	r := &record{Entry: e, serial: j.serial}
	if old := j.domains[e.Domain][id]; old != nil {
		r.serial = old.serial
		j.drop(e.Domain, id)
	}
	if j.domains[e.Domain] == nil {
		j.domains[e.Domain] = make(map[identity]*record)
	}
	j.domains[e.Domain][id] = r
	j.count++
	if e.Secure {
		j.secure++
	}
}

// drop removes a cookie and reports whether there was one. The mutex is held.
func (j *Jar) drop(domain string, id identity) bool {
	r := j.domains[domain][id]
	if r == nil {
		return false
	}
	delete(j.domains[domain], id)
	if len(j.domains[domain]) == 0 {
		delete(j.domains, domain)
	}
	j.count--
	if r.Secure {
		j.secure--
	}
	return true
}

// shadows reports whether a cookie from http would hide a Secure one, or take its place (RFC 6265bis section 5.7, "leave secure cookies
// alone"). The mutex is held.
func (j *Jar) shadows(c Cookie, now time.Time) bool {
	if j.secure == 0 {
		return false
	}
	for domain, records := range j.domains {
		if !domainMatch(c.Domain, domain) && !domainMatch(domain, c.Domain) {
			continue
		}
		for _, r := range records {
			if r.Secure && r.Name == c.Name && !r.IsExpired(now) && pathMatch(c.Path, r.Path) {
				return true
			}
		}
	}
	return false
}

// evict keeps the jar within its limits after a cookie came to a domain (RFC 6265bis section 5.7): what has expired goes first, then, within the
// domain, what is not Secure, then the rest; of equals the one that was not used for the longest time. The mutex is held.
func (j *Jar) evict(domain string, now time.Time) {
	if len(j.domains[domain]) > j.opt.MaxPerDomain {
		j.dropExpired(domain, now)
	}
	for len(j.domains[domain]) > j.opt.MaxPerDomain {
		var worst *record
		for _, r := range j.domains[domain] {
			if worst == nil || r.Secure != worst.Secure && worst.Secure || r.Secure == worst.Secure && r.compareUse(worst) < 0 {
				worst = r
			}
		}
		j.drop(domain, worst.identity())
	}
	if j.count <= j.opt.MaxCookies {
		return
	}
	for domain := range j.domains {
		j.dropExpired(domain, now)
	}
	for j.count > j.opt.MaxCookies {
		var worst *record
		for _, records := range j.domains {
			for _, r := range records {
				if worst == nil || r.compareUse(worst) < 0 {
					worst = r
				}
			}
		}
		j.drop(worst.Domain, worst.identity())
	}
}

// dropExpired removes what has expired from a domain. The mutex is held.
func (j *Jar) dropExpired(domain string, now time.Time) {
	for id, r := range j.domains[domain] {
		if r.IsExpired(now) {
			j.drop(domain, id)
		}
	}
}

// records returns all that has not expired, in the order of creation. The mutex is held.
func (j *Jar) records(now time.Time) []*record {
	all := make([]*record, 0, j.count)
	for _, records := range j.domains {
		for _, r := range records {
			if !r.IsExpired(now) {
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, (*record).compareAge)
	return all
}

// compareAge orders by creation, the oldest first.
func (r *record) compareAge(o *record) int {
	return cmp.Or(r.Created.Compare(o.Created), cmp.Compare(r.serial, o.serial))
}

// compareUse orders by use, what was not used for the longest time first.
func (r *record) compareUse(o *record) int {
	return cmp.Or(r.Accessed.Compare(o.Accessed), cmp.Compare(r.serial, o.serial))
}
