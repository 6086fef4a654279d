// Package http1 is the HTTP/1.1 codec (RFC 9112) of one connection, in the client and in the server role.
//
// It turns heads and bodies into bytes and back, and keeps the order of operations. It does no dialing, pooling, retrying or
// timing: the caller hands it an okio Source and Sink and sets time limits on those. Header fields travel as one []string of
// alternating names and values, in the order of the wire and in the spelling of the peer.
//
// A client writes a request and reads its response:
//
//	c := http1.NewClientConn(socket.Source(), socket.Sink(), http1.Limits{})
//	err := c.WriteHead("GET", "/", []string{"Host", "example.com"})
//	err = c.FinishRequest()
//	head, err := c.ReadHead() // may be a 1xx: read again
//	body, err := c.Body()     // an okio.Source and an io.Reader
//
// # Strictness
//
// What would let two readers of the same bytes disagree is refused: bare CR, NUL, white space before a colon, empty names,
// lines without a colon, contradicting or malformed Content-Length, transfer codings other than chunked, garbage in chunk
// lines. Bare LF is accepted as the end of a line in heads (RFC 9112 section 2.2) but not in chunk lines. Obsolete line
// folding is replaced by a space in responses and refused in requests (section 5.2).
//
// # Concurrency
//
// A connection carries one exchange at a time and has no locks. A ClientConn or ServerConn belongs to one goroutine at a time;
// the writing half (WriteHead, the request body, FinishRequest) and the reading half may run on two.
package http1
