package okhttp

import "context"

// Enqueue executes the call on a goroutine of its own, once the client's dispatcher has a place for it, and returns at once. f is called exactly
// once, on that goroutine, with what [Call.Execute] would have returned, and must close the response's body. Time in the queue does not count
// towards the call timeout. A call that is canceled while it waits, or whose context ends, fails at once; one that finds the queue full fails with
// [ErrQueueFull].
//
// A panic of an interceptor, a listener or other user code becomes the call's failure, a [*PanicError]; a panic of f itself is not caught.
func (c *Call) Enqueue(ctx context.Context, f func(*Response, error)) {
	err := c.claim(ctx)
	if err != nil {
		go f(nil, err)
		return
	}
	t, err := c.admitted(ctx)
	if err != nil {
		go f(nil, err)
		return
	}
	go func() {
		defer c.client.cfg.dispatcher.leave(t)
		var resp *Response
		var err error
		defer func() { f(resp, err) }()
		c.running = true
		defer c.caught(&err)
		resp, err = c.inTurn(ctx, t)
		c.running, c.pending = false, nil
	}()
}

// admitted is the part of Enqueue on the goroutine that enqueues.
func (c *Call) admitted(ctx context.Context) (t *ticket, err error) {
	c.running = true
	defer c.caught(&err)
	if err = c.start(ctx); err == nil {
		t, err = c.enter(ctx, (*Dispatcher).enter)
	}
	c.running = false
	return t, err
}

// limited is run for a call of Execute that the dispatcher wants to know of.
func (c *Call) limited(ctx context.Context) (*Response, error) {
	t, err := c.enter(ctx, (*Dispatcher).enterExecute)
	if err != nil {
		return nil, err
	}
	defer c.client.cfg.dispatcher.leave(t)
	return c.inTurn(ctx, t)
}

// enter asks the dispatcher for a place.
func (c *Call) enter(ctx context.Context, ask func(d *Dispatcher, host string, perHost bool) (*ticket, error)) (*ticket, error) {
	d := c.client.cfg.dispatcher
	t, err := ask(d, c.request.url.Host(), c.request.Upgrade() == "")
	if err != nil {
		return nil, c.turnedAway(ctx, err)
	}
	if t.turn != nil {
		told := false
		defer func() {
			if !told { // the listener panics
				d.leave(t)
			}
		}()
		c.queued(true)
		told = true
	}
	return t, nil
}

// inTurn waits for the call's turn and runs it.
func (c *Call) inTurn(ctx context.Context, t *ticket) (*Response, error) {
	if t.turn != nil {
		d := c.client.cfg.dispatcher
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
