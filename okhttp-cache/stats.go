package okcache

import "sync/atomic"

// Stats counts what a cache did since it was made.
type Stats struct {
	// Requests came to the cache: each step of a redirect counts.
	Requests int64
	// Network is how many of them were sent to the server, if only to validate a stored response.
	Network int64
	// Hits is how many were answered with a stored response, validated or not.
	Hits int64
	// Stored and Aborted are how many responses were stored, and how many were to be but were not: they were cut short, given up, or the store failed.
	Stored, Aborted int64
}

type counters struct{ requests, network, hits, stored, aborted atomic.Int64 }

// Stats returns what the cache has done since it was made.
func (c *Cache) Stats() Stats {
	return Stats{c.stats.requests.Load(), c.stats.network.Load(), c.stats.hits.Load(), c.stats.stored.Load(), c.stats.aborted.Load()}
}
