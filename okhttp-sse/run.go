package oksse

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// run is one loop over a stream.
type run struct {
	*Stream
	ctx   context.Context
	yield func(Event, error) bool

	attempt  int
	vain     int // attempts in a row without success
	backoff  backoff
	progress time.Time // of the latest success, or the start
}

// longTime is how long an attempt has to last for another one at once to be no hurry.
const longTime = time.Second

// outcome is how an attempt went.
type outcome struct {
	err     error // nil if the consumer has enough
	final   bool  // no other attempt can follow
	success bool
	wait    time.Duration // that the server wants, at least
}

// end lets another loop begin, after the hook, also if that panics.
func (r *run) end() {
	defer func() {
		r.mu.Lock()
		r.running, r.cancel = false, nil
		r.mu.Unlock()
	}()
	r.enter(Closed)
}

// loop makes one attempt after another.
func (r *run) loop() {
	if err := r.load(); err != nil {
		r.yield(Event{}, err)
		return
	}
	r.progress = time.Now()
	r.backoff = backoff{most: r.cfg.RetryMax, noJitter: r.cfg.NoJitter}
	var retry *RetryError
	for {
		began := time.Now()
		out := r.connect(retry)
		if time.Since(began) >= longTime {
			r.backoff.hurried = false
		}
		if out.err == nil {
			return
		}
		if r.over() {
			r.yield(Event{}, endOf(r.ctx))
			return
		}
		if out.success {
			r.backoff.failures, r.vain, r.progress = 0, 0, time.Now()
		} else {
			r.vain++
		}
		var err error
		if retry, err = r.again(out); err != nil {
			if err != ErrEnded { // which is no error where no other connection follows
				r.yield(Event{}, err)
			}
			return
		}
		if !r.pause(retry) {
			return
		}
	}
}

// over reports whether the context has ended. Its deadline can be met by the connection a moment before it is by the context.
func (r *run) over() bool {
	if at, ok := r.ctx.Deadline(); ok && !time.Now().Before(at) {
		<-r.ctx.Done()
	}
	return r.ctx.Err() != nil
}

// again decides whether and when there is another attempt. The error ends the stream.
func (r *run) again(out outcome) (*RetryError, error) {
	if out.final || r.cfg.NoReconnect {
		return nil, out.err
	}
	delay := max(r.backoff.next(r.wait), out.wait)
	elapsed := time.Since(r.progress)
	if n := r.vain; r.cfg.MaxAttempts > 0 && n >= r.cfg.MaxAttempts || r.cfg.MaxElapsed > 0 && elapsed+delay > r.cfg.MaxElapsed {
		return nil, &GiveUpError{Attempts: n, Elapsed: elapsed, Err: out.err}
	}
	return &RetryError{Attempt: r.attempt + 1, Delay: delay, LastEventID: r.LastEventID(), Err: out.err}, nil
}

// pause tells of the next attempt and waits for it. It returns false when the loop is over.
func (r *run) pause(retry *RetryError) bool {
	r.enter(Connecting)
	if r.cfg.OnRetry != nil {
		r.cfg.OnRetry(retry)
	}
	if r.cfg.YieldRetries && !r.yield(Event{}, retry) {
		return false
	}
	timer := time.NewTimer(retry.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		if r.ctx.Err() == nil {
			return true
		}
	case <-r.ctx.Done():
	}
	r.yield(Event{}, endOf(r.ctx))
	return false
}

// build makes the request of an attempt.
func (r *run) build(retry *RetryError) (req *okhttp.Request, err error) {
	req = r.request
	if retry != nil && r.cfg.Rebuild != nil {
		if req, err = r.cfg.Rebuild(r.ctx, retry); err == nil && req == nil {
			err = errors.New("oksse: Rebuild returned neither a request nor an error")
		}
		if err != nil {
			return nil, err
		}
	}
	standard := []string{"Accept", eventStream, "Cache-Control", "no-store"}
	if r.cfg.IdentityEncoding {
		standard = append(standard, "Accept-Encoding", "identity")
	}
	if req, err = withDefaults(req, standard...); err != nil {
		return nil, err
	}
	return resuming(req, r.LastEventID())
}

// repeatable reports whether a request may be sent again after a failure.
func (r *run) repeatable(req *okhttp.Request, err error) bool {
	return r.replayable(req) && (r.cfg.ReconnectUnsafe || slices.Contains(safeMethods, req.Method()) || okhttp.SafeToRetry(err))
}

// replayable reports whether there can be another request, as far as the body is concerned.
func (r *run) replayable(req *okhttp.Request) bool {
	b := req.Body()
	return b == nil || !b.IsOneShot() && !b.IsDuplex() || r.cfg.Rebuild != nil
}

var safeMethods = []string{"GET", "HEAD", "OPTIONS", "QUERY", "REPORT", "PROPFIND"}

// futile reports whether a call failed in a way that another will too.
func futile(err error) bool {
	return errors.Is(err, okhttp.ErrClientClosed) || isA[*okhttp.CallError](err) || isA[*okhttp.RequestError](err) || isA[*okhttp.HeaderError](err) ||
		isA[*okhttp.InterceptorError](err) || isA[*okhttp.CleartextError](err) || isA[*okhttp.UnusableSpecsError](err)
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
