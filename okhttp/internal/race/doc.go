// Package race finds a way to a server: it tries the next address when the present one does not answer soon, keeps what connects first, and
// gives up the rest (Happy Eyeballs, RFC 8305 section 5; what OkHttp calls fast fallback). It knows nothing of HTTP: a [Plan] is one way, with
// a first part that is raced (TCP) and a second that is not (tunnel, TLS), and a [Planner] says which ways there are.
//
// [Find] starts the first plan at once. While a plan is connecting, the next one starts when [Config].Stagger has passed since the latest start;
// a failure does not shorten that. With nothing connecting, the next one starts at once. The first plan to connect wins: all others are given
// up, copies of them become the last that the planner offers, and the winner is finished. If finishing fails, the search goes on. With a negative
// Stagger one plan is tried after another.
//
// # Concurrency
//
// There are no locks. Find does everything on its caller's goroutine, and all of a Planner's methods and nearly all of a Plan's are called there.
// The exceptions:
//
//   - Connect runs on a goroutine of its own ("worker") when the planner has, or may get, something else to offer meanwhile. A plan that is
//     alone is connected by Find itself, without a goroutine, a channel or a timer.
//   - Discard of a loser is called by its worker.
//
// A worker hands its result over through an unbuffered channel, or finds its context ended; so either Find owns the outcome, or the worker does
// and discards it. Find gives plans up all at once, by ending their contexts and never receiving from that channel again. Failed and Again of a
// loser are called while its Connect may still be running: they must not touch what Connect writes. Find does not wait for workers that lost;
// [Config].Go is there for whoever has to.
package race
