package okhttp_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
)

// A body can be looked at without being used up.
func ExampleResponse_PeekBody() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"error": "out of tea"}`)
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	first, err := resp.PeekBody(8)
	fmt.Println(string(first), err)
	var answer struct{ Error string }
	err = resp.Body.JSON(&answer)
	fmt.Println(answer.Error, err)
	// Output:
	// {"error" <nil>
	// out of tea <nil>
}

// A body is an io.Reader; this one is read line by line.
func ExampleResponseBody() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "one\ntwo\n")
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		fmt.Println(lines.Text())
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// one
	// two
}

// What follows the content is known when that was read.
func ExampleResponse_Trailers() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Rows")
		fmt.Fprint(w, "a,b,c")
		w.Header().Set("X-Rows", "1")
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := resp.Body.Text(); err != nil {
		log.Fatal(err)
	}
	trailers, err := resp.Trailers()
	fmt.Println(trailers.Get("X-Rows"), err)
	// Output: 1 <nil>
}

// The media type of a body, without the parameters that servers add to it.
func ExampleMediaType() {
	for _, contentType := range []string{"application/json; charset=UTF-8", "text/html", ""} {
		m, err := okhttp.ParseMediaType(contentType)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s/%s %q\n", m.Type(), m.Subtype(), m.Charset())
	}
	// Output:
	// application/json "utf-8"
	// text/html ""
	// okhttp: no subtype found for: ""
}

// The cookies of one response go with the next request.
func ExampleWithCookieJar() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "visited", Value: "yes"})
		fmt.Fprintf(w, "came with %q", r.Header.Get("Cookie"))
	}))
	defer server.Close()
	jar, err := cookiejar.New(nil) // or that of package okcookie, which can be kept in a file
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithCookieJar(jar))
	defer client.Close()
	for range 2 {
		resp, err := client.Get(context.Background(), server.URL)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(resp.Body.Text())
	}
	// Output:
	// came with "" <nil>
	// came with "visited=yes" <nil>
}
