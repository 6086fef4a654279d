package oksse

import (
	"math/rand/v2"
	"time"
)

// leastStep is what a back-off doubles at least, also if the server wants to be asked again at once.
const leastStep = 100 * time.Millisecond

// backoff decides how long to wait before connecting again (HTML standard, section 9.2.3): the reconnection time after a success, and
// some more after each failure in a row.
type backoff struct {
	most     time.Duration
	noJitter bool
	failures int  // in a row
	hurried  bool // the latest wait was shorter than leastStep
}

// next counts a failure and returns the wait after it. The base is the reconnection time.
func (b *backoff) next(base time.Duration) time.Duration {
	limit := max(b.most, base)
	ceiling := base
	if b.failures > 0 {
		ceiling = max(base, leastStep)
		for i := 0; i < b.failures && ceiling < limit; i++ {
			ceiling *= 2
		}
		ceiling = min(ceiling, limit)
	}
	b.failures++
	wait := ceiling
	if !b.noJitter && ceiling > base {
		wait = base + rand.N(ceiling-base+1)
	}
	// Once a server may have it that it is asked again at once, but not each time: it may end every connection at once, too.
	if b.hurried {
		wait = max(wait, leastStep)
	}
	b.hurried = wait < leastStep
	return wait
}
