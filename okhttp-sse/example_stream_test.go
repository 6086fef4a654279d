package oksse_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
	"github.com/okhttp-go/ok/okio"
)

// serve runs a server for an example.
func serve(h http.Handler) (client *okhttp.Client, req *okhttp.Request, closeAll func()) {
	server := httptest.NewServer(h)
	client = okhttp.New()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	return client, req, func() { _ = client.Close(); server.Close() }
}

// counting is a server whose streams end after one event each, and whose last answer is that there are no more.
var counting = &oksse.Handler{Writer: oksse.WriterConfig{Retry: time.Millisecond}, Serve: func(w *oksse.Writer) {
	switch w.LastEventID() {
	case "":
		_ = w.Send(oksse.Event{ID: "1", Data: "one"})
	case "1":
		_ = w.Send(oksse.Event{ID: "2", Data: "two"})
	default:
		_ = w.Send(oksse.Event{ID: "over", Data: "three"})
	}
}}

// The loop can be told of connections that broke, before the wait for the next one.
func ExampleRetryError() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	stream := oksse.NewStream(client, req, &oksse.Config{YieldRetries: true, NoJitter: true})
	for e, err := range stream.Events(context.Background()) {
		if retry, ok := errors.AsType[*oksse.RetryError](err); ok {
			fmt.Printf("connection %d goes on after event %s: %v\n", retry.Attempt, retry.LastEventID, retry.Err)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Data)
		if e.ID == "over" {
			break
		}
	}
	// Output:
	// one
	// connection 2 goes on after event 1: oksse: the server ended the stream
	// two
	// connection 3 goes on after event 2: oksse: the server ended the stream
	// three
}

// A stream that nobody serves is tried as often as the program says.
func ExampleGiveUpError() {
	client := okhttp.New(okhttp.WithDialer(new(okio.Network))) // where nobody listens
	defer client.Close()
	req, err := okhttp.NewRequest("GET", "http://10.0.0.1/")
	if err != nil {
		log.Fatal(err)
	}
	stream := oksse.NewStream(client, req, &oksse.Config{MaxAttempts: 3, RetryBase: time.Millisecond})
	for _, err := range stream.Events(context.Background()) {
		end, ok := errors.AsType[*oksse.GiveUpError](err)
		fmt.Println(ok, end.Attempts)
	}
	// Output: true 3
}

// What is no stream ends the loop, with what the server said instead.
func ExampleContentTypeError() {
	client, req, closeAll := serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"error":"log in first"}`)
	}))
	defer closeAll()
	for _, err := range oksse.NewStream(client, req, nil).Events(context.Background()) {
		if typ, ok := errors.AsType[*oksse.ContentTypeError](err); ok {
			fmt.Printf("%s: %s\n", typ.Got, typ.Body)
		}
	}
	// Output: application/json: {"error":"log in first"}
}

// Each further attempt can be another request: with a token that is fresh, for example.
func ExampleConfig_rebuild() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	stream := oksse.NewStream(client, req, &oksse.Config{
		Rebuild: func(_ context.Context, retry *oksse.RetryError) (*okhttp.Request, error) {
			fmt.Println("a token for connection", retry.Attempt)
			return req.With(okhttp.Header("Authorization", "Bearer fresh"))
		},
	})
	for e, err := range stream.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Data)
		if e.ID == "2" {
			break
		}
	}
	// Output:
	// one
	// a token for connection 2
	// two
}

// Leaving the loop closes the connection. Another loop over the same stream goes on after the last event.
func ExampleStream_Events() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	stream := oksse.NewStream(client, req, nil)
	for range 2 {
		for e, err := range stream.Events(context.Background()) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(e.Data, stream.State())
			break
		}
		fmt.Println(stream.State(), "after", stream.LastEventID())
	}
	// Output:
	// one open
	// closed after 1
	// two open
	// closed after 2
}

// Close ends a loop that runs on another goroutine.
func ExampleStream_Close() {
	client, req, closeAll := serve(&oksse.Handler{Serve: func(w *oksse.Writer) { <-w.Request().Context().Done() }})
	defer closeAll()
	opened := make(chan struct{})
	stream := oksse.NewStream(client, req, &oksse.Config{OnOpen: func(*okhttp.Response) { fmt.Println("open"); close(opened) }})
	go func() {
		<-opened
		_ = stream.Close()
	}()
	for _, err := range stream.Events(context.Background()) {
		fmt.Println(errors.Is(err, oksse.ErrCanceled))
	}
	// Output:
	// open
	// true
}

// The last ID in a file: a program that is started again goes on where it was.
func ExampleFileStore() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	fsys, path := new(okio.FakeFileSystem), okio.ParsePath("/last-id")
	for range 2 { // two lives of the program
		stream := oksse.NewStream(client, req, &oksse.Config{Store: oksse.FileStore(fsys, path), NoReconnect: true})
		for e, err := range stream.Events(context.Background()) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println("handled", e.Data)
		}
	}
	// Output:
	// handled one
	// handled two
}

// Functions can keep the ID wherever else.
func ExampleIDFuncs() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	table := map[string]string{"feed": "1"}
	stream := oksse.NewStream(client, req, &oksse.Config{NoReconnect: true, Store: oksse.IDFuncs{
		LoadID: func() (id string, saved bool, err error) { id, saved = table["feed"]; return id, saved, nil },
		SaveID: func(id string) error { table["feed"] = id; return nil },
	}})
	for e, err := range stream.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Data)
	}
	fmt.Println(table)
	// Output:
	// two
	// map[feed:2]
}
