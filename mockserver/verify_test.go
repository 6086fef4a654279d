package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okio"
)

// started starts a server that has no test, so that its faults are only returned.
func started(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	s, err := mockserver.Start(append(opts, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(answer(mockserver.Reply(200))))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func ask(t *testing.T, s *mockserver.Server, requests ...string) {
	t.Helper()
	for _, text := range requests {
		w := dial(t, s)
		w.send(text)
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		w.conn.Close()
	}
}

func TestVerify(t *testing.T) {
	s := started(t)
	ask(t, s, "GET /a HTTP/1.1·Host: a··", "GET /a HTTP/1.1·Host: a·Accept: x··", "POST /b HTTP/1.1·Content-Length: 2··hi")
	a := match.Request("GET /a")
	for _, times := range []mockserver.Times{mockserver.Exactly(2), mockserver.AtLeast(1), mockserver.AtLeast(2), mockserver.AtMost(2), mockserver.Between(1, 3)} {
		if err := s.Verify(a, times); err != nil {
			t.Errorf("%v: %v", times, err)
		}
	}
	if err := s.Verify(match.Path("/none"), mockserver.Never()); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		m     mockserver.Matcher
		times mockserver.Times
		want  string
	}{
		{a, mockserver.Once(), "mockserver: expected exactly 1 request that match GET /a but got 2\n" +
			"  matched: GET /a HTTP/1.1 (connection 0, request 0, body of 0 bytes)\n  matched: GET /a HTTP/1.1 (connection 1, request 0, body of 0 bytes)\n  and 1 other requests"},
		{a, mockserver.Never(), "expected no requests that match GET /a but got 2"},
		{a, mockserver.AtMost(1), "expected at most 1 request that"},
		{a, mockserver.AtLeast(3), "expected at least 3 requests that"},
		{a, mockserver.Between(3, 4), "expected between 3 and 4 requests that"},
		{match.All(match.Request("PUT /b"), match.Body(match.Is("ho"))), mockserver.Once(), "but got 0\n" +
			"  close: POST /b HTTP/1.1 (connection 2, request 0, body of 2 bytes)\n    method: expected PUT but it was \"POST\"\n    body: expected \"ho\" but it was \"hi\"\n  close: GET /a"},
	} {
		err := s.Verify(tt.m, tt.times)
		wrong := (*mockserver.VerificationError)(nil)
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v\nwant %s", tt.times, err, tt.want)
		}
	}
	if err := s.Verify(nil, mockserver.Once()); err == nil {
		t.Error("no matcher is fine")
	}
	if err := s.Verify(match.Path("x"), mockserver.Never()); err == nil || !strings.Contains(err.Error(), "begin with /") {
		t.Errorf("an invalid matcher: %v", err)
	}
	// What was verified can still be taken, and what was taken be verified.
	if r := take(t, s); r.Target != "/a" || r.Received.IsZero() {
		t.Errorf("took %v, received at %v", r, r.Received)
	}
	if err := s.Verify(a, mockserver.Exactly(2)); err != nil {
		t.Error(err)
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
	s.ForgetRequests()
	if err := s.Verify(a, mockserver.Never()); err != nil || s.RequestCount() != 3 {
		t.Errorf("after forgetting: %v, count %d", err, s.RequestCount())
	}
	if _, ok := s.TryTakeRequest(); ok {
		t.Error("a forgotten request is taken")
	}
}

func TestVerifyReportsMuch(t *testing.T) {
	s := started(t)
	for i := range 15 {
		ask(t, s, fmt.Sprintf("GET /%d HTTP/1.1··", i))
	}
	err := s.Verify(match.Method("GET"), mockserver.Never())
	if err == nil || !strings.Contains(err.Error(), "and 5 more") || strings.Count(err.Error(), "\n") != 11 {
		t.Errorf("report: %v", err)
	}
}

func TestVerifyWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := started(t)
		begun := time.Now()
		go func() {
			time.Sleep(time.Second)
			ask(t, s, "GET /a HTTP/1.1··")
		}()
		if err := s.Verify(match.Path("/a"), mockserver.Once().Within(time.Minute)); err != nil || time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		begun = time.Now()
		if err := s.Verify(match.Path("/b"), mockserver.Never().Within(time.Minute)); err != nil || time.Since(begun) != time.Minute {
			t.Errorf("never: %v after %v", err, time.Since(begun))
		}
		begun = time.Now()
		if err := s.Verify(match.Path("/b"), mockserver.Once().Within(time.Minute)); err == nil || time.Since(begun) != time.Minute || !strings.Contains(err.Error(), "exactly 1 request within 1m0s") {
			t.Errorf("too late: %v after %v", err, time.Since(begun))
		}
		go func() {
			time.Sleep(time.Second)
			ask(t, s, "GET /b HTTP/1.1··")
		}()
		begun = time.Now()
		if err := s.Verify(match.Path("/b"), mockserver.Never().Within(time.Minute)); err == nil || time.Since(begun) != time.Second {
			t.Errorf("one too many: %v after %v", err, time.Since(begun))
		}
		if err := s.Verify(match.Everything(), mockserver.AtLeast(0).Within(time.Hour)); err != nil {
			t.Error(err)
		}
		synctest.Wait() // what was asked last has its answer
		s.Close()
		if err := s.Verify(match.Path("/c"), mockserver.Once().Within(time.Hour)); err == nil || time.Since(begun) > time.Minute {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestVerifyFailsTheTest(t *testing.T) {
	tb := &failing{TB: t}
	s := mockserver.New(tb)
	err := s.Verify(match.Path("/a"), mockserver.Once())
	if failed := tb.take(); err == nil || failed != err.Error() || failed != "mockserver: expected exactly 1 request that match path /a but got 0; no other request came" {
		t.Errorf("%v; the test failed with %q", err, failed)
	}
}

func TestJournalIsBounded(t *testing.T) {
	s := started(t, mockserver.WithJournalLimit(2))
	ask(t, s, "GET /1 HTTP/1.1··", "GET /2 HTTP/1.1··", "GET /3 HTTP/1.1··")
	if list := s.Requests(); len(list) != 2 || list[0].Target != "/2" || s.RequestCount() != 3 {
		t.Errorf("kept %v of %d", list, s.RequestCount())
	}
	// With requests dropped nothing can be said for sure but that there were enough.
	if err := s.Verify(match.Path("/2"), mockserver.AtLeast(1)); err != nil {
		t.Error(err)
	}
	if err := s.Verify(match.Path("/2"), mockserver.Once()); err == nil || !strings.Contains(err.Error(), "not counting 1 request that the journal has dropped") {
		t.Errorf("an uncertain answer: %v", err)
	}
	if r := take(t, s); r.Target != "/2" {
		t.Errorf("took %v", r)
	}
	ask(t, s, "GET /4 HTTP/1.1··")
	if r := take(t, s); r.Target != "/3" {
		t.Errorf("took %v", r)
	}
	none := started(t, mockserver.WithJournalLimit(0))
	ask(t, none, "GET /1 HTTP/1.1··")
	if len(none.Requests()) != 0 || none.RequestCount() != 1 {
		t.Errorf("kept %v", none.Requests())
	}
}

func TestAwaitRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := started(t)
		go func() {
			for range 2 {
				time.Sleep(time.Second)
				ask(t, s, "GET /a HTTP/1.1··", "GET /b HTTP/1.1··")
			}
		}()
		begun := time.Now()
		found, err := s.AwaitRequests(t.Context(), match.Path("/b"), 2)
		if len(found) != 2 || err != nil || time.Since(begun) != 2*time.Second {
			t.Errorf("%v, %v after %v", found, err, time.Since(begun))
		}
		if found := s.FindRequests(match.Path("/a")); len(found) != 2 {
			t.Errorf("found %v", found)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		found, err = s.AwaitRequests(ctx, match.Path("/b"), 3)
		if len(found) != 2 || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "3 requests that match path /b, after 2") {
			t.Errorf("%v, %v", found, err)
		}
		s.Close()
		if _, err = s.AwaitRequests(t.Context(), match.Path("/b"), 3); !errors.Is(err, mockserver.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// TestAwaitRequestsIsBounded where its context has no deadline, as TakeRequest is.
func TestAwaitRequestsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := started(t, mockserver.WithTakeTimeout(3*time.Second))
		begun := time.Now()
		found, err := s.AwaitRequests(t.Context(), match.Path("/b"), 1)
		if len(found) != 0 || !errors.Is(err, mockserver.ErrTakeTimeout) || !strings.Contains(err.Error(), "1 request that match path /b, after 0: ") || time.Since(begun) != 3*time.Second {
			t.Errorf("%v, %v after %v", found, err, time.Since(begun))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := s.AwaitRequests(ctx, match.Path("/b"), 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute+3*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// TestInvalidMatcherOfRequests is said at once, and not waited for.
func TestInvalidMatcherOfRequests(t *testing.T) {
	tb := newCleaned(t)
	s := mockserver.New(tb, mockserver.WithDispatcher(answer(mockserver.Reply(200))))
	ask(t, s, "GET /a HTTP/1.1··")
	for m, want := range map[mockserver.Matcher]string{nil: "(nil): expected a matcher", match.Target(match.Regexp("(")): ": error parsing regexp"} {
		if found, err := s.AwaitRequests(t.Context(), m, 1); found != nil || err == nil || !strings.Contains(err.Error(), "AwaitRequests"+want) {
			t.Errorf("%v, %v, want %s", found, err, want)
		}
		if found := s.FindRequests(m); found != nil {
			t.Errorf("found %v", found)
		}
		if failed := tb.take(); !strings.Contains(failed, "FindRequests"+want) {
			t.Errorf("failed with %q, want %s", failed, want)
		}
	}
	tb.end()
}

func TestVerifiedRequestsAreNotLeft(t *testing.T) {
	tb := newCleaned(t)
	s := mockserver.New(tb, mockserver.Strict(), mockserver.WithDispatcher(answer(mockserver.Reply(200))))
	ask(t, s, "GET /a HTTP/1.1··", "GET /b HTTP/1.1··")
	if err := s.Verify(match.Path("/a"), mockserver.Once()); err != nil {
		t.Error(err)
	}
	tb.end()
	if failed := tb.take(); !strings.Contains(failed, "1 request was not taken: GET /b") {
		t.Errorf("failed with %q", failed)
	}
}
