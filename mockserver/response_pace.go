package mockserver

import (
	"time"

	"github.com/okhttp-go/ok/okio"
)

// HeadDelay waits before the status line. For waits that differ see [WaitBetween] and [WaitLogNormal].
func (r Response) HeadDelay(d time.Duration) Response {
	r.headDelay = d
	return r
}

// BodyDelay waits between the headers, which are sent, and the body.
func (r Response) BodyDelay(d time.Duration) Response {
	r.bodyDelay = d
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
