package okhttp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func busyText(status int, headers ...string) string { return statusResponse(status, headers...) }

// What is repeated, when, and how often. Bubbles begin at midnight of 2000-01-01.
func TestRetryPolicy(t *testing.T) {
	const inAMinute, yesterday = "Retry-After: Sat, 01 Jan 2000 00:01:00 GMT", "Retry-After: Fri, 31 Dec 1999 00:00:00 GMT"
	steady := RetryPolicy{Jitter: -1, MaxDelay: 2 * time.Minute}
	for name, c := range map[string]struct {
		policy    RetryPolicy
		method    string
		responses []string
		want      string
		requests  int
		after     time.Duration
	}{
		"503 that does not say":   {steady, "GET", []string{busyText(503), busyText(503), okText("x")}, "200 x", 3, 1500 * time.Millisecond},
		"429 that does not say":   {steady, "GET", []string{busyText(429), okText("x")}, "200 x", 2, 500 * time.Millisecond},
		"seconds":                 {steady, "GET", []string{busyText(503, "Retry-After: 7"), busyText(429, "Retry-After: 0"), okText("x")}, "200 x", 3, 7 * time.Second},
		"a date":                  {steady, "GET", []string{busyText(503, inAMinute), okText("x")}, "200 x", 2, time.Minute},
		"a date that has gone by": {steady, "GET", []string{busyText(503, yesterday), okText("x")}, "200 x", 2, 0},
		"nonsense":                {steady, "GET", []string{busyText(503, "Retry-After: soon")}, "503 ", 1, 0},
		"a negative number":       {steady, "GET", []string{busyText(503, "Retry-After: -1")}, "503 ", 1, 0},
		"an empty one":            {steady, "GET", []string{busyText(503, "Retry-After:")}, "503 ", 1, 0},
		"as long as the longest":  {steady, "GET", []string{busyText(503, "Retry-After: 120"), okText("x")}, "200 x", 2, 2 * time.Minute},
		"too long":                {steady, "GET", []string{busyText(503, "Retry-After: 121")}, "503 ", 1, 0},
		"far too long":            {steady, "GET", []string{busyText(503, "Retry-After: 99999999999999999999999")}, "503 ", 1, 0},
		"longer than the default": {RetryPolicy{}, "GET", []string{busyText(503, "Retry-After: 31")}, "503 ", 1, 0},
		"three are enough":        {steady, "GET", []string{busyText(503), busyText(503), busyText(503), okText("x")}, "503 ", 3, 1500 * time.Millisecond},
		"five":                    {RetryPolicy{MaxAttempts: 5, Jitter: -1, BaseDelay: time.Second, MaxDelay: 3 * time.Second}, "GET", slices.Repeat([]string{busyText(503)}, 5), "503 ", 5, 9 * time.Second},
		"one is enough":           {RetryPolicy{MaxAttempts: 1}, "GET", []string{busyText(503)}, "503 ", 1, 0},
		"POST and 503":            {steady, "POST", []string{busyText(503)}, "503 ", 1, 0},
		"POST and 429":            {steady, "POST", []string{busyText(429), okText("x")}, "200 x", 2, 500 * time.Millisecond},
		"PUT and 503":             {steady, "PUT", []string{busyText(503), okText("x")}, "200 x", 2, 500 * time.Millisecond},
		"another status":          {steady, "GET", []string{busyText(500, "Retry-After: 1")}, "500 ", 1, 0},
		"a date on 200":           {steady, "GET", []string{"HTTP/1.1 200 OK\r\nRetry-After: 1\r\nContent-Length: 1\r\n\r\nx"}, "200 x", 1, 0},
		"what repeats 503 anyway counts": {steady, "GET", []string{busyText(503, "Retry-After: 0"), busyText(503, "Retry-After: 0"), busyText(503, "Retry-After: 0"), okText("x")},
			"503 ", 3, 0},
		"a redirect in between starts anew": {steady, "GET", []string{busyText(503), redirectText(302, "/b"), busyText(503), busyText(503), okText("x")}, "200 x", 5, 2 * time.Second},
		"follow-ups are used up":            {RetryPolicy{MaxAttempts: 100, BaseDelay: time.Second, MaxDelay: time.Second, Jitter: -1}, "GET", slices.Repeat([]string{busyText(503)}, 30), "503 ", 21, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(c.responses...))
				var body *Body
				if c.method != "GET" {
					body = Text("body")
				}
				began := time.Now()
				w.want(c.want)(w.do(c.method, "http://server.test/", body))
				if got := time.Since(began).Round(10 * time.Millisecond); got != c.after { // a look at an idle connection takes one
					t.Errorf("after %v, want %v", got, c.after)
				}
				if len(server.requests) != c.requests {
					t.Errorf("%d requests, want %d", len(server.requests), c.requests)
				}
				for _, r := range server.requests {
					if body != nil && r.body != "body" {
						t.Errorf("sent %q", r.body)
					}
				}
			}, WithRetryPolicy(c.policy))
		})
	}
	t.Run("off by default", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(busyText(503, "Retry-After: 1")))
			w.want("503 ")(w.get("http://server.test/"))
		})
	})
	t.Run("one-shot body", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(busyText(429)))
			w.want("429 ")(w.do("POST", "http://server.test/", OneShot("", -1, strings.NewReader("x"))))
		}, WithRetryPolicy(steady))
	})
}

func TestRetryPolicyDefaults(t *testing.T) {
	if got := (RetryPolicy{}).withDefaults(); *got != (RetryPolicy{3, 30 * time.Second, 500 * time.Millisecond, 0.5}) {
		t.Errorf("defaults %+v", got)
	}
	if got := (RetryPolicy{-1, -1, -1, 2}).withDefaults(); *got != (RetryPolicy{3, 30 * time.Second, 500 * time.Millisecond, 0.5}) {
		t.Errorf("out of range %+v", got)
	}
	if got := (RetryPolicy{7, time.Second, time.Minute, -1}).withDefaults(); *got != (RetryPolicy{7, time.Second, time.Minute, 0}) {
		t.Errorf("own %+v", got)
	}
}

// A wait that the server does not prescribe is between its unjittered length and that without the share that is drawn by lot.
func TestRetryPolicyJitter(t *testing.T) {
	req := mustRequest(t, "GET", "http://h/")
	busy := NewResponse(req, 503)
	for _, c := range []struct {
		jitter  float64
		attempt int
		from    time.Duration
		to      time.Duration
	}{
		{0, 1, 50 * time.Millisecond, 100 * time.Millisecond},
		{0, 2, 100 * time.Millisecond, 200 * time.Millisecond},
		{0.25, 3, 300 * time.Millisecond, 400 * time.Millisecond},
		{1, 4, 0, 800 * time.Millisecond},
		{1, 5, 0, time.Second}, // the longest
		{1, 90, 0, time.Second},
		{-1, 2, 200 * time.Millisecond, 200 * time.Millisecond},
	} {
		p := RetryPolicy{MaxAttempts: 100, BaseDelay: 100 * time.Millisecond, MaxDelay: time.Second, Jitter: c.jitter}.withDefaults()
		least, most := time.Hour, time.Duration(0)
		for range 1000 {
			d, ok := p.delay(busy, c.attempt, time.Now())
			if !ok {
				t.Fatal("no retry")
			}
			least, most = min(least, d), max(most, d)
		}
		margin := (c.to - c.from) / 10
		if least < c.from || most > c.to || least > c.from+margin || most < c.to-margin {
			t.Errorf("jitter %v, attempt %d: from %v to %v, want %v to %v", c.jitter, c.attempt, least, most, c.from, c.to)
		}
	}
	exact, _ := NewHeaders("Retry-After", "1")
	p := RetryPolicy{Jitter: 1}.withDefaults()
	if d, ok := p.delay(busy.With(ResponseHeaders(exact)), 1, time.Now()); d != time.Second || !ok {
		t.Errorf("a wait that the server prescribes became %v %v", d, ok)
	}
}

// The pause holds no connection, ends at once with the call, and counts for the call timeout.
func TestRetryPause(t *testing.T) {
	why := errors.New("changed my mind")
	for name, c := range map[string]struct {
		end    func(w *world, call *Call, cancel context.CancelCauseFunc)
		opts   []CallOption
		is     []error
		after  time.Duration
		cancel string
	}{
		"Cancel":       {func(_ *world, call *Call, _ context.CancelCauseFunc) { call.Cancel() }, nil, []error{ErrCanceled}, time.Second, "canceled"},
		"context":      {func(_ *world, _ *Call, cancel context.CancelCauseFunc) { cancel(why) }, nil, []error{context.Canceled, why}, time.Second, ""},
		"Close":        {func(w *world, _ *Call, _ context.CancelCauseFunc) { w.client.Close() }, nil, []error{ErrCanceled}, time.Second, "canceled"},
		"call timeout": {func(*world, *Call, context.CancelCauseFunc) {}, []CallOption{WithCallTimeout(2 * time.Second)}, []error{ErrCallTimeout}, 2 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(busyText(503, "Retry-After: 20")))
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"), c.opts...)
				done := w.enqueued(ctx, call)
				time.Sleep(time.Second)
				w.wantEvents(newConnection80 + exchanged + "responseBodyStart responseBodyEnd 0 followUpDecision true connectionReleased")
				if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
					t.Errorf("pool %+v while pausing", got)
				}
				c.end(w, call, cancel)
				o := <-done
				var e *Error
				if !errors.As(o.err, &e) || e.Phase != PhaseFollowUp || len(e.Attempts) != 0 || o.at != c.after {
					t.Errorf("outcome %+v", o)
				}
				for _, is := range c.is {
					if !errors.Is(o.err, is) {
						t.Errorf("error %v is not %v", o.err, is)
					}
				}
				synctest.Wait()
				w.mu.Lock()
				slices.Sort(w.events)
				w.mu.Unlock()
				w.wantEvents(fmt.Sprint("callFailed ", c.cancel))
				w.holdsNothing()
			}, WithRetryPolicy(RetryPolicy{}))
		})
	}
}

// A response says how long its server wants to be left alone, in seconds or by a date.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // on the bubble's time, which begins with the year 2000
		for value, want := range map[string]struct {
			wait time.Duration
			ok   bool
		}{
			"0": {0, true}, "120": {2 * time.Minute, true}, "99999999999999999999": {365 * 24 * time.Hour, true},
			"Sat, 01 Jan 2000 00:00:05 GMT": {5 * time.Second, true}, "Fri, 31 Dec 1999 23:59:59 GMT": {0, true},
			"": {0, false}, "-1": {0, false}, "1.5": {0, false}, "soon": {0, false},
		} {
			resp := NewResponse(nil, 503, ResponseHeaders(headersOf([]string{"Retry-After", value})))
			if wait, ok := resp.RetryAfter(); wait != want.wait || ok != want.ok {
				t.Errorf("%q: %v, %v", value, wait, ok)
			}
		}
		if wait, ok := NewResponse(nil, 503).RetryAfter(); wait != 0 || ok {
			t.Errorf("without the header: %v, %v", wait, ok)
		}
	})
}
