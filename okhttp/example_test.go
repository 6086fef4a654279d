package okhttp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// A program makes one client and shares it; each response is read whole or closed.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()

	client := okhttp.New()
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text() // reads and closes
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, resp.Protocol, text)
	// Output: 200 http/1.1 hello
}

// A derived client shares the connections and differs in its options.
func ExampleClient_With() {
	server := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusFound))
	defer server.Close()
	client := okhttp.New(okhttp.WithCallTimeout(30 * time.Second))
	defer client.Close()

	careful := client.With(okhttp.WithFollowRedirects(false))
	resp, err := careful.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, resp.Headers().Get("Location"))
	// Output: 302 /elsewhere
}

// What a request is made of is checked when it is made, and its body can be sent more than once.
func ExampleClient_Do() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	body, err := okhttp.JSON(map[string]int{"apples": 3})
	if err != nil {
		log.Fatal(err)
	}
	req, err := okhttp.NewRequest("PUT", server.URL+"/basket", okhttp.WithBody(body), okhttp.Header("If-Match", `"7"`))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(context.Background(), req, okhttp.WithReadTimeout(time.Minute))
	if err != nil {
		log.Fatal(err)
	}
	var basket struct{ Apples int }
	err = resp.Body.JSON(&basket)
	fmt.Println(basket.Apples, err)
	// Output: 3 <nil>
}

// A server that stops lets its calls finish, for some seconds at the most.
func ExampleClient_Shutdown() {
	client := okhttp.New()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	fmt.Println(client.Shutdown(ctx))

	_, err := client.Get(context.Background(), "https://example.com/")
	fmt.Println(err)
	// Output:
	// <nil>
	// okhttp: GET https://example.com/...: client closed
}
