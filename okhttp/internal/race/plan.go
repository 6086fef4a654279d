package race

import (
	"context"
	"errors"
)

// ErrLost is what Failed gets for a plan that was given up while it was connecting: another one was connected or ready first, or a fatal
// failure ended the search.
var ErrLost = errors.New("connecting was given up: it is not needed any more")

// ErrNothing is the failure of a search without any plan and without any failure.
var ErrNothing = errors.New("no way to the server: the planner had nothing to try")

// Plan is one way to a server. It is used once.
type Plan interface {
	// Ready reports whether nothing has to be connected: an open connection of a pool, or a failure of planning. It is asked once. The
	// Finish of a ready plan is called at once, even if the context has ended meanwhile, so that what the plan holds has an owner.
	Ready() bool
	// Start is called right before Connect begins, on Find's goroutine.
	Start()
	// Connect opens the transport, on any goroutine. It must return soon after ctx ends. What it opened must not depend on ctx, which may end
	// as soon as it has returned. A panic of it is recovered on a worker alone, if the Config says how.
	Connect(ctx context.Context) error
	// Failed is called once for a plan that was started and whose Finish will not be called, on Find's goroutine. err is the error of
	// Connect, [ErrLost], or the cause of the context's end if that interrupted Connect. In the latter two cases Connect may still be running.
	Failed(err error)
	// Finish makes the connection usable (tunnel, TLS), on Find's goroutine, after Connect succeeded or for a ready plan. No two plans are
	// finished at the same time. next, if not nil, is another way to try because of what happened, before any other; next and err may both
	// be set. next without err means "try that instead" and is not a failure. Unless both are nil, Finish has closed what the plan held.
	Finish(ctx context.Context) (next Plan, err error)
	// Discard closes what Connect opened, because it is not wanted any more, on any goroutine. It is called at most once: after Connect has
	// returned nil if Finish will not be called, or, also for a ready plan, if a method of any plan or of the planner panicked before Find
	// could return this one. If that method was the Finish of this plan, Discard must bear with what it left.
	Discard()
	// Again returns a copy of a plan that lost, to be tried later, or nil if there should not be one. It is called on Find's goroutine after
	// Failed; Connect may still be running.
	Again() Plan
}

// Planner says what to try. All methods are called on Find's goroutine.
type Planner interface {
	// Next returns what to try next. It may block until ctx ends; nobody looks at plans that connect meanwhile. It is called only when a plan may
	// start. A nil Plan with a channel means that nothing is there yet but may come: Next is called again after a receive from the channel
	// succeeded, which it does when the channel is closed too, or after something was deferred. nil and nil mean that there is nothing more, until
	// something is deferred. An error is a failure of planning, a name that does not resolve for example: it counts as the failure of a plan,
	// and Next may be called again.
	Next(ctx context.Context) (Plan, <-chan struct{}, error)
	// More reports whether Next may still have something to offer. It must not block.
	More() bool
	// DeferFirst makes a plan the first that Next returns.
	DeferFirst(Plan)
	// DeferLast makes a plan the last of the deferred ones.
	DeferLast(Plan)
}
