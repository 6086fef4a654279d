package okhttp

import (
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// HTTP2Config configures connections over HTTP/2 (RFC 9113). Its zero value means the defaults, as do numbers below 0; those beyond what the protocol
// allows are brought within it. It concerns connections that are made after it was given.
type HTTP2Config struct {
	// ConnectionWindow is how many bytes of content a server may have under way on all streams of a connection (section 5.2), 64 KiB at the least. 0: 16 MiB.
	ConnectionWindow int
	// MaxStreamWindow is what the window of one stream grows to while its reader keeps up, in bytes, from 1 MiB. 0: 16 MiB.
	MaxStreamWindow int
	// MaxUnread bounds the content that a connection holds because nobody reads it, in bytes. Beyond it a stream that holds more than its share is reset,
	// and reading its response fails. 0: 64 MiB.
	MaxUnread int
	// MaxFrameSize is the largest frame that is accepted, in bytes, from 16 KiB to 16 MiB (section 4.2). 0: 16 KiB.
	MaxFrameSize int
	// HeaderTableSize is the size of the table with which received headers are decompressed, in bytes, 1 MiB at the most (RFC 7541 section 4.2). 0: 4096.
	HeaderTableSize int
	// MaxHeaderFields is how many fields a head may have, pseudo-headers counted. 0: 1000. [WithMaxResponseHeaders] bounds its bytes.
	MaxHeaderFields int
	// MaxAnswers bounds the frames that the server makes the client send and does not take: acknowledgements and resets. 0: 1000. One more ends the connection, as
	// with the next.
	MaxAnswers int
	// MaxEmptyFrames bounds the frames within ten seconds that carry nothing. 0: 1000.
	MaxEmptyFrames int
	// MaxResets bounds the pushed streams that the server resets, less one for each that came to a good end, and for each tenth of a second. 0: 200.
	MaxResets int
	// ExtendedConnect lets requests with [Upgrade] be streams of a connection over HTTP/2, if its server allows that (RFC 8441). Those to other servers
	// get a connection over HTTP/1.1 each, which is what all of them get otherwise.
	ExtendedConnect bool
	// Push is told of pushed streams. nil refuses push.
	Push PushObserver
	// Frames is told of each frame as a line of text, for a log: direction, stream, length, type and flags, without content and headers; see
	// [http2.FormatFrame]. It may be called by two goroutines of a connection at the same time, for the two directions. It must be quick, and must not
	// use the client. nil: nobody is told.
	Frames func(line string)
}

// PushObserver is told of the streams that a server pushes, in the order of what comes, on one goroutine per connection. Numbers of streams repeat
// across connections. Returning true asks to cancel the stream; what was under way still comes.
type PushObserver interface {
	// OnRequest is told of the promise, with the headers of the request that it answers, its pseudo-headers first.
	OnRequest(conn *Connection, stream uint32, headers Headers) (cancel bool)
	// OnHeaders is told of the headers of the response, or its trailers. last says that nothing follows.
	OnHeaders(conn *Connection, stream uint32, headers Headers, last bool) (cancel bool)
	// OnData is given n bytes of content. What it does not read is skipped. last says that nothing follows; n may be 0 then.
	OnData(conn *Connection, stream uint32, data *okio.BufferedSource, n int64, last bool) (cancel bool)
	// OnReset is told of the end of a stream before its time, with the error code of RFC 9113 section 7.
	OnReset(conn *Connection, stream uint32, code uint32)
}

// pushAdapter tells a PushObserver.
type pushAdapter struct {
	conn *Connection
	to   PushObserver
}

func (a *pushAdapter) OnRequest(stream uint32, fields []string) bool {
	return a.to.OnRequest(a.conn, stream, headersOf(fields))
}

func (a *pushAdapter) OnHeaders(stream uint32, fields []string, last bool) bool {
	return a.to.OnHeaders(a.conn, stream, headersOf(fields), last)
}

func (a *pushAdapter) OnData(stream uint32, data *okio.BufferedSource, n int64, last bool) bool {
	return a.to.OnData(a.conn, stream, data, n, last)
}

func (a *pushAdapter) OnReset(stream uint32, code http2.ErrorCode) {
	a.to.OnReset(a.conn, stream, uint32(code))
}

type (
	// StreamResetError reports a stream of HTTP/2 that was reset (RFC 9113 section 6.4).
	StreamResetError = http2.StreamResetError
	// GoAwayError reports that the server ended a connection of HTTP/2 without acting on the request (RFC 9113 section 6.8).
	GoAwayError = http2.GoAwayError
)

// http2For returns the configuration of a connection.
func (c *config) http2For(conn *Connection) http2.Config {
	given := c.http2
	h := http2.Config{
		ConnectionWindow: given.ConnectionWindow, MaxStreamWindow: given.MaxStreamWindow, MaxUnread: given.MaxUnread,
		MaxFrameSize: given.MaxFrameSize, HeaderTableSize: given.HeaderTableSize,
		MaxHeaderFields: given.MaxHeaderFields, MaxAnswers: given.MaxAnswers, MaxEmptyFrames: given.MaxEmptyFrames, MaxResets: given.MaxResets,
		MaxHeaderBytes: int(min(c.maxHead, 1<<30)), PingInterval: c.pingInterval, WriteTimeout: c.writeTimeout,
		Changed: conn.changed, Window: c.pool.windowed(conn),
	}
	if given.Push != nil {
		h.Push = &pushAdapter{conn, given.Push}
	}
	if log := given.Frames; log != nil {
		h.Frames = func(inbound bool, head http2.FrameHeader, payload []byte) {
			if head == (http2.FrameHeader{}) && len(payload) == len(http2.ClientPreface) {
				log(http2.FormatPreface(inbound))
				return
			}
			log(http2.FormatFrame(inbound, head, payload))
		}
	}
	return h
}

// WithProtocols chooses what the client offers to speak. The default is [HTTP2OrHTTP1]. Calls share connections only if they have the same.
func WithProtocols(p Protocols) CallOption {
	return callOption{"WithProtocols", false, func(c *config) {
		c.protocols = p
		c.rerouted()
	}}
}

// WithHTTP2 configures connections over HTTP/2, in the place of a configuration given before. The default is a zero [HTTP2Config].
func WithHTTP2(h HTTP2Config) Option {
	return clientOption(func(c *config) { c.http2 = h })
}

// WithPingInterval sends a ping over each connection of HTTP/2 in that interval (RFC 9113 section 6.7), idle ones included, and gives the connection up
// if the answer has not come when the next one is due: its calls fail, and are tried again as [WithRetryOnConnectionFailure] has it. 0, the default, and
// less send none.
func WithPingInterval(d time.Duration) Option {
	return clientOption(func(c *config) { c.pingInterval = positive(d) })
}
