package oksse

import "github.com/okhttp-go/ok/okhttp"

// Listener hears what becomes of an [EventSource]. All of it is called on one goroutine. OnClosed or OnFailure is the last call, and one of the two comes. A
// panic of OnOpen or OnEvent ends the stream and becomes its failure, an [*okhttp.PanicError]; one of the last call is not caught.
type Listener interface {
	// OnOpen is called when the server has accepted. The body of the response cannot be read: it is the stream.
	OnOpen(s *EventSource, resp *okhttp.Response)
	// OnEvent is called with each event. Its ID and Type are "" where the stream named none.
	OnEvent(s *EventSource, e Event)
	// OnClosed is called when the server has ended the stream.
	OnClosed(s *EventSource)
	// OnFailure is called when the stream could not be had, or broke. The error is nil if the status was not 2xx; then, and after a
	// [*ContentTypeError], the response can be read until OnFailure returns. The response is nil if there was none.
	OnFailure(s *EventSource, err error, resp *okhttp.Response)
}

// ListenerFuncs makes a [Listener] of functions, any of which may be nil.
type ListenerFuncs struct {
	Open    func(s *EventSource, resp *okhttp.Response)
	Event   func(s *EventSource, e Event)
	Closed  func(s *EventSource)
	Failure func(s *EventSource, err error, resp *okhttp.Response)
}

// OnOpen implements [Listener].
func (l ListenerFuncs) OnOpen(s *EventSource, resp *okhttp.Response) {
	if l.Open != nil {
		l.Open(s, resp)
	}
}

// OnEvent implements [Listener].
func (l ListenerFuncs) OnEvent(s *EventSource, e Event) {
	if l.Event != nil {
		l.Event(s, e)
	}
}

// OnClosed implements [Listener].
func (l ListenerFuncs) OnClosed(s *EventSource) {
	if l.Closed != nil {
		l.Closed(s)
	}
}

// OnFailure implements [Listener].
func (l ListenerFuncs) OnFailure(s *EventSource, err error, resp *okhttp.Response) {
	if l.Failure != nil {
		l.Failure(s, err, resp)
	}
}
