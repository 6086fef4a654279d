package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// A kept connection that the server has dropped is replaced, and the request sent again, because a GET does no harm twice.
func ExampleWithRetryOnConnectionFailure() {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 2 {
			panic(http.ErrAbortHandler) // closes the connection
		}
	}))
	defer server.Close()
	client := okhttp.New(okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
		return &okhttp.EventListener{RetryDecision: func(e okhttp.RetryDecision) { fmt.Println("retry:", e.Retry) }}
	}))
	defer client.Close()
	for range 2 {
		resp, err := client.Get(context.Background(), server.URL)
		if err != nil {
			log.Fatal(err)
		}
		_ = resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// 200
	// retry: true
	// 200
}

// A POST that may have reached the server is not sent again, unless its maker says that it may be; one with an Idempotency-Key says so by itself.
func ExampleIdempotent() {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%2 == 0 {
			panic(http.ErrAbortHandler) // closes the connection
		}
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	order, err := okhttp.NewRequest("POST", server.URL, okhttp.WithBody(okhttp.Text("tea")))
	if err != nil {
		log.Fatal(err)
	}
	again, err := order.With(okhttp.Header("X-Order", "42"), okhttp.Idempotent())
	if err != nil {
		log.Fatal(err)
	}
	for _, req := range []*okhttp.Request{order, order, order, again} {
		resp, err := client.Do(context.Background(), req)
		if err != nil {
			fmt.Println("failed; safe to retry:", okhttp.SafeToRetry(err))
			continue
		}
		_ = resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// 200
	// failed; safe to retry: false
	// 200
	// 200
}

// A server that is busy is asked again when it says, and then as often as the policy allows.
func ExampleRetryPolicy() {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	client := okhttp.New(okhttp.WithRetryPolicy(okhttp.RetryPolicy{MaxAttempts: 5, BaseDelay: time.Second, MaxDelay: time.Minute}))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	fmt.Println(resp.Status, "after", requests.Load(), "requests")
	// Output: 200 after 3 requests
}
