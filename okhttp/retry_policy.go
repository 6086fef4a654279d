package okhttp

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// RetryPolicy repeats requests that a server refused for the moment: with 503, or with 429, and a Retry-After that says when to come back
// (RFC 9110 section 10.2.3), or by a wait that doubles if it does not say. A 503 is repeated for requests that may be sent twice alone: see
// [WithRetryOnConnectionFailure]. The waits count for the call timeout, and no connection is held meanwhile. When the attempts are used up, the last
// response is that of the call.
//
// Its zero value means the defaults. Without [WithRetryPolicy] such responses are returned, but for a 503 that says "Retry-After: 0": after that
// the request is sent again at once, one time.
type RetryPolicy struct {
	MaxAttempts int           // requests in a row, the first included. 0 and less: 3
	MaxDelay    time.Duration // of one wait; a server that asks for more is not asked again. 0 and less: 30 s
	BaseDelay   time.Duration // the first wait for a server that does not say; it doubles each time. 0 and less: 500 ms
	Jitter      float64       // the share of such a wait that is drawn by lot, up to 1. 0, and more than 1: 0.5; negative: none
}

func (p RetryPolicy) withDefaults() *RetryPolicy {
	if p.MaxAttempts <= 0 {
		p.MaxAttempts = 3
	}
	if p.MaxDelay <= 0 {
		p.MaxDelay = 30 * time.Second
	}
	if p.BaseDelay <= 0 {
		p.BaseDelay = 500 * time.Millisecond
	}
	switch {
	case p.Jitter == 0 || p.Jitter > 1:
		p.Jitter = 0.5
	case p.Jitter < 0:
		p.Jitter = 0
	}
	return &p
}

// delay returns how long to wait before the request that follows a response, the attempt-th in a row to be refused, counted from 1.
func (p *RetryPolicy) delay(resp *Response, attempt int, now time.Time) (time.Duration, bool) {
	if resp.Status != 429 && resp.Status != 503 || attempt >= p.MaxAttempts {
		return 0, false
	}
	if wait, said, ok := resp.retryAfter(now); said {
		return wait, ok && wait <= p.MaxDelay
	}
	wait := p.MaxDelay
	if shift := attempt - 1; shift < 32 && p.BaseDelay <= p.MaxDelay>>shift {
		wait = p.BaseDelay << shift
	}
	return wait - time.Duration(p.Jitter*rand.Float64()*float64(wait)), true
}

// RetryAfter returns how long the server wants to be left alone, from now on (RFC 9110 section 10.2.3): its Retry-After is a number of seconds, at most those of a
// year, or a date; one that has passed is 0. ok is false if it says neither.
func (r *Response) RetryAfter() (wait time.Duration, ok bool) {
	wait, _, ok = r.retryAfter(time.Now())
	return wait, ok
}

// retryAfter is RetryAfter. said reports whether there is such a header, readable or not.
func (r *Response) retryAfter(now time.Time) (wait time.Duration, said, ok bool) {
	value, said := r.headers.Last("Retry-After")
	if said {
		wait, ok = parseRetryAfter(ascii.TrimOWS(value), now)
	}
	return wait, said, ok
}

// parseRetryAfter reads a number of seconds or a date.
func parseRetryAfter(value string, now time.Time) (time.Duration, bool) {
	const most = 365 * 24 * time.Hour
	seconds, digits := time.Duration(0), value != ""
	for i := 0; i < len(value) && digits; i++ {
		d := value[i] - '0'
		if digits = d <= 9; digits {
			seconds = min(seconds*10+time.Duration(d), most/time.Second)
		}
	}
	if digits {
		return seconds * time.Second, true
	}
	at, err := ParseDate(value)
	if err != nil {
		return 0, false
	}
	return max(at.Sub(now), 0), true
}

// pause waits before a request is repeated. No connection is held meanwhile.
func (c *Call) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	c.release()
	waiting, w, err := c.wait(ctx)
	if err != nil {
		return err
	}
	defer w.end()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-waiting.Done():
		return context.Cause(waiting)
	}
}
