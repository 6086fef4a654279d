package okhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
)

// A call can be canceled from any goroutine.
func ExampleCall_Cancel() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // an answer without end
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	call := client.NewCall(req)
	resp, err := call.Execute(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	go call.Cancel()
	_, err = resp.Body.Text()
	fmt.Println(errors.Is(err, okhttp.ErrCanceled), errors.Is(err, context.Canceled))
	// Output: true true
}

// A call runs once; a clone of it is a new call with the same request and options.
func ExampleCall_Clone() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	call := client.NewCall(req)
	for _, c := range []*okhttp.Call{call, call, call.Clone()} {
		resp, err := c.Execute(context.Background())
		if err != nil {
			fmt.Println(err)
			continue
		}
		_ = resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// 404
	// okhttp: call already executed
	// 404
}

// The answer comes to a function, on a goroutine of the call.
func ExampleCall_Enqueue() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	texts := make(chan string)
	client.NewCall(req).Enqueue(context.Background(), func(resp *okhttp.Response, err error) {
		defer close(texts)
		if err != nil {
			log.Print(err)
			return
		}
		if text, err := resp.Body.Text(); err == nil {
			texts <- text
		}
	})
	fmt.Println(<-texts)
	// Output: hello
}
