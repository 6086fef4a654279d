package reconnect

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// refusal is a handshake that was refused.
func refusal(t *testing.T, status int, fields ...string) error {
	t.Helper()
	req, err := okws.NewRequest("ws://server.test/")
	if err != nil {
		t.Fatal(err)
	}
	h, err := okhttp.NewHeaders(fields...)
	if err != nil {
		t.Fatal(err)
	}
	return &okws.HandshakeError{Response: okhttp.NewResponse(req, status, okhttp.ResponseHeaders(h))}
}

// Pauses double up to the longest, a server can ask for a longer one, and what will not pass ends it.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		failures := []error{broken, broken, broken, refusal(t, 503, "Retry-After", "7"), broken, refusal(t, 403)}
		want := []time.Duration{1, 2, 4, 7, 4}
		var pauses []time.Duration
		n := 0
		began := time.Now()
		err := Run(t.Context(), &Policy{First: time.Second, Max: 4 * time.Second, Jitter: -1, OnRetry: func(_ error, d time.Duration) { pauses = append(pauses, d) }},
			func(context.Context) (*okws.Conn, error) {
				n++
				return nil, failures[n-1]
			}, nil)
		if err != failures[5] || n != 6 {
			t.Errorf("ended after %d with %v", n, err)
		}
		var sum time.Duration
		for i, d := range pauses {
			if sum += d; d != want[i]*time.Second {
				t.Errorf("pause %d is %v", i, d)
			}
		}
		if time.Since(began) != sum {
			t.Errorf("waited %v", time.Since(began))
		}
	})
}

// Jitter shortens pauses, the number of attempts is bounded, and the end of the context ends a pause.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		n := 0
		fail := func(context.Context) (*okws.Conn, error) { n++; return nil, broken }
		short := false
		if err := Run(t.Context(), &Policy{MaxAttempts: 20, OnRetry: func(_ error, d time.Duration) {
			short = short || d < 30*time.Second && n > 10
			if d > 30*time.Second {
				t.Errorf("a pause of %v", d)
			}
		}}, fail, nil); err != broken || n != 20 || !short {
			t.Errorf("ended after %d with %v", n, err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		began := time.Now()
		if err := Run(ctx, &Policy{First: time.Hour, Max: time.Hour}, fail, nil); err == nil || err.Error() != "enough" || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestRetryable(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("broken"), true}, {refusal(t, 500), true}, {refusal(t, 429), true}, {refusal(t, 404), false}, {refusal(t, 200), false},
		{&okws.CloseError{Code: okws.CodeGoingAway}, true}, {&okws.CloseError{Code: okws.CodeServiceRestart}, true},
		{&okws.CloseError{Code: okws.CodePolicyViolation}, false}, {&okws.ArgumentError{}, false}, {okhttp.ErrClientClosed, false},
	} {
		if got := Retryable(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

// Connecting that fails slowly is no steady connection: pauses grow, and attempts are counted.
func TestSlowFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		var pauses []time.Duration
		err := Run(t.Context(), &Policy{First: time.Second, Jitter: -1, MaxAttempts: 4, OnRetry: func(_ error, d time.Duration) { pauses = append(pauses, d) }},
			func(context.Context) (*okws.Conn, error) {
				time.Sleep(time.Minute)
				if len(pauses) > 10 {
					t.Fatal("it goes on")
				}
				return nil, broken
			}, nil)
		if err != broken || !slices.Equal(pauses, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}) {
			t.Errorf("ended with %v after %v", err, pauses)
		}
	})
}
