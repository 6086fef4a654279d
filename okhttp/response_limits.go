package okhttp

import "time"

// Call returns the call that led to the response, nil for one that did not come from a server. [Call.Cancel] ends the reading of the body from any goroutine.
func (r *Response) Call() *Call {
	if r.exchange == nil {
		return nil
	}
	return r.exchange.call
}

// LiftCallTimeout takes the time limit of the call ([WithCallTimeout]) off the rest of the response: for bodies that have no end in time, such as event
// streams, so that it bounds what came before them alone. The context of the caller stays, and [Call.Cancel]. It does nothing once the body is over or the
// limit was up. It must not run while the body is being read.
func (r *Response) LiftCallTimeout() {
	if ex := r.exchange; ex != nil && !ex.done {
		ex.call.outliveTimeout(ex)
	}
}

// SetReadTimeout replaces the read timeout ([WithReadTimeout]) for the rest of the response; 0 and less mean no limit. It does nothing once the body is
// over. It must not run while the body is being read.
func (r *Response) SetReadTimeout(d time.Duration) {
	ex := r.exchange
	if ex == nil || ex.done {
		return
	}
	deadline, _ := ex.ctx.Deadline()
	changed := ex.cfg.clone()
	changed.readTimeout = positive(d)
	ex.cfg = changed
	ex.wire.limit(changed.readTimeout, changed.writeTimeout, deadline, changed.maxHead)
}

// outliveTimeout takes the call's time limit off an exchange whose response has begun. The context of the caller stays.
func (c *Call) outliveTimeout(ex *exchange) {
	if c.timeout == nil || ex.ctx.Err() != nil || !ex.wire.unbind() {
		return // there is none, or it ended already
	}
	c.timeout.stop()
	parent := c.timeout.parent
	deadline, _ := parent.Deadline()
	ex.ctx, c.timeout = parent, nil
	ex.wire.limit(ex.cfg.readTimeout, ex.cfg.writeTimeout, deadline, ex.cfg.maxHead)
	ex.wire.bind(parent)
	ex.wire.linger()
}
