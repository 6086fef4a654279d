package okio

import "context"

// BindContext cancels s with the cause of ctx's end ([context.Cause]) as soon as ctx ends. Do it once per use of a socket, not per
// operation.
//
// Call stop once when the use is over. If it returns true, the binding is gone and ctx can no longer touch s. If it returns
// false, s was canceled or is about to be, in another goroutine, perhaps after stop returns: such a socket must be closed and never
// given to another user.
func BindContext(ctx context.Context, s Socket) (stop func() bool) {
	return context.AfterFunc(ctx, func() { s.Cancel(context.Cause(ctx)) })
}
