//go:build !unix

package okhttp

import "net"

// peekResult is what a look at an idle socket shows.
type peekResult uint8

const (
	peekUnknown peekResult = iota // this kind of connection cannot be looked at
	peekSilent                    // open, and nothing to read
	peekBytes                     // something to read
	peekEnded                     // closed by the peer, or broken
)

// peek cannot look here without taking, so the caller reads for a moment instead.
func peek(net.Conn) peekResult { return peekUnknown }
