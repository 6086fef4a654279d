package okdns

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// ErrCacheClosed is what a look-up fails with whose [Cache] is closed. It is net.ErrClosed too.
var ErrCacheClosed = fmt.Errorf("okdns: the cache is closed: %w", net.ErrClosed)

// CacheConfig configures a [Cache]. Its zero value means the defaults.
type CacheConfig struct {
	DNS okhttp.DNS // what is cached. nil: System{}

	// MinTTL and MaxTTL bound how long the answers to a look-up are kept, which is the smallest of their TTLs, counted from when it began.
	// 0: 10 seconds and 300 seconds; a negative MinTTL is no bound. MaxTTL wins.
	MinTTL, MaxTTL time.Duration
	// UnknownTTL stands for the TTL of answers that have none, such as those of System. 0: 30 seconds.
	UnknownTTL time.Duration
	// FailureTTL is how long a failure is kept, whatever it is. 0: 10 seconds; negative: failures are not kept.
	FailureTTL time.Duration
	// RefreshBefore is how long before they expire the next request for answers starts a look-up in the background that renews them; it
	// is half of their life at the most. One that fails leaves them as they are. 0: 5 seconds; negative: never.
	RefreshBefore time.Duration
	// ServeStale is how long after they have expired answers may be used when no new ones can be had: when the look-up fails for another
	// reason than that the name does not exist any more, and when it takes 1.8 seconds or longer (RFC 8767 section 5). They are yielded with a
	// TTL of one nanosecond. 0, the default, and less mean never.
	ServeStale time.Duration
	// MaxEntries is how many hosts are kept: when there are twice as many, they are cut down to it, those that have expired first and then those
	// that were not asked for the longest. 0 and less: 1000.
	MaxEntries int
	// Timeout bounds one look-up, which must end when its context does. 0: 30 seconds; negative: unlimited.
	Timeout time.Duration
}

// staleWait is how long a request waits for new answers while old ones could be used.
const staleWait = 1800 * time.Millisecond

// Cache keeps what another DNS answered, failures too. Requests for a host at the same time share one look-up: the first sees its answers as they
// arrive, those that come later what has arrived so far and then the same. A look-up is nobody's: it has a context of its own, and goes on when those
// who wait for it do no longer.
type Cache struct {
	cfg CacheConfig

	mu      sync.Mutex
	entries map[string]*entry
	joined  map[string]*query   // the look-up that a request for a host takes part in
	running map[*query]struct{} // all of them
	asked   uint64              // counts requests
	stats   CacheStats
	closed  bool

	queries sync.WaitGroup
}

// CacheStats counts what a cache did with requests, from its making on.
type CacheStats struct {
	Hits      uint64 // requests answered from memory, by a failure or by answers that had not expired
	Stale     uint64 // requests answered by answers that had expired
	Misses    uint64 // requests that made a look-up
	Shared    uint64 // requests that joined one
	Refreshes uint64 // look-ups in the background
	Failures  uint64 // look-ups without an address
	Evictions uint64 // hosts that were dropped for want of room
	Entries   int    // hosts that are kept at this moment
}

// NewCache makes a cache. Close it when it is not needed any more.
func NewCache(c CacheConfig) *Cache {
	if c.DNS == nil {
		c.DNS = System{}
	}
	byDefault(&c.MinTTL, 10*time.Second)
	byDefault(&c.MaxTTL, 300*time.Second)
	byDefault(&c.UnknownTTL, 30*time.Second)
	byDefault(&c.FailureTTL, 10*time.Second)
	byDefault(&c.RefreshBefore, 5*time.Second)
	byDefault(&c.Timeout, 30*time.Second)
	if c.MaxEntries <= 0 {
		c.MaxEntries = 1000
	}
	return &Cache{cfg: c, entries: map[string]*entry{}, joined: map[string]*query{}, running: map[*query]struct{}{}}
}

func byDefault(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}

// Lookup implements [okhttp.DNS].
func (c *Cache) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		known, q, err := c.find(host, time.Now())
		switch {
		case err != nil:
			yield(okhttp.DNSAnswer{}, err)
		case q == nil:
			yieldAll(known, yield)
		default:
			c.follow(ctx, q, known, yield)
		}
	}
}

// find returns the answers for a host or its failure, or a look-up to follow, with old answers that may be used if it fails.
func (c *Cache) find(host string, now time.Time) ([]okhttp.DNSAnswer, *query, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, ErrCacheClosed
	}
	c.asked++
	e := c.entries[host]
	if e != nil {
		e.asked = c.asked
		switch {
		case now.Before(e.expires):
			c.stats.Hits++
			if !now.Before(e.refresh) && c.joined[host] == nil {
				e.refresh = e.expires // once is enough
				c.stats.Refreshes++
				c.start(host, now)
			}
			return e.left(now), nil, nil
		case now.Before(e.retry) && now.Before(e.stale):
			c.stats.Stale++
			return e.left(now), nil, nil
		case now.Before(e.retry):
			c.stats.Hits++
			return nil, nil, e.err
		}
	}
	q := c.joined[host]
	if q != nil {
		c.stats.Shared++
	} else {
		c.stats.Misses++
		q = c.start(host, now)
	}
	q.asked = c.asked
	if e != nil && now.Before(e.stale) {
		return e.left(now), q, nil
	}
	return nil, q, nil
}

// follow yields the answers of a look-up as they arrive. Where there are old answers they are yielded instead, if no address came and the
// failure is not the last word, or after a while.
func (c *Cache) follow(ctx context.Context, q *query, old []okhttp.DNSAnswer, yield func(okhttp.DNSAnswer, error) bool) {
	var enough <-chan time.Time
	if old != nil {
		t := time.NewTimer(staleWait)
		defer t.Stop()
		enough = t.C
	}
	for seen := 0; ; {
		c.mu.Lock()
		p := q.progress
		c.mu.Unlock()
		if p.found || old == nil {
			enough = nil
			for _, a := range p.answers[seen:] {
				if !yield(copied(a), nil) {
					return
				}
			}
			seen = len(p.answers)
		}
		if p.done {
			switch {
			case !p.found && old != nil && !errors.Is(p.err, ErrCacheClosed) && !NotFound(p.err):
				c.yieldStale(old, yield)
			case p.err != nil:
				yield(okhttp.DNSAnswer{}, p.err)
			}
			return
		}
		select {
		case <-p.news:
		case <-enough:
			c.yieldStale(old, yield)
			return
		case <-ctx.Done():
			yield(okhttp.DNSAnswer{}, context.Cause(ctx))
			return
		}
	}
}

func (c *Cache) yieldStale(old []okhttp.DNSAnswer, yield func(okhttp.DNSAnswer, error) bool) {
	c.mu.Lock()
	c.stats.Stale++
	c.mu.Unlock()
	yieldAll(old, yield)
}

func yieldAll(answers []okhttp.DNSAnswer, yield func(okhttp.DNSAnswer, error) bool) {
	for _, a := range answers {
		if !yield(a, nil) {
			return
		}
	}
}

// copied returns an answer that its receiver may do with as it likes.
func copied(a okhttp.DNSAnswer) okhttp.DNSAnswer {
	a.Addrs, a.ALPN, a.ECHConfigList = slices.Clone(a.Addrs), slices.Clone(a.ALPN), slices.Clone(a.ECHConfigList)
	return a
}

// Flush forgets everything, for when the network has changed. Look-ups under way go on for those who wait for them, and are not kept.
func (c *Cache) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	clear(c.joined)
}

// Stats returns the counts of this moment.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Entries = len(c.entries)
	return s
}

// Close ends the look-ups that run and waits for them. Requests fail with [ErrCacheClosed] then. It returns nil.
func (c *Cache) Close() error {
	c.mu.Lock()
	c.closed = true
	for q := range c.running {
		q.cancel()
	}
	c.mu.Unlock()
	c.queries.Wait()
	return nil
}
