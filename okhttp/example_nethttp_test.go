package okhttp_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/okhttp-go/ok/okhttp"
)

// A library that wants an http.Client gets one that shares the connections, and the retries, of this one.
func ExampleClient_HTTPClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	resp, err := client.HTTPClient().Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Println(resp.Status, string(text), err)
	// Output: 200 OK hello <nil>
}

// A request of net/http becomes one of this package.
func ExampleRequestFromHTTP() {
	r, err := http.NewRequest("DELETE", "https://example.com/notes/7?force", nil)
	if err != nil {
		log.Fatal(err)
	}
	r.Header.Set("If-Match", `"v1"`)
	req, err := okhttp.RequestFromHTTP(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(req.Method(), req.URL())
	fmt.Print(req.Headers())
	// Output:
	// DELETE https://example.com/notes/7?force
	// If-Match: "v1"
}

// A URL of net/url becomes the canonical one that browsers would make of it, and the reverse.
func ExampleURLFrom() {
	std, err := url.Parse("HTTP://Example.com:80/a/../b?q=x y")
	if err != nil {
		fmt.Println(err)
		return
	}
	u, err := okhttp.URLFrom(std)
	fmt.Println(u, err)
	fmt.Println(u.Std().Path, u.Std().RawQuery)
	// Output:
	// http://example.com/b?q=x%20y <nil>
	// /b q=x%20y
}

// Headers of net/http have no order, so that names come in that of the alphabet.
func ExampleHeadersFrom() {
	h := okhttp.HeadersFrom(http.Header{"Vary": {"Accept", "Cookie"}, "Age": {"3"}})
	fmt.Print(h)
	fmt.Println(h.HTTP()["Vary"])
	// Output:
	// Age: 3
	// Vary: Accept
	// Vary: Cookie
	// [Accept Cookie]
}
