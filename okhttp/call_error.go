package okhttp

import (
	"context"
	"errors"
	"time"
)

// wrap makes an error that is not of a call yet into one that is, and an interceptor's choice of one into that of the whole call. Cancellation and
// time limits take the place of what they caused.
func (c *Call) wrap(ctx context.Context, req *Request, err error) *Error {
	var e *Error
	switch {
	case !errors.As(err, &e):
		e = &Error{Method: req.method, URL: req.url.Redacted(), Sent: c.maySent(), Err: err}
	case c.sent && !e.Sent:
		whole := *e
		whole.Sent = true
		e = &whole
	}
	return c.attribute(ctx, e)
}

// attribute puts the end of the call, if that was the cause, in the place of the failure it led to.
func (c *Call) attribute(ctx context.Context, e *Error) *Error {
	if _, done := e.Err.(*endError); done && e.Err != ErrCanceled { // with which the context cancels a connection too
		return e
	}
	cause := c.endOf(ctx, e.Err)
	if cause == nil || errors.Is(e.Err, cause) {
		return e
	}
	moved := *e
	if e.Err != context.Cause(ctx) && !errors.Is(e.Err, context.Canceled) { // else it only tells of the end
		moved.Attempts = append([]error{e.Err}, e.Attempts...)
	}
	moved.Err = cause
	return &moved
}

// endOf returns what ended the call from this side, nil if nothing did. err is the failure in question, nil if there is none.
func (c *Call) endOf(ctx context.Context, err error) error {
	if c.IsCanceled() {
		return ErrCanceled
	}
	switch ctx.Err() {
	case nil:
		// A deadline set on the socket can fire just before that of the context it was taken from.
		at, ok := ctx.Deadline()
		switch {
		case !ok || err != nil && !isTimeout(err) || time.Now().Before(at):
			return nil
		case c.timeout != nil && at.Equal(c.timeout.at):
			return ErrCallTimeout
		}
		return errDeadline
	case context.DeadlineExceeded:
		return deadlineExceeded(ctx)
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		return cause
	}
	return &endError{cause.Error(), []error{cause, context.Canceled}}
}

func deadlineExceeded(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case cause == context.DeadlineExceeded:
		return errDeadline
	case errors.Is(cause, ErrCallTimeout):
		return ErrCallTimeout
	default:
		return &endError{cause.Error(), append([]error{cause}, errDeadline.is...)}
	}
}
