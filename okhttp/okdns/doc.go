// Package okdns has resolvers for okhttp that can be put together: the system's, a table, one after another, and a cache.
//
//	hosts, err := okdns.NewStatic(map[string][]netip.Addr{"api.test": {netip.MustParseAddr("127.0.0.1")}}, okdns.System{})
//	…
//	cache := okdns.NewCache(okdns.CacheConfig{DNS: hosts})
//	defer cache.Close()
//	client := okhttp.New(okhttp.WithDNS(cache))
//
// Package okdoh resolves over HTTPS and fits in wherever a DNS does.
//
// # Answers and failures
//
// A resolver yields answers as they arrive, so that a connection can be attempted with the first. A look-up that finds no address ends with an
// [*okhttp.UnknownHostError]; [NotFound] tells whether the name has none or whether nobody could be asked. When the context ends before, the look-up
// ends with the context's cause. A look-up that has addresses and lacks others for want of a reply succeeds; it says so by an answer without addresses and
// a TTL of 10 seconds, so that a cache asks again soon.
//
// # Concurrency
//
// Everything here is safe for concurrent use. [System] and [Chain] hold nothing but their configuration, [Static] a table that never changes. A
// [Cache] has one mutex that guards its entries and the answers of running look-ups; it is not held while the DNS below or the loop over the
// answers runs. Each look-up that it makes runs on a goroutine of its own, which [Cache.Close] waits for.
package okdns
