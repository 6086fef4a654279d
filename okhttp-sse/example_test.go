package oksse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

func Example() {
	server := httptest.NewServer(&oksse.Handler{Serve: func(w *oksse.Writer) {
		// The client says which event it saw last.
		if w.LastEventID() == "" {
			_ = w.Send(oksse.Event{ID: "1", Type: "price", Data: "100", Retry: time.Millisecond, HasRetry: true})
			return // the connection ends, and the client makes another
		}
		_ = w.Send(oksse.Event{ID: "2", Type: "price", Data: "101"})
	}})
	defer server.Close()

	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range oksse.NewStream(client, req, nil).Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %s over connection %d\n", e.Type, e.Data, e.Attempt)
		if e.ID == "2" {
			break // which closes the connection
		}
	}
	// Output:
	// price 100 over connection 1
	// price 101 over connection 2
}

// A server says with 204 that it has nothing more.
func ExampleStatusError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	for _, err := range oksse.NewStream(client, req, nil).Events(context.Background()) {
		if status, ok := errors.AsType[*oksse.StatusError](err); ok && status.Status == http.StatusNoContent {
			fmt.Println("that was all")
		}
	}
	// Output: that was all
}

// A model answers with one event for each piece of its text. Such a POST is not repeated: without an error, the loop ends when the server does.
func ExampleStream_post() {
	server := httptest.NewServer(&oksse.Handler{Serve: func(w *oksse.Writer) {
		for _, data := range []string{`{"delta":"Hel"}`, `{"delta":"lo"}`, "[DONE]"} {
			_ = w.Send(oksse.Event{Data: data})
		}
	}})
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	question, err := okhttp.JSON(map[string]any{"prompt": "Greet me.", "stream": true})
	if err != nil {
		log.Fatal(err)
	}
	req, err := okhttp.NewRequest("POST", server.URL, okhttp.WithBody(question))
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range oksse.NewStream(client, req, nil).Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if e.Data == "[DONE]" {
			break
		}
		var piece struct{ Delta string }
		if err := json.Unmarshal([]byte(e.Data), &piece); err != nil {
			log.Fatal(err)
		}
		fmt.Print(piece.Delta)
	}
	fmt.Println()
	// Output: Hello
}
