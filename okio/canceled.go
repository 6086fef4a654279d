package okio

import "context"

// ErrCanceled is what the operations of a socket or pipe report after it was canceled without a cause. It is also
// [context.Canceled].
var ErrCanceled error = canceledError{}

type canceledError struct{}

func (canceledError) Error() string        { return "okio: canceled" }
func (canceledError) Is(target error) bool { return target == context.Canceled }

// causeOrCanceled is what a cancellation with this cause is reported as.
func causeOrCanceled(cause error) error {
	if cause == nil {
		return ErrCanceled
	}
	return cause
}
