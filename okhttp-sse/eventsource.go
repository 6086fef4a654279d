package oksse

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/okhttp-go/ok/okhttp"
)

// Factory makes event sources as OkHttp does: one connection each, which a [Listener] follows to its end. For streams that reconnect, and are read
// in a loop, see [Stream]. It is safe for concurrent use if its Caller is.
type Factory struct {
	// Caller makes the calls. Its timeouts apply: the read timeout to each wait for the server, so that a stream that is silent for longer fails; the call
	// timeout up to the moment when the stream is open.
	Caller Caller
	// HoldSlot keeps the place of the call in the client's dispatcher for as long as the stream lives, as OkHttp does. By default it is given up once
	// the response has begun, so that streams do not keep other calls waiting.
	HoldSlot bool
	// MaxEventBytes is that of [DecoderConfig]: a stream with a longer line, or more data in an event, fails with an [*EventTooLargeError]. 0: [DefaultMaxEventBytes].
	MaxEventBytes int
}

// EventSource is one stream of events on its way to a [Listener]. Cancel it when you do not want it any more. Its methods may be called from any
// goroutine, and from the listener.
type EventSource struct {
	request  *okhttp.Request
	call     *okhttp.Call // nil for a response that was made by hand
	own      bool         // the call was made for this
	limit    int          // Factory.MaxEventBytes
	canceled atomic.Bool
	done     chan struct{}
}

// NewEventSource starts a call, when the client's dispatcher has a place for it, and returns at once. Failures go to [Listener.OnFailure]. The
// stream ends with the context. A request without an Accept header gets one; nothing else is added.
func (f Factory) NewEventSource(ctx context.Context, req *okhttp.Request, l Listener) *EventSource {
	if accept, err := accepting(req); err == nil { // it cannot be otherwise
		req = accept
	}
	s := &EventSource{request: req, call: f.Caller.NewCall(req), own: true, limit: f.MaxEventBytes, done: make(chan struct{})}
	s.call.Enqueue(ctx, func(resp *okhttp.Response, err error) {
		if f.HoldSlot {
			s.follow(resp, err, l)
		} else {
			go s.follow(resp, err, l)
		}
	})
	return s
}

// ProcessResponse is [Factory.ProcessResponse] with the defaults.
func ProcessResponse(resp *okhttp.Response, l Listener) { Factory{}.ProcessResponse(resp, l) }

// ProcessResponse follows a response that you already have, on your goroutine, and returns when the stream has ended. It closes the response. The
// timeouts of its call still apply; Caller is not used.
func (f Factory) ProcessResponse(resp *okhttp.Response, l Listener) {
	s := &EventSource{request: resp.Request(), call: resp.Call(), limit: f.MaxEventBytes, done: make(chan struct{})}
	defer close(s.done)
	s.process(resp, l)
}

// Request returns the request that was made, with its Accept header.
func (s *EventSource) Request() *okhttp.Request { return s.request }

// Cancel ends the stream: the listener gets no more events, and [ErrCanceled] as the failure, unless the stream has ended already. Canceling again
// does nothing. Reading a response that an interceptor made by hand goes on until its next event.
func (s *EventSource) Cancel() {
	s.canceled.Store(true)
	if s.call != nil {
		s.call.Cancel()
	}
}

// Done returns a channel that is closed when the listener's last call has returned.
func (s *EventSource) Done() <-chan struct{} { return s.done }

// follow takes the outcome of the call.
func (s *EventSource) follow(resp *okhttp.Response, err error, l Listener) {
	defer close(s.done)
	if err != nil {
		l.OnFailure(s, s.reason(err), nil)
		return
	}
	s.process(resp, l)
}

func (s *EventSource) process(resp *okhttp.Response, l Listener) {
	defer resp.Body.Close()
	switch got := resp.Body.ContentType(); {
	case !resp.IsSuccess():
		l.OnFailure(s, nil, resp)
		return
	case !isEventStream(got):
		l.OnFailure(s, &ContentTypeError{Got: got}, resp)
		return
	}
	if s.own {
		resp.LiftCallTimeout()
	}
	shown := resp.With(okhttp.WithoutBody())
	err := s.read(resp, shown, l)
	if err == nil && !s.canceled.Load() {
		l.OnClosed(s)
		return
	}
	if s.call != nil {
		s.call.Cancel() // closing must not wait for what may still come
	}
	l.OnFailure(s, s.reason(err), shown)
}

// read tells of the events. It returns nil at the end.
func (s *EventSource) read(resp, shown *okhttp.Response, l Listener) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &okhttp.PanicError{Value: v}
		}
	}()
	if s.canceled.Load() {
		return nil
	}
	l.OnOpen(s, shown)
	d := NewDecoder(resp.Body, &DecoderConfig{Mode: OkHttp, MaxEventBytes: s.limit})
	for !s.canceled.Load() {
		e, err := d.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case !s.canceled.Load():
			l.OnEvent(s, e)
		}
	}
	return nil
}

// reason puts the cancellation in the place of what it led to.
func (s *EventSource) reason(err error) error {
	switch {
	case !s.canceled.Load():
		return err
	case err == nil:
		return &canceledError{}
	}
	return &canceledError{[]error{err}}
}
