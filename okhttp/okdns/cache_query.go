package okdns

import (
	"context"
	"fmt"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// query is a look-up under way. What changes is guarded by the cache's mutex.
type query struct {
	began  time.Time
	asked  uint64 // the number of the latest request that takes part
	cancel context.CancelFunc
	progress
}

// progress is how far a query has come. A copy of it stays as it is.
type progress struct {
	answers []okhttp.DNSAnswer // grows
	found   bool               // there is an address
	done    bool
	err     error
	news    chan struct{} // closed when there is more to see
}

// start begins a look-up and returns it. The mutex is held. Its context is not that of the request: it is not to end with it, and what
// the request's carries, such as hooks of a call, is not meant for others.
func (c *Cache) start(host string, now time.Time) *query {
	ctx := context.Background()
	var cancel context.CancelFunc
	if c.cfg.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.cfg.Timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	q := &query{began: now, cancel: cancel, progress: progress{news: make(chan struct{})}}
	c.joined[host], c.running[q] = q, struct{}{}
	c.queries.Go(func() { c.run(ctx, host, q) })
	return q
}

func (c *Cache) run(ctx context.Context, host string, q *query) {
	defer q.cancel()
	err := c.ask(ctx, host, q)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		err = ErrCacheClosed
	case err == nil && !q.found:
		err = &okhttp.UnknownHostError{Host: host}
	case err != nil && !q.found:
		err = failed(context.Background(), host, err) // a time limit is this look-up's, and a failure to those who wait
	}
	q.done, q.err = true, err
	close(q.news)
	delete(c.running, q)
	if c.joined[host] == q { // otherwise it was begun before a flush
		delete(c.joined, host)
		if !c.closed {
			c.keep(host, q, time.Now())
		}
	}
}

// ask passes the answers on as they arrive. A panic of the DNS is its failure, because nobody else could handle it on this goroutine.
func (c *Cache) ask(ctx context.Context, host string, q *query) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	for answer, err := range c.cfg.DNS.Lookup(ctx, host) {
		c.mu.Lock()
		if answer.TTL > 0 || len(answer.Addrs) > 0 || answer.ALPN != nil || answer.ECHConfigList != nil {
			q.answers = append(q.answers, copied(answer))
			q.found = q.found || len(answer.Addrs) > 0
			close(q.news)
			q.news = make(chan struct{})
		}
		c.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}
