package okhttp

import (
	"sync"
	"time"
)

// routeMemory is for how long a route that failed is tried after others, and routesRemembered how many of them at the most.
const (
	routeMemory      = time.Minute
	routesRemembered = 1000
)

// routeDatabase remembers routes that failed, so that others are tried before them. It is shared by a client and those derived from it;
// a route of one never equals that of another with other settings. Its lock guards the map alone.
type routeDatabase struct {
	mu     sync.Mutex
	failed map[Route]time.Time
}

// fail remembers a route that could not be connected to, or whose connection failed before it was of any use.
func (d *routeDatabase) fail(r *Route) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed == nil {
		d.failed = map[Route]time.Time{}
	}
	now := time.Now()
	if len(d.failed) >= routesRemembered {
		d.forget(now)
	}
	d.failed[*r] = now
}

// forget drops what is out of date, and one more if that is nothing.
func (d *routeDatabase) forget(now time.Time) {
	var oldest Route
	at := now
	for r, t := range d.failed {
		if now.Sub(t) >= routeMemory {
			delete(d.failed, r)
		} else if !t.After(at) {
			oldest, at = r, t
		}
	}
	if len(d.failed) >= routesRemembered {
		delete(d.failed, oldest)
	}
}

// connected forgets the failures of a route.
func (d *routeDatabase) connected(r *Route) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.failed, *r)
}

// postponed reports whether a route failed lately.
func (d *routeDatabase) postponed(r *Route) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.failed[*r]
	return ok && time.Since(t) < routeMemory
}
