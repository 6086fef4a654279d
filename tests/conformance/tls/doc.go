// Package tls puts a client before servers whose certificates, or whose TLS, have one fault each, and before some that have none. The certificates
// are made in memory and the connections are too.
//
// The engine knows nothing of okhttp: a [Client] stands between. A case says whether the server must be accepted or refused, or that
// the standards leave it to the client; what okhttp does with each is in testdata/results.txt, which `go test -run TestConformance -update`
// writes.
package tls
