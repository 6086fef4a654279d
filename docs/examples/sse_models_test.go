package examples

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

// assistant answers the question of a test: in events with types, or with a refusal.
func assistant(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "" {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "20")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"message":"slow down"}}`)
		return
	}
	(&oksse.Handler{Serve: func(s *oksse.Writer) {
		_ = s.Send(oksse.Event{Type: "message_start", Data: `{"message":{}}`})
		_ = s.Send(oksse.Event{Type: "content_block_delta", Data: `{"delta":{"text":"The tide "}}`})
		_ = s.Send(oksse.Event{Type: "ping", Data: `{}`})
		_ = s.Send(oksse.Event{Type: "content_block_delta", Data: `{"delta":{"text":"turns."}}`})
		_ = s.Send(oksse.Event{Type: "message_stop", Data: `{}`})
	}}).ServeHTTP(w, r)
}

// #region typed
// answer prints an answer piece by piece, as it comes.
func answer(ctx context.Context, client *okhttp.Client, question *okhttp.Request) error {
	stream := oksse.NewStream(client, question, &oksse.Config{
		IdleTimeout:   time.Minute, // pings come more often
		MaxEventBytes: 1 << 20,
	})
	for e, err := range stream.Events(ctx) {
		if err != nil {
			return err
		}
		switch e.Type {
		case "content_block_delta":
			var piece struct{ Delta struct{ Text string } }
			if err := json.Unmarshal([]byte(e.Data), &piece); err != nil {
				return err
			}
			fmt.Print(piece.Delta.Text)
		case "error":
			return errors.New("the model gave up: " + e.Data)
		case "message_stop":
			fmt.Println()
			return nil
		}
	}
	return errors.New("the answer was cut short")
}

// #endregion typed

func Example_modelWithTypes() {
	client, req, closeAll := served(http.HandlerFunc(assistant))
	defer closeAll()
	body, _ := okhttp.JSON(map[string]any{"stream": true})
	req, _ = okhttp.NewRequest("POST", req.URL().String(), okhttp.WithBody(body), okhttp.Header("Authorization", "Bearer mine"))
	fmt.Println(answer(context.Background(), client, req))
	// Output:
	// The tide turns.
	// <nil>
}

func Example_modelRefuses() {
	client, req, closeAll := served(http.HandlerFunc(assistant))
	defer closeAll()
	body, _ := okhttp.JSON(map[string]any{"stream": true})
	req, _ = okhttp.NewRequest("POST", req.URL().String(), okhttp.WithBody(body))
	err := answer(context.Background(), client, req)
	// #region refused
	if refused, ok := errors.AsType[*oksse.StatusError](err); ok {
		var said struct{ Error struct{ Message string } }
		_ = json.Unmarshal(refused.Body, &said)
		fmt.Println(refused.Status, said.Error.Message, "after", refused.Headers.Get("Retry-After"), "s")
	}
	// #endregion refused

	// Output: 429 slow down after 20 s
}
