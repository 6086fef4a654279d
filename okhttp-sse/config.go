package oksse

import (
	"context"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Config configures a [Stream]. nil and the zero value mean the defaults. Its functions are called on the goroutine that runs the loop, never under a lock.
type Config struct {
	// LastEventID is where the first connection goes on from, unless the Store has something. "" means the Last-Event-ID header of the request; without one the
	// server decides.
	LastEventID string
	// Store keeps the last event ID over restarts of the program.
	Store IDStore

	// NoReconnect ends the loop with the first connection: without an error if the server ended it.
	NoReconnect bool
	// ReconnectUnsafe also repeats requests whose method is not safe (RFC 9110 section 9.2.1), such as a POST, even if the server may have seen an earlier one.
	// Without it such a stream ends with its first connection, unless that failed before anything was sent. A body that can be sent only once is never repeated.
	ReconnectUnsafe bool
	// RetryBase is the wait before connecting again as long as the server has not named one. 0: 3 s.
	RetryBase time.Duration
	// RetryMax is the longest wait of a back-off, unless RetryBase or the time that the server named is longer. 0: 30 s.
	RetryMax time.Duration
	// NoJitter waits for the whole back-off. Otherwise the wait is a random time between the base and that.
	NoJitter bool
	// ServerRetryMax bounds the times that the server names, in retry fields and Retry-After headers. 0: 1 h.
	ServerRetryMax time.Duration
	// StableAfter is how long a connection that brought no event has to be open to count as a success. 0: 10 s.
	StableAfter time.Duration
	// MaxAttempts bounds how many attempts in a row may bring no success. 0: unlimited.
	MaxAttempts int
	// MaxElapsed bounds the time from the latest success, or the start, to the next attempt. 0: unlimited.
	MaxElapsed time.Duration
	// RetryStatus lists the statuses that do not end the stream for good, 503 or 429 for example. Their Retry-After header counts. By default there are none, as in the
	// standard.
	RetryStatus []int
	// RetryTooLarge reconnects after an event that was too large; most servers will send it again. Otherwise the stream ends.
	RetryTooLarge bool
	// YieldRetries tells the loop of connections that broke or failed, as a zero event with a [*RetryError], before the wait.
	YieldRetries bool

	// IdleTimeout is how long an open connection may be silent, comments included, before it counts as broken ([ErrIdle]). 0: for ever. The
	// client's read timeout only bounds the wait for the response.
	IdleTimeout time.Duration
	// MaxEventBytes is that of [DecoderConfig].
	MaxEventBytes int
	// IdentityEncoding asks the server not to compress the stream. Compressed events may come late, if the server does not flush the compressor.
	IdentityEncoding bool
	// CallOptions are those of the calls.
	CallOptions []okhttp.CallOption

	// Rebuild makes the request of each attempt but the first, in place of the one that the stream was made with: with another URL or token, for example. Its
	// error ends the stream. The headers of the stream are added to what it returns, and a Last-Event-ID in it gives way to that of the stream.
	Rebuild func(ctx context.Context, r *RetryError) (*okhttp.Request, error)
	// OnOpen is called each time the server has accepted. The body of the response cannot be read.
	OnOpen func(resp *okhttp.Response)
	// OnState is called with each new state.
	OnState func(State)
	// OnRetry is called before each wait.
	OnRetry func(*RetryError)
	// OnComment is called with the text of each comment.
	OnComment func(text string)
}

// withDefaults returns a copy in which nothing is left to be said.
func (c *Config) withDefaults() Config {
	var d Config
	if c != nil {
		d = *c
	}
	for field, standard := range map[*time.Duration]time.Duration{
		&d.RetryBase: 3 * time.Second, &d.RetryMax: 30 * time.Second, &d.ServerRetryMax: time.Hour, &d.StableAfter: 10 * time.Second,
	} {
		if *field == 0 {
			*field = standard
		}
		*field = max(*field, 0)
	}
	return d
}

// State is what a [Stream] is doing.
type State uint8

// The states of the standard's readyState.
const (
	Connecting State = iota // or waiting to
	Open
	Closed // no loop runs over the stream
)

// String returns the name of the state.
func (s State) String() string {
	switch s {
	case Connecting:
		return "connecting"
	case Open:
		return "open"
	}
	return "closed"
}
