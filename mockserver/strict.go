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
// ([Server.Verify]), or if requests still waited for a dispatcher.
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

// endTest closes the server of a test, and reports what is left.
func (s *Server) endTest() {
	s.test.Lock()
	tb := s.tb
	s.test.Unlock()
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Error(err)
	}
	if s.cfg.strict {
		s.reportLeft()
	}
	s.test.Lock()
	defer s.test.Unlock()
	s.tb = nil
}

func (s *Server) reportLeft() {
	if n := s.queue.Len(); n > 0 {
		s.fault(fmt.Errorf("mockserver: %d responses were enqueued and not used", n))
	}
	if left := s.journal.untaken(); len(left) > 0 {
		s.fault(fmt.Errorf("mockserver: %d requests were not taken: %s", len(left), listed(left)))
	}
	s.mu.Lock()
	waited := s.waiting
	s.mu.Unlock()
	if len(waited) > 0 {
		s.fault(fmt.Errorf("mockserver: %d requests still waited for a response: %s", len(waited), listed(waited)))
	}
}

// listed names the first few requests.
func listed(list []*Request) string {
	const most = 10
	var lines []string
	for i, r := range list {
		if i == most {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, r.String())
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
