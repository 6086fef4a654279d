package http1

import (
	"io"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

type (
	// ProtocolError reports that the peer, or a body handed to the codec, broke the rules of HTTP/1.1.
	ProtocolError = fault.ProtocolError
	// TooLargeError reports that the peer sent a head, a trailer block or a chunk line above the limit.
	TooLargeError = fault.TooLargeError
)

// StateError reports that a codec method was called out of order. It is a fault of the caller, never of the peer.
type StateError struct {
	Op    string // the method called
	State string // what the connection was doing
}

func (e *StateError) Error() string { return "http1: " + e.Op + " while " + e.State }

// errTruncated is the failure of a message that ends before its framing says it does.
func errTruncated() error {
	return &ProtocolError{Detail: "unexpected end of stream", Err: io.ErrUnexpectedEOF}
}
