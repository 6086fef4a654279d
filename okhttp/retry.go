package okhttp

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// maxFollowUps bounds redirects and status-driven repetitions of one call together.
const maxFollowUps = 20

// attemptError is a failure of one attempt, with what is needed to decide about another.
type attemptError struct {
	phase    Phase
	route    string
	sent     bool    // a byte of the request may have reached the server
	final    bool    // no other route would help
	around   bool    // other calls used up the connection, and another one was to be tried
	exchange bool    // the transport failed during an exchange, as opposed to connecting or the user's own code
	attempts []error // earlier failures of the same attempt: addresses that could not be connected to
	err      error
}

func (e *attemptError) Error() string { return e.err.Error() }
func (e *attemptError) Unwrap() error { return e.err }

// followUps sends a request until there is a response to return, over further connections after failures and to further places
// after redirects.
func (c *Call) followUps(ctx context.Context, cfg *config, req *Request) (*Response, error) {
	if c.exchange != nil && !c.exchange.done {
		return nil, &CallError{"the previous response is still open: close it before proceeding again"}
	}
	var (
		prior  *Response
		failed []error // attempts that were retried
		busy   int     // responses in a row that said to come back later
	)
	c.plan = routePlan{}
	for followed := 0; ; {
		if err := c.endOf(ctx, nil); err != nil { // there is no attempt to decide about
			c.abandon()
			return nil, c.attribute(ctx, callError(req, &attemptError{err: err}, failed, c.sent))
		}
		resp, err := c.attempt(ctx, cfg, req, &c.plan)
		if err != nil {
			retry := c.recoverable(ctx, cfg, req, err, &c.plan)
			c.sent = c.maySent()
			c.cutOff()
			if l := c.events.Load(); l != nil && l.RetryDecision != nil {
				l.RetryDecision(RetryDecision{c, err, retry})
			}
			c.release()
			var ae *attemptError
			if errors.As(err, &ae) {
				c.blame(ctx, cfg, req, ae)
			}
			if !retry {
				return nil, c.attribute(ctx, callError(req, err, failed, c.sent))
			}
			failed = append(failed, err)
			continue
		}
		c.sent = c.sent || resp.wireRequest != nil || resp.networks != nil // otherwise it is of a cache
		resp.request = req
		resp.prior = prior
		next, err := c.followUp(ctx, cfg, req, resp)
		if err != nil {
			resp.Body.Close()
			return nil, callError(req, &attemptError{phase: PhaseFollowUp, err: err}, failed, c.sent)
		}
		var wait time.Duration
		if busy++; resp.Status != 429 && resp.Status != 503 {
			busy = 0
		}
		if next == nil && cfg.retryPolicy != nil && followed < maxFollowUps && (req.repeatable() || resp.Status == 429) {
			if d, ok := cfg.retryPolicy.delay(resp, busy, time.Now()); ok {
				next, wait = req, d
			}
		}
		if next != nil && next.body != nil && next.body.sentOnce() {
			next = nil
		}
		if next == nil {
			c.plan = routePlan{} // a response may stay open for long, and needs no other ways
			c.decided(resp, nil)
			return resp, nil
		}
		resp.Body.Close()
		replaced := c.cutOff() // an interceptor replaced the body and left the original open
		if followed++; followed > maxFollowUps {
			c.decided(resp, nil)
			err := &ProtocolError{Detail: "too many follow-up requests: 21"}
			return nil, callError(req, &attemptError{phase: PhaseFollowUp, err: err}, failed, c.sent)
		}
		c.decided(resp, next)
		if replaced {
			c.release()
		}
		if err := c.pause(ctx, wait); err != nil {
			return nil, c.attribute(ctx, callError(req, &attemptError{phase: PhaseFollowUp, err: err}, failed, c.sent))
		}
		prior = resp.With(WithoutBody())
		req, c.plan = next, routePlan{}
	}
}

func (c *Call) decided(resp *Response, next *Request) {
	if l := c.events.Load(); l != nil && l.FollowUpDecision != nil {
		l.FollowUpDecision(FollowUpDecision{c, resp, next})
	}
}

// callError makes the last failure, and those before it, that of the call.
func callError(req *Request, err error, failed []error, sent bool) *Error {
	e := &Error{Method: req.method, URL: req.url.Redacted(), Err: err}
	var ae *attemptError
	if errors.As(err, &ae) {
		e.Phase, e.Route, e.Err = ae.phase, ae.route, ae.err
		e.Attempts = ae.attempts
	}
	if apart, ok := err.(*Error); ok && apart.Method == e.Method && apart.URL == e.URL { // the cache sent the request in a call apart
		*e = *apart
	}
	e.Sent = e.Sent || sent
	if len(failed) == 0 {
		return e
	}
	// What went wrong first is what the user wants to know; the rest are attempts to mend it. That other calls were there first is nothing that went wrong.
	at := slices.IndexFunc(failed, func(err error) bool { return !errors.As(err, &ae) || !ae.around })
	if at < 0 {
		e.Attempts = append(failed[:len(failed):len(failed)], e.Attempts...)
		return e
	}
	first := failed[at]
	others := append(slices.Delete(slices.Clone(failed), at, at+1), e.Err)
	e.Attempts = append(others, e.Attempts...)
	if errors.As(first, &ae) {
		e.Phase, e.Route, first = ae.phase, ae.route, ae.err
	}
	e.Err = first
	return e
}

// blame remembers a route whose connection failed before it was of any use, so that others are tried before it.
func (c *Call) blame(ctx context.Context, cfg *config, req *Request, e *attemptError) {
	conn := c.plan.last
	if conn != nil && conn.http2 != nil && conn.http2.Closing() == nil {
		return // the stream alone failed
	}
	if !e.exchange || conn == nil || conn.served.Load() > 0 || !c.plan.fresh || c.endOf(ctx, e.err) != nil {
		return
	}
	cfg.failures.fail(conn.route)
	if p := conn.route.proxy; !cfg.ownProxy && !p.IsDirect() {
		cfg.selector.ConnectFailed(req.url, p, e.err)
	}
}

// recoverable decides whether a failed attempt is repeated over another connection or route.
func (c *Call) recoverable(ctx context.Context, cfg *config, req *Request, err error, plan *routePlan) bool {
	var (
		ae  *attemptError
		src *sourceError
		pe  *ProtocolError
		te  *TooLargeError
	)
	switch {
	case c.endOf(ctx, err) != nil:
		return false
	case errors.Is(err, http2.ErrTooManyStreams):
		return c.around(plan, err)
	case !cfg.retry:
		return false
	case !errors.As(err, &ae), !ae.exchange:
		return false // the connect stage has tried every address, and user code is not repeated
	case errors.As(err, &src), errors.Is(err, fs.ErrNotExist):
		return false
	case errors.As(err, &pe), errors.As(err, &te), isTimeout(err):
		return false
	case req.body != nil && req.body.sentOnce() && (ae.sent || ae.phase != PhaseRequestHeaders):
		return false // otherwise the connection was about to end, and the body was not opened
	case ae.sent && !req.repeatable():
		return false
	}
	w, ok := c.exchange.wire.(*http2Wire)
	switch {
	case ok && w.crowdedOut(err):
		return c.around(plan, err)
	case ok && refusedStream(err):
		once := plan.again()
		return plan.more() || once
	case ok && untouched(err):
		return plan.anew()
	}
	return plan.more()
}

// around decides about another attempt because other calls had used up the connection.
func (c *Call) around(plan *routePlan, err error) bool {
	ok := plan.around()
	if ae := (*attemptError)(nil); ok && errors.As(err, &ae) {
		ae.around = true
	}
	return ok
}
