package okhttp_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

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
