package mockserver

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// perform performs a plan on a stream. It reports whether the exchange goes on. whole says that the response was sent.
func (x *streamExchange) perform(ctx context.Context, plan []Effect, whole bool) (goesOn bool) {
	for _, e := range plan {
		if !x.act(ctx, e, whole) {
			return false
		}
	}
	return true
}

func (x *streamExchange) act(ctx context.Context, e Effect, whole bool) (goesOn bool) {
	switch e := e.(type) {
	case Wait:
		return sleep(ctx, e.For) == nil
	case Write:
		x.conn.Inject(e.Bytes)
		return true
	case SendSettings:
		x.conn.SendSettings(e.Settings...)
		return true
	case RefuseConnections:
		x.server.refuseFor(e.For)
		return true
	case IgnoreConnections:
		x.server.ignoreFor(e.For)
		return true
	case GoAway:
		last := uint32(math.MaxInt32) // all that were opened, which may be more than this one
		if e.Refuse {
			last = x.stream.ID() - min(x.stream.ID(), 2)
		}
		x.leave(func() { x.conn.GoAwayAfter(last, e.Code, e.Debug) })
		if !e.Refuse {
			return true
		}
		x.awaitEnd(ctx)
	case CloseStream:
		x.stream.Cancel(e.Code, fmt.Errorf("%w: CloseStream", errEffect))
	case ShutdownConnection:
		x.leave(func() { x.conn.GoAway(http2.NoError) })
		if !whole {
			x.stream.Cancel(http2.Cancel, errEffect)
		}
	case Garbage:
		x.cut.Store(true)
		x.conn.Inject(x.server.dice.bytes(e.Bytes))
		x.conn.Close()
	case Stall:
		x.awaitEnd(ctx)
	default:
		x.strike(e)
		x.awaitEnd(ctx)
	}
	return false
}

// awaitEnd waits until the stream is over.
func (x *streamExchange) awaitEnd(ctx context.Context) {
	if !x.handed {
		x.stream.SetLimits(0, 0, time.Now().Add(stallLimit))
		_ = x.stream.AwaitEnd()
		return
	}
	for left := stallLimit; left > 0 && x.stream.Err() == nil && sleep(ctx, stallLook) == nil; { // what comes is for the handler to wait for
		left -= stallLook
	}
}

// stallLook is how often a stall of a handler looks whether its stream is over.
const stallLook = 100 * time.Millisecond
