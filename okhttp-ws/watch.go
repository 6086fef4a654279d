package okws

import (
	"context"
	"sync"
	"sync/atomic"
)

// A watch has a function called when the context of the operation under way ends. Registering with a context costs more than the rest of a small read, so that the
// registration stays when the same context comes for the second time; from the third on an operation takes no lock either.
//
// There is one operation at a time, between begin and end. close may be called at any time.
type watch struct {
	fire func(cause error) // called under mu

	busy atomic.Bool                  // an operation is under way
	over atomic.Bool                  // there are no more operations after the one under way
	now  atomic.Pointer[registration] // nil if there is none. It changes under mu, by close only while nothing is under way

	mu   sync.Mutex
	hit  bool            // the function was called for the operation under way
	last <-chan struct{} // of the context before
}

// registration is that of a watch with a context.
type registration struct {
	ctx  context.Context
	done <-chan struct{} // the context's
	keep bool            // when the operation is over
	stop func() bool     // takes it back

	// ended says that the context did. Who ends it looks for an operation after that, and who begins or ends one looks for this after changing busy,
	// so that one of both sees the other.
	ended atomic.Bool
}

// begin watches over an operation.
func (w *watch) begin(ctx context.Context) {
	done := ctx.Done()
	if done == nil {
		return
	}
	if r := w.now.Load(); r != nil && r.done == done {
		if w.busy.Store(true); !r.ended.Load() && !w.over.Load() {
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy.Store(true)
	r := w.now.Load()
	if r != nil && r.done == done {
		w.strike(r)
		return
	}
	if r != nil {
		r.stop()
	}
	r = &registration{ctx: ctx, done: done, keep: w.last == done}
	w.last = done
	w.now.Store(r)
	r.stop = context.AfterFunc(ctx, func() { w.ended(r) })
}

func (w *watch) ended(r *registration) {
	r.ended.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy.Load() && w.now.Load() == r {
		w.strike(r)
	}
}

// strike calls the function if the context has ended. The lock is held.
func (w *watch) strike(r *registration) {
	if !w.hit && r.ctx.Err() != nil {
		w.hit = true
		w.fire(context.Cause(r.ctx))
	}
}

// end reports whether the function was called since begin.
func (w *watch) end() (hit bool) {
	if !w.busy.Load() {
		return false // there was nothing to watch
	}
	if r := w.now.Load(); r.keep {
		if w.busy.Store(false); !r.ended.Load() && !w.over.Load() {
			return false
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy.Store(false)
	if r := w.now.Load(); r != nil && (!r.keep || w.over.Load()) {
		w.drop(r)
	}
	hit, w.hit = w.hit, false
	return hit
}

// close takes the registration back for good, as soon as nothing is under way: a context may live much longer than a connection.
func (w *watch) close() {
	w.over.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.now.Load(); r != nil && !w.busy.Load() {
		w.drop(r)
	}
}

// drop takes the registration back. The lock is held.
func (w *watch) drop(r *registration) {
	r.stop()
	w.now.Store(nil)
}
