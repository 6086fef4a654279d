package reconnect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okhttp-ws/reconnect"
)

func ExampleRun() {
	var visits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := okws.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		n := visits.Add(1)
		_ = conn.WriteText(r.Context(), fmt.Sprint("visit ", n))
		if n < 3 {
			_ = conn.Close(okws.CodeServiceRestart, "") // come again
			return
		}
		_ = conn.Close(okws.CodeNormal, "")
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	policy := &reconnect.Policy{First: time.Millisecond, OnRetry: func(err error, _ time.Duration) { fmt.Println(err) }}
	err := reconnect.Run(context.Background(), policy, func(ctx context.Context) (*okws.Conn, error) {
		return okws.Dial(ctx, client, server.URL, nil)
	}, func(ctx context.Context, conn *okws.Conn) error {
		for m, err := range conn.Messages(ctx) {
			if err != nil {
				return err
			}
			fmt.Println(m.Text())
		}
		return nil // the server has closed in order
	})
	fmt.Println(err)
	// Output:
	// visit 1
	// okws: closed by the peer: 1012
	// visit 2
	// okws: closed by the peer: 1012
	// visit 3
	// <nil>
}

// A refusal is for good; what ends a connection from without is not.
func ExampleRetryable() {
	for _, err := range []error{
		&okws.CloseError{Code: okws.CodeServiceRestart},
		&okws.CloseError{Code: okws.CodePolicyViolation},
		io.ErrUnexpectedEOF,
	} {
		fmt.Println(reconnect.Retryable(err), err)
	}
	// Output:
	// true okws: closed by the peer: 1012
	// false okws: closed by the peer: 1008
	// true unexpected EOF
}

// The policy decides what is worth another attempt, and how many there are.
func ExamplePolicy() {
	busy := errors.New("busy")
	err := reconnect.Run(context.Background(), &reconnect.Policy{
		First:       time.Millisecond,
		Jitter:      -1, // pauses of 1 ms, 2 ms, 4 ms …
		MaxAttempts: 3,
		Retry:       func(err error) bool { return errors.Is(err, busy) },
		OnRetry:     func(err error, pause time.Duration) { fmt.Println(err, "- again after", pause) },
	}, func(context.Context) (*okws.Conn, error) { return nil, busy }, nil)
	fmt.Println(err)
	// Output:
	// busy - again after 1ms
	// busy - again after 2ms
	// busy
}
