package mockserver

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// strikes knows whether what was scripted once struck in any of the exchanges that have it together. It may be nil.
type strikes struct{ any atomic.Bool }

func (s *strikes) note() {
	if s != nil {
		s.any.Store(true)
	}
}

func (s *strikes) happened() bool { return s != nil && s.any.Load() }

// miss is what was scripted and had no chance to strike.
type miss struct {
	script *strikes // nil if it is not shared
	what   string
}

// maxMisses bounds what is kept for the report in the end of a test.
const maxMisses = 100

// own makes a response one whose strikes are its own: copies of a script that are enqueued are to strike each.
func (r Response) own() Response {
	for m := range r.effects {
		if r.effects[m].effect != nil {
			r.effects[m].strikes = new(strikes)
		}
	}
	if r.frames != nil {
		r.frames = new(strikes)
	}
	return r
}

// struck notes that the moment of an early effect came for a request.
func (e *early) struck(r *Request, m Moment) {
	if e.effects[m].effect != nil {
		e.effects[m].strikes.note()
		r.came[m] = true
	}
}

// certain returns what of an effect happens whenever its moment comes. What is chosen may as well not happen, and nobody is told if it does not.
func certain(e Effect) []Effect {
	switch e := e.(type) {
	case nil, Sometimes, *counted:
		return nil
	case sequence:
		var list []Effect
		for _, one := range e {
			list = append(list, certain(one)...)
		}
		return list
	}
	return []Effect{e}
}

// surelyEnds reports whether an effect ends each exchange that it meets, over any version.
func surelyEnds(e Effect) bool {
	list := certain(e)
	return ends(list) && len(ofFrames(list[len(list)-1:])) == 0
}

// named names effects as they are written.
func named(list []Effect) string {
	var names []string
	for _, e := range list {
		names = append(names, strings.TrimPrefix(fmt.Sprintf("%T", e), "mockserver."))
	}
	return strings.Join(names, ", ")
}

// ofFrames returns the effects that HTTP/1.1 does not have.
func ofFrames(list []Effect) []Effect {
	return slices.DeleteFunc(slices.Clone(list), func(e Effect) bool { return len(withoutHTTP2([]Effect{e})) > 0 })
}

// missed returns what of the response to a request cannot strike any more, or over its version, when it is about to be sent. Moments that are yet to come do come.
func (c *connection) missed(r *Request, resp *Response, hint early, length int64) (list []miss) {
	status := resp.Code()
	add := func(s *strikes, what, why string) {
		if !s.happened() {
			list = append(list, miss{s, fmt.Sprintf("%s of the response %d did not strike: %s", what, status, why)})
		}
	}
	for m := RequestStart; m < moments; m++ {
		t := resp.effects[m]
		sure := certain(t.effect)
		if len(sure) == 0 {
			continue
		}
		if m <= RequestBody && !r.came[m] && !(m == RequestStart && c.greeted && r.Index == 0) {
			add(t.strikes, named(sure)+" at "+m.String(), whyNot(m, r, resp, hint, length))
			continue
		}
		frames := ofFrames(sure)
		if r.Proto != "HTTP/2" && len(frames) > 0 {
			add(t.strikes, named(frames)+" at "+m.String(), "there is no such thing in "+r.Proto)
		}
		if r.Proto == "HTTP/2" || len(frames) == 0 {
			t.strikes.note()
		}
	}
	switch {
	case resp.frames == nil:
	case r.Proto == "HTTP/2":
		if len(resp.settings) > 0 && len(resp.pushes) == 0 {
			resp.frames.note()
		}
	case len(resp.pushes) > 0:
		add(resp.frames, "Push("+resp.pushes[0].shown()+")", "there is no such thing in "+r.Proto)
	default:
		add(resp.frames, "Settings", "there is no such thing in "+r.Proto)
	}
	return list
}

// whyNot says why an early moment did not come.
func whyNot(m Moment, r *Request, resp *Response, hint early, length int64) string {
	const known = ": it has to be enqueued by then, or known to a Peeker or Decider"
	unknown := !hint.known || hint.effects[m].effect == nil
	switch {
	case m == RequestStart && resp.StartsConnection() && r.Index > 0:
		return fmt.Sprintf("the connection was accepted before, this is its request %d", r.Index)
	case m == RequestStart && resp.StartsConnection():
		return "the response was not known when the connection was accepted" + known
	case unknown:
		return "the response was not known when the head of the request was read" + known
	case m != RequestBody:
		return "another effect came first"
	case hint.unread(r):
		return "the content of the request is not read before the response"
	case r.Body == nil:
		return "the request has no content"
	case length < 0 && resp.effects[m].after == half:
		return "the request has no Content-Length, and so no half: OnBytes takes a number"
	}
	return fmt.Sprintf("the content of the request has %d bytes, and it is due after %d", r.BodySize, hint.effects[m].at(length))
}

// tell notes in the journal what does not strike in the answer to a request, and keeps it for the test of a server that is strict. It returns the request that
// is in the journal from then on.
func (s *Server) tell(r *Request, list ...miss) *Request {
	if len(list) == 0 {
		return r
	}
	told := s.journal.amend(r, func(r *Request) {
		r.Missed = slices.Clone(r.Missed)
		for _, m := range list {
			r.Missed = append(r.Missed, m.what)
		}
	})
	for _, m := range list {
		s.miss(m.script, fmt.Sprintf("%s; in answer to %v", m.what, r))
	}
	return told
}

// miss keeps what did not strike.
func (s *Server) miss(script *strikes, text string) {
	s.cfg.logger.Warn("mockserver: missed", "what", text)
	if !s.cfg.strict {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.misses) < maxMisses && (script == nil || !slices.ContainsFunc(s.misses, func(m miss) bool { return m.script == script })) {
		s.misses = append(s.misses, miss{script, text})
	}
}

// missedEver returns what has not struck in any exchange.
func (s *Server) missedEver() (list []textOf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.misses {
		if !m.script.happened() {
			list = append(list, textOf(m.what))
		}
	}
	return list
}

// textOf is a line of a report.
type textOf string

func (t textOf) String() string { return string(t) }
