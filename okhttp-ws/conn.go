package okws

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// Type is what a message is.
type Type uint8

// The types of messages.
const (
	Text   Type = 1 // UTF-8
	Binary Type = 2
)

// String returns "text" or "binary".
func (t Type) String() string {
	switch t {
	case Text:
		return "text"
	case Binary:
		return "binary"
	}
	return "unknown"
}

// Conn is one end of a web socket. All methods may be called by any goroutine: messages that several goroutines write go out one after the other, and several that
// read take turns.
//
// Somebody has to read: pings are answered, and pongs and the peer's close frame noticed, only then. [Conn.Discard] does so for who expects no messages.
type Conn struct {
	cfg         *Config
	client      bool
	socket      okio.Socket
	sink        okio.Sink
	response    *okhttp.Response // of the handshake, on the client's side
	subprotocol string
	agreed      extensions
	addrs       func() (local, remote net.Addr)

	// Belongs to who has the turn to read.
	reading   turn
	readWatch watch
	r         reader
	inflate   inflater
	pending   *pendingRead // what an interrupted Read left
	stream    *messageReader
	begun     bool // the first frame of a message has come that nobody has had anything of

	// Belongs to who has the turn to write.
	writing    turn
	writeWatch watch
	out        okio.Buffer
	torn       error // why what was sent last may be incomplete
	deflate    deflater
	message    *messageWriter // an open message of fragments

	ended chan struct{} // closed when err is set

	ending    atomic.Bool // one of the next three is set, so that who finds it unset need not lock
	mu        sync.Mutex
	err       error       // why nothing more can be done
	closed    *CloseError // the peer's close frame
	sentClose bool
	outbox    outbox
	pings     pingState

	readers   atomic.Int32 // who wait for the turn to read
	hasPongs  atomic.Bool
	roundTrip atomic.Int64
	onFailure func(error) // told of the end of the connection unless that was in order, before the socket is canceled
	manual    bool        // the peer's close frame is not answered here
}

// newConn makes an end of an upgraded connection. What came right after the handshake is in early.
func newConn(s okio.Socket, cfg *Config, client bool, agreed extensions) *Conn {
	c := &Conn{
		cfg: cfg, client: client, socket: s, sink: s.Sink(), agreed: agreed,
		ended: make(chan struct{}),
	}
	c.r.init(s.Source())
	c.r.client, c.r.max, c.r.skipCheck, c.r.deflated = client, cfg.MaxMessage, cfg.SkipTextCheck, agreed.deflate
	c.r.limit = within(cfg.FrameTimeout, c.r.limit)
	c.r.timeout.SetLimit(0)
	c.r.timeout.Disarm() // of what the handshake set; the first read would do it otherwise, and need more stack for that than to wait
	c.r.control = c.control
	if cfg.OnFrame != nil {
		c.r.traced = func(h header) { cfg.OnFrame(frameOf(h, false)) }
	}
	write := okio.TimeoutOf(c.sink)
	write.SetLimit(within(cfg.WriteTimeout, write.Limit()))
	c.deflate.agreement = cfg.Compression.agree(agreed, client)
	c.inflate.context = c.deflate.peerContext
	c.readWatch.fire = func(error) { c.r.timeout.Interrupt() }
	c.writeWatch.fire = func(cause error) { c.socket.Cancel(cause) }
	return c
}

func frameOf(h header, sent bool) Frame {
	return Frame{Sent: sent, Opcode: byte(h.op), Final: h.fin, Compressed: h.rsv1, Length: h.length}
}

// Subprotocol returns the one that both sides agreed on, "" if there is none.
func (c *Conn) Subprotocol() string { return c.subprotocol }

// Response returns the server's answer to the handshake, nil on the server's side. Its body is empty.
func (c *Conn) Response() *okhttp.Response { return c.response }

// Compressed reports whether permessage-deflate was agreed on.
func (c *Conn) Compressed() bool { return c.agreed.deflate }

// Extensions returns what the server answered about extensions, as a header value, "" for none.
func (c *Conn) Extensions() string { return c.agreed.String() }

// LocalAddr returns the address of this end of the connection below, nil if that is not known.
func (c *Conn) LocalAddr() net.Addr {
	if c.addrs == nil {
		return nil
	}
	local, _ := c.addrs()
	return local
}

// RemoteAddr returns the peer's address, or that of the proxy before it; nil if that is not known.
func (c *Conn) RemoteAddr() net.Addr {
	if c.addrs == nil {
		return nil
	}
	_, remote := c.addrs()
	return remote
}

// Done returns a channel that is closed when the connection has ended, in whatever way, which [Conn.Err] tells then.
func (c *Conn) Done() <-chan struct{} { return c.ended }

// Err returns why the connection ended: a [*CloseError] after the peer's close frame was answered, or it ours, [ErrClosed] after [Conn.CloseNow], what failed
// otherwise. It is nil as long as the connection lasts.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Bind ends the connection when ctx ends: with a close frame of that code, if one can be sent without waiting, and without waiting for an answer. stop undoes it and
// reports whether ctx has not ended before.
func (c *Conn) Bind(ctx context.Context, code Code) (stop func() bool, err error) {
	if err := checkClose(code, ""); err != nil {
		return nil, err
	}
	return context.AfterFunc(ctx, func() { c.abort(context.Cause(ctx), code) }), nil
}

// farewell is how long an attempt to send a close frame may take that nobody waits for.
const farewell = 100 * time.Millisecond

// linger is how long the peer has to notice a close frame that is not to be answered, and lingerBytes how much it may send until then.
const (
	linger      = time.Second
	lingerBytes = 1 << 20
)

// fail ends the connection because of an error, once. It returns the first one.
func (c *Conn) fail(err error) error {
	code := CodeNoStatus
	if broken, ok := err.(*ProtocolError); ok {
		code = broken.Code
	}
	return c.abort(err, code)
}

// abort is fail with a code for a close frame, CodeNoStatus for none.
func (c *Conn) abort(err error, code Code) error {
	first, done := c.end(err)
	if done {
		return first
	}
	parting := code != CodeNoStatus && c.sendFarewell(code)
	if c.onFailure != nil {
		c.onFailure(err)
	}
	if parting {
		go c.part(err)
	} else {
		c.cut(err)
	}
	return err
}

// end notes why the connection ended. If it had before, that is returned, and done is true.
func (c *Conn) end(err error) (first error, done bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err, true
	}
	c.err = err
	c.ending.Store(true)
	c.outbox.drop(err)
	c.pings.drop()
	if c.outbox.timer != nil {
		c.outbox.timer.Stop()
	}
	close(c.ended)
	return err, false
}

// sendFarewell sends a close frame if none was sent and nobody is writing, and reports whether it did.
func (c *Conn) sendFarewell(code Code) bool {
	if !c.writing.try() {
		return false
	}
	defer c.writing.give()
	c.mu.Lock()
	sent := c.sentClose
	c.sentClose = true
	c.ending.Store(true)
	c.mu.Unlock()
	if sent || c.message != nil && c.message.torn {
		return false
	}
	okio.TimeoutOf(c.sink).SetDeadline(time.Now().Add(farewell))
	err := c.frame(header{op: opClose, fin: true}, closePayload(code, ""))
	if err == nil {
		err = c.flush()
	}
	return err == nil && c.sink.Close() == nil
}

// part waits until the peer has noticed why the connection ends: if it were cut while bytes of the peer are unread, the close frame could be lost. The turn
// to read is taken for good.
func (c *Conn) part(err error) {
	timer := time.AfterFunc(linger, func() { c.socket.Cancel(err) })
	defer timer.Stop()
	c.r.timeout.Interrupt() // who reads must leave
	_, _ = c.reading.take(context.Background(), nil)
	c.forget()
	c.r.timeout.Resume()
	c.r.timeout.SetLimit(0)
	var gone error
	for dropped := int64(0); dropped < lingerBytes && gone == nil; {
		var n int64
		c.r.in.Clear()
		n, gone = c.r.source.ReadBuffer(&c.r.in, 64<<10)
		dropped += n
	}
	c.r.in.Clear()
	if gone == io.EOF {
		c.release() // in order, so that what the peer has not yet read is not taken from it
	} else {
		c.cut(err)
	}
}

// cut gives up the connection below.
func (c *Conn) cut(cause error) {
	c.socket.Cancel(cause)
	c.release()
}

// release closes the connection below.
func (c *Conn) release() {
	_ = c.sink.Close()
	_ = c.socket.Source().Close()
	c.readWatch.close()
	c.writeWatch.close()
	if c.reading.try() { // otherwise who has it does so
		c.forget()
		c.reading.give()
	}
}
