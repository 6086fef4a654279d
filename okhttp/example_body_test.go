package okhttp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing/fstest"

	"github.com/okhttp-go/ok/okhttp"
)

// A form of a web page.
func ExampleForm() {
	body := okhttp.Form("q", "tea & biscuits", "page", "2")
	content, err := body.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer content.Close()
	text, err := io.ReadAll(content)
	fmt.Println(body.ContentType(), body.Len(), string(text), err)
	// Output: application/x-www-form-urlencoded 25 q=tea+%26+biscuits&page=2 <nil>
}

// A body that is written while it is sent, of a length that nobody knows yet.
func ExampleStreamed() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	squares := okhttp.Streamed("text/plain", func(ctx context.Context, w io.Writer) error {
		for n := range 5 {
			if _, err := fmt.Fprintln(w, n*n); err != nil {
				return err
			}
		}
		return nil
	})
	resp, err := client.Post(context.Background(), server.URL, squares)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Print(text)
	// Output:
	// 0
	// 1
	// 4
	// 9
	// 16
}

// A body that can be opened again for a retry or a redirect, with a field that follows its content.
func ExampleNewBody() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
		fmt.Fprint(w, ", checksum ", r.Trailer.Get("X-Checksum"))
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	body, err := okhttp.NewBody(okhttp.BodyConfig{
		ContentType: "text/plain",
		Len:         -1, // not known
		Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("ten apples")), nil
		},
		Trailers: func() okhttp.Headers { return okhttp.UncheckedHeaders([]string{"X-Checksum", "4f1c"}) },
	})
	if err != nil {
		log.Fatal(err)
	}
	req, err := okhttp.NewRequest("PUT", server.URL, okhttp.WithBody(body), okhttp.Header("Trailer", "X-Checksum"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: ten apples, checksum 4f1c <nil>
}

// A file of a file system, whose sending is watched.
func ExampleProgress() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	files := fstest.MapFS{"photo.jpg": {Data: make([]byte, 100_000)}}
	var last string
	photo := okhttp.Progress(okhttp.FileFS(files, "photo.jpg", "image/jpeg"), func(done, total int64) {
		last = fmt.Sprintf("%d of %d bytes", done, total)
	})
	resp, err := client.Post(context.Background(), server.URL, photo)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	fmt.Println(last)
	// Output: 100000 of 100000 bytes
}

// The server has to be told of the coding by a header.
func ExampleGzipped() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, r.Header.Get("Content-Encoding"), ", less than a tenth: ", n < 10_000)
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	text := okhttp.Text(strings.Repeat("the same again, ", 10_000))
	req, err := okhttp.NewRequest("POST", server.URL, okhttp.WithBody(okhttp.Gzipped(text)), okhttp.Header("Content-Encoding", "gzip"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: gzip, less than a tenth: true <nil>
}
