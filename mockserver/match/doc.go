// Package match describes requests, for routes and for verification.
//
//	match.Request("GET /users/{id}")
//	match.All(match.Method("POST"), match.Path("/orders"), match.Header("Accept", match.Contains("json")), match.JSONSubset(`{"item": "tea"}`))
//	match.Not(match.Cookie("session", match.Present()))
//
// A matcher describes one thing of a request; [All], [Any] and [Not] put them together. Where a text is compared, a header or a query parameter for
// example, a [Pattern] says how. Of several values of one name, one that fits is enough, also of [Absent]: where a value is missing, it stands for one.
//
// A matcher of wrong arguments, such as a malformed regular expression, matches nothing; [Err] says why, and who takes matchers reports it.
//
// # Concurrency
//
// Matchers and patterns are immutable values: any number of goroutines may use one at the same time, and it may belong to several routes and servers. A
// matcher only reads its request, and starts no goroutine.
//
// # Bodies
//
// Bodies are compared as far as they were kept, see mockserver.WithBodyLimit: one
// that was cut off does not match.
package match
