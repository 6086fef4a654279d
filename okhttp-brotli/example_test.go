package okbrotli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-brotli"
	"github.com/okhttp-go/ok/okhttp/okcompress"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "br")
		z := brotli.NewWriter(w)
		_, _ = io.WriteString(z, strings.Repeat("na ", 8)+"Batman!")
		_ = z.Close()
	}))
	defer server.Close()

	client := okhttp.New(okhttp.WithInterceptor(okbrotli.New(nil)))
	defer func() { _ = client.Close() }()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// asked for br, gzip
	// na na na na na na na na Batman!
}

// Beside other codings, and with a limit on what a response may decode to.
func ExampleBrotli() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		z := brotli.NewWriter(w)
		_, _ = z.Write(make([]byte, 1<<20))
		_ = z.Close()
	}))
	defer server.Close()

	compression := okcompress.New(&okcompress.Config{MaxDecoded: 64 << 10}, okbrotli.Brotli(), okcompress.Zstd(), okcompress.Gzip())
	client := okhttp.New(okhttp.WithInterceptor(compression))
	defer func() { _ = client.Close() }()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_, err = resp.Body.Bytes()
	var large *okhttp.TooLargeError
	fmt.Println(errors.As(err, &large), large)
	// Output: true decoded response body is larger than the limit of 65536 bytes
}
