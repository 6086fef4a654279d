package mockserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrClientGone is why the context of a [Dispatcher] ends whose client gave up, and wrapped by the Failure of its request in the journal.
var ErrClientGone = errors.New("mockserver: the client gave up before there was a response")

// exchangeContext is the context of one exchange. It ends with the exchange, with the server, and when the client is gone, which is watched for from the
// moment on that somebody asks whether it ended: most dispatchers do not, and pay nothing for it.
type exchangeContext struct {
	context.Context
	cancel context.CancelCauseFunc
	watch  func(gone context.CancelCauseFunc) (stop func())

	mu      sync.Mutex
	stop    func() // ends the watch; nil if it was not begun
	settled bool   // it is not to begin any more
}

// newExchangeContext makes the context of an exchange, to be ended. Between watch and stop, neither of which may wait for the client, gone is
// called, once at most, when the client is.
func newExchangeContext(ctx context.Context, watch func(gone context.CancelCauseFunc) (stop func())) *exchangeContext {
	inner, cancel := context.WithCancelCause(ctx)
	return &exchangeContext{Context: inner, cancel: cancel, watch: watch}
}

// Done implements [context.Context].
func (x *exchangeContext) Done() <-chan struct{} {
	x.begin()
	return x.Context.Done()
}

// Err implements [context.Context].
func (x *exchangeContext) Err() error {
	x.begin()
	return x.Context.Err()
}

func (x *exchangeContext) begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stop == nil && !x.settled {
		x.stop = x.watch(x.cancel)
	}
}

// settle ends the watch, and returns once nothing of it is left.
func (x *exchangeContext) settle() {
	x.mu.Lock()
	x.settled = true
	stop := x.stop
	x.stop = nil
	x.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// end ends the context with the exchange.
func (x *exchangeContext) end() {
	x.settle()
	x.cancel(nil)
}

// gone returns how the exchange lost its client, nil if it did not, or the server closed before.
func (x *exchangeContext) gone() error {
	if err := context.Cause(x.Context); !errors.Is(err, ErrClosed) {
		return err
	}
	return nil
}

// clientGone returns why ctx ended, if that is because the client is gone.
func clientGone(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, ErrClientGone) {
		return err
	}
	return nil
}

// watchLimit is how much a client may send beyond its request while that is watched for its end.
const watchLimit = 64 << 10

// watch calls gone when the client of an exchange whose request was read ends the connection or breaks it. What else comes stays in the buffer of the
// connection, for those who read next. Once that is full the end is not noticed any more. stop waits for the watch.
func (c *connection) watch(gone context.CancelCauseFunc) (stop func()) {
	source, over := c.http.Source(), make(chan struct{})
	go func() {
		defer close(over)
		for source.Buffer().Len() < watchLimit {
			more, err := source.Request(source.Buffer().Len() + 1)
			switch {
			case err != nil && !broken(err): // stopped
				return
			case err == io.ErrUnexpectedEOF || err == nil && !more:
				gone(ErrClientGone)
				return
			case err != nil:
				gone(fmt.Errorf("%w: %w", ErrClientGone, err))
				return
			}
		}
	}()
	return func() {
		source.Timeout().Interrupt()
		<-over
		source.Timeout().Resume()
	}
}

// abandon notes that nobody waits for the response to a request that was recorded.
func (c *connection) abandon(r *Request, why error) {
	c.log(c.server.journal.amend(r, func(r *Request) { r.Failure = why }), 0)
}

// watch calls gone when the stream ends early: the client resets it, or the connection is over.
func (x *streamExchange) watch(gone context.CancelCauseFunc) (stop func()) {
	x.stream.WhenFailed(func(err error) { gone(x.unheard(err)) })
	return func() { x.stream.WhenFailed(nil) }
}
