package mockserver

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// A Queue answers each request with the response that was enqueued first. It is the dispatcher that a server starts with. A response
// belongs to a request from the moment its head was read, and goes back to the front if the rest of the request cannot be read.
type Queue struct {
	mu       sync.Mutex
	items    []Response
	waiters  []chan turn // one-slot, in the order of arrival; not empty only if items is empty
	failFast *Response
	closed   bool
	strict   bool // there is nothing special about GET /favicon.ico; set before the server starts
}

// turn is what a request waits for.
type turn struct {
	Response
	enqueued bool // and not what all who wait are released with
}

// Enqueue appends responses. Requests that wait get them in the order in which they came, except those whose client is gone.
func (q *Queue) Enqueue(responses ...Response) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range responses {
		q.items = append(q.items, r.own())
	}
	q.serve()
}

// Clear drops all responses.
func (q *Queue) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = nil
}

// Len returns the number of responses that no request has been given.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// left returns what [Queue.Len] counts, but for what was reported already.
func (q *Queue) left() []statusCode {
	q.mu.Lock()
	defer q.mu.Unlock()
	var list []statusCode
	for i := range q.items {
		if !q.items[i].told {
			list = append(list, statusCode(q.items[i].Code()))
		}
	}
	return list
}

// statusCode is what a report says of a response.
type statusCode int

func (s statusCode) String() string { return strconv.Itoa(int(s)) }

// SetFailFast sets what a request gets that finds the queue empty. nil, the default, lets it wait. Requests that wait already get the
// response at once.
func (q *Queue) SetFailFast(r *Response) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failFast = nil; r != nil {
		c := *r
		q.failFast = &c
		q.release(c)
	}
}

// Dispatch implements [Dispatcher], so that another dispatcher can pass requests on. It waits while the queue is empty; when ctx ends it
// returns 503, and takes nothing from the queue. That is unexpected ([Response.Unexpected]) if the client gave up waiting.
func (q *Queue) Dispatch(ctx context.Context, r *Request) Response {
	if !q.strict && r.favicon() {
		return Reply(404)
	}
	q.mu.Lock()
	switch {
	case len(q.items) > 0:
		resp := q.items[0]
		q.items = slices.Delete(q.items, 0, 1)
		q.mu.Unlock()
		return resp
	case q.closed:
		q.mu.Unlock()
		return Reply(503)
	case q.failFast != nil:
		defer q.mu.Unlock()
		return *q.failFast
	}
	mine := make(chan turn, 1)
	q.waiters = append(q.waiters, mine)
	q.mu.Unlock()
	select {
	case got := <-mine:
		return q.inTime(ctx, r, got)
	case <-ctx.Done():
	}
	q.mu.Lock()
	if i := slices.Index(q.waiters, mine); i >= 0 {
		q.waiters = slices.Delete(q.waiters, i, i+1)
		q.mu.Unlock()
		return tooLate(ctx, r)
	}
	q.mu.Unlock()
	return q.inTime(ctx, r, <-mine) // came at the same moment
}

// inTime returns what r got in its turn, unless that was enqueued, and ctx has ended: the next request gets it then.
func (q *Queue) inTime(ctx context.Context, r *Request, got turn) Response {
	if got.enqueued && ctx.Err() != nil {
		q.giveBack(got.Response)
		return tooLate(ctx, r)
	}
	return got.Response
}

// tooLate is the answer to a request whose context ended before it had one.
func tooLate(ctx context.Context, r *Request) Response {
	if err := clientGone(ctx); err != nil {
		return Reply(503).Unexpected(fmt.Errorf("%w: no response was enqueued in time for %v", err, r))
	}
	return Reply(503)
}

// serve hands responses to waiters. The lock is held.
func (q *Queue) serve() {
	for len(q.items) > 0 && len(q.waiters) > 0 {
		q.waiters[0] <- turn{q.items[0], true}
		q.items = slices.Delete(q.items, 0, 1)
		q.waiters = slices.Delete(q.waiters, 0, 1)
	}
}

// release gives all waiters the same response. The lock is held.
func (q *Queue) release(r Response) {
	for _, w := range q.waiters {
		w <- turn{Response: r}
	}
	q.waiters = nil
}

// close makes every request that waits, and every one that would, end.
func (q *Queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.release(Reply(503))
}

// reserve takes the response for a request whose head was read, if there is one.
func (q *Queue) reserve(r *Request) (Response, bool) {
	if !q.strict && r.favicon() {
		return Response{}, false
	}
	return q.take(func(*Response) bool { return true })
}

// takeStart takes the next response if it has an effect on connections that were just accepted.
func (q *Queue) takeStart() (Response, bool) {
	return q.take(func(r *Response) bool { return r.StartsConnection() })
}

// tunnelNext reports whether the next response is one of a proxy.
func (q *Queue) tunnelNext() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) > 0 && q.items[0].tunnel
}

func (q *Queue) take(fits func(*Response) bool) (Response, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 || !fits(&q.items[0]) {
		return Response{}, false
	}
	resp := q.items[0]
	q.items = slices.Delete(q.items, 0, 1)
	return resp, true
}

func (q *Queue) giveBack(r Response) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.Insert(q.items, 0, r)
	q.serve()
}
