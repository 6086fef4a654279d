package okhttp

import (
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/pool"
)

// ConnectionPool keeps connections for reuse. It is safe for concurrent use and may be shared by clients; calls share connections
// when host, port, scheme, TLS configuration, DNS and dialer are the same.
type ConnectionPool struct{ p *pool.Pool[address, *pooled] }

// PoolConfig configures a [ConnectionPool]. Its zero value means the defaults.
type PoolConfig struct {
	MaxIdle   int           // connections kept idle in all. 0: 5; negative: keep none
	KeepAlive time.Duration // how long a connection is kept idle. 0: 5 minutes
	MaxAge    time.Duration // how long after its making a connection may take another call. 0: unlimited
}

// NewConnectionPool makes a pool.
func NewConnectionPool(c PoolConfig) *ConnectionPool {
	switch {
	case c.MaxIdle == 0:
		c.MaxIdle = 5
	case c.MaxIdle < 0:
		c.MaxIdle = 0
	}
	if c.KeepAlive <= 0 {
		c.KeepAlive = 5 * time.Minute
	}
	return &ConnectionPool{pool.New[address, *pooled](pool.Config{MaxIdle: c.MaxIdle, KeepAlive: c.KeepAlive, MaxAge: c.MaxAge})}
}

// PoolStats counts what a pool holds.
type PoolStats struct {
	Connections int // in use and idle
	Idle        int
}

// Stats returns the counts of this moment.
func (p *ConnectionPool) Stats() PoolStats {
	all, idle := p.p.Stats()
	return PoolStats{Connections: all, Idle: idle}
}

// EvictAll closes the idle connections. Those in use are not touched.
func (p *ConnectionPool) EvictAll() { p.p.EvictIdle() }

// pooled is a connection as its pool sees it: closing is not a method that users of [Connection] should find.
type pooled struct{ *Connection }

// Close implements pool.Conn.
func (c *pooled) Close() error {
	c.close()
	return nil
}
