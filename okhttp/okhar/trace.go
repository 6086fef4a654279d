package okhar

import (
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// trace is a call on its way. Its lock comes before that of the recorder.
type trace struct {
	recorder *Recorder
	call     *okhttp.Call

	mu      sync.Mutex
	attempt *attempt        // the present one
	next    *okhttp.Request // that it sends, as far as that is known beforehand
	conn    *okhttp.Connection
}

// traces are those of a call, of as many recorders as it has.
type traces struct {
	mu   sync.Mutex
	list []*trace
}

// traceOf returns the trace of a call, nil if the recorder does not listen to it.
func (r *Recorder) traceOf(call *okhttp.Call) *trace {
	all, ok := okhttp.TagOf[*traces](call)
	if !ok {
		return nil
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, t := range all.list {
		if t.recorder == r && t.call == call {
			return t
		}
	}
	return nil
}

// Listen is an [okhttp.EventListenerFactory]. Combine it with others by [okhttp.TeeEvents].
func (r *Recorder) Listen(call *okhttp.Call) *okhttp.EventListener {
	t := &trace{recorder: r, call: call, next: call.Request()}
	all := okhttp.TagOrCompute(call, func() *traces { return new(traces) })
	all.mu.Lock()
	all.list = append(all.list, t)
	all.mu.Unlock()
	return &okhttp.EventListener{
		CallStart: func(okhttp.CallStart) { t.on(func(*attempt, time.Time) {}) },
		DNSStart:  func(okhttp.DNSEvent) { t.begin(func(a *attempt, now time.Time) { a.dns.start(now) }) },
		DNSEnd:    func(okhttp.DNSEvent) { t.on(func(a *attempt, now time.Time) { a.dns.stop(now) }) },
		ConnectStart: func(okhttp.ConnectEvent) {
			t.begin(func(a *attempt, now time.Time) { a.dns.stop(now); a.connect.start(now) })
		},
		SecureConnectStart:  t.secureConnectStart,
		SecureConnectEnd:    func(e okhttp.ConnectEvent) { t.on(func(a *attempt, now time.Time) { a.secured(e.Route, now) }) },
		ConnectEnd:          func(okhttp.ConnectEvent) { t.on(func(a *attempt, now time.Time) { a.connect.stop(now) }) },
		ConnectFailed:       t.connectFailed,
		ConnectionAcquired:  func(e okhttp.ConnectionEvent) { t.begin(func(*attempt, time.Time) { t.conn = e.Connection }) },
		ConnectionReleased:  func(okhttp.ConnectionEvent) { t.on(func(*attempt, time.Time) { t.conn = nil }) },
		RequestHeadersStart: func(*okhttp.Call) { t.begin(func(a *attempt, now time.Time) { a.sending(now); a.on(t.conn) }) },
		RequestHeadersEnd: func(e okhttp.RequestHeadersEnd) {
			t.on(func(a *attempt, now time.Time) { a.wire, a.sent = e.Request, now })
		},
		RequestBodyEnd:       t.requestBodyEnd,
		RequestFailed:        t.failed,
		ResponseHeadersStart: func(*okhttp.Call) { t.on(func(a *attempt, now time.Time) { a.answered = now }) },
		ResponseHeadersEnd: func(e okhttp.ResponseHeadersEnd) {
			t.on(func(a *attempt, _ time.Time) { a.response, a.err = e.Response, nil })
		},
		ResponseBodyEnd:     t.responseBodyEnd,
		ResponseFailed:      t.failed,
		RetryDecision:       t.retryDecision,
		FollowUpDecision:    t.followUpDecision,
		CacheHit:            t.cached("answered by the cache"),
		SatisfactionFailure: t.cached("the cache had no answer, and the network was not to be asked"),
		CallEnd:             func(okhttp.CallEnd) { t.on(func(a *attempt, now time.Time) { t.over(a, now) }) },
		CallFailed:          t.callFailed,
	}
}

// on changes the present attempt.
func (t *trace) on(change func(*attempt, time.Time)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.attempt == nil {
		t.attempt = &attempt{began: now}
	}
	change(t.attempt, now)
}

// begin is on for what an attempt begins with. An interceptor may have proceeded once more, after an attempt that nothing was to follow.
func (t *trace) begin(change func(*attempt, time.Time)) {
	t.on(func(a *attempt, now time.Time) {
		if a.response != nil || !a.ended.IsZero() {
			t.over(a, now)
			a = &attempt{began: now}
			t.attempt = a
		}
		a.active = true
		change(a, now)
	})
}

func (t *trace) secureConnectStart(e okhttp.ConnectEvent) {
	t.on(func(a *attempt, now time.Time) {
		a.securing = append(a.securing, e.Route)
		a.ssl.start(now)
	})
}

// connectFailed stops what a failure leaves without an end.
func (t *trace) connectFailed(e okhttp.ConnectEvent) {
	t.on(func(a *attempt, now time.Time) {
		a.secured(e.Route, now)
		a.connect.stop(now)
	})
}

func (t *trace) requestBodyEnd(e okhttp.BodyEnd) {
	t.on(func(a *attempt, now time.Time) {
		a.uploaded = e.Bytes
		if a.answered.IsZero() { // else the answer did not wait for it
			a.sent = now
		}
	})
}

func (t *trace) responseBodyEnd(e okhttp.BodyEnd) {
	t.on(func(a *attempt, now time.Time) {
		a.ended, a.downloaded, a.complete = now, e.Bytes, true
	})
}

// failed is not the end yet: a server may answer what it does not want to read.
func (t *trace) failed(e okhttp.Failure) {
	t.on(func(a *attempt, now time.Time) { a.fail(e.Err, now) })
}

func (t *trace) retryDecision(e okhttp.RetryDecision) {
	t.on(func(a *attempt, now time.Time) {
		a.active = true
		a.fail(e.Err, now)
		if e.Retry {
			t.over(a, now)
			t.attempt = &attempt{began: now}
		}
	})
}

func (t *trace) followUpDecision(e okhttp.FollowUpDecision) {
	if e.Next == nil {
		return
	}
	t.on(func(a *attempt, now time.Time) {
		t.over(a, now)
		t.attempt, t.next = &attempt{began: now}, e.Next
	})
}

// cached is for answers that no exchange is about.
func (t *trace) cached(comment string) func(okhttp.CacheEvent) {
	return func(e okhttp.CacheEvent) {
		t.begin(func(a *attempt, now time.Time) {
			a.response, a.comment, a.answered, a.ended = e.Response, comment, now, now
			if e.Response != nil {
				a.wire = e.Response.Request()
			}
		})
	}
}

func (t *trace) callFailed(e okhttp.Failure) {
	t.on(func(a *attempt, now time.Time) {
		a.active = true
		a.fail(e.Err, now)
		t.over(a, now)
	})
}

// over hands an attempt to the recorder, as soon as nobody reads from its body.
func (t *trace) over(a *attempt, now time.Time) {
	if a.wire == nil {
		a.wire = t.next
	}
	if a.over || !a.active || a.wire == nil {
		return
	}
	a.over = true
	if a.ended.IsZero() {
		a.ended = now
	}
	if !a.reading {
		t.record(a)
	}
}

func (t *trace) record(a *attempt) {
	t.recorder.add(t.recorder.entry(a), a.began)
	a.recorded = true
	a.body, a.posted = capture{}, capture{} // the program may keep the response
}
