package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// retries is what --retry and its kin say.
type retries struct {
	most         int
	delay        time.Duration // unset: 1 s, doubled each time
	within       time.Duration // 0: no limit
	all, refused bool
}

// maxRetryDelay is how long the doubled waits become.
const maxRetryDelay = 10 * time.Minute

// wait returns how long to wait before the nth retry, counted from 0.
func (r *retries) wait(n int) time.Duration {
	switch {
	case r.delay != unset:
		return r.delay
	case n < 10:
		return min(time.Second<<n, maxRetryDelay)
	}
	return maxRetryDelay
}

// repeats reports whether another try may do better. A connection that broke leaves open whether the server has acted, so there only requests are repeated
// that may be.
func (r *retries) repeats(f *failure, method string) bool {
	if r.all {
		return true
	}
	switch f.code {
	case exitTimeout, exitResolve, exitProxy:
		return true
	case exitConnect:
		return r.refused
	case exitPartial, exitEmpty, exitSend, exitReceive, exitStream:
		return method != "POST" && method != "PATCH" && method != "CONNECT"
	}
	return false
}

// pause returns how long to wait before the next try, if there may be one.
func (t *transfer) pause() (wait time.Duration, ok bool) {
	r := &t.o.retry
	if wait = r.wait(t.tries); t.invitedIn > 0 {
		wait = t.invitedIn
	}
	return wait, t.tries < r.most && (r.within == 0 || t.since()+wait < r.within)
}

// again waits before another try after a failure, if one is due, and says so. It reports whether it is time for it.
func (t *transfer) again(ctx context.Context, f *failure) bool {
	wait, ok := t.pause()
	switch {
	case !ok || f == nil || f.text == "" || f.code == exitInterrupted: // nobody reads, or wants to
		return false
	case t.dest != nil && t.dest.spilled: // what was written cannot be taken back
		return false
	case !t.invited && !t.o.retry.repeats(f, t.method):
		return false
	}
	if !t.o.silent || t.o.showError {
		text := fmt.Sprintf("okcurl: (%d) %s; trying again in %v, %d of %d\n", f.code, t.about(f).text, wait.Round(time.Millisecond), t.tries+1, t.o.retry.most)
		io.WriteString(t.err, text)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// refused is a response with a status that may be another one the next time, nil if it is to be taken.
func (t *transfer) refused(resp *okhttp.Response) *failure {
	switch resp.Status {
	case 408, 429, 500, 502, 503, 504:
	default:
		return nil
	}
	t.invitedIn, _ = resp.RetryAfter()
	if _, t.invited = t.pause(); !t.invited {
		return nil
	}
	return statusFailure(resp)
}
