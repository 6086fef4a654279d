package mockserver

import (
	"fmt"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// A Moment of an exchange at which an [Effect] can happen.
type Moment int

const (
	// RequestStart is when a connection was accepted, before anything is read; requests that follow on the connection have no such
	// moment. [Stall] waits until a TLS handshake is over. The response must be enqueued before the client connects. [CloseStream], and an effect that has it
	// within, is for each request: it comes when its head was read, before one at RequestHead, and the request is recorded with a Failure if it ends there.
	RequestStart Moment = iota
	// RequestHead is when the head of a request was read, before anything is answered and before its body is read. The response must be enqueued by
	// then, or known to a [Peeker]. The request is recorded with a Failure if the exchange ends here.
	RequestHead
	// RequestBody is when half of the request's Content-Length was read, or what [Response.OnBytes] says. Without a
	// Content-Length there is no half. The request is recorded with a Failure and not answered.
	RequestBody
	// ResponseStart is when the request was read and recorded, before the first byte of the response.
	ResponseStart
	// ResponseBody is when half of the response body was sent, or what [Response.OnBytes] says, but at the latest at its end. For a
	// body of unknown length the half is 0. The bytes of a chunked body are those on the wire, up to its last size line.
	ResponseBody
	// ResponseEnd is when the response was sent whole.
	ResponseEnd

	moments
)

// String returns the name of the constant.
func (m Moment) String() string {
	names := [...]string{"RequestStart", "RequestHead", "RequestBody", "ResponseStart", "ResponseBody", "ResponseEnd"}
	if m < 0 || m >= moments {
		return fmt.Sprintf("Moment(%d)", int(m))
	}
	return names[m]
}

// An Effect is something that happens at a moment of an exchange. Most end the exchange: they happen to the connection, on which no other one
// follows, or to one stream of HTTP/2; the streams of a connection share its fate. After [Wait], [WaitBetween], [WaitLogNormal], [Write], [GoAway],
// [SendSettings], [RefuseConnections] and [IgnoreConnections] it goes on.
//
// [Sequence] makes one effect of several, [Sometimes], [EveryNth] and [First] choose when it happens.
//
// An effect that cannot strike proves nothing. Where the script alone says so, it is a fault of the script ([Response.Err]); where only the exchange does, its request
// says it ([Request.Missed]), and the test of a server that is [Strict] fails, unless the effect strikes in another exchange of the same script. Effects that are chosen
// need not strike: [Sometimes] with a probability of 1 is for one that strikes where it can.
type Effect interface{ effect() }

// CloseSocket closes the transport connection, without a farewell of TLS. As the zero value it is a plain disconnect.
type CloseSocket struct {
	// NoClose does what In and Out say and then leaves the connection alone until the client or the server closes it.
	NoClose bool
	// In shuts the receiving direction first, where the transport can do that.
	In bool
	// Out shuts the sending direction first: the client reads the end, and may go on sending.
	Out bool
}

// Reset closes the transport connection with a TCP RST, so that the client fails with "connection reset" even where it reads. What was
// sent and not yet read may be lost.
type Reset struct{}

// ShutdownConnection closes the connection as a server does that wants no more requests on it: with the farewell of TLS, if it is one. On
// HTTP/2 it says goodbye (GOAWAY, RFC 9113 section 6.8) and lets the other streams finish; its own stream is cancelled unless the response was sent
// whole.
type ShutdownConnection struct{}

// CloseStream resets the stream of the exchange with an error code (RST_STREAM, RFC 9113 section 7), which leaves the connection and its other
// streams alone. On HTTP/1.1, which has no streams, it is [ShutdownConnection].
type CloseStream struct{ Code http2.ErrorCode }

// Stall does nothing more, until the client closes its side or resets the stream, the server closes, or an hour is over. Before the request was
// read it reads nothing either, so that a client comes to a stop that sends more than the connection holds; over HTTP/1.1 nothing is learned of
// what the client does then.
type Stall struct{}

// Garbage sends a number of random bytes, of the seed of [WithSeed], and closes the connection. Under TLS, and between the frames of HTTP/2, they are
// what is encrypted.
type Garbage struct{ Bytes int }

// PartialRecord sends the beginning of a record of TLS (RFC 8446 section 5.1), in cleartext beneath what is encrypted, and closes the connection. Without
// TLS it is [CloseSocket].
type PartialRecord struct{}

// Wait lets time pass.
type Wait struct{ For time.Duration }

// WaitBetween lets some time pass, each as likely as the other, of the seed of [WithSeed].
type WaitBetween struct{ Min, Max time.Duration }

// WaitLogNormal lets time pass as the latencies of real servers are distributed: half are below the median, and a few much above it, the further the
// larger sigma is; 0.1 is narrow and 1 has a long tail, which ends at a hundred times the median, or at Max if that is above 0 and less: what would be above it is Max. It is of the seed of [WithSeed].
type WaitLogNormal struct {
	Median time.Duration
	Sigma  float64
	Max    time.Duration
}

// Write sends bytes as they are, at that place of what is sent: on HTTP/2 between two frames.
type Write struct{ Bytes []byte }

// GoAway says goodbye over HTTP/2 (RFC 9113 section 6.8): the client opens no more streams, those that it opened go on, and the connection ends
// after them. On HTTP/1.1 it does nothing.
type GoAway struct {
	Code  http2.ErrorCode
	Debug string // sent along
	// Refuse names the stream before this one as the last, so that the client takes this one for refused. Then the exchange ends.
	Refuse bool
}

// SendSettings announces other settings over HTTP/2 (RFC 9113 section 6.5), from then on, for the connection. What the server itself does about
// them says [http2.Conn.SendSettings]. On HTTP/1.1 it does nothing.
type SendSettings struct{ Settings []http2.Setting }

// RefuseConnections makes the server stop listening, as [Server.Refuse] does, and listen again after a time, unless that is 0.
type RefuseConnections struct{ For time.Duration }

// IgnoreConnections has clients that connect wait, as [Server.Ignore] does, until a time is over, unless that is 0.
type IgnoreConnections struct{ For time.Duration }

// FailHandshake breaks the handshake of TLS off, with an alert, at [RequestStart]. Without TLS it is [CloseSocket].
type FailHandshake struct{}

// BadCertificate presents a certificate that clients should refuse, at [RequestStart]. If the client does, the response is used up, as with other
// effects there; if not, its request gets it. Without TLS it does nothing.
type BadCertificate struct{ Fault CertificateFault }

func (CloseSocket) effect()        {}
func (Reset) effect()              {}
func (ShutdownConnection) effect() {}
func (CloseStream) effect()        {}
func (Stall) effect()              {}
func (Garbage) effect()            {}
func (PartialRecord) effect()      {}
func (Wait) effect()               {}
func (WaitBetween) effect()        {}
func (WaitLogNormal) effect()      {}
func (Write) effect()              {}
func (GoAway) effect()             {}
func (SendSettings) effect()       {}
func (RefuseConnections) effect()  {}
func (IgnoreConnections) effect()  {}
func (FailHandshake) effect()      {}
func (BadCertificate) effect()     {}

// half is the threshold of an effect that waits for half of a body.
const half int64 = -1

// timed is an effect with the number of body bytes it waits for.
type timed struct {
	effect Effect
	after  int64 // or half
	chunks int   // it waits for, if not 0

	strikes *strikes
}

// at returns how many bytes of a body of that length, negative if it is not known, come before the effect; -1 if there is no effect.
func (t timed) at(length int64) int64 {
	switch {
	case t.effect == nil:
		return -1
	case t.after != half:
		return t.after
	}
	return max(length, 0) / 2
}

// atChunk returns at instead, unless the effect waits for chunks.
func (t timed) atChunk(at int64, after func(chunks int) int64) int64 {
	if t.effect == nil || t.chunks == 0 {
		return at
	}
	return after(t.chunks)
}
