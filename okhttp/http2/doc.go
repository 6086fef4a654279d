// Package http2 is one connection of HTTP/2 (RFC 9113), in the role of the client or of the server. It speaks in alternating names and values
// of header fields, the pseudo-headers first, and in sources and sinks of bytes.
//
// # Who reads
//
// There is no goroutine for reading while somebody waits for something: one of those who wait reads for all (the leader), hands over what is for
// others and wakes them (the followers), and leaves the place to one of them when it has what it waited for. Only when nobody has waited for a
// moment, a goroutine reads, so that pings are answered and a farewell is noticed; it leaves the place as soon as somebody waits.
//
// # Who writes
//
// Frames are appended, in order, to what is to be sent, by whoever makes them. Then one of them writes: all that is there, also what others
// append meanwhile, in one piece. Who finds somebody writing leaves its frames to him and goes on; content (DATA) waits for the place, so that
// not much of it is ever held. Before a write others may go first who are about to append something, so that one write carries it all.
//
// # Concurrency
//
// A Conn is safe for concurrent use. Of a [Stream], the receiving side belongs to one goroutine at a time and the sending side to one;
// Cancel may be called by any.
//
// Conn.mu guards all state, the compression of headers sent and the frames to be sent. It is held for memory alone, never while reading,
// writing or calling a function of the Config other than Frames. There are two places for one, held while the socket blocks: of the reader, noted in
// Conn.led, and of the writer, Conn.writing. A holder may take mu, who holds mu never waits for a place. The decoder of headers and the bytes received
// belong to the reader. Those who wait for others sit in seats, which are woken by a token in a channel of their own: by who reads for them, by who
// leaves the place of the reader, and by the alarm of the connection when their time is up. A context is watched only once a wait has become long.
package http2
