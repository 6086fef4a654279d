// Package record answers with what another server said, and remembers it in stub files.
//
//	recorder, err := record.New(record.Config{Origin: "https://api.example.com"})
//	…
//	server := mockserver.New(t, mockserver.WithDispatcher(recorder))
//	… // the client under test calls server.URL("/…")
//	err = recorder.Save("testdata/api")
//
// A [Recorder] is a plain server for its clients and forwards their requests to the origin with a client of package okhttp. What comes back is sent on, and
// kept as a stub of package stub with the time it took; requests and responses that are alike are kept once. With [Config.Stubs] it goes on from what
// was recorded before, and in mode [Replay] it needs no origin at all.
//
// # Secrets
//
// What is kept, and saved, has the values of sensitive headers, query parameters, form fields and members of JSON replaced by "redacted"; the request that a
// stub matches may then have any value in their place. [Config.RedactHeaders] and [Config.RedactFields] add to the usual names. What is sent on, in both
// directions, is not changed. The user information and the parameters of URLs within header fields, strings of JSON and plain text are looked for too. Other
// bodies, such as HTML, compressed ones, and paths are kept as they are.
//
// # Streams
//
// Bodies go on as they come, events of a stream among them, and are recorded when they end; one that breaks off, or whose client leaves, is not recorded, see
// [Recorder.Skipped]. A request for an upgrade, to a web socket say, and CONNECT get 501; an offer of h2c is declined, as any server may.
//
// # What is changed
//
// Hop-by-hop fields (RFC 9110 section 7.6.1) are not forwarded. The origin is asked for content without coding (Accept-Encoding: identity), so that stubs can be
// read. Date and Content-Length are not recorded. A Location within the origin becomes a path, so that a client that follows it stays. Redirects
// are not followed, and nothing is tried twice.
//
// # Concurrency
//
// The methods of [Recorder] are safe for concurrent use; a mutex guards what was recorded, and none is held while the origin is asked.
package record
