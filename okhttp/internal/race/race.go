package race

import (
	"context"
	"slices"
	"time"
)

// defaultStagger is the Connection Attempt Delay that RFC 8305 section 5 recommends.
const defaultStagger = 250 * time.Millisecond

// Config says how to search. The zero value is the default.
type Config struct {
	// Stagger is the time between the starts of two plans while one of them is connecting; 0 is 250 ms. If it is negative, a plan starts when
	// the previous one has failed.
	Stagger time.Duration
	// Go runs a function on another goroutine and returns at once. nil is the go statement.
	Go func(func())
	// Recover makes an error of a panic of Connect on a worker, where nobody else could handle it. nil leaves it alone.
	Recover func(v any) error
	// Fatal reports whether after a failure nothing else shall be tried. nil is no failure.
	Fatal func(error) bool
}

// Failure reports a search that found nothing.
type Failure struct {
	// First is what ended the search: the cause of the context's end, or a fatal failure; otherwise the first failure.
	First error
	// Others are the other failures of plans and of planning, in the order in which they came. If the context ended the search, those that
	// it caused may be among them; but plans that were then connecting on other goroutines left none.
	Others []error
}

func (f *Failure) Error() string { return f.First.Error() }

// Unwrap returns First.
func (f *Failure) Unwrap() error { return f.First }

// Find returns the first plan that connects and whose Finish succeeds. It belongs to the caller, also if the context has ended meanwhile; or else
// the Failure is not nil. When Find returns or panics, plans that are still connecting have been told to end, and whatever they open is discarded.
func Find(ctx context.Context, p Planner, cfg Config) (Plan, *Failure) {
	s := search{ctx: ctx, planner: p, stagger: cfg.Stagger, run: cfg.Go, recover: cfg.Recover}
	if s.stagger == 0 {
		s.stagger = defaultStagger
	}
	defer s.close()
	for {
		plan, err := s.await()
		if plan != nil {
			var next Plan
			if next, err = plan.Finish(ctx); next == nil && err == nil {
				s.giveUp(ErrLost, false) // what was connecting beside a ready plan; nothing will be tried any more
				s.held = nil
				return plan, nil
			}
			s.held = nil
			if next != nil {
				p.DeferFirst(next)
				s.renewed()
			}
		} else if err == nil {
			return nil, s.failure()
		}
		switch {
		case err == nil:
		case cfg.Fatal != nil && ctx.Err() == nil && cfg.Fatal(err):
			s.giveUp(ErrLost, false)
			return nil, &Failure{First: err, Others: s.failures}
		default:
			s.failures = append(s.failures, err)
		}
	}
}

// search is the state of one Find. Only Find's goroutine uses it.
type search struct {
	ctx     context.Context
	planner Planner
	stagger time.Duration
	run     func(func())
	recover func(any) error

	flying   []*flight    // in the order of their starts
	results  chan *flight // of those that fly
	from     time.Time    // when another may start, if any flies
	timer    *time.Timer  // nil until needed
	held     Plan         // connected or ready, and neither returned nor given back
	failures []error

	pending <-chan struct{} // says when the planner is worth asking again, if not nil
	spent   bool            // the planner said that there is nothing more
}

// flight is a plan that is connecting on a worker.
type flight struct {
	plan Plan
	end  context.CancelFunc
	err  error // of Connect; the worker's until it is handed over

	recover func(any) error
}

// await starts plans until one is connected or ready, which is held then, or something failed. It returns neither if there is nothing more, or if
// the context has ended.
func (s *search) await() (Plan, error) {
	for {
		landed := s.wait()
		switch {
		case s.ctx.Err() != nil:
			if landed != nil && landed.err == nil {
				landed.plan.Discard() // it is still among those that fly, and gets its Failed with them
			}
			return nil, nil
		case landed != nil:
			return s.land(landed)
		case len(s.flying) == 0 && !s.more():
			return nil, nil
		}
		if plan, err := s.launch(); plan != nil || err != nil {
			return plan, err
		}
	}
}

// wait returns a plan that has connected or failed to. It returns nil as soon as another may start, if the context has ended, or if there is
// nothing to wait for.
func (s *search) wait() *flight {
	for len(s.flying) > 0 || s.pending != nil {
		select {
		case f := <-s.results: // before anything else is started
			return f
		default:
		}
		var due <-chan time.Time
		if s.pending == nil && s.more() {
			left := time.Until(s.from)
			if left <= 0 {
				return nil
			}
			due = s.alarm(left)
		}
		select {
		case f := <-s.results:
			return f
		case <-s.ctx.Done():
			return nil
		case <-s.pending:
			s.pending = nil
		case <-due:
		}
	}
	return nil
}

// land takes a result.
func (s *search) land(f *flight) (Plan, error) {
	f.end()
	i := slices.Index(s.flying, f)
	s.flying = slices.Delete(s.flying, i, i+1)
	if f.err != nil {
		f.plan.Failed(f.err)
		return nil, f.err
	}
	s.held = f.plan
	s.giveUp(ErrLost, true)
	return f.plan, nil
}

// launch takes a plan and starts it. It returns a plan if that is ready or was connected here, and an error if planning or connecting here failed.
func (s *search) launch() (Plan, error) {
	plan, pending, err := s.planner.Next(s.ctx)
	switch {
	case err != nil:
		s.space()
		return nil, err
	case plan == nil:
		s.pending, s.spent = pending, pending == nil
		return nil, nil
	case plan.Ready():
		s.held = plan
		s.space()
		return plan, nil
	case s.ctx.Err() != nil:
		return nil, nil
	}
	plan.Start()
	if s.stagger < 0 || len(s.flying) == 0 && !s.more() {
		return s.connect(plan)
	}
	s.fly(plan)
	return nil, nil
}

// connect connects a plan here.
func (s *search) connect(plan Plan) (Plan, error) {
	if err := plan.Connect(s.ctx); err != nil {
		plan.Failed(err)
		return nil, err
	}
	if s.ctx.Err() != nil {
		plan.Discard()
		plan.Failed(context.Cause(s.ctx))
		return nil, nil
	}
	s.held = plan
	return plan, nil
}

// fly connects a plan on a worker.
func (s *search) fly(plan Plan) {
	if s.results == nil {
		s.results = make(chan *flight)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	f, results := &flight{plan: plan, end: cancel, recover: s.recover}, s.results
	s.flying = append(s.flying, f)
	s.space()
	if s.run == nil {
		go f.connect(ctx, results)
	} else {
		s.run(func() { f.connect(ctx, results) })
	}
}

// connect is what a worker does.
func (f *flight) connect(ctx context.Context, results chan<- *flight) {
	f.err = f.attempt(ctx)
	select {
	case results <- f:
	case <-ctx.Done():
		if f.err == nil {
			f.plan.Discard()
		}
	}
}

func (f *flight) attempt(ctx context.Context) (err error) {
	if f.recover != nil {
		defer func() {
			if v := recover(); v != nil {
				err = f.recover(v)
			}
		}()
	}
	return f.plan.Connect(ctx)
}

// giveUp ends all that fly, and has copies of them tried later if again is set.
func (s *search) giveUp(why error, again bool) {
	lost := s.flying
	s.flying, s.results = nil, nil // those that start later get a channel of their own: nobody receives from this one any more
	for _, f := range lost {
		f.end()
	}
	for _, f := range lost {
		f.plan.Failed(why)
		if !again {
			continue
		}
		if plan := f.plan.Again(); plan != nil {
			s.planner.DeferLast(plan)
			s.renewed()
		}
	}
}

// failure tells of the end of a search in which nothing was found.
func (s *search) failure() *Failure {
	switch {
	case s.ctx.Err() != nil:
		cause := context.Cause(s.ctx)
		s.giveUp(cause, false)
		return &Failure{First: cause, Others: s.failures}
	case len(s.failures) == 0:
		return &Failure{First: ErrNothing}
	}
	return &Failure{First: s.failures[0], Others: s.failures[1:]}
}

// close leaves nothing behind. Only a panic leaves it anything to do for plans.
func (s *search) close() {
	for _, f := range s.flying {
		f.end()
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.held != nil {
		s.held.Discard()
	}
}

// more reports whether it is worth asking the planner.
func (s *search) more() bool { return !s.spent && s.planner.More() }

// renewed notes that the planner has something again.
func (s *search) renewed() { s.pending, s.spent = nil, false }

// space notes that something was tried just now. Without anything that flies there is nothing to keep a distance from.
func (s *search) space() {
	if len(s.flying) > 0 {
		s.from = time.Now().Add(s.stagger)
	}
}

// alarm returns the channel of the timer, set anew.
func (s *search) alarm(after time.Duration) <-chan time.Time {
	if s.timer == nil {
		s.timer = time.NewTimer(after)
	} else {
		s.timer.Reset(after)
	}
	return s.timer.C
}
