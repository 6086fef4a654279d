// Package okauth has authenticators for okhttp: Basic (RFC 7617), Digest (RFC 7616) and Bearer (RFC 6750).
//
// An authenticator answers a 401 and gives up when its answer was refused:
//
//	api, err := okhttp.ParseURL("https://api.example.com/")
//	…
//	digest := okauth.Digest("mufasa", password, okauth.OnlyFor(api))
//	client := okhttp.New(
//		okhttp.WithAuthenticator(digest),
//		okhttp.WithNetworkInterceptor(digest.Preemptive()),
//	)
//
// The interceptor is optional. It sends credentials without waiting to be asked, which saves a round trip for every request, and lets
// requests whose body can be sent only once be authenticated at all.
//
// # Where credentials go
//
// Credentials go to one origin, which is scheme, host and port, or to those listed in [OnlyFor], and never anywhere else: not after a
// redirect, and not when another server asks for them. Without OnlyFor the origin is that of the first call they are used for, as it was
// made, before any redirect. A client that talks to several servers says which one is meant. A proxy that asks, with 407, was chosen by
// whoever configured the client, and so is not compared with origins.
//
// Basic and Bearer send secrets that anybody on the way can read and use: do not use them over http outside of tests.
//
// Nothing in this package prints a secret: not an error, and not an authenticator that is formatted or logged.
//
// # Concurrency
//
// Everything here is safe for concurrent use and may be shared by clients. One mutex guards the nonces of a [DigestAuth]; it is not held
// across I/O. The token of a [BearerAuth] is guarded by a channel of one slot, which is held while the token's source runs, so that one call
// refreshes the token and the others wait for it, each under its own context.
package okauth
