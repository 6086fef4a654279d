package race

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// never is how long a black hole takes.
const never = time.Duration(-1)

// way is the script of one plan.
type way struct {
	name     string
	at       time.Duration // when the planner has it
	blocks   time.Duration // how long Next takes to return it
	unknown  bool          // Next fails instead
	vain     bool          // the planner waits for it in vain, until that time
	ready    bool
	takes    time.Duration // of Connect, or never
	refused  bool          // Connect fails then
	stubborn time.Duration // how long Connect goes on after its context ended
	opens    bool          // and it succeeds in the end
	finish   time.Duration // how long Finish takes
	broken   bool          // Finish fails then
	instead  *way          // what Finish offers
	again    *way          // what Again offers: nil for the same, nothing for nil
}

var nothing = new(way)

// errEnd is the cause with which contexts end here.
var errEnd = errors.New("end of the call")

// world is a planner with plans from a table, and a record of what Find did with them. It checks what must be so in any case.
type world struct {
	t       *testing.T
	ctx     context.Context
	stagger time.Duration
	fatal   string // the failure after which nothing is tried
	vague   bool   // More is always true
	panicAt int    // the call of a method, counted on Find's goroutine, that panics; 0 is none

	begin    time.Time
	end      time.Duration // of the context
	deferred []*plan
	log      []string // on Find's goroutine
	failures []error
	calls    int
	workers  int
	over     bool // a fatal failure was told

	// What decides when Next is due.
	flying int
	busy   time.Duration // Find came back from a method that may block
	event  time.Duration // something happened on Find's goroutine
	latest time.Duration // something was tried
	fire   time.Duration // the planner's channel

	wg       sync.WaitGroup
	mu       sync.Mutex // guards what is used on other goroutines than Find's
	todo     []*way
	plans    []*plan
	discards []string
}

type plan struct {
	*way
	w *world

	started, failed, finished, again int
	lost, unusable                   bool

	// Guarded by world.mu.
	connected, opened, discarded int
	ctx                          context.Context
}

func (w *world) now() time.Duration { return time.Since(w.begin) }

func (w *world) note(format string, args ...any) {
	w.event = w.now()
	w.log = append(w.log, fmt.Sprintf("%v %s", w.event, fmt.Sprintf(format, args...)))
}

// called counts a method on Find's goroutine.
func (w *world) called() {
	if w.calls++; w.calls == w.panicAt {
		panic(w)
	}
}

func (w *world) plan(way *way) *plan {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &plan{way: way, w: w}
	w.plans = append(w.plans, p)
	return p
}

func (w *world) fail(err error) error {
	w.failures = append(w.failures, err)
	w.over = w.ctx.Err() == nil && w.isFatal(err)
	return err
}

func (w *world) isFatal(err error) bool { return err.Error() == w.fatal }

func (w *world) Next(ctx context.Context) (Plan, <-chan struct{}, error) {
	w.called()
	if w.over {
		w.t.Errorf("%v: Next is called after a fatal failure", w.now())
	}
	due := max(w.event, w.busy, w.fire)
	if w.flying > 0 {
		due = max(w.latest+w.stagger, w.busy, w.fire)
	}
	if w.now() != due {
		w.t.Errorf("%v: Next is called, with %d in flight; it was due at %v", w.now(), w.flying, due)
	}
	w.fire = 0
	defer func() { w.busy = w.now() }()
	if len(w.deferred) > 0 {
		p := w.deferred[0]
		w.deferred = w.deferred[1:]
		w.tried(p.ready)
		return p, nil, nil
	}
	next := w.first()
	if next == nil {
		return nil, nil, nil
	}
	if wait := next.at - w.now(); wait > 0 {
		w.fire = next.at
		came := make(chan struct{})
		time.AfterFunc(wait, func() {
			if next.vain {
				w.drop(next)
			}
			close(came)
		})
		return nil, came, nil
	}
	if !pause(ctx, next.blocks) {
		w.note("%s: planning interrupted", next.name)
		return nil, nil, w.fail(errors.New(next.name + " interrupted"))
	}
	w.drop(next)
	w.tried(next.unknown || next.ready)
	if next.unknown {
		w.note("%s: unknown", next.name)
		return nil, nil, w.fail(errors.New(next.name + " unknown"))
	}
	return w.plan(next), nil, nil
}

func (w *world) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.deferred) + len(w.todo)
}

func (w *world) first() *way {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.todo) == 0 {
		return nil
	}
	return w.todo[0]
}

func (w *world) drop(first *way) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.todo) > 0 && w.todo[0] == first {
		w.todo = w.todo[1:]
	}
}

// tried notes that something was tried, if it is not for Start to do so.
func (w *world) tried(done bool) {
	if done {
		w.latest = w.now()
	}
}

func (w *world) More() bool {
	w.called()
	return w.vague || w.left() > 0
}

func (w *world) DeferFirst(p Plan) {
	w.called()
	w.note("%s: deferred first", p.(*plan).name)
	w.deferred = slices.Insert(w.deferred, 0, p.(*plan))
	w.fire = 0
}

func (w *world) DeferLast(p Plan) {
	w.called()
	w.note("%s: deferred last", p.(*plan).name)
	w.deferred = append(w.deferred, p.(*plan))
	w.fire = 0
}

func (p *plan) Ready() bool {
	p.w.called()
	return p.ready
}

func (p *plan) Start() {
	p.w.called()
	p.w.note("%s: start", p.name)
	p.started++
	p.w.flying++
	p.w.latest = p.w.now()
}

func (p *plan) Connect(ctx context.Context) error {
	p.w.mu.Lock()
	p.connected++
	p.ctx = ctx
	p.w.mu.Unlock()
	whole := pause(ctx, p.takes)
	if !whole {
		time.Sleep(p.stubborn)
	}
	switch {
	case !whole && !p.opens:
		return errors.New(p.name + " interrupted")
	case p.refused:
		return errors.New(p.name + " refused")
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.opened++
	return nil
}

func (p *plan) Failed(err error) {
	p.w.called()
	p.failed++
	p.w.flying--
	switch {
	case p.started == 0 || p.finished > 0:
		p.w.t.Errorf("%s: Failed(%v) of a plan that was not connecting", p.name, err)
	case err == ErrLost:
		p.lost = true
		p.w.note("%s: lost", p.name)
	case p.w.ctx.Err() != nil && err == context.Cause(p.w.ctx):
		p.w.note("%s: given up", p.name)
	default:
		p.w.note("%v", p.w.fail(err))
	}
}

func (p *plan) Finish(ctx context.Context) (Plan, error) {
	p.w.called()
	if !p.ready {
		p.w.flying--
		if p.w.flying > 0 {
			p.w.t.Errorf("%s is finished while %d are in flight", p.name, p.w.flying)
		}
	}
	p.w.note("%s: finish", p.name)
	p.finished++
	whole := pause(ctx, p.finish)
	var next Plan
	var err error
	if p.instead != nil {
		next = p.w.plan(p.instead)
	}
	if p.broken || !whole {
		err = errors.New(p.name + " broken")
		p.w.note("%v", err)
		p.w.fail(err)
	}
	p.unusable = next != nil || err != nil
	p.w.busy = p.w.now()
	return next, err
}

func (p *plan) Discard() {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.discarded++
	p.w.discards = append(p.w.discards, fmt.Sprintf("%v %s", p.w.now(), p.name))
}

func (p *plan) Again() Plan {
	p.w.called()
	p.again++
	switch p.way.again {
	case nothing:
		return nil
	case nil:
		return p.w.plan(p.way)
	}
	return p.w.plan(p.way.again)
}

// pause waits, and reports whether it did so to the end.
func pause(ctx context.Context, d time.Duration) bool {
	switch d {
	case 0:
		return true
	case never:
		<-ctx.Done()
		return false
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// find runs Find with this planner in a bubble of its own, until every worker has ended, and checks what holds for every search.
func (w *world) find(t *testing.T, end time.Duration) (found *plan, failure *Failure) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		w.t, w.ctx, w.begin, w.end = t, ctx, time.Now(), end
		if end == 0 {
			cancel(errEnd)
		} else if w.end == never {
			w.end = 1 << 62
		} else {
			defer time.AfterFunc(end, func() { cancel(errEnd) }).Stop()
		}
		defer func() {
			if r := recover(); r != nil && r != any(w) {
				panic(r)
			}
			w.wg.Wait()
			w.check(found, failure)
		}()
		cfg := Config{Stagger: w.stagger, Fatal: w.isFatal, Go: func(f func()) {
			w.workers++
			w.wg.Go(f)
		}}
		if w.stagger == 0 {
			w.stagger = defaultStagger
		}
		p, f := Find(ctx, w, cfg)
		if failure = f; f == nil {
			found = p.(*plan)
			w.note("%s: found", found.name)
		} else {
			w.note("%v", f)
		}
	})
	return found, failure
}

// check looks at every plan when all is over.
func (w *world) check(found *plan, failure *Failure) {
	panicked := w.panicAt > 0 && w.calls >= w.panicAt
	for _, p := range w.plans {
		owners := p.discarded
		if p == found {
			owners++
		}
		if p.unusable {
			owners++
		}
		held := p.opened
		if p.ready {
			held = p.finished
		}
		switch {
		case owners != held && !(panicked && p.ready && p.finished == 0):
			w.t.Errorf("%s: opened %d times, ended %d times", p.name, held, owners)
		case p.ctx != nil && p.ctx != w.ctx && p.ctx.Err() == nil:
			w.t.Errorf("%s: its context was left behind", p.name)
		case p.connected != p.started && !panicked, p.started > 1 || p.connected > 1 || p.finished > 1 || p.again > 1:
			w.t.Errorf("%s: started %d times, connected %d times, finished %d times, copied %d times", p.name, p.started, p.connected, p.finished, p.again)
		case p.failed+p.finished != 1 && p.started == 1 && !panicked, p.failed > p.started:
			w.t.Errorf("%s: started %d times, failed %d times, finished %d times", p.name, p.started, p.failed, p.finished)
		case p.again > 0 && !p.lost:
			w.t.Errorf("%s: copied although it did not lose", p.name)
		}
	}
	if panicked || failure == nil {
		if !panicked && found.finished != 1 {
			w.t.Errorf("%s: found without being finished", found.name)
		}
		return
	}
	failures := append([]error{failure.First}, failure.Others...)
	want := slices.Clone(w.failures)
	switch n := len(want); {
	case failure.First == errEnd, w.event > w.end:
		want = slices.Insert(want, 0, errEnd)
	case n == 0:
		want = []error{ErrNothing}
	case w.isFatal(want[n-1]):
		want = slices.Insert(want[:n-1], 0, want[n-1])
	case w.left() > 0:
		w.t.Errorf("%d ways were not tried", w.left())
	}
	if !slices.Equal(failures, want) {
		w.t.Errorf("the failures are %q, they came as %q", failures, want)
	}
}
