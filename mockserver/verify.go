package mockserver

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// Times says how often something is expected. The zero value is [Never].
type Times struct {
	least, more int // the most is least + more
	within      time.Duration
}

// Exactly expects n.
func Exactly(n int) Times { return Between(n, n) }

// Once expects one.
func Once() Times { return Exactly(1) }

// Never expects none.
func Never() Times { return Exactly(0) }

// AtLeast expects n or more.
func AtLeast(n int) Times { return Between(n, math.MaxInt) }

// AtMost expects n or fewer.
func AtMost(n int) Times { return Between(0, n) }

// Between expects as many as that, both ends included. Negative numbers are taken for 0, and a most that is below the least for the least.
func Between(least, most int) Times {
	least = max(least, 0)
	return Times{least: least, more: max(most, least) - least}
}

// Within gives it time: as long as there are fewer than expected, up to d. What must not come at all is waited for, for the whole of d.
func (t Times) Within(d time.Duration) Times {
	t.within = d
	return t
}

func (t Times) most() int { return t.least + t.more }

func (t Times) fits(n int) bool { return n >= t.least && n <= t.most() }

// String says it in words.
func (t Times) String() string {
	text := ""
	switch most := t.most(); {
	case most == 0:
		text = "no requests"
	case t.more == 0:
		text = "exactly " + requests(t.least)
	case most == math.MaxInt:
		text = "at least " + requests(t.least)
	case t.least == 0:
		text = "at most " + requests(most)
	default:
		text = fmt.Sprintf("between %d and %s", t.least, requests(most))
	}
	if t.within > 0 {
		text += " within " + t.within.String()
	}
	return text
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// A VerificationError is the failure of [Server.Verify]. Its text says what was expected, what came, and how the closest other requests differ.
type VerificationError struct {
	// Matcher and Times are what was expected.
	Matcher Matcher
	Times   Times
	// Matched are the requests that match.
	Matched []*Request
	// Others is how many other requests came that are still known.
	Others int
	// Dropped is how many requests came that are not known any more, see [WithJournalLimit]. The answer is certain only if it is 0.
	Dropped int

	near []nearMiss
}

// Error is the report, of several lines.
func (e *VerificationError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mockserver: expected %v that match %v but got %d", e.Times, e.Matcher, len(e.Matched))
	if e.Dropped > 0 {
		fmt.Fprintf(&b, ", not counting %s that the journal has dropped", requests(e.Dropped))
	}
	for i, r := range e.Matched {
		if i == reportLines {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Matched)-i)
			break
		}
		fmt.Fprintf(&b, "\n  matched: %v", r)
	}
	for _, n := range e.near {
		fmt.Fprintf(&b, "\n  close: %v", n.request)
		for i, m := range n.mismatches {
			if i == reportLines {
				fmt.Fprintf(&b, "\n    and %d more differences", len(n.mismatches)-i)
				break
			}
			fmt.Fprintf(&b, "\n    %v", m)
		}
	}
	if rest := e.Others - len(e.near); rest > 0 {
		fmt.Fprintf(&b, "\n  and %d other requests", rest)
	} else if e.Others == 0 && len(e.Matched) == 0 {
		b.WriteString("; no other request came")
	}
	return b.String()
}

// reportLines bounds the lists of reports.
const reportLines = 10

// Verify compares how many requests came that m describes with what is expected, be they taken or not. Those that m describes count as taken for
// [Strict]. It waits only if [Times.Within] says so. The
// error is a [VerificationError], or says that m is invalid; it fails the test of [New] too, so that it need not be looked at there.
func (s *Server) Verify(m Matcher, times Times) error {
	if s.test.Lock(); s.tb != nil {
		s.tb.Helper()
	}
	s.test.Unlock()
	err := s.Check(m, times)
	if err != nil {
		s.fault(err)
	}
	return err
}

// Check is [Server.Verify] without a failure of the test.
func (s *Server) Check(m Matcher, times Times) error {
	if err := checkMatcher("Verify", m); err != nil {
		return err
	}
	if times.within > 0 {
		wanted := times.least
		if times.more < math.MaxInt-times.least && times.least == 0 { // one too many ends it
			wanted = times.most() + 1
		}
		if wanted > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), times.within)
			_, _ = s.journal.find(ctx, m, wanted) // what there is then is counted below
			cancel()
		}
	}
	kept, dropped, _ := s.journal.all(false)
	e := &VerificationError{Matcher: m, Times: times, Dropped: dropped}
	for _, r := range kept {
		if len(differences(m, r)) == 0 {
			e.Matched = append(e.Matched, r)
		}
	}
	s.journal.see(e.Matched)
	n := len(e.Matched)
	if times.fits(n) && (dropped == 0 || times.most() == math.MaxInt) {
		return nil
	}
	e.Others = len(kept) - n
	if n < times.least {
		e.near = nearest(m, kept, 3)
	}
	return e
}

// checkMatcher returns what is wrong with the matcher that a method was given.
func checkMatcher(method string, m Matcher) error {
	if m == nil {
		return fmt.Errorf("mockserver: %s(nil): expected a matcher", method)
	}
	if err := matcherErr(m); err != nil {
		return fmt.Errorf("mockserver: %s: %w", method, err)
	}
	return nil
}

// Requests returns the requests that came, be they taken or not, in the order in which they were recorded, as far as they are kept: see
// [WithJournalLimit].
func (s *Server) Requests() []*Request {
	kept, _, _ := s.journal.all(false)
	s.journal.see(kept)
	return kept
}

// FindRequests returns those of [Server.Requests] that m describes, none if m is invalid, which fails the test of [New].
func (s *Server) FindRequests(m Matcher) []*Request {
	if err := checkMatcher("FindRequests", m); err != nil {
		s.fault(err)
		return nil
	}
	found, _ := s.journal.find(context.Background(), m, 0)
	s.journal.see(found)
	return found
}

// AwaitRequests waits until there are n requests that m describes, be they taken or not, and returns all of them. It waits until ctx ends, or, if ctx has no deadline, for the time of
// [WithTakeTimeout]; then it returns those that there are with an error that wraps ctx's cause, or [ErrTakeTimeout], and [ErrClosed] when the server ends. It is an error at once if m is invalid.
func (s *Server) AwaitRequests(ctx context.Context, m Matcher, n int) ([]*Request, error) {
	if err := checkMatcher("AwaitRequests", m); err != nil {
		return nil, err
	}
	if limit := s.cfg.takeLimit; limit > 0 {
		if _, ok := ctx.Deadline(); !ok {
			limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w within %v", ErrTakeTimeout, limit))
			defer cancel()
			ctx = limited
		}
	}
	found, err := s.journal.find(ctx, m, n)
	s.journal.see(found)
	return found, err
}

// ForgetRequests empties the journal: the requests so far are neither taken nor verified any more. [Server.RequestCount] stays.
func (s *Server) ForgetRequests() { s.journal.clear() }
