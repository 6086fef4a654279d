package okhttp

import (
	"context"
	"fmt"
)

// Enqueue executes the call on a goroutine of its own, when the client's dispatcher has a place for it. It returns at once. f is called exactly
// once, on that goroutine, with what [Call.Execute] would have returned; it closes the response's body. The time in the queue does not count
// for the call timeout. A call whose context ends or that is canceled while it waits fails at once.
//
// A panic of an interceptor is delivered as the call's failure, a [*PanicError]; one of f itself is not caught.
func (c *Call) Enqueue(ctx context.Context, f func(*Response, error)) {
	if err := c.claim(ctx); err != nil {
		f(nil, err)
		return
	}
	if err := c.start(ctx); err != nil {
		f(nil, err)
		return
	}
	d := c.client.cfg.dispatcher
	ticket, err := d.enter(c.request.url.Host(), c.request.Upgrade() == "")
	if err == nil && ticket.turn != nil {
		c.queued(true)
	}
	go func() {
		if err != nil {
			f(nil, c.fail(c.wrap(ctx, c.request, err)))
			return
		}
		if err := c.await(ctx, d, ticket); err != nil {
			f(nil, err)
			return
		}
		defer d.leave(ticket)
		f(c.caught(ctx))
	}()
}

// PanicError is a panic of an interceptor or a listener during an enqueued call.
type PanicError struct{ Value any }

func (e *PanicError) Error() string {
	return fmt.Sprintf("okhttp: panic in an enqueued call: %v", e.Value)
}

// caught runs the call and turns a panic into its failure: there is nobody on this goroutine who could handle it.
func (c *Call) caught(ctx context.Context) (resp *Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			resp, err = nil, c.fail(c.wrap(ctx, c.request, &PanicError{v}))
		}
	}()
	return c.run(ctx)
}

// await waits for the call's turn.
func (c *Call) await(ctx context.Context, d *Dispatcher, t *ticket) error {
	if t.turn == nil {
		return nil
	}
	waiting, w, err := c.wait(ctx)
	if err == nil {
		err = d.wait(waiting, t)
		w.end()
	} else {
		d.abandon(t)
	}
	if err != nil {
		e := c.wrap(ctx, c.request, err)
		e.Phase = PhaseQueue
		return c.fail(e)
	}
	c.queued(false)
	return nil
}

func (c *Call) queued(start bool) {
	l := c.events.Load()
	switch {
	case l == nil:
	case start && l.QueueStart != nil:
		l.QueueStart(QueueEvent{c, c.client.cfg.dispatcher})
	case !start && l.QueueEnd != nil:
		l.QueueEnd(QueueEvent{c, c.client.cfg.dispatcher})
	}
}
