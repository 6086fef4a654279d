package okhttp

import "context"

// settle makes the outcome of the interceptors that of the call.
func (c *Call) settle(ctx context.Context, resp *Response, err error) (*Response, error) {
	if err == nil && c.IsCanceled() {
		c.more = true // closing must not end the call: it failed
		resp.Body.Close()
		c.more = false
		err = ErrCanceled
	}
	if err != nil {
		e := c.wrap(ctx, c.request, err)
		c.abandon()
		return nil, c.fail(e)
	}
	switch ex := c.exchange; {
	case ex == nil:
		c.succeed()
	case ex.done:
		if d := ex.duplex(); d != nil {
			d.then(c.letGo)
		} else {
			c.letGo()
		}
	case ex.duplex() != nil:
		c.outliveTimeout(ex)
	}
	return resp, nil
}

// letGo ends a call whose response came whole.
func (c *Call) letGo() {
	c.release()
	c.succeed()
}

// part parts the exchange from its context. The connection of one that ended is of no use to anyone, over HTTP/1.1.
func (c *Call) part(ex *exchange) {
	if !ex.wire.unbind() {
		ex.wire.spend()
	}
	c.wire.Store(nil)
}

// abandon gives up whatever is under way.
func (c *Call) abandon() {
	defer c.release()
	c.cutOff()
}

// cutOff ends an exchange in the middle of it, if there is one. A body or a socket of which something was read or written has an end all the
// same.
func (c *Call) cutOff() (cut bool) {
	ex := c.exchange
	if ex == nil || ex.done {
		return false
	}
	ex.done = true
	ex.leak.Stop()
	c.part(ex)
	ex.wire.spend()
	if u := ex.upgraded(); u != nil {
		more := c.more
		c.more = true // closing must not end the call
		defer func() { c.more = more }()
		upgradedBody{u}.Close()
	}
	if l := c.events.Load(); ex.started && l != nil && l.ResponseBodyEnd != nil {
		l.ResponseBodyEnd(BodyEnd{c, ex.got})
	}
	return true
}

func (c *Call) succeed() {
	if c.end() {
		if l := c.events.Load(); l != nil && l.CallEnd != nil {
			l.CallEnd(CallEnd{c})
		}
	}
}

func (c *Call) fail(e *Error) error {
	if c.end() {
		if l := c.events.Load(); l != nil && l.CallFailed != nil {
			l.CallFailed(Failure{c, e})
		}
	}
	return e
}

func (c *Call) end() (now bool) {
	if c.ended {
		return false
	}
	c.ended = true
	if c.timeout != nil {
		c.timeout.stop()
	}
	if c.client.active.Add(-1) == 0 && c.client.closing.Load() {
		c.client.tellDrained()
	}
	return true
}
