// Package reconnect keeps a web socket connected: it connects again when the connection ends, after pauses that grow and have jitter.
//
//	err := reconnect.Run(ctx, nil, func(ctx context.Context) (*okws.Conn, error) {
//		return okws.Dial(ctx, client, "wss://example.com/feed", nil)
//	}, func(ctx context.Context, conn *okws.Conn) error {
//		for m, err := range conn.Messages(ctx) {
//			if err != nil {
//				return err
//			}
//			handle(m)
//		}
//		return conn.Err()
//	})
//
// What was sent and not answered when a connection broke is for the application to send again, or not.
//
// # Concurrency
//
// Run works on its caller's goroutine and starts none. Each call of it is independent of others.
package reconnect

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// Policy says when to connect again. The zero value, and nil, mean the defaults.
type Policy struct {
	// First is the pause after the first failure, 500 ms if zero; each further one is twice as long, up to Max, 30 s if zero.
	First, Max time.Duration

	// Jitter is the part of each pause that is left to chance, 0 to 1; half of it if zero, none if negative.
	Jitter float64

	// MaxAttempts is how many failures in a row end it, without a limit if zero.
	MaxAttempts int

	// Steady is how long a connection must have lasted for the pauses to begin with First again, 10 s if zero.
	Steady time.Duration

	// Retry decides about a failure instead of [Retryable].
	Retry func(err error) bool

	// OnRetry is told of a failure and of the pause that follows.
	OnRetry func(err error, pause time.Duration)
}

// Retryable reports whether connecting again may help: not when the server refuses the handshake for good (a status from 400 to 499 but 408, 425 and 429), nor when the
// connection was closed because of what this side sent (1002, 1003, 1007, 1008, 1009, 1010), nor after an argument that cannot be right.
func Retryable(err error) bool {
	if refused, ok := errors.AsType[*okws.HandshakeError](err); ok && refused.Response != nil {
		switch status := refused.Response.Status; status {
		case 408, 425, 429:
		default:
			return status >= 500
		}
	}
	if closed, ok := errors.AsType[*okws.CloseError](err); ok {
		switch closed.Code {
		case okws.CodeProtocolError, okws.CodeUnsupportedData, okws.CodeInvalidPayload, okws.CodePolicyViolation, okws.CodeTooBig, okws.CodeMandatoryExtension:
			return false
		}
	}
	_, argument := errors.AsType[*okws.ArgumentError](err)
	return !argument && !errors.Is(err, okhttp.ErrClientClosed)
}

// Run connects with dial and hands the connection to use, which has it until it returns; it is then given up. When use returns an error that may pass, or connecting fails
// with one, Run waits and connects again. It returns nil as soon as use does, the cause of ctx when that ends, and otherwise the last error.
func Run(ctx context.Context, p *Policy, dial func(context.Context) (*okws.Conn, error), use func(context.Context, *okws.Conn) error) error {
	if p == nil {
		p = &Policy{}
	}
	for failures := 0; ; {
		lasted, err := once(ctx, dial, use)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !p.retryable(err):
			return err
		}
		if lasted >= cmp.Or(p.Steady, 10*time.Second) {
			failures = 0
		}
		if failures++; p.MaxAttempts > 0 && failures >= p.MaxAttempts {
			return err
		}
		pause := max(p.pause(failures), asked(err))
		if p.OnRetry != nil {
			p.OnRetry(err, pause)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// once tells how long the connection lasted: the time that it took to fail to connect is no sign of a good one.
func once(ctx context.Context, dial func(context.Context) (*okws.Conn, error), use func(context.Context, *okws.Conn) error) (lasted time.Duration, err error) {
	conn, err := dial(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.CloseNow()
	began := time.Now()
	err = use(ctx, conn)
	return time.Since(began), err
}

func (p *Policy) retryable(err error) bool {
	if p.Retry != nil {
		return p.Retry(err)
	}
	return Retryable(err)
}

// pause is that after so many failures in a row.
func (p *Policy) pause(failures int) time.Duration {
	longest := cmp.Or(p.Max, 30*time.Second)
	pause := cmp.Or(p.First, 500*time.Millisecond)
	for range failures - 1 {
		if pause *= 2; pause >= longest {
			break
		}
	}
	pause = min(pause, longest)
	jitter := min(max(cmp.Or(p.Jitter, 0.5), 0), 1)
	return pause - time.Duration(rand.Float64()*jitter*float64(pause))
}

// longestAsked is the longest pause that a server gets by asking for it.
const longestAsked = 10 * time.Minute

// asked is the pause that a refusal asks for with Retry-After (RFC 9110 section 10.2.3).
func asked(err error) time.Duration {
	refused, ok := errors.AsType[*okws.HandshakeError](err)
	if !ok || refused.Response == nil {
		return 0
	}
	wait, _ := refused.Response.RetryAfter()
	return min(wait, longestAsked)
}
