package okhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// The limit of a call is for all of it, redirects, retries and reading the body included; a call can have one of its own.
func ExampleWithCallTimeout() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // no answer
	}))
	defer server.Close()
	client := okhttp.New(okhttp.WithCallTimeout(time.Minute))
	defer client.Close()

	_, err := client.Get(context.Background(), server.URL, okhttp.WithCallTimeout(10*time.Millisecond))
	fmt.Println(errors.Is(err, okhttp.ErrCallTimeout), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}

// A server that is silent for the read timeout is given up; what it sends begins the time anew.
func ExampleWithReadTimeout() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // no answer
	}))
	defer server.Close()
	client := okhttp.New(okhttp.WithConnectTimeout(5*time.Second), okhttp.WithReadTimeout(10*time.Millisecond), okhttp.WithWriteTimeout(5*time.Second))
	defer client.Close()

	_, err := client.Get(context.Background(), server.URL)
	var failure *okhttp.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Phase, failure.Timeout())
	}
	// Output: response-headers true
}

// A long answer may be allowed more patience, or less, than the wait for its head.
func ExampleResponse_SetReadTimeout() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // no content
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	resp.SetReadTimeout(10 * time.Millisecond)
	_, err = resp.Body.Text()
	var failure *okhttp.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Phase, failure.Timeout())
	}
	// Output: response-body true
}
