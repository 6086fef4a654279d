package okws

import (
	"context"
	"sync"
)

// A watch has a function called when the context of the operation under way ends. Registering with a context costs more than the rest of a small read, so that the
// registration stays when the same context comes for the second time.
type watch struct {
	fire func(cause error) // called under mu

	mu   sync.Mutex
	busy bool // an operation is under way
	hit  bool // its context ended
	ctx  context.Context
	stop func() bool     // takes the registration back, nil if there is none
	last <-chan struct{} // of the context before
	keep bool            // the registration, when the operation is over
	over bool            // there are no more operations after the one under way
}

// begin watches over an operation.
func (w *watch) begin(ctx context.Context) {
	done := ctx.Done()
	if done == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = true
	if w.stop != nil {
		if w.last == done {
			w.strike()
			return
		}
		w.stop()
	}
	w.keep, w.last, w.ctx = w.last == done, done, ctx
	w.stop = context.AfterFunc(ctx, func() { w.ended(done) })
}

func (w *watch) ended(done <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy && w.last == done {
		w.strike()
	}
}

// strike calls the function if the context has ended. The lock is held.
func (w *watch) strike() {
	if !w.hit && w.ctx.Err() != nil {
		w.hit = true
		w.fire(context.Cause(w.ctx))
	}
}

// end reports whether the function was called since begin.
func (w *watch) end() (hit bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil && (!w.keep || w.over) {
		w.stop()
		w.stop, w.ctx = nil, nil
	}
	w.busy = false
	hit, w.hit = w.hit, false
	return hit
}

// close takes the registration back for good, as soon as nothing is under way: a context may live much longer than a connection.
func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over = true; w.stop != nil && !w.busy {
		w.stop()
		w.stop, w.ctx = nil, nil
	}
}
