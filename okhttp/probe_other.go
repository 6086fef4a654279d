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

// prober cannot look here without taking, so the caller reads for a moment instead.
type prober struct{}

func newProber(net.Conn) *prober { return nil }

func (*prober) peek() peekResult { return peekUnknown }
