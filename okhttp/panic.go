package okhttp

import "fmt"

// PanicError is a panic of an interceptor, a listener or other code of the user during a call: the failure of an enqueued call, and what
// CallFailed is told of any call that a panic broke off.
type PanicError struct{ Value any } // nil if the goroutine was ended with runtime.Goexit instead

func (e *PanicError) Error() string {
	if e.Value == nil {
		return "okhttp: the goroutine of the call was ended"
	}
	return fmt.Sprintf("okhttp: panic during a call: %v", e.Value)
}

// unwind, when it is deferred, ends a call that a panic passes by. The panic goes on.
func (c *Call) unwind() {
	if !c.running {
		return
	}
	v := recover()
	c.lose(v)
	if v != nil {
		panic(v) // with the stack that it came from, which is still there
	}
}

// caught, when it is deferred, turns a panic into the call's failure: there is nobody on this goroutine who could handle it.
func (c *Call) caught(failure *error) {
	if c.running {
		*failure = c.lose(recover())
	}
}

// lose fails a call that was broken off. Listeners that panic again, now that they are told of it, do not keep it from its end.
func (c *Call) lose(v any) error {
	e := &Error{Method: c.request.method, URL: c.request.url.Redacted(), Sent: c.maySent(), Err: &PanicError{v}}
	c.running, c.more = false, false
	regardless(c.abandon)
	if r := c.pending; r != nil {
		c.pending = nil
		regardless(func() { r.Body.Close() })
	}
	regardless(func() { c.fail(e) })
	return e
}

// maySent reports whether a server may have seen a byte of the call.
func (c *Call) maySent() bool {
	return c.sent || c.exchange != nil && c.exchange.sent()
}

func regardless(f func()) {
	defer func() { _ = recover() }()
	f()
}
