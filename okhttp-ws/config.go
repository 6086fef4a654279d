package okws

import (
	"cmp"
	"time"
)

// Config says how a connection behaves, on either side. The zero value, and nil, mean the defaults. It is copied where it is given.
type Config struct {
	// Subprotocols are those that the application speaks, the preferred one first: a client offers them, a server takes the first that the client offers
	// too (RFC 6455 section 1.9). A server's choice of another one fails the handshake.
	Subprotocols []string

	// Compression says how messages are compressed.
	Compression Compression

	// MaxMessage is the most bytes of a message that is received, also after inflation; 32 MiB if zero, without a limit if negative. It is checked
	// against what a frame announces, before memory is taken for it. A larger message ends the connection with [CodeTooBig].
	MaxMessage int64

	// SkipTextCheck accepts text that is not UTF-8, which RFC 6455 section 8.1 has fail the connection. It saves a pass over each text message.
	SkipTextCheck bool

	// PingInterval is how often a ping is sent; zero, and less, is never. The connection fails with a [*TimeoutError] when no pong has come within PongTimeout;
	// as long as one is awaited, no other ping is sent.
	PingInterval time.Duration

	// PongTimeout is how long a pong may take; PingInterval if zero or less.
	PongTimeout time.Duration

	// PingJitter shortens each interval by a random part of it, 0 to 1, so that many connections do not ping at once.
	PingJitter float64

	// CloseTimeout is how long the peer may take to answer a close frame; 60 s if zero, for ever if negative. Then the connection is cut.
	CloseTimeout time.Duration

	// FrameTimeout bounds each wait for bytes in the middle of a frame, and WriteTimeout each write. A client has them from the read and the write timeout
	// of its calls ([okhttp.WithReadTimeout]), a server waits 10 s, if they are zero. Negative means that there is no limit. Silence between frames is not limited.
	FrameTimeout, WriteTimeout time.Duration

	// QueueLimit is how many bytes of messages a [WebSocket] holds that are not yet written, 16 MiB if zero or less, and QueueFull what becomes of those for which
	// there is no room, [QueueCloses] by default. They do not matter to a [Conn].
	QueueLimit int64
	QueueFull  QueuePolicy

	// EchoClose has a [WebSocket] answer the peer's close frame with its code, as a [Conn] always does, once OnClosing has returned. Without it the
	// application has to call Close.
	EchoClose bool

	// OnPing and OnPong are called with what came with a ping, and with a pong and the time since this side's last ping, zero if none is under way. They run on
	// the goroutine that reads and must not read, nor wait for who does. The payload is valid during the call.
	OnPing func(payload []byte)
	OnPong func(payload []byte, roundTrip time.Duration)

	// OnFrame is called for each frame, when its header was read or is about to be written, also for both at the same time, from the goroutines that read and write.
	// It must not block, nor use the connection.
	OnFrame func(Frame)
}

// Frame tells of a frame that was sent or received.
type Frame struct {
	Sent       bool
	Opcode     byte // 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong
	Final      bool
	Compressed bool  // the message is, of whose frames this is the first
	Length     int64 // of the payload in bytes, as on the wire
}

// QueuePolicy says what becomes of a message for which the queue of a [WebSocket] has no room.
type QueuePolicy uint8

// The policies.
const (
	QueueCloses  QueuePolicy = iota // the default: it is refused, and the connection closed with 1001 after what is queued
	QueueRefuses                    // it is refused
	QueueBlocks                     // sending waits for room
)

const (
	defaultMaxMessage   = 32 << 20
	defaultCloseTimeout = time.Minute
	defaultQueueLimit   = 16 << 20
	defaultServerWait   = 10 * time.Second
)

// settings returns a copy of the configuration in which every default is filled in.
func (c *Config) settings() (*Config, error) {
	var s Config
	if c != nil {
		s = *c
	}
	s.MaxMessage = cmp.Or(s.MaxMessage, defaultMaxMessage)
	s.CloseTimeout = cmp.Or(s.CloseTimeout, defaultCloseTimeout)
	s.PongTimeout = cmp.Or(max(s.PongTimeout, 0), s.PingInterval)
	s.PingJitter = min(max(s.PingJitter, 0), 1)
	s.QueueLimit = cmp.Or(max(s.QueueLimit, 0), defaultQueueLimit)
	for _, p := range s.Subprotocols {
		if !isToken(p) {
			return nil, &ArgumentError{"a subprotocol is not a token: " + quoted(p)}
		}
	}
	return &s, s.Compression.check()
}

// within is the limit to use where one is set for this side, and another has it from elsewhere.
func within(own, other time.Duration) time.Duration {
	if own != 0 {
		return max(own, 0)
	}
	return max(other, 0)
}
