package mockserver

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// AllRoutesUsed makes the test of a server fail when it is over if its script has parts that no request has used: the routes of package route, and so stubs, or what another
// [Accountable] dispatcher says. Where the test failed before, which may be the reason, it says only how many, and nothing where the test was skipped. It is independent of [Strict].
//
// The dispatcher that is installed in the end is asked, and those that were replaced after requests had come. If none of these can tell, which is so for a
// [DispatcherFunc] that passes requests on to routes, the test fails with that: such a dispatcher should be a type with a method Unused. The queue is no concern of this
// option; [Strict] reports what is left there.
func AllRoutesUsed() Option { return option(func(c *config) { c.allUsed = true }) }

// An Accountable is a Dispatcher that knows which parts of its script were never used, for [AllRoutesUsed].
//
// Unused describes these parts, each in a text for a report, and returns nothing if all were used. It is called when the server is closed.
type Accountable interface {
	Dispatcher
	Unused() []string
}

// replaced are the dispatchers that were installed before the current one, as far as they matter to AllRoutesUsed. The lock of the server guards it.
type replaced struct {
	accounts []Accountable
	mute     Dispatcher // one that cannot tell; nil for none
	requests int        // that had come when the current one was installed
}

// retire notes that a dispatcher is replaced.
func (s *Server) retire(d Dispatcher) {
	if !s.cfg.allUsed {
		return
	}
	came := s.journal.received()
	s.mu.Lock()
	defer s.mu.Unlock()
	if came > s.replaced.requests {
		s.replaced.add(d)
	}
	s.replaced.requests = came
}

func (r *replaced) add(d Dispatcher) {
	a, ok := d.(Accountable)
	switch _, queue := d.(*Queue); {
	case queue:
	case !ok:
		r.mute = d
	case !reflect.ValueOf(d).Comparable() || !slices.Contains(r.accounts, a):
		r.accounts = append(r.accounts, a)
	}
}

// unused returns what is wrong about the use of the script, nil if nothing is. It may be brief.
func (s *Server) unused(brief bool) error {
	s.mu.Lock()
	all := s.replaced
	all.accounts = slices.Clone(all.accounts)
	s.mu.Unlock()
	all.add(s.current())
	if len(all.accounts) == 0 && all.mute != nil {
		return fmt.Errorf("mockserver: AllRoutesUsed: a dispatcher of type %T cannot tell what was not used: expected one with a method Unused() []string", all.mute)
	}
	var list []string
	for _, a := range all.accounts {
		list = append(list, a.Unused()...)
	}
	if len(list) == 0 {
		return nil
	}
	text := fmt.Sprintf("mockserver: %d %s never used", len(list), plural(len(list), "route was", "routes were"))
	if brief {
		return errors.New(text)
	}
	rest := len(list) - mostUnused
	if rest > 0 {
		list = append(list[:mostUnused:mostUnused], fmt.Sprintf("and %d more", rest))
	}
	return errors.New(text + ":\n  " + strings.Join(list, "\n  "))
}

// mostUnused is how many routes a report lists.
const mostUnused = 50
