package okhttp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// A small body that unpacks to a huge one is refused once the limit was read.
func ExampleWithMaxDecodedBody() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		gz := gzip.NewWriter(w)
		_, _ = gz.Write(bytes.Repeat([]byte("bomb"), 1<<20))
		_ = gz.Close()
	}))
	defer server.Close()
	client := okhttp.New(okhttp.WithMaxDecodedBody(1 << 20))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Bytes()
	var tooLarge *okhttp.TooLargeError
	fmt.Println(len(text), errors.As(err, &tooLarge), tooLarge)
	// Output: 0 true decoded response body is larger than the limit of 1048576 bytes
}

// A server that sends headers without end is refused.
func ExampleWithMaxResponseHeaders() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Filler", strings.Repeat("x", 2000))
	}))
	defer server.Close()
	client := okhttp.New(okhttp.WithMaxResponseHeaders(1000))
	defer client.Close()
	_, err := client.Get(context.Background(), server.URL)
	var tooLarge *okhttp.TooLargeError
	fmt.Println(errors.As(err, &tooLarge), tooLarge)
	// Output: true response head is larger than the limit of 1000 bytes
}
