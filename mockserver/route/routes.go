package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/memo"
	"github.com/okhttp-go/ok/mockserver/match"
)

// Routes is a [mockserver.Dispatcher] that answers each request with the route that matches it. The zero value has no routes, and answers
// 404 with a report. It is safe for concurrent use.
type Routes struct {
	mu       sync.Mutex
	entries  []*entry // by priority and order
	added    int
	wrong    error // of routes that could not be added
	states   map[string]string
	begun    time.Time // of the first request
	version  int       // counts the changes of who may answer
	misses   []*Miss
	fallback mockserver.Dispatcher
}

// New returns a dispatcher with routes. Where one is invalid, each request is answered with a fault that says so; see [Routes.Err].
func New(routes ...Route) *Routes {
	s := new(Routes)
	_ = s.Add(routes...) // Err has it
	return s
}

// Add appends routes. Invalid ones are not added; the error is returned, and each request is answered with it from then on, so that a test
// need not look at it.
func (s *Routes) Add(routes ...Route) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, r := range routes {
		if r.Match == nil {
			r.Match = match.Everything()
		}
		if err := r.check(); err != nil {
			errs = append(errs, err)
			continue
		}
		r.Responses = slices.Clone(r.Responses)
		s.entries = append(s.entries, &entry{Route: r, head: match.Head(r.Match), body: match.NeedsBody(r.Match), order: s.added})
		s.added++
	}
	slices.SortStableFunc(s.entries, func(a, b *entry) int { return cmp.Compare(a.Priority, b.Priority) })
	s.version++
	err := errors.Join(errs...)
	s.wrong = errors.Join(s.wrong, err)
	return err
}

// On adds a route for requests that m matches. If it is invalid, without responses for example, [Routes.Err] says so, as do all answers from then on.
func (s *Routes) On(m mockserver.Matcher, responses ...mockserver.Response) {
	_ = s.Add(Route{Match: m, Responses: responses}) // Err has it
}

// OnFunc adds a route whose response a function makes, see [Route.Func]. Faults are as with [Routes.On].
func (s *Routes) OnFunc(m mockserver.Matcher, f func(ctx context.Context, h Hit) mockserver.Response) {
	_ = s.Add(Route{Match: m, Func: f}) // Err has it
}

// Err returns what was wrong with routes that could not be added, nil if nothing was.
func (s *Routes) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrong
}

// Remove removes the routes of a name and reports whether there were any.
func (s *Routes) Remove(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.entries)
	s.entries = slices.DeleteFunc(slices.Clone(s.entries), func(e *entry) bool { return e.Name == name })
	s.version++
	return len(s.entries) < before
}

// Count returns how many requests the routes of a name answered since they were added or the last [Routes.Reset].
func (s *Routes) Count(name string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e.Name == name {
			n += e.used
		}
	}
	return n
}

// Status is a route as [Routes.Status] shows it.
type Status struct {
	Name string // or the text of the matcher of a route without one
	Uses int    // how many requests it answered
}

// Status returns the routes in the order in which they are asked.
func (s *Routes) Status() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Status, len(s.entries))
	for i, e := range s.entries {
		list[i] = Status{cmp.Or(e.Name, e.Match.String()), e.used}
	}
	return list
}

// State returns the state of a scenario.
func (s *Routes) State(scenario string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return stateOf(s.states, scenario)
}

// States returns the states of all scenarios that a route takes part in, or that were set.
func (s *Routes) States() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]string{}
	for _, e := range s.entries {
		if e.Scenario != "" {
			all[e.Scenario] = Started
		}
	}
	maps.Copy(all, s.states)
	return all
}

// SetState sets the state of a scenario; "" is [Started].
func (s *Routes) SetState(scenario, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(scenario, state)
}

// set is SetState with the lock held.
func (s *Routes) set(scenario, state string) {
	if s.states == nil {
		s.states = map[string]string{}
	}
	s.states[scenario] = cmp.Or(state, Started)
	s.version++
}

// Reset starts anew: scenarios are [Started], no route was used, time is counted from the next request on, and nothing was unmatched.
func (s *Routes) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states, s.begun, s.misses = nil, time.Time{}, nil
	for _, e := range s.entries {
		e.used = 0
	}
	s.version++
}

// SetFallback lets d answer what no route matches, in place of 404; nil restores that. It is asked when the body of the request was read, even if
// it is a [mockserver.Peeker].
func (s *Routes) SetFallback(d mockserver.Dispatcher) {
	fallbacks.Lock() // two that are given to each other at once must see each other
	defer fallbacks.Unlock()
	for next, ok := d.(*Routes); ok && next != nil; next, ok = next.nextFallback().(*Routes) {
		if next == s {
			panic("route: SetFallback: " + errRound.Error())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fallback = d
}

// fallbacks guards that no chain of fallbacks is a circle.
var fallbacks sync.Mutex

var errRound = errors.New("routes are the fallback of themselves: expected a chain of fallbacks that ends")

func (s *Routes) nextFallback() mockserver.Dispatcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fallback
}

// passed are the routes that have passed a request on to their fallback, the latest first.
type passed struct {
	routes  *Routes
	request *mockserver.Request
	before  *passed
}

// passedKey is where a context has the passed of a request.
type passedKey struct{}

// passOn lets the fallback answer, unless it was passed on from here before.
func (s *Routes) passOn(ctx context.Context, r *mockserver.Request, fallback mockserver.Dispatcher) mockserver.Response {
	before, _ := ctx.Value(passedKey{}).(*passed)
	for p := before; p != nil; p = p.before {
		if p.routes == s && p.request == r {
			return mockserver.Fault(fmt.Errorf("route: %v: %w", r, errRound))
		}
	}
	return fallback.Dispatch(context.WithValue(ctx, passedKey{}, &passed{s, r, before}), r)
}

// Decide implements [mockserver.Decider].
func (s *Routes) Decide(r *mockserver.Request) (mockserver.Response, bool) {
	if s.Err() != nil {
		return mockserver.Response{}, false
	}
	found, _ := s.find(context.Background(), r, true, true)
	if found == nil || found.undecided {
		return mockserver.Response{}, false
	}
	return found.response, true
}

// Peek implements [mockserver.Peeker].
func (s *Routes) Peek(r *mockserver.Request) mockserver.Response {
	if found, _ := s.find(context.Background(), r, true, false); found != nil && !found.undecided {
		return found.response
	}
	return mockserver.Response{}
}

// Dispatch implements [mockserver.Dispatcher].
func (s *Routes) Dispatch(ctx context.Context, r *mockserver.Request) mockserver.Response {
	if err := s.Err(); err != nil {
		return mockserver.Fault(err)
	}
	defer memo.Hold(r)() // bodies are decoded and parsed once for all routes
	found, fallback := s.find(ctx, r, false, true)
	switch {
	case found == nil && stopped(ctx, r): // which is not sent
		return mockserver.Fault(fmt.Errorf("route: %v: %w", r, context.Cause(ctx)))
	case found == nil && fallback != nil:
		return s.passOn(ctx, r, fallback)
	case found == nil:
		return s.miss(ctx, r).response()
	case found.entry.Func != nil:
		return found.entry.Func(ctx, Hit{r, match.Params(found.entry.Match, r), found.count})
	}
	return found.response
}

// choice is the route for a request.
type choice struct {
	entry     *entry
	response  mockserver.Response
	count     int
	undecided bool // the body has to be seen first
}

// find returns the route for a request, nil if there is none. head says that only the head is known, take that the route is used by it.
func (s *Routes) find(ctx context.Context, r *mockserver.Request, head, take bool) (*choice, mockserver.Dispatcher) {
	results := map[*entry]bool{} // matchers are not asked twice
	for {
		candidates, version, fallback := s.candidates()
		chosen := &choice{}
		for _, e := range candidates {
			fits, known := results[e]
			if !known && stopped(ctx, r) {
				return nil, nil
			}
			if !known {
				m := e.Match
				if head {
					m = e.head
				}
				fits = len(m.Match(r)) == 0
				results[e] = fits
			}
			if fits {
				chosen.entry, chosen.undecided = e, head && (e.body || e.Func != nil)
				break
			}
		}
		if chosen.entry == nil {
			return nil, fallback
		}
		if chosen.undecided || s.use(chosen, version, take) {
			return chosen, fallback
		}
	}
}

// maxUnasked is how large content may be without the client being looked for while matchers are asked. To look is to take a client that only ended its sending for one that is gone.
const maxUnasked = 1 << 20

// worked is how many bytes matchers looked at, as far as that is known.
func worked(r *mockserver.Request) int { return memo.Weight(r) }

// stopped reports whether nobody wants the answer to a request whose matchers have much to do.
func stopped(ctx context.Context, r *mockserver.Request) bool {
	return worked(r) > maxUnasked && ctx.Err() != nil
}

// candidates returns the routes that may answer now.
func (s *Routes) candidates() (list []*entry, version int, fallback mockserver.Dispatcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	elapsed := s.elapsed()
	for _, e := range s.entries {
		if e.eligible(s.states, elapsed) == nil {
			list = append(list, e)
		}
	}
	return list, s.version, s.fallback
}

// elapsed is the time since the first request. The lock is held.
func (s *Routes) elapsed() time.Duration {
	if s.begun.IsZero() {
		s.begun = time.Now()
	}
	return time.Since(s.begun)
}

// use gives the chosen route its turn, unless something changed since it was chosen.
func (s *Routes) use(c *choice, version int, take bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version != version {
		return false
	}
	e := c.entry
	c.count = e.used
	if e.Func == nil {
		c.response = e.next()
	}
	if !take {
		return true
	}
	e.ever = true
	if e.used++; e.used == e.Times {
		s.version++
	}
	if e.Scenario != "" && e.Next != "" {
		s.set(e.Scenario, e.Next)
	}
	return true
}
