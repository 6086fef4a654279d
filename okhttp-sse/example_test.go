package oksse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
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

func ExampleDecoder() {
	d := oksse.NewDecoder(strings.NewReader("event: add\ndata: first\ndata: second\n\ndata: third\n\n"), nil)
	for {
		e, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", e.Type, e.Data)
	}
	// Output:
	// add "first\nsecond"
	// message "third"
}

func ExampleEncoder() {
	e := oksse.NewEncoder(os.Stdout)
	_ = e.Comment(" prices")
	_ = e.Encode(oksse.Event{ID: "7", Type: "price", Data: "first line\nsecond line"})
	// Output:
	// : prices
	//
	// id: 7
	// event: price
	// data: first line
	// data: second line
}

// A client that comes back gets what it missed.
func ExampleTopic() {
	topic := oksse.NewTopic(nil)
	server := httptest.NewServer(topic)
	defer server.Close()
	seen, _ := topic.Publish(oksse.Event{Data: "seen"})
	_, _ = topic.Publish(oksse.Event{Data: "missed"})
	_ = topic.Close() // nothing more is to come

	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	stream := oksse.NewStream(client, req, &oksse.Config{LastEventID: seen, NoReconnect: true})
	for e, err := range stream.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Data)
	}
	// Output: missed
}

func ExampleFactory() {
	server := httptest.NewServer(&oksse.Handler{Serve: func(w *oksse.Writer) { _ = w.Send(oksse.Event{Data: "hey"}) }})
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	factory := oksse.Factory{Caller: client}
	source := factory.NewEventSource(context.Background(), req, oksse.ListenerFuncs{
		Open:   func(_ *oksse.EventSource, resp *okhttp.Response) { fmt.Println("open:", resp.Status) },
		Event:  func(_ *oksse.EventSource, e oksse.Event) { fmt.Println("event:", e.Data) },
		Closed: func(*oksse.EventSource) { fmt.Println("closed") },
		Failure: func(_ *oksse.EventSource, err error, _ *okhttp.Response) {
			fmt.Println("failure:", err)
		},
	})
	<-source.Done()
	// Output:
	// open: 200
	// event: hey
	// closed
}
