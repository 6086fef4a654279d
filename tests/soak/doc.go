// Package soak makes thousands of calls at a time to servers that misbehave in every way there is, and then looks at what is left: calls without
// an end, mixed-up responses, requests that were lost or sent twice, connections, goroutines, file descriptors, memory.
//
// TestSoak has a hostile network and servers written by hand, TestMixed everything at once against mock servers: HTTP/1.1, HTTP/2, a cache, web sockets and
// event streams. Each takes some seconds. OK_SOAK=60s in the environment makes it take a minute, and OK_SOAK_SEED repeats the choices of an earlier run,
// as far as the scheduler lets it. TestIdleWebSockets measures what web sockets hold at rest: OK_SOAK_SOCKETS=10000 for as many. At the root of the repository go tool mage soak runs both for half an hour each.
package soak
