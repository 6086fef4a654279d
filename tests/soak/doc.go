// Package soak makes thousands of calls at a time to servers that misbehave in every way there is, and then looks at what is left: calls without
// an end, mixed-up responses, requests that were sent twice, connections, goroutines, file descriptors, memory.
//
// It takes three seconds. OK_SOAK=60s in the environment makes it take a minute, and OK_SOAK_SEED repeats the choices of an earlier run, as far as
// the scheduler lets it.
package soak
