package okcompress_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "zstd")
		z, err := zstd.NewWriter(w)
		if err != nil {
			return
		}
		_, _ = io.WriteString(z, strings.Repeat("na ", 8)+"Batman!")
		_ = z.Close()
	}))
	defer server.Close()

	client := okhttp.New(okhttp.WithInterceptor(okcompress.New(nil, okcompress.Zstd(), okcompress.Gzip())))
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
	// asked for zstd, gzip
	// na na na na na na na na Batman!
}

// A response that decodes to more than the program is ready for is refused where it gets too large.
func ExampleConfig() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "zstd")
		z, err := zstd.NewWriter(w)
		if err != nil {
			return
		}
		_, _ = z.Write(make([]byte, 1<<20))
		_ = z.Close()
	}))
	defer server.Close()

	compression := okcompress.New(&okcompress.Config{MaxDecoded: 64 << 10}, okcompress.Zstd())
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

// A coding of one's own is a token and a function.
func ExampleAlgorithm() {
	quoted := okcompress.Algorithm{Token: "x-upside-down", Decoder: func(src okio.Source) (okio.Source, error) {
		defer func() { _ = src.Close() }()
		text, err := io.ReadAll(okio.NewBufferedSource(src))
		for i, j := 0, len(text)-1; i < j; i, j = i+1, j-1 {
			text[i], text[j] = text[j], text[i]
		}
		return okio.NewBufferString(string(text)), err
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "x-upside-down")
		_, _ = io.WriteString(w, "!olleH")
	}))
	defer server.Close()

	client := okhttp.New(okhttp.WithInterceptor(okcompress.New(nil, quoted)))
	defer func() { _ = client.Close() }()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text, err)
	// Output: Hello! <nil>
}
