package okhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/okhttp-go/ok/okhttp"
)

// A dispatcher bounds the calls that run at the same time; with one at a time they run in the order in which they came.
func ExampleDispatcher() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	client := okhttp.New(okhttp.WithDispatcher(okhttp.NewDispatcher(okhttp.DispatcherConfig{MaxRequests: 1})))
	defer client.Close()
	var calls sync.WaitGroup
	for _, path := range []string{"/a", "/b", "/c"} {
		req, err := okhttp.NewRequest("GET", server.URL+path)
		if err != nil {
			log.Fatal(err)
		}
		calls.Add(1)
		client.NewCall(req).Enqueue(context.Background(), func(resp *okhttp.Response, err error) {
			defer calls.Done()
			if err != nil {
				log.Print(err)
				return
			}
			defer resp.Body.Close()
			fmt.Println(resp.Request().URL().EncodedPath(), resp.Status)
		})
	}
	calls.Wait()
	// Output:
	// /a 404
	// /b 404
	// /c 404
}

// A queue that is full refuses a call at once instead of growing.
func ExampleDispatcherConfig() {
	answer := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-answer }))
	defer server.Close()

	dispatcher := okhttp.NewDispatcher(okhttp.DispatcherConfig{MaxRequests: 1, MaxQueued: 1})
	client := okhttp.New(okhttp.WithDispatcher(dispatcher))
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	errs := make(chan error)
	for range 3 { // one runs, one waits
		client.NewCall(req).Enqueue(context.Background(), func(resp *okhttp.Response, err error) {
			if err == nil {
				defer resp.Body.Close()
			}
			errs <- err
		})
	}
	fmt.Println(errors.Is(<-errs, okhttp.ErrQueueFull))
	fmt.Printf("%+v\n", dispatcher.Stats())
	close(answer)
	fmt.Println(<-errs, <-errs)
	// Output:
	// true
	// {Running:1 Queued:1}
	// <nil> <nil>
}
