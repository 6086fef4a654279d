// Package netns tests connecting where packets are really dropped, refused and rejected: in a network namespace that each test makes for itself,
// with nothing in it but a loopback interface and the rules that the test loads with nft. The tests run on Linux, as root or where users may
// make namespaces, and are skipped elsewhere. They take real time.
package netns
