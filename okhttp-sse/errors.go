package oksse

import (
	"errors"
	"fmt"
)

var errInvalidRead = errors.New("oksse: the reader returned an impossible number of bytes")

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

func (e *FieldError) Error() string { return "oksse: the field " + e.Field + " of an event " + e.Detail }
