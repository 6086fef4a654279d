package okhttp

// Protocol is the version of HTTP that a response came over, named as in ALPN where it has a name there.
type Protocol string

// The protocols of responses.
const (
	HTTP10 Protocol = "http/1.0"
	HTTP11 Protocol = "http/1.1"
	HTTP2  Protocol = "h2"
)

// Protocols is what a client offers to speak, for [WithProtocols]: one of the constants below. The zero value is [HTTP2OrHTTP1]. What a server chose is the
// [Protocol] of a response.
type Protocols uint8

// What a client may offer.
const (
	// HTTP2OrHTTP1 lets TLS negotiate HTTP/2 or HTTP/1.1 (ALPN), and speaks HTTP/1.1 in cleartext. It is the default.
	HTTP2OrHTTP1 Protocols = iota
	// HTTP1Only is HTTP/1.1 alone.
	HTTP1Only
	// HTTP2PriorKnowledge speaks HTTP/2 in cleartext, to servers that are known to (RFC 9113 section 3.3). https URLs fail.
	HTTP2PriorKnowledge
)

// Version is the version of this module, part of the default User-Agent.
const Version = "0.1.0"
