package okhttp

import (
	"context"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/pool"
	"github.com/okhttp-go/ok/okhttp/internal/race"
)

// AddressPolicy asks for connections that are open before a call needs them.
type AddressPolicy struct {
	// MinConcurrentCalls is how many calls the open connections to an address must be able to carry together: over HTTP/1.1 one each. 0, the default,
	// asks for none.
	MinConcurrentCalls int
	// Backoff is the wait after a connection could not be opened, and Jitter by how much it varies, up and down. 0: one minute and 100 ms.
	Backoff, Jitter time.Duration
}

// Prewarm sets the policy for a URL's host, port and scheme in the client's pool, in the place of an earlier one. Its connections are opened one
// after another in the background, under the client's configuration, and replaced when they are closed; they do not count for the pool's
// limit of idle connections, but each is replaced after the keep-alive like others. Policies end with the pool. See [ConnectionListener] for
// what becomes of them. Those to an HTTP proxy are for requests that it reads: a web socket without TLS opens one of its own.
//
// It fails with a [*CleartextError] for an http URL that the client does not connect to, and with [ErrClientClosed].
func (c *Client) Prewarm(u URL, policy AddressPolicy) error {
	addr := addressOf(u, c.cfg)
	if !addr.secure {
		if err := c.cfg.cleartext(addr.host); err != nil {
			return err
		}
	}
	if c.closing.Load() {
		return ErrClientClosed
	}
	if policy.Backoff <= 0 {
		policy.Backoff = time.Minute
	}
	if policy.Jitter <= 0 {
		policy.Jitter = 100 * time.Millisecond
	}
	c.cfg.pool.p.SetPolicy(addr, pool.Policy[address, *pooled]{
		MinCalls: policy.MinConcurrentCalls, Backoff: policy.Backoff, Jitter: policy.Jitter,
		Open:  func(ctx context.Context) (*pool.Entry[address, *pooled], error) { return c.open(ctx, u, addr) },
		Added: func(conn *pooled) { conn.settled() },
	})
	return nil
}

// open opens a connection that no call asked for.
func (c *Client) open(ctx context.Context, u URL, addr address) (*pool.Entry[address, *pooled], error) {
	p := &planner{spawn: c.cfg.pool.background.spawn, cfg: c.cfg, url: u, addr: addr}
	defer p.settle()
	found, failure := race.Find(ctx, p, p.race())
	if failure != nil {
		return nil, failure
	}
	opened := found.(*connectPlan).conn
	opened.pool = c.cfg.pool
	if opened.http2 != nil {
		if err := opened.greet(ctx, c.cfg.readTimeout); err != nil {
			opened.pool.refuse(opened, "the server did not begin with HTTP/2")
			return nil, err
		}
	}
	c.cfg.pool.place(opened)
	return opened.entry, nil
}
