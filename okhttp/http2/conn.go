package http2

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Conn is one connection (RFC 9113), made by [NewClient] or [NewServer]. It is safe for concurrent use.
type Conn struct {
	cfg    Config
	server bool
	raw    net.Conn
	source okio.Source
	sink   okio.Sink

	writing chan struct{} // the place of the one who writes

	mu      sync.Mutex
	streams map[uint32]*Stream
	several atomic.Bool // there is more than one
	doubted atomic.Bool // that another stream can be opened: those who ask have to look closely
	nextID  uint32      // of the next stream opened here
	lastID  uint32      // of the latest stream that the peer opened
	opened  int         // streams open that were opened here
	served  int         // streams open that the peer opened
	err     error       // the connection is over
	leaving *GoAwayError
	left    bool   // this side said goodbye
	leftAt  uint32 // the last stream of the peer that is acted on, then

	announced bool // the goodbye, which names the last stream, is to follow

	// What was announced after the connection began.
	unacked       [][]Setting
	greetingTaken bool  // the peer acknowledged the settings of the beginning
	firstWindow   int64 // of streams, and the widest one that a stream may still begin with
	widest        int64

	// What the peer announced.
	greeted    bool // its settings came
	maxStreams uint32
	peerWindow int64 // that streams begin with
	peerFrame  int
	noPush     bool // it does not want streams to be pushed
	connects   bool // it takes extended CONNECT

	sendWindow int64 // of the connection
	uncredited int   // bytes that came and were not credited yet, on the connection
	room       int64 // what the peer may still send, on the connection
	counted    int64 // bytes that came, on the connection
	unread     int   // bytes that came and nobody has read
	encoder    *HeaderEncoder
	block      []byte // of headers being sent

	out      okio.Buffer  // frames to be sent
	batch    okio.Buffer  // those being written; belongs to the holder of writing
	mute     bool         // writing failed
	scratch  []byte       // a frame being made
	appended atomic.Int64 // bytes, ever
	written  atomic.Int64 // of those, the ones whose writing was begun
	control  int          // frames in out that the peer made us send

	waiting  int // those who wait, apart from the goroutine that reads when nobody does
	recent   bool
	led      bool    // somebody reads
	leader   *waiter // who does, if it is one who waits
	leading  stay    // its
	armed    time.Time
	parked   seats // of those who wait and do not read, but would
	queued   seats // of those who wait for the place of the writer
	spare    *seat // a list by next
	spares   int
	quiet    *time.Timer
	watched  bool // the timer is set
	pinger   *time.Timer
	pingDue  bool         // the answer to the latest ping of the interval has not come
	degraded time.Time    // when the answer to the other ping is due; zero: none is
	writer   *Stream      // who holds the place of the writer, if it does so for one
	sending  stay         // its
	flushers atomic.Int32 // those who are about to write what is there

	alarm       *time.Timer // for those who wait, nil until one is needed
	alarmAt     time.Time   // zero: it is not set
	alarmIsSoon bool
	round       uint64 // how often it rang

	windows []Window // that changed, and of which the listener was not told yet

	pushes  int         // pushed streams that are open
	pushed  []pushEvent // the handler has yet to be told
	pushing bool        // it is being told

	resets  [64]uint32 // the latest streams that ended with a reset from here, or were never made: frames of them may still come
	resetAt int
	// Up to here, of the two sides' streams, it is forgotten whether one was reset or came to a good end.
	resetFloor [2]uint32
	forgivenAt time.Time
	resetDebt  int // streams that the peer opened and that were reset, less those that came to a good end

	accepted []*Stream // opened by the peer, and not taken yet
	acceptor waiter

	received receiver // belongs to the one who reads, who is noted in led
}

// errClosed is the end of a connection that was closed here.
var errClosed = fmt.Errorf("http2: %w", net.ErrClosed)

func newConn(raw net.Conn, cfg Config, server bool) *Conn {
	c := &Conn{
		cfg: cfg.withDefaults(), server: server, raw: raw,
		writing: make(chan struct{}, 1), streams: map[uint32]*Stream{},
		maxStreams: maxWindow, peerWindow: defaultWindow, peerFrame: minMaxFrame, sendWindow: defaultWindow,
	}
	socket := okio.NewSocket(raw)
	c.source, c.sink = socket.Source(), socket.Sink()
	okio.TimeoutOf(c.sink).SetLimit(c.cfg.WriteTimeout)
	c.room = int64(c.cfg.ConnectionWindow)
	c.firstWindow = int64(c.cfg.streamWindow())
	c.widest = c.firstWindow
	c.encoder = NewHeaderEncoder()
	c.received.init(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.greet()
	c.quiet, c.watched = time.AfterFunc(quietTime, c.readWhileQuiet), true
	if d := c.cfg.PingInterval; d > 0 {
		c.pinger = time.AfterFunc(d, c.ping)
	}
	return c
}

// greet makes the settings and the window of the connection known (RFC 9113 section 3.4). The lock is held.
func (c *Conn) greet() {
	settings := []Setting{{SettingInitialWindowSize, uint32(c.cfg.streamWindow())}, {SettingMaxHeaderListSize, uint32(c.cfg.MaxHeaderBytes)}}
	if c.cfg.MaxFrameSize != minMaxFrame {
		settings = append(settings, Setting{SettingMaxFrameSize, uint32(c.cfg.MaxFrameSize)})
	}
	if c.cfg.HeaderTableSize != 4096 {
		settings = append(settings, Setting{SettingHeaderTableSize, uint32(c.cfg.HeaderTableSize)})
	}
	switch {
	case c.server:
		settings = append(settings, Setting{SettingMaxConcurrentStreams, uint32(c.cfg.MaxConcurrentStreams)})
		if c.cfg.ExtendedConnect {
			settings = append(settings, Setting{SettingEnableConnectProtocol, 1})
		}
	case c.cfg.Push == nil:
		settings = append(settings, Setting{SettingEnablePush, 0})
	}
	frame := c.scratch[:0]
	if !c.server {
		frame = append(frame, ClientPreface...)
		if c.cfg.Frames != nil {
			c.cfg.Frames(false, FrameHeader{}, []byte(ClientPreface))
		}
	}
	c.append(frame)
	c.appendFrame(AppendSettings(c.scratch[:0], settings...))
	if more := c.cfg.ConnectionWindow - defaultWindow; more > 0 {
		c.appendFrame(AppendWindowUpdate(c.scratch[:0], 0, uint32(more)))
	}
}

// Err returns why the connection is over, nil if it is not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Usable reports whether a stream may be opened on the connection: it is not over, neither side said goodbye, and the peer answers.
func (c *Conn) Usable() bool {
	if !c.doubted.Load() {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usable() == nil && (c.degraded.IsZero() || time.Now().Before(c.degraded))
}

// Closing returns why no further stream can be opened, nil if one can.
func (c *Conn) Closing() error {
	if !c.doubted.Load() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usable()
}

// usable is why no stream can be opened. The lock is held.
func (c *Conn) usable() error {
	switch {
	case c.err != nil:
		return c.err
	case c.leaving != nil:
		return c.leaving
	case c.left:
		return errClosed
	case c.nextID > lastNumber && !c.server:
		return errExhausted
	}
	return nil
}

// lastNumber is the last that a stream opened here may have, well before they run out.
const lastNumber = 1<<30 - 1

var errExhausted = errors.New("http2: the connection has used up its stream numbers")

// MaxStreams returns how many streams the peer allows to be open at the same time.
func (c *Conn) MaxStreams() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(min(c.maxStreams, maxWindow))
}

// TakesConnect reports whether the peer's settings allow extended CONNECT (RFC 8441), and whether they came at all.
func (c *Conn) TakesConnect() (allowed, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connects, c.greeted
}

// GoAway says goodbye (RFC 9113 section 6.8): streams that the peer has opened go on, further ones are not acted on, and no more can be opened here.
func (c *Conn) GoAway(code ErrorCode) {
	c.mu.Lock()
	c.sayGoodbye(code, "")
	c.mu.Unlock()
	c.flush()
}

// sayGoodbye names the last stream that is acted on, which a later goodbye may not raise. The lock is held.
func (c *Conn) sayGoodbye(code ErrorCode, debug string) {
	if !c.left {
		c.left, c.leftAt = true, c.lastID
		c.doubted.Store(true)
	}
	c.appendFrame(AppendGoAway(c.scratch[:0], c.leftAt, code, []byte(debug)))
}

// Close ends the connection: it says goodbye if that does not block, resets what is open and closes the socket.
func (c *Conn) Close() error {
	c.fail(errClosed, NoError, Cancel)
	return nil
}

// fail ends the connection with an error. The peer is told if it is not the cause and listens.
func (c *Conn) fail(err error, code, streams ErrorCode) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.appendGoodbye(err, code)
	c.err = err
	c.doubted.Store(true)
	open := make([]*Stream, 0, len(c.streams))
	for _, s := range c.streams {
		open = append(open, s)
	}
	for _, s := range open {
		reason := err
		if err == errClosed {
			reason = &StreamResetError{Code: streams}
		}
		s.end(reason)
	}
	c.acceptor.tell()
	c.quiet.Stop()
	if c.alarm != nil {
		c.alarm.Stop()
	}
	if c.pinger != nil {
		c.pinger.Stop()
	}
	c.mu.Unlock()
	c.farewell()
	if c.cfg.Changed != nil {
		c.cfg.Changed()
	}
}

func (c *Conn) appendGoodbye(err error, code ErrorCode) {
	if c.mute {
		return
	}
	debug := ""
	var ce *ConnectionError
	if errors.As(err, &ce) {
		debug = ce.Detail
	}
	c.sayGoodbye(code, debug)
}

// farewellTime is how long a peer has to take what is left to say.
const farewellTime = 100 * time.Millisecond

// farewell sends what is left, for a moment, and closes the socket.
func (c *Conn) farewell() {
	if c.placeWithin(farewellTime) {
		c.mu.Lock()
		_, _ = c.out.ReadBuffer(&c.batch, c.out.Len())
		c.mu.Unlock()
		if n := c.batch.Len(); n > 0 && !c.mute {
			okio.TimeoutOf(c.sink).SetLimit(farewellTime)
			_ = c.sink.WriteBuffer(&c.batch, n)
		}
		c.batch.Clear()
		<-c.writing
	}
	transport(c.raw).Close()
}

// placeWithin takes the place of the writer, from one who may be stuck only if that soon proves wrong.
func (c *Conn) placeWithin(d time.Duration) bool {
	select {
	case c.writing <- struct{}{}:
		return true
	default:
	}
	stuck := time.NewTimer(d)
	defer stuck.Stop()
	select {
	case c.writing <- struct{}{}:
		return true
	case <-stuck.C:
		return false
	}
}

// transport returns what a connection is carried by: closing TLS itself would send a farewell of its own, which can block.
func transport(conn net.Conn) net.Conn {
	for {
		layer, ok := conn.(interface{ NetConn() net.Conn })
		if !ok || layer.NetConn() == nil {
			return conn
		}
		conn = layer.NetConn()
	}
}
