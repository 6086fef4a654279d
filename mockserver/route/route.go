package route

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
)

// Started is the state in which a scenario begins.
const Started = "Started"

// A Route is what requests that match get. It is a description: [Routes.Add] copies it.
type Route struct {
	// Name is for reports and for [Routes.Remove] and [Routes.Count]. Without one, reports show the matcher.
	Name string
	// Source is where the route is written, for the report of [Routes.Unused]: the place in a file, for example. It may be empty.
	Source string
	// Match says which requests the route is for, see package match. nil is each request.
	Match mockserver.Matcher
	// Priority orders routes: those with smaller numbers are asked before others. Of equal ones the first that was added is.
	Priority int

	// Responses are given out one after another; the last one repeats.
	Responses []mockserver.Response
	// Func makes a response in place of Responses, when the body of the request was read. It is called by several goroutines at once. ctx ends when
	// the server closes.
	Func func(ctx context.Context, h Hit) mockserver.Response

	// Times is how many requests the route answers before it is used up; 0 for no limit.
	Times int

	// Scenario is the name of the scenario that the route takes part in, "" for none. State is the state in which it answers, "" for
	// each. Next is the state that it leads to, "" for the same.
	Scenario    string
	State, Next string

	// After and Until bound the time in which the route answers, counted from the first request to the [Routes] or the last
	// [Routes.Reset]. 0 is no bound.
	After, Until time.Duration
}

// A Hit is a request that a route matches.
type Hit struct {
	Request *mockserver.Request
	// Params are the values of the variables in the path of the matcher.
	Params map[string]string
	// Count is how many requests the route answered before.
	Count int
}

// title is how reports call the route.
func (r *Route) title() string {
	if r.Name != "" {
		return fmt.Sprintf("%q (%v)", r.Name, r.Match)
	}
	return r.Match.String()
}

// check returns what is wrong with the route.
func (r *Route) check() error {
	wrong := match.Err(r.Match)
	switch {
	case wrong != nil:
	case r.Func == nil && len(r.Responses) == 0:
		wrong = errors.New("expected responses or a function")
	case r.Func != nil && len(r.Responses) > 0:
		wrong = errors.New("expected responses or a function but got both")
	case r.Times < 0:
		wrong = fmt.Errorf("%d in Times: expected 0 or more", r.Times)
	case r.Scenario == "" && (r.State != "" || r.Next != ""):
		wrong = fmt.Errorf("states %q and %q: expected a Scenario", r.State, r.Next)
	case r.After < 0 || r.Until < 0 || r.Until > 0 && r.Until <= r.After:
		wrong = fmt.Errorf("from %v to %v: expected a time", r.After, r.Until)
	}
	for i := range r.Responses {
		if err := r.Responses[i].Err(); err != nil && wrong == nil {
			wrong = fmt.Errorf("response %d: %w", i, err)
		}
		if wrong == nil && r.Responses[i].StartsConnection() && !match.AtAccept(r.Match) {
			wrong = fmt.Errorf("response %d: %w", i, errStart)
		}
	}
	if wrong != nil {
		return fmt.Errorf("route: %s: %w", r.title(), wrong)
	}
	return nil
}

// errStart is what is wrong with an effect on connections of a route that is chosen when they were accepted long since.
var errStart = errors.New("an effect at RequestStart cannot strike: no request is known when a connection is accepted, and the matcher looks at it. " +
	"Expected RequestHead, or a matcher such as match.Connection")

// entry is a route that was added.
type entry struct {
	Route
	head  mockserver.Matcher // what it says of heads
	body  bool               // it looks at the body too
	order int
	used  int
	ever  bool // it was used, before a Reset perhaps
}

// next is the response whose turn it is.
func (e *entry) next() mockserver.Response { return e.Responses[min(e.used, len(e.Responses)-1)] }

// eligible returns why a route does not answer now whatever the request is, nothing if it may.
func (e *entry) eligible(states map[string]string, elapsed time.Duration) []mockserver.Mismatch {
	var list []mockserver.Mismatch
	add := func(what, want, got string) {
		list = append(list, mockserver.Mismatch{What: what, Want: want, Got: got, Distance: 0.3})
	}
	if e.Times > 0 && e.used >= e.Times {
		add("route", fmt.Sprintf("at most %d uses", e.Times), "used up")
	}
	if e.Scenario != "" && e.State != "" && stateOf(states, e.Scenario) != e.State {
		add("scenario "+e.Scenario, "state "+e.State, stateOf(states, e.Scenario))
	}
	if elapsed < e.After {
		add("time", "from "+e.After.String()+" on", elapsed.String())
	}
	if e.Until > 0 && elapsed >= e.Until {
		add("time", "before "+e.Until.String(), elapsed.String())
	}
	return list
}

func stateOf(states map[string]string, scenario string) string {
	if state := states[scenario]; state != "" {
		return state
	}
	return Started
}
