package okhttp

import (
	"context"
	"fmt"
)

// Enqueue executes the call on a goroutine of its own, when the client's dispatcher has a place for it. It returns at once. f is called exactly
// once, on that goroutine, with what [Call.Execute] would have returned; it closes the response's body. The time in the queue does not count
// for the call timeout. A call whose context ends or that is canceled while it waits fails at once.
//
// A panic of an interceptor or a listener is delivered as the call's failure, a [*PanicError]; one of f itself is not caught.
func (c *Call) Enqueue(ctx context.Context, f func(*Response, error)) {
	err := c.claim(ctx)
	if err == nil {
		err = c.start(ctx)
	}
	if err != nil {
		go f(nil, err)
		return
	}
	d, ticket, err := c.enter(ctx, true)
	go func() {
		if err != nil {
			f(nil, err)
			return
		}
		defer d.leave(ticket)
		f(c.caught(ctx, d, ticket))
	}()
}

// limited is run for a call of Execute that the dispatcher wants to know of.
func (c *Call) limited(ctx context.Context) (*Response, error) {
	d, ticket, err := c.enter(ctx, false)
	if err != nil {
		return nil, err
	}
	defer d.leave(ticket)
	return c.inTurn(ctx, d, ticket)
}

// enter asks the dispatcher for a place.
func (c *Call) enter(ctx context.Context, enqueued bool) (*Dispatcher, *ticket, error) {
	d, ask := c.client.cfg.dispatcher, (*Dispatcher).enterExecute
	if enqueued {
		ask = (*Dispatcher).enter
	}
	t, err := ask(d, c.request.url.Host(), c.request.Upgrade() == "")
	if err != nil {
		return nil, nil, c.turnedAway(ctx, err)
	}
	if t.turn != nil {
		c.queued(true)
	}
	return d, t, nil
}

// inTurn waits for the call's turn and runs it.
func (c *Call) inTurn(ctx context.Context, d *Dispatcher, t *ticket) (*Response, error) {
	if t.turn != nil {
		waiting, w, err := c.wait(ctx)
		if err == nil {
			err = d.wait(waiting, t)
			w.end()
		}
		if err != nil {
			d.leave(t)
			return nil, c.turnedAway(ctx, err)
		}
		c.queued(false)
	}
	return c.run(ctx)
}

func (c *Call) turnedAway(ctx context.Context, err error) error {
	e := c.wrap(ctx, c.request, err)
	e.Phase = PhaseQueue
	return c.fail(e)
}

// PanicError is a panic of an interceptor or a listener during an enqueued call.
type PanicError struct{ Value any }

func (e *PanicError) Error() string {
	return fmt.Sprintf("okhttp: panic in an enqueued call: %v", e.Value)
}

// caught runs the call and turns a panic into its failure: there is nobody on this goroutine who could handle it.
func (c *Call) caught(ctx context.Context, d *Dispatcher, t *ticket) (resp *Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.more = false
			c.abandon()
			resp, err = nil, c.fail(c.wrap(ctx, c.request, &PanicError{v}))
		}
	}()
	c.catches = true
	return c.inTurn(ctx, d, t)
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
