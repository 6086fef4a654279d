package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
)

// A response knows those that it follows up.
func ExampleResponse_Prior() {
	pages := http.NewServeMux()
	pages.Handle("/a", http.RedirectHandler("/b", http.StatusFound))
	pages.Handle("/b", http.RedirectHandler("/c", http.StatusSeeOther))
	server := httptest.NewServer(pages)
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	resp, err := client.Get(context.Background(), server.URL+"/a")
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	for r := resp; r != nil; r = r.Prior() {
		fmt.Println(r.Request().URL().EncodedPath(), r.Status)
	}
	// Output:
	// /c 404
	// /b 303
	// /a 302
}

// A key in a header of one's own stays with the origin that it is for, as Authorization does.
func ExampleWithSensitiveHeaders() {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "X-Api-Key %q, X-Lang %q", r.Header.Get("X-Api-Key"), r.Header.Get("X-Lang"))
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()

	client := okhttp.New(okhttp.WithSensitiveHeaders("X-Api-Key"))
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL, okhttp.Header("X-Api-Key", "secret"), okhttp.Header("X-Lang", "en"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: X-Api-Key "", X-Lang "en" <nil>
}

// An authenticator answers a challenge, once: an answer that was refused comes back to it with a prior response.
func ExampleAuthenticator() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Key 42" {
			w.Header().Set("WWW-Authenticate", `Key realm="shop"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()

	key := okhttp.AuthenticatorFunc(func(_ context.Context, _ *okhttp.Route, resp *okhttp.Response) (*okhttp.Request, error) {
		if resp.Prior() != nil {
			return nil, nil // refused
		}
		return resp.Request().With(okhttp.Header("Authorization", "Key 42"))
	})
	client := okhttp.New(okhttp.WithAuthenticator(key))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, "after", resp.Prior().Status)
	// Output: 200 after 401
}
