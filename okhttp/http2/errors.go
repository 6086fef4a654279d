package http2

import (
	"fmt"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

type (
	// ProtocolError reports fields that cannot be sent.
	ProtocolError = fault.ProtocolError
	// TooLargeError reports that the peer sent a header block above a limit of [HeaderLimits].
	TooLargeError = fault.TooLargeError
)

// ErrorCode says why a stream or a connection ended (RFC 9113 section 7). A peer may send any value; those that are not listed mean what
// InternalError means.
type ErrorCode uint32

// The error codes.
const (
	NoError            ErrorCode = 0x0
	ProtocolErrorCode  ErrorCode = 0x1
	InternalError      ErrorCode = 0x2
	FlowControlError   ErrorCode = 0x3
	SettingsTimeout    ErrorCode = 0x4
	StreamClosed       ErrorCode = 0x5
	FrameSizeError     ErrorCode = 0x6
	RefusedStream      ErrorCode = 0x7
	Cancel             ErrorCode = 0x8
	CompressionError   ErrorCode = 0x9
	ConnectError       ErrorCode = 0xa
	EnhanceYourCalm    ErrorCode = 0xb
	InadequateSecurity ErrorCode = 0xc
	HTTP11Required     ErrorCode = 0xd
)

var errorNames = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
	"REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// String returns the name as RFC 9113 writes it, "PROTOCOL_ERROR", or the number, "0x2a", of a code that it does not know.
func (c ErrorCode) String() string {
	if uint64(c) < uint64(len(errorNames)) {
		return errorNames[c]
	}
	return fmt.Sprintf("0x%x", uint32(c))
}

// ConnectionError reports that a peer broke the rules in a way that ends the connection (RFC 9113 section 5.4.1): GOAWAY with the code,
// then the end.
type ConnectionError struct {
	Code ErrorCode
	// Detail says what came and what was expected.
	Detail string
}

func (e *ConnectionError) Error() string {
	return "http2: connection error " + e.Code.String() + ": " + e.Detail
}

// StreamError reports that a peer broke the rules in a way that ends one stream only (RFC 9113 section 5.4.2): RST_STREAM with the code. On a
// stream that is idle RST_STREAM must not be sent, and the error is one of the connection.
type StreamError struct {
	// Stream is the stream to be reset; 0 if the function that found the error is not told about streams.
	Stream uint32
	Code   ErrorCode
	// Detail says what came and what was expected.
	Detail string

	cause error // a [*TooLargeError], or nil
}

// Unwrap returns the limit that the peer exceeded, if it did.
func (e *StreamError) Unwrap() error { return e.cause }

func (e *StreamError) Error() string {
	if e.Stream == 0 {
		return "http2: stream error " + e.Code.String() + ": " + e.Detail
	}
	return fmt.Sprintf("http2: stream %d error %v: %s", e.Stream, e.Code, e.Detail)
}

func connectionErrorf(code ErrorCode, format string, args ...any) *ConnectionError {
	return &ConnectionError{Code: code, Detail: fmt.Sprintf(format, args...)}
}
