package okws

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/okhttp-go/ok/okhttp"
)

// ArgumentError reports a call that cannot be right, whatever the peer does: a close code that may not be sent, a reason that is too long. The
// connection is as it was.
type ArgumentError struct{ Detail string }

func (e *ArgumentError) Error() string { return "okws: " + e.Detail }

// ProtocolError reports that the peer broke the rules of RFC 6455 or RFC 7692, or a limit of this side. It ends the connection, and the peer was told the
// code if that was possible without waiting.
type ProtocolError struct {
	// Code is that of the close frame: [CodeProtocolError], [CodeInvalidPayload] or [CodeTooBig].
	Code Code
	// Detail says what came and what was expected.
	Detail string
	// Err is the cause, if there is one: a [*okhttp.TooLargeError] for a message over the limit, the inflater's error for damaged data.
	Err error
}

func (e *ProtocolError) Error() string { return "okws: protocol error: " + e.Detail }

// Unwrap returns the cause.
func (e *ProtocolError) Unwrap() error { return e.Err }

func violation(format string, args ...any) *ProtocolError {
	return &ProtocolError{Code: CodeProtocolError, Detail: fmt.Sprintf(format, args...)}
}

// tooBig is what comes of a message over the limit.
func tooBig(what string, limit int64) *ProtocolError {
	err := &okhttp.TooLargeError{What: what, Limit: limit}
	return &ProtocolError{Code: CodeTooBig, Detail: err.Error(), Err: err}
}

// CloseError reports that the peer ended the connection with a close frame. Reading fails with it after the last message.
type CloseError struct {
	// Code is the peer's, [CodeNoStatus] if its frame had none.
	Code Code
	// Reason is the peer's text, often empty.
	Reason string
}

func (e *CloseError) Error() string {
	text := "okws: closed by the peer: " + strconv.Itoa(int(e.Code))
	if e.Reason != "" {
		text += " " + strconv.Quote(e.Reason)
	}
	return text
}

// HandshakeError reports a server's answer that is not the one to an upgrade, or a client's request that is not one for it.
type HandshakeError struct {
	// Response is the server's, nil on the server's side. What [Dial] returns has up to 64 KiB of its body in memory.
	Response *okhttp.Response
	// Detail says what came and what was expected.
	Detail string
	// Status is what the server's side answered with.
	Status int
}

func (e *HandshakeError) Error() string { return "okws: " + e.Detail }

// ErrClosed is the failure of an operation on a connection that this side has closed: of reading after [Conn.Close] or [Conn.CloseNow], of writing
// after a close frame was sent. It is [net.ErrClosed].
var ErrClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string        { return "okws: closed" }
func (closedError) Is(target error) bool { return target == net.ErrClosed }

// ErrCanceled is the failure of a web socket that was canceled, by this side or because the peer did not answer a close frame in time. It is
// [context.Canceled].
var ErrCanceled error = canceledError{"okws: canceled"}

type canceledError struct{ text string }

func (e canceledError) Error() string { return e.text }
func (canceledError) Is(target error) bool {
	_, ok := target.(canceledError)
	return ok || target == context.Canceled
}

// ErrQueueFull is the failure of sending a message that the queue has no room for.
var ErrQueueFull error = queueFullError{}

type queueFullError struct{}

func (queueFullError) Error() string { return "okws: the queue of outgoing messages is full" }

// TimeoutError reports that the peer did not do something in time. It is a [net.Error] and [os.ErrDeadlineExceeded].
type TimeoutError struct{ Detail string }

func (e *TimeoutError) Error() string { return "okws: " + e.Detail }

// Timeout reports true.
func (*TimeoutError) Timeout() bool { return true }

// Temporary reports false: the connection has ended.
func (*TimeoutError) Temporary() bool { return false }

// Is makes it os.ErrDeadlineExceeded.
func (*TimeoutError) Is(target error) bool { return target == os.ErrDeadlineExceeded }
