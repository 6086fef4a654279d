package mockserver

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
)

// Strict makes a server hide nothing from its test: a request that finds the queue empty gets 500 with a body that says so, instead of waiting, and
// fails the test; so does a request that no route matches, with the report that it gets ([Response.Unexpected]), and one that waits for the queue after all ([Queue.SetFailFast]) until its client gives up; GET /favicon.ico is a request as others;
// and when the test is over it fails if responses are left in the queue, if requests were neither taken ([Server.TakeRequest]) nor verified
// ([Server.Verify]) nor returned by [Server.AwaitRequests], [Server.FindRequests] or [Server.Requests], which returns all of them, if requests still waited for a dispatcher, or if an effect, a push or settings of a response that was sent never struck ([Request.Missed]). A test that was skipped is not failed by what is left. See [AllRoutesUsed] for routes.
func Strict() Option { return option(func(c *config) { c.strict = true }) }

// Unexpected makes the response the answer to a request that nothing was scripted for, as err says: the test of a server that is [Strict] fails with it. Package
// route does so where no route matches. nil takes that back.
func (r Response) Unexpected(err error) Response {
	r.unexpected = err
	return r
}

// beStrict sets the queue up.
func (s *Server) beStrict() {
	s.queue.strict = true
	unexpected := Reply(http.StatusInternalServerError).Adapt(func(r *Request, _ Response) Response {
		err := fmt.Errorf("mockserver: no response is enqueued for %v", r)
		return scriptFault(err).Unexpected(err)
	})
	s.queue.SetFailFast(&unexpected)
}

// endTest closes the server of a test, and reports what is left, unless the test was skipped.
func (s *Server) endTest() {
	s.test.Lock()
	tb := s.tb
	s.test.Unlock()
	tb.Helper()
	failed := tb.Failed()
	if err := s.Close(); err != nil {
		tb.Error(err)
	}
	if !tb.Skipped() {
		for _, err := range s.left(failed) {
			s.fault(err)
		}
	}
	if s.dice.wasUsed() && tb.Failed() {
		tb.Logf("mockserver: what was random followed WithSeed(%d)", s.cfg.seed)
	}
	s.test.Lock()
	defer s.test.Unlock()
	s.tb = nil
}

// left returns what is left in the end of a test, and little of the routes that one which failed before did not come to.
func (s *Server) left(failed bool) (errs []error) {
	if s.cfg.strict {
		if list := s.queue.left(); len(list) > 0 {
			errs = append(errs, fmt.Errorf("mockserver: %d %s enqueued and not used: %s", len(list), plural(len(list), "response was", "responses were"), listed(list)))
		}
		if list := s.journal.untaken(); len(list) > 0 {
			errs = append(errs, fmt.Errorf("mockserver: %d %s not taken: %s", len(list), plural(len(list), "request was", "requests were"), listed(list)))
		}
		if list := s.Unanswered(); len(list) > 0 {
			errs = append(errs, fmt.Errorf("mockserver: %d %s still waited for a response: %s", len(list), plural(len(list), "request", "requests"), listed(list)))
		}
		if list := s.missedEver(); len(list) > 0 {
			errs = append(errs, fmt.Errorf("mockserver: %d scripted %s never struck: %s", len(list), plural(len(list), "fault", "faults"), listed(list)))
		}
	}
	if s.cfg.allUsed {
		if err := s.unused(failed); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// listed names the first few.
func listed[T fmt.Stringer](list []T) string {
	const most = 10
	var lines []string
	for i, one := range list {
		if i == most {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, one.String())
	}
	return strings.Join(lines, "; ")
}

// Unanswered returns the requests whose dispatcher, or the queue, has not returned a response, in the order in which they came. One whose client is gone
// is not among them once that is noticed, for which the dispatcher must obey its context, as the queue does. After
// [Server.Close] it is those of that moment.
func (s *Server) Unanswered() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.waiting)
}

// await notes that a request waits for its response, until done is called.
func (s *Server) await(r *Request) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, r)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed {
			s.waiting = slices.DeleteFunc(s.waiting, func(o *Request) bool { return o == r })
		}
	}
}

// scripted are the functions beneath which a goroutine of the server is until it ends: the one of a connection, which runs dispatchers, bodies, functions of
// the TLS configuration and loggers; the one of an exchange on HTTP/2; that of an [http.Handler]; and the one that accepts.
var scripted = []string{".(*connection).serve", ".(*streamExchange).run", ".(*handlerDispatcher).Dispatch", ".(*Server).accept"}

// insideScript reports whether its caller is called by code of a script.
func insideScript() bool {
	pcs := make([]uintptr, 256)
	n := runtime.Callers(1, pcs)
	for n == len(pcs) { // the frames that count are the outermost ones
		pcs = make([]uintptr, 2*n)
		n = runtime.Callers(1, pcs)
	}
	frames := runtime.CallersFrames(pcs[:n])
	self, more := frames.Next()
	own := strings.TrimSuffix(self.Function, ".insideScript")
	for more {
		var f runtime.Frame
		f, more = frames.Next()
		name, ok := strings.CutPrefix(f.Function, own)
		if ok && slices.ContainsFunc(scripted, func(s string) bool { return strings.HasPrefix(name, s) }) {
			return true
		}
	}
	return false
}
