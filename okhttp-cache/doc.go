// Package okcache (module okhttp-cache) is a cache of HTTP responses, on a disk or in memory, as one user's client has it (RFC 9111).
//
//	cache, err := okcache.Open("/var/cache/app", 100<<20, okcache.Config{})
//	if err != nil {
//		return err
//	}
//	defer cache.Close()
//
//	client := okhttp.New(okhttp.WithCache(cache))
//
// Responses are stored as they are read, and used again for as long as they are fresh; after that the server is asked whether they are still good. The
// directives of Cache-Control in requests and responses are obeyed. [Cache.Stats] counts what came of it, and the events of a call tell of each
// (CacheHit, CacheMiss, CacheConditionalHit, SatisfactionFailure).
//
// The directory has the format of OkHttp's cache: either can read what the other wrote, one after the other. What OkHttp does is done here by default,
// apart from where RFC 9111 demands something else; [Config] switches on what goes beyond.
//
// A call never fails because of the cache. What cannot be read is a miss, what cannot be written is not stored, and the log tells of it.
//
// # Concurrency
//
// A Cache is safe for concurrent use. Its mutex guards what runs in the background and the downloads that calls share, and is not held across I/O nor while
// another lock is taken. A response and its body belong to one goroutine at a time. Close waits for what runs in the background.
package okcache
