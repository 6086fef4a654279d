package http2

import (
	"math"
	"time"
)

// Config configures a [Conn]. Its zero value means the defaults, which are safe against bad peers.
type Config struct {
	// ConnectionWindow is how many bytes of content the peer may have under way on all streams together. 0: 16 MiB.
	ConnectionWindow int
	// MaxStreamWindow is what the window of one stream grows to while its reader keeps up, from 1 MiB. 0: 16 MiB.
	MaxStreamWindow int
	// MaxUnread bounds the content that is held because nobody reads it. Once there is more, a stream
	// that holds more than its share of it is reset with ENHANCE_YOUR_CALM, and any stream at twice as much. 0: 64 MiB.
	MaxUnread int
	// MaxFrameSize is the largest frame that is accepted, from 16 KiB to 16 MiB. 0: 16 KiB.
	MaxFrameSize int
	// HeaderTableSize is the size of the table with which received headers are decompressed. 0: 4096.
	HeaderTableSize int
	// MaxHeaderBytes bounds the names and values of one block of headers, MaxHeaderFields their number. 0: 256 KiB, and 1000.
	MaxHeaderBytes  int
	MaxHeaderFields int
	// MaxConcurrentStreams is how many streams the peer may have open. 0: 100; for pushed streams none without Push.
	MaxConcurrentStreams int
	// MaxAnswers bounds the frames that the peer makes this side send and does not take: acknowledgements of SETTINGS and PING, and resets. 0: 1000.
	MaxAnswers int
	// MaxEmptyFrames bounds the frames within ten seconds that carry nothing: empty DATA and CONTINUATION, SETTINGS and PRIORITY. 0: 1000.
	MaxEmptyFrames int
	// MaxResets bounds the streams that the peer opens and resets, or makes this side reset (CVE-2023-44487, CVE-2025-8671), less one for each that came to a
	// good end, and for each tenth of a second. They are not open any more, but may still be worked on. 0: 200.
	MaxResets int
	// PingInterval is the time between pings; a peer that has not answered one when the next is due is given up. 0: none.
	PingInterval time.Duration
	// WriteTimeout bounds each write to the socket. 0: none.
	WriteTimeout time.Duration
	// ExtendedConnect offers, as a server, to open tunnels for other protocols (RFC 8441).
	ExtendedConnect bool
	// Push is told of pushed streams. nil: the client refuses push.
	Push PushHandler

	// Frames is told of each frame, with the part of its payload that is not content, and of the client's preface with a zero header. It may be
	// called by two goroutines at the same time, for the two directions. Locks are held: it must be quick, and not use the Conn.
	Frames func(inbound bool, h FrameHeader, payload []byte)
	// Window is told of each window for what this side receives, when content came or the peer was given room. It runs without a lock, on the goroutine
	// that reads, and must be quick.
	Window func(Window)
	// Changed is told that the peer's settings came first, that its limit of streams changed, that it said goodbye, or that the connection ended. It
	// runs without a lock, on the goroutine that noticed, and must not wait for one that reads or writes.
	Changed func()
}

const (
	defaultWindow     = 65535 // of connections and streams, until something else is said (RFC 9113 section 6.9.2)
	firstStreamWindow = 1 << 20
	maxWindow         = 1<<31 - 1
	minMaxFrame       = 16384
	maxMaxFrame       = 1<<24 - 1

	// creditPart is the part of a window that has to be read before the peer is given room again. Half of it would be the custom, but then a peer at
	// some distance has no more than half of a window under way.
	creditPart = 4

	// quietTime is how long nobody waits for anything before a goroutine reads.
	quietTime = 5 * time.Millisecond
	// degradedTime is how long the answer to a ping may take that was sent because a stream ran into its time limit.
	degradedTime = time.Second
	maxControl   = 1000 // the default of MaxAnswers
	maxEmpty     = 1000 // of MaxEmptyFrames
	maxResets    = 200  // of MaxResets

	emptyTime   = 10 * time.Second
	forgiveTime = 100 * time.Millisecond
	// keptRoom is how large buffers of frames may be to be kept for the next one.
	keptRoom = 64 << 10
)

func (c Config) withDefaults() Config {
	set := func(v *int, standard, least, most int) {
		if *v <= 0 {
			*v = standard
		}
		*v = min(max(*v, least), most)
	}
	set(&c.ConnectionWindow, 16<<20, defaultWindow, maxWindow)
	set(&c.MaxStreamWindow, 16<<20, defaultWindow, maxWindow)
	set(&c.MaxUnread, 64<<20, 1<<16, math.MaxInt)
	set(&c.MaxFrameSize, minMaxFrame, minMaxFrame, maxMaxFrame)
	set(&c.HeaderTableSize, 4096, 1, 1<<20)
	set(&c.MaxHeaderBytes, 256<<10, 1, 1<<30)
	set(&c.MaxHeaderFields, 1000, 1, 1<<20)
	set(&c.MaxConcurrentStreams, 100, 1, maxWindow)
	set(&c.MaxAnswers, maxControl, 1, math.MaxInt32)
	set(&c.MaxEmptyFrames, maxEmpty, 1, math.MaxInt32)
	set(&c.MaxResets, maxResets, 1, math.MaxInt32)
	return c
}

// streamWindow is the window that streams begin with.
func (c *Config) streamWindow() int { return min(firstStreamWindow, c.MaxStreamWindow) }
