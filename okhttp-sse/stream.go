package oksse

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Stream is a stream of events that survives its connections: when one breaks or ends, it makes another, which goes on from the last event (HTML
// standard, section 9.2). It is read in a loop:
//
//	stream := oksse.NewStream(client, req, nil)
//	for e, err := range stream.Events(ctx) {
//		if err != nil {
//			return err
//		}
//		…
//	}
//
// One loop runs over a stream at a time, and everything happens on its goroutine: nothing is read while the body of the loop runs, so a server
// that is faster than the loop is slowed down. The other methods may be called from any goroutine.
type Stream struct {
	caller  Caller
	request *okhttp.Request
	cfg     Config

	// Known to the loop that runs.
	wait   time.Duration // the reconnection time (HTML standard, section 9.2.3)
	named  bool          // the last event that the loop got had an ID, or it started from one
	saved  string        // the last event ID in the store
	loaded bool          // from there

	mu      sync.Mutex
	state   State
	last    string
	closed  bool
	running bool
	cancel  context.CancelCauseFunc // of the loop that runs
}

// NewStream prepares a stream; nothing is sent until [Stream.Events] is looped over. Each request gets the headers Accept and Cache-Control:
// no-store, unless it has its own, and Last-Event-ID. If the request has a Last-Event-ID, the first connection goes on from there, as if [Config]
// named it; later ones send the stream's. The client's redirects, authenticators, cookies and interceptors apply to each connection. A nil config
// means the defaults.
func NewStream(c Caller, req *okhttp.Request, cfg *Config) *Stream {
	s := &Stream{caller: c, request: req, cfg: cfg.withDefaults(), state: Closed}
	if s.last = s.cfg.LastEventID; s.last == "" {
		s.last, _ = req.Headers().Last(lastEventID)
	}
	s.wait, s.named = s.cfg.RetryBase, s.last != ""
	return s
}

// State returns what the stream is doing.
func (s *Stream) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// LastEventID returns the ID of the last event that came to the loop or, once its connection is over, of the last that the server named. The next connection goes on
// from there.
func (s *Stream) LastEventID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Close ends the stream for good, even while it waits: a running loop ends with [ErrCanceled]. It returns nil, without waiting for the loop. A
// body that an interceptor made by hand is read until its next event, unless it ends with the context of its call.
func (s *Stream) Close() error {
	s.mu.Lock()
	s.closed = true
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
	return nil
}

// Events returns the events, connecting when the loop starts. The sequence ends with an error, which comes once and last: a [*StatusError] or
// [*ContentTypeError] if the answer was not a stream, a [*GiveUpError], an [*EventTooLargeError], a [*StoreError], an [*okhttp.Error] that another
// attempt would meet too, [ErrBusy] if another loop is running, or [ErrCanceled] after Close or the end of the context. If the configuration
// forbids reconnecting, the sequence ends with the connection, without an error if the server ended it properly.
//
// Leaving the loop closes the connection. Another loop connects at once, and goes on after the last event of this one; the reconnection time that
// the server named stays in force.
func (s *Stream) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if err := s.begin(ctx, cancel); err != nil {
			yield(Event{}, err)
			return
		}
		r := &run{Stream: s, ctx: ctx, yield: yield}
		defer r.end()
		r.loop()
	}
}

// begin makes a loop that of the stream.
func (s *Stream) begin(ctx context.Context, cancel context.CancelCauseFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running:
		return ErrBusy
	case s.closed:
		return &canceledError{[]error{context.Canceled}}
	case ctx.Err() != nil:
		return endOf(ctx)
	}
	s.running, s.cancel = true, cancel
	return nil
}

// endOf is the error of a loop whose context ended.
func endOf(ctx context.Context) error {
	from := []error{ctx.Err()}
	if cause := context.Cause(ctx); cause != from[0] {
		from = append(from, cause)
	}
	return &canceledError{from}
}

func (s *Stream) enter(state State) {
	s.mu.Lock()
	changed := s.state != state
	s.state = state
	s.mu.Unlock()
	if changed && s.cfg.OnState != nil {
		s.cfg.OnState(state)
	}
}

func (s *Stream) setLast(id string) {
	s.mu.Lock()
	s.last = id
	s.mu.Unlock()
}
