package okhttp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// What ends a call from this side. ErrCanceled is context.Canceled too; ErrCallTimeout is context.DeadlineExceeded and
// os.ErrDeadlineExceeded too.
var (
	ErrCanceled     error = &endError{"okhttp: call canceled", []error{context.Canceled}}
	ErrCallTimeout  error = &endError{"okhttp: call timeout", []error{context.DeadlineExceeded, os.ErrDeadlineExceeded}}
	ErrClientClosed       = errors.New("okhttp: client closed")
)

// errDeadline is the end of the deadline of the caller's context.
var errDeadline = &endError{"okhttp: context deadline exceeded", []error{context.DeadlineExceeded, os.ErrDeadlineExceeded}}

// endError is a cancellation or time limit, with the standard errors that it stands for.
type endError struct {
	text string
	is   []error
}

func (e *endError) Error() string   { return e.text }
func (e *endError) Unwrap() []error { return e.is }
func (e *endError) Timeout() bool {
	return len(e.is) > 1 && e.is[len(e.is)-1] == os.ErrDeadlineExceeded
}

// Phase names where in its life a call stopped.
type Phase string

// The phases of a call, in their order. A call that fails outside of them, in an interceptor for example, has the phase "".
const (
	PhaseQueue           Phase = "queue"
	PhaseProxy           Phase = "proxy"
	PhaseDNS             Phase = "dns"
	PhaseConnect         Phase = "connect"
	PhaseTLS             Phase = "tls"
	PhaseRequestHeaders  Phase = "request-headers"
	PhaseRequestBody     Phase = "request-body"
	PhaseResponseHeaders Phase = "response-headers"
	PhaseResponseBody    Phase = "response-body"
	PhaseFollowUp        Phase = "follow-up"
)

// Error reports a failed call. It implements [net.Error].
type Error struct {
	// Method and URL are those of the request that was under way. The URL is redacted: it has no userinfo, path or query.
	Method string
	URL    string
	// Phase is where the call stopped.
	Phase Phase
	// Route is the address that the call was connected or connecting to, "" before one was chosen.
	Route string
	// Sent reports whether a byte of the request may have reached the server.
	Sent bool
	// Err is what ended the call: its cancellation or time limit if that did, otherwise the first failure.
	Err error
	// Attempts are the other failures of the call, in their order: of addresses that could not be connected to, of attempts that
	// were retried, and of what the cancellation interrupted. They are data and not part of Unwrap.
	Attempts []error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("okhttp: ")
	b.WriteString(e.Method)
	b.WriteByte(' ')
	b.WriteString(e.URL)
	if e.Phase != "" {
		b.WriteString(": ")
		b.WriteString(string(e.Phase))
	}
	if e.Route != "" {
		b.WriteString(" (")
		b.WriteString(e.Route)
		b.WriteByte(')')
	}
	b.WriteString(": ")
	b.WriteString(strings.TrimPrefix(e.Err.Error(), "okhttp: "))
	if n := len(e.Attempts); n > 0 {
		fmt.Fprintf(&b, " (and %d more)", n)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether a time limit ended the call: one of an operation, of the call, or of the caller's context.
func (e *Error) Timeout() bool {
	return errors.Is(e.Err, os.ErrDeadlineExceeded) || errors.Is(e.Err, context.DeadlineExceeded)
}

// Temporary makes Error a [net.Error] and returns what Timeout returns.
func (e *Error) Temporary() bool { return e.Timeout() }

// SafeToRetry reports whether the server cannot have acted on the request of the failed call, so that sending it again cannot make
// it act twice. It is false for errors that are not of a call.
func SafeToRetry(err error) bool {
	var e *Error
	return errors.As(err, &e) && !e.Sent
}

type (
	// ProtocolError reports that a server, or the body of a request, broke the rules of HTTP. It is never retried.
	ProtocolError = fault.ProtocolError
	// TooLargeError reports that a server sent more than a limit allows.
	TooLargeError = fault.TooLargeError
)

// UnknownHostError reports a host name without an address.
type UnknownHostError struct {
	Host string
	Err  error // of the resolver; nil if it answered with no address
}

func (e *UnknownHostError) Error() string {
	if e.Err == nil {
		return "unknown host " + e.Host + ": no addresses"
	}
	return "unknown host " + e.Host + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *UnknownHostError) Unwrap() error { return e.Err }

// InterceptorError reports an interceptor that broke the rules of the chain.
type InterceptorError struct {
	Interceptor string // its Go type, or the name of its function
	Detail      string
}

func (e *InterceptorError) Error() string {
	return "okhttp: interceptor " + e.Interceptor + " " + e.Detail
}

// CallError reports a misuse of a Call by the program.
type CallError struct{ Detail string }

func (e *CallError) Error() string { return "okhttp: " + e.Detail }
