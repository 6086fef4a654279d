package okcookie

import (
	"iter"
	"time"
)

// Entry is a cookie in a jar.
type Entry struct {
	Cookie
	Created  time.Time // when it first came, in UTC; a cookie that replaces another one keeps its time
	Accessed time.Time // when it last came or was sent, in UTC
}

// All returns the cookies that have not expired, the oldest first, as they were when the loop began. The jar may be used and changed within the
// loop.
func (j *Jar) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, e := range j.entries(j.now()) {
			if !yield(e) {
				return
			}
		}
	}
}

// entries copies what has not expired, the oldest first.
func (j *Jar) entries(now time.Time) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	records := j.records(now)
	entries := make([]Entry, len(records))
	for i, r := range records {
		entries[i] = r.Entry
	}
	return entries
}

// Len returns the number of cookies that have not expired.
func (j *Jar) Len() int {
	now := j.now()
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, records := range j.domains {
		for _, r := range records {
			if !r.IsExpired(now) {
				n++
			}
		}
	}
	return n
}

// Put takes a cookie from the program itself, in place of the one with the same name, domain, HostOnly and path; an expired one deletes
// that. It fails with a [*RejectError] where [NewCookie] does and where the jar would refuse the cookie from any server.
func (j *Jar) Put(c Cookie) error {
	c, err := NewCookie(c)
	if err != nil {
		return err
	}
	if err := j.check(c); err != nil {
		return err
	}
	now := j.now()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.store(c, now)
	return nil
}

// Remove removes the cookie with the name, domain, HostOnly and path of c and reports whether there was one that had not expired.
func (j *Jar) Remove(c Cookie) bool {
	now := j.now()
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.domains[c.Domain][c.identity()]
	return r != nil && j.drop(c.Domain, c.identity()) && !r.IsExpired(now)
}

// Clear removes all cookies.
func (j *Jar) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.domains)
	j.count, j.secure = 0, 0
}
