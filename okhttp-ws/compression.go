package okws

import "fmt"

// Compression says how messages are compressed with permessage-deflate (RFC 7692), if the peer agrees. The zero value offers and accepts it, with
// what was said before as context for what follows, in both directions.
//
// Context costs memory as soon as the first message was compressed: about half a megabyte for sending, 64 KiB for receiving, which a connection that is never idle
// for long and sends much alike earns back. Without context the memory is shared by all connections and held only for as long as a message takes.
type Compression struct {
	// Off does not offer or accept compression.
	Off bool

	// Threshold is the size in bytes from which on a message is compressed, 1024 if zero. Negative means that every message is.
	Threshold int

	// AllWithContext compresses messages below the threshold too where the sender keeps context, which makes small messages that are alike much smaller.
	AllWithContext bool

	// Level is that of flate, 1 (fast) to 9 (small); 0 is the default, which is 6.
	Level int

	// NoContextTakeover has this side forget what it sent before each message: client_no_context_takeover of a client, server_no_context_takeover of a
	// server.
	NoContextTakeover bool

	// PeerNoContextTakeover has the peer do the same. A client fails with a server that agrees to compress but not to this.
	PeerNoContextTakeover bool

	// PeerMaxWindowBits has the peer use a window of at most so many bits, 8 to 15. A server can ask only clients that offer it; a client fails with a server that agrees to
	// compress but not to this. Zero asks for nothing.
	PeerMaxWindowBits int

	// OfferClientWindow has a client say that the server may ask for a smaller window. The windows that were agreed on are always obeyed.
	OfferClientWindow bool

	// Lenient has a client take client_max_window_bits=15 from a server that it was not offered to, which some send against RFC 7692 section 7.1.2.2, and
	// go along with a server that leaves out what PeerNoContextTakeover or PeerMaxWindowBits asked for, against sections 7.1.1.1 and 7.1.2.1: it inflates then as without these.
	Lenient bool
}

const defaultThreshold = 1024

func (c *Compression) threshold() int {
	switch {
	case c.Threshold == 0:
		return defaultThreshold
	case c.Threshold < 0:
		return 0
	}
	return c.Threshold
}

func (c *Compression) check() error {
	if c.Level < 0 || c.Level > 9 {
		return &ArgumentError{fmt.Sprintf("compression level %d is not in 1..9", c.Level)}
	}
	if c.PeerMaxWindowBits != 0 && !isWindow(c.PeerMaxWindowBits) {
		return &ArgumentError{fmt.Sprintf("a window of %d bits is not in 8..15", c.PeerMaxWindowBits)}
	}
	return nil
}

// offer is what a client asks for.
func (c *Compression) offer() extensions {
	return extensions{
		deflate: !c.Off, clientNoContextTakeover: c.NoContextTakeover, serverNoContextTakeover: c.PeerNoContextTakeover,
		serverMaxWindowBits: c.PeerMaxWindowBits, clientMaxWindowBitsHint: c.OfferClientWindow,
	}
}

// accept is a server's answer to the offers of a client: to the first that can be met.
func (c *Compression) accept(offers []extensions) extensions {
	for _, o := range offers {
		bounded := o.clientMaxWindowBits != 0 && !isWindow(o.clientMaxWindowBits)
		if c.Off || o.unknown || bounded || o.serverMaxWindowBits != 0 && !isWindow(o.serverMaxWindowBits) {
			continue
		}
		answer := extensions{
			deflate:                 true,
			serverNoContextTakeover: o.serverNoContextTakeover || c.NoContextTakeover,
			clientNoContextTakeover: o.clientNoContextTakeover || c.PeerNoContextTakeover,
			serverMaxWindowBits:     o.serverMaxWindowBits,
		}
		if o.clientMaxWindowBitsHint && c.PeerMaxWindowBits != 0 {
			answer.clientMaxWindowBits = c.PeerMaxWindowBits
			if o.clientMaxWindowBits != 0 {
				answer.clientMaxWindowBits = min(answer.clientMaxWindowBits, o.clientMaxWindowBits)
			}
		}
		return answer
	}
	return extensions{}
}

// agreement is what two sides agreed on, seen from one of them.
type agreement struct {
	on                    bool
	takeover, peerContext bool // whether context is kept for what is sent, and for what is received
	window                int  // in bits, for what is sent
	threshold             int
	level                 int
}

func (c *Compression) agree(e extensions, client bool) agreement {
	if !e.deflate {
		return agreement{}
	}
	a := agreement{on: true, takeover: !e.serverNoContextTakeover && !c.NoContextTakeover, peerContext: !e.clientNoContextTakeover, window: e.serverMaxWindowBits,
		threshold: c.threshold(), level: c.Level}
	if client {
		a.takeover, a.peerContext, a.window = !e.clientNoContextTakeover && !c.NoContextTakeover, !e.serverNoContextTakeover, e.clientMaxWindowBits
	}
	if a.takeover && c.AllWithContext {
		a.threshold = 0
	}
	if a.window == 0 {
		a.window = 15
	}
	if a.level == 0 {
		a.level = 6
	}
	return a
}
