package mockserver

import (
	"context"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// delay is a time to wait, or what makes one.
type delay struct {
	fixed time.Duration
	waits Effect // in its place, if not nil
}

// pause waits for a delay.
func (s *Server) pause(ctx context.Context, d delay) error {
	if d.waits == nil {
		return sleep(ctx, d.fixed)
	}
	for _, e := range s.plan(d.waits) {
		if err := sleep(ctx, e.(Wait).For); err != nil {
			return err
		}
	}
	return nil
}

// waiting makes a delay of an effect.
func (r *Response) waiting(w Effect) delay {
	switch w := w.(type) {
	case Wait:
		return delay{fixed: w.For}
	case WaitBetween, WaitLogNormal:
	default:
		*r = r.fail("a delay of %T: expected Wait, WaitBetween or WaitLogNormal", w)
		return delay{}
	}
	if err := checkEffect(ResponseStart, w); err != nil {
		*r = r.fail("%w", err)
	}
	return delay{waits: w}
}

// HeadDelay waits before the status line.
func (r Response) HeadDelay(d time.Duration) Response {
	r.headDelay = delay{fixed: d}
	return r
}

// HeadDelayOf is HeadDelay for a time that may differ: w is a [Wait], a [WaitBetween] or a [WaitLogNormal].
func (r Response) HeadDelayOf(w Effect) Response {
	r.headDelay = r.waiting(w)
	return r
}

// BodyDelay waits between the headers, which are sent, and the body.
func (r Response) BodyDelay(d time.Duration) Response {
	r.bodyDelay = delay{fixed: d}
	return r
}

// BodyDelayOf is BodyDelay for a time that may differ, as of [Response.HeadDelayOf].
func (r Response) BodyDelayOf(w Effect) Response {
	r.bodyDelay = r.waiting(w)
	return r
}

// TrailersDelay waits between the body, which is sent, and the trailers, or what else ends the response.
func (r Response) TrailersDelay(d time.Duration) Response {
	r.endDelay = d
	return r
}

// Throttle slows bodies down: after every so many bytes it waits for the period before the next one. It holds for the response body,
// and for the request body if the response is enqueued by the time the head of the request was read.
func (r Response) Throttle(bytes int64, period time.Duration) Response {
	if bytes < 1 {
		return r.fail("Throttle(%d, %v): expected at least 1 byte", bytes, period)
	}
	r.throttle, r.dribble = throttle{bytes, period}, dribble{}
	return r
}

// ThrottleBy sends the response body no faster than t allows, which it shares with whatever else t limits: several responses, or streams of the
// caller's.
func (r Response) ThrottleBy(t *okio.Throttler) Response {
	r.joint = t
	return r
}

// dribble is a body in pieces over a time.
type dribble struct {
	pieces int
	over   time.Duration
}

// Dribble sends the response body, of known length, in so many pieces of the same size over that time: the first at once and the last at its end.
func (r Response) Dribble(pieces int, over time.Duration) Response {
	if pieces < 1 {
		return r.fail("Dribble(%d, %v): expected at least 1 piece", pieces, over)
	}
	r.dribble, r.throttle = dribble{pieces, over}, throttle{}
	return r
}

// SlowHead slows the head of the response down: after every so many bytes it waits for the period before the next one. On HTTP/2, where a head is one
// frame, it does nothing.
func (r Response) SlowHead(bytes int64, period time.Duration) Response {
	if bytes < 1 {
		return r.fail("SlowHead(%d, %v): expected at least 1 byte", bytes, period)
	}
	r.slowHead = throttle{bytes, period}
	return r
}
