package mockserver

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// A Dispatcher answers requests. Dispatch is called once for each request, after its body was read, on the goroutine of the connection, or
// of the request on HTTP/2, and so by several goroutines at once. It may block. A panic is answered with 500 and fails the test of [New].
//
// ctx ends when the server closes, with the cause [ErrClosed], and when the client gives up, with one that is [ErrClientGone]; what is returned then is not
// sent, and in the second case the request is in the journal with that as its Failure. It ends with the exchange too, for what goes on beyond Dispatch, and
// with a connection of HTTP/2 that an effect of another request breaks off. A client has given up when it resets the stream or ends the connection. On HTTP/1 that includes one that only sends its end (CloseWrite), which looks the same,
// and is told nothing any more, unlike by net/http's server; the end is looked for from the first call of Done or Err, or of what calls these, until Dispatch returns, and not beyond
// 64 KiB of further requests that come before it.
type Dispatcher interface {
	Dispatch(ctx context.Context, r *Request) Response
}

// A Peeker is a Dispatcher that is asked beforehand. What it returns is not sent, but decides what must be known before the request
// was read: 1xx responses, [Response.SkipRequestBody], [Response.Throttle] of the request body, and the effects at [RequestStart] and
// [RequestBody].
//
// Peek is called when a connection was accepted, with a request that has only its ConnIndex and addresses, for the effect at
// [RequestStart]; and for each request when its head was read. It must not block and must not change r.
type Peeker interface {
	Dispatcher
	Peek(r *Request) Response
}

// DispatcherFunc is a function as a [Dispatcher].
type DispatcherFunc func(ctx context.Context, r *Request) Response

// Dispatch calls f.
func (f DispatcherFunc) Dispatch(ctx context.Context, r *Request) Response { return f(ctx, r) }

// A Decider is a Dispatcher that can settle on a response when only the head of the request was read.
//
// What Decide returns with true is the response, whole, and Dispatch is not called: it is used up, even where an effect at [RequestStart] or
// [RequestBody] strikes before it is sent, or the rest of the request cannot be read. With false Dispatch is called when the body was read. Decide must
// not block and must not change r. A request with "Expect: 100-continue" is told to continue, unless a response was decided on that refuses it (400 and
// above), has a 1xx of its own or [Response.SkipRequestBody].
//
// A Decider that is a [Peeker] too is peeked at for connections that were accepted, and not for requests. Decide is called with the same request, which
// has no method, if what Peek returned is used up by that.
type Decider interface {
	Dispatcher
	Decide(r *Request) (Response, bool)
}

// Fault is the answer of a dispatcher that cannot give one, because its script is wrong for example: it is sent as 500 with the text of err, and the
// test of [New] fails.
func Fault(err error) Response {
	if err == nil {
		err = errors.New("mockserver: a fault without an error")
	}
	return Response{err: err}
}

// early is what is known of the response to a request before its body was read.
type early struct {
	Response
	reserved reserver // the response was taken from it and will be the answer; nil if it is a guess
	known    bool     // Response is a guess or the answer, and not the zero value
}

// reserver is told if a response that was taken from it is not going to be the answer.
type reserver interface{ giveBack(Response) }

// decided is where a response of a Decider comes from, which does not take it back.
type decided struct{}

func (decided) giveBack(Response) {}

// peek asks d about the request whose head was read.
func peek(d Dispatcher, r *Request) early {
	switch d := d.(type) {
	case *Queue:
		if resp, ok := d.reserve(r); ok {
			return early{resp, d, true}
		}
	case Decider:
		resp, ok := d.Decide(r)
		if strings.EqualFold(r.Headers.Get("Expect"), "100-continue") && len(resp.infos) == 0 && !resp.skipBody && (!ok || resp.Code() < 400) {
			resp = resp.Continue()
		}
		if ok {
			return early{resp, decided{}, true}
		}
		return early{Response{infos: resp.infos}, nil, true}
	case Peeker:
		return early{d.Peek(r), nil, true}
	}
	return early{}
}

// headCame notes that the head of a request was read, and returns what is due then; choose makes the choices of an effect.
func (e *early) headCame(r *Request, choose func(Effect) []Effect) (plan []Effect) {
	if start := e.effects[RequestStart].effect; ofStream(start) {
		e.struck(r, RequestStart)
		if plan = choose(start); ends(plan) {
			return plan
		}
	}
	e.struck(r, RequestHead)
	return append(plan, choose(e.effects[RequestHead].effect)...)
}

// unread reports whether the response does not wait for the body of the request.
func (e early) unread(r *Request) bool {
	return e.skipBody || e.overlaps(r.Method) || e.refuses(r)
}

// refuses reports whether a request that waits for leave to send its body ("Expect: 100-continue", RFC 9110 section 10.1.1) does not get it.
func (e early) refuses(r *Request) bool {
	if !e.known || e.Code() < 400 || r.Proto == "HTTP/1.0" || !strings.EqualFold(r.Headers.Get("Expect"), "100-continue") {
		return false
	}
	return !slices.ContainsFunc(e.infos, func(i informational) bool { return i.status == 100 })
}

// giveBack returns a reserved response that is not going to be the answer.
func (e early) giveBack() {
	if e.reserved != nil {
		e.reserved.giveBack(e.Response)
	}
}
