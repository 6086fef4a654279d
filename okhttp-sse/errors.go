package oksse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

var (
	// ErrCanceled is how what was canceled or closed from this side ends. The error at hand is the context's too, if that ended.
	ErrCanceled = errors.New("oksse: canceled")
	// ErrIdle is the failure of a connection on which nothing came for the time that [Config] allows, comments included.
	ErrIdle = errors.New("oksse: idle timeout")
	// ErrEnded is why a [Stream] connects again after the server ended the response as it should.
	ErrEnded = errors.New("oksse: the server ended the stream")
	// ErrBusy is the failure of [Stream.Events] while another loop runs over the same stream.
	ErrBusy = errors.New("oksse: the stream is being read by another loop")

	errInvalidRead = errors.New("oksse: the reader returned an impossible number of bytes")
)

// EventTooLargeError reports a line, or the data of an event, of more bytes than the decoder accepts.
type EventTooLargeError struct {
	Limit int // that of the configuration, in bytes
}

func (e *EventTooLargeError) Error() string {
	return fmt.Sprintf("oksse: an event is larger than the limit of %d bytes (MaxEventBytes)", e.Limit)
}

// FieldError reports a field of an event that cannot be written to a stream.
type FieldError struct {
	Field  string // "id" or "event"
	Detail string
}

func (e *FieldError) Error() string {
	return "oksse: the field " + e.Field + " of an event " + e.Detail
}

// StatusError reports an answer that is not a stream, because of its status. It is how a server says that a stream is over for good, above all
// with 204.
type StatusError struct {
	Status  int
	Headers okhttp.Headers
	Body    []byte // what came of it in 5 seconds, 64 KiB at the most
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("oksse: expected status 200, got %d", e.Status)
}

// ContentTypeError reports an answer that is not a stream, because of its media type.
type ContentTypeError struct {
	Got  string // "" if there was none
	Body []byte // what came of it in 5 seconds, 64 KiB at the most; a [Listener] reads it from the response instead
}

func (e *ContentTypeError) Error() string {
	if e.Got == "" {
		return "oksse: invalid content-type: none"
	}
	return fmt.Sprintf("oksse: invalid content-type: %.100q", e.Got)
}

// RetryError reports a connection that a [Stream] lost or did not get, and is going to make again.
type RetryError struct {
	Attempt     int           // the number of the connection to come, from 2
	Delay       time.Duration // until then
	LastEventID string        // that it will be asked to go on from
	Err         error         // what happened: [ErrEnded], [ErrIdle], or the failure of the call, for example
}

func (e *RetryError) Error() string {
	return fmt.Sprintf("oksse: connecting again in %v (attempt %d): %v", e.Delay, e.Attempt, e.Err)
}

// Unwrap returns Err.
func (e *RetryError) Unwrap() error { return e.Err }

// GiveUpError reports a [Stream] that ended because [Config] limits how often, or for how long, it reconnects.
type GiveUpError struct {
	Attempts int           // in a row without success
	Elapsed  time.Duration // since the latest success, or the start
	Err      error         // that of the latest attempt
}

func (e *GiveUpError) Error() string {
	return fmt.Sprintf("oksse: gave up after %d attempts in %v: %v", e.Attempts, e.Elapsed, e.Err)
}

// Unwrap returns Err.
func (e *GiveUpError) Unwrap() error { return e.Err }

// StoreError reports a last event ID that could not be loaded or saved.
type StoreError struct {
	Op  string // "load" or "save"
	Err error
}

func (e *StoreError) Error() string {
	return "oksse: cannot " + e.Op + " the last event ID: " + e.Err.Error()
}

// Unwrap returns Err.
func (e *StoreError) Unwrap() error { return e.Err }

// canceledError is ErrCanceled, and what it came from.
type canceledError struct{ from []error }

func (e *canceledError) Error() string {
	if len(e.from) == 0 || errors.Is(e.from[0], context.Canceled) {
		return ErrCanceled.Error()
	}
	return ErrCanceled.Error() + ": " + e.from[0].Error()
}

func (e *canceledError) Unwrap() []error { return append([]error{ErrCanceled}, e.from...) }
