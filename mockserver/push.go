package mockserver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// push is a response to a request that the client did not make.
type push struct {
	method, path string
	fields       []string
	response     Response
}

// shown is what is promised, for reports.
func (p *push) shown() string { return p.method + " " + target.Shown(p.path) }

// Push pushes another response along this one over HTTP/2 (RFC 9113 section 8.4): it is promised after the head of this one and sent at the same time.
// The promise has the method, GET or HEAD, the path and header fields, alternating names and values. It is recorded as a [Request] of the
// connection, which [Server.RequestCount] does not count. Nothing is pushed, or recorded, to a client that does not want that or has enough, or over
// HTTP/1.1. What is pushed cannot push.
func (r Response) Push(method, path string, pushed Response, nameValue ...string) Response {
	switch {
	case method != "GET" && method != "HEAD":
		return r.fail("Push(%q): expected GET or HEAD", method)
	case path == "" || path[0] != '/':
		return r.fail("Push(%q): expected a path", path)
	case len(nameValue)%2 != 0:
		return r.fail("Push(%q): expected names and values that alternate, but got %d strings", path, len(nameValue))
	case len(pushed.pushes) > 0:
		return r.fail("Push(%q): of a response that pushes", path)
	}
	if err := pushed.Err(); err != nil {
		return r.fail("Push(%q): %w", path, err)
	}
	for m := RequestStart; m <= RequestBody; m++ {
		if pushed.effects[m].effect != nil {
			return r.fail("Push(%q): an effect at %v cannot strike: no request is read", path, m)
		}
	}
	p := push{method: method, path: path, response: pushed}
	for i := 0; i < len(nameValue); i += 2 {
		p.fields, r.err = appendField(p.fields, nameValue[i], nameValue[i+1], r.err)
	}
	r.pushes, r.frames = append(slices.Clip(r.pushes), p), new(strikes)
	return r
}

// Settings announces other settings before the head of the response over HTTP/2 (RFC 9113 section 6.5); see [SendSettings].
func (r Response) Settings(list ...http2.Setting) Response {
	if len(list) > 0 {
		r.settings, r.frames = append(slices.Clip(r.settings), list...), new(strikes)
	}
	return r
}

// push promises the responses that are pushed along this one, and begins to send them.
func (x *streamExchange) push(ctx context.Context, resp *Response) error {
	for _, p := range resp.pushes {
		head := http2.RequestHead{Method: p.method, Path: p.path, Authority: x.request.Authority, Scheme: "http"}
		if x.tls != nil {
			head.Scheme = "https"
		}
		stream, err := x.stream.Push(head, p.fields)
		if errors.Is(err, http2.ErrPushDisabled) || errors.Is(err, http2.ErrTooManyStreams) {
			if !resp.frames.happened() {
				what := fmt.Sprintf("Push(%s) of the response %d did not happen: %v", p.shown(), resp.Code(), err)
				x.request = x.server.tell(x.request, miss{resp.frames, what})
			}
			return nil
		}
		if err != nil {
			return err
		}
		resp.frames.note()
		r := x.promised(p)
		pushed := &streamExchange{session: x.session, stream: stream, request: r}
		x.session.begin(r)
		x.exchanges.Go(func() {
			defer x.session.end(r)
			defer pushed.recovered()
			pushed.answer(ctx, p.response, false)
		})
	}
	return nil
}

// promised records the request that a pushed response answers.
func (x *streamExchange) promised(p push) *Request {
	x.mu.Lock()
	r := x.newRequest()
	x.next++
	x.mu.Unlock()
	r.Method, r.Target, r.Proto, r.Authority, r.Headers = p.method, p.path, "HTTP/2", x.request.Authority, headersOf(p.fields)
	x.server.journal.recordPromise(r)
	return r
}
