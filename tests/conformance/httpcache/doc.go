// Package httpcache holds caches against the cases of http-tests/cache-tests, which are data in testdata; LICENSES.md says where they come from.
//
// The engine drives any [http.RoundTripper] over real sockets, against an origin that answers as each case says and remembers what it was asked. It knows
// nothing of okhttp. A case is required (RFC 9111 says so), optimal (the cache may, and a good one does) or a check, which only finds out. One whose
// conditions failed counts as neither.
//
// The cases take a cache for a hop on the way, which answers for itself when its server fails. The cache of a client has an error to return instead; so the
// engine takes an error for the 502 that a hop would make of it.
package httpcache
