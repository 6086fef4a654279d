package okcache_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
)

// When the server cannot be reached, a response that was fresh not long ago is better than none.
func ExampleConfig_staleIfError() {
	server := greeter()
	now := time.Now()
	cache := okcache.New(okcache.NewMemoryStore(10<<20), okcache.Config{
		StaleIfError:    true,
		StaleIfErrorFor: 24 * time.Hour,
		Now:             func() time.Time { return now },
	})
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()
	show(client, server.URL)
	server.Close()
	now = now.Add(time.Hour)
	show(client, server.URL)
	// Output:
	// 200 hello
	// 200 hello
}

// Requests that differ only in what the answer does not depend on share a response.
func ExampleConfig_key() {
	server := greeter()
	defer server.Close()
	cache := okcache.New(okcache.NewMemoryStore(10<<20), okcache.Config{Key: func(req *okhttp.Request) okhttp.URL {
		u, err := req.URL().Edit().RemoveQuery("utm_source").Build()
		if err != nil {
			return okhttp.URL{} // which is the URL of the request
		}
		return u
	}})
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()
	show(client, server.URL+"/?page=1&utm_source=mail")
	show(client, server.URL+"/?page=1&utm_source=feed")
	fmt.Println(cache.Stats().Network, "over the network")
	// Output:
	// 200 hello
	// 200 hello
	// 1 over the network
}

// Every language keeps its response. Without Variants the one takes the place of the other.
func ExampleConfig_variants() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("Vary", "Accept-Language")
		fmt.Fprint(w, map[string]string{"de": "Hallo", "en": "Hello"}[r.Header.Get("Accept-Language")])
	}))
	defer server.Close()
	cache := okcache.New(okcache.NewMemoryStore(10<<20), okcache.Config{Variants: true})
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()
	for _, language := range []string{"de", "en", "de", "en"} {
		show(client, server.URL, okhttp.Header("Accept-Language", language))
	}
	fmt.Println(cache.Stats().Hits, "from the cache")
	// Output:
	// 200 Hallo
	// 200 Hello
	// 200 Hallo
	// 200 Hello
	// 2 from the cache
}

// What a user may not see any more is removed.
func ExampleCache_EvictFunc() {
	server := greeter()
	defer server.Close()
	cache := okcache.New(okcache.NewMemoryStore(10<<20), okcache.Config{})
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()
	for _, path := range []string{"/public", "/account/1", "/account/2"} {
		show(client, server.URL+path)
	}
	fmt.Println(cache.EvictFunc(func(url string) bool { return strings.Contains(url, "/account/") }))
	for url := range cache.URLs() {
		fmt.Println(strings.TrimPrefix(url, server.URL))
	}
	// Output:
	// 200 hello
	// 200 hello
	// 200 hello
	// 2 <nil>
	// /public
}

// show prints what a GET brings.
func show(client *okhttp.Client, url string, opts ...okhttp.RequestOption) {
	req, err := okhttp.NewRequest("GET", url, opts...)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, text)
}

// The response to a POST is cacheable once a URL stands for the question. The counts tell what became of the requests.
func ExampleCache_Stats() {
	server := greeter()
	defer server.Close()
	cache := okcache.New(okcache.NewMemoryStore(10<<20), okcache.Config{})
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()

	for range 2 {
		question := "which tea?"
		place, err := okhttp.ParseURL(fmt.Sprintf("%s/answers/%x", server.URL, sha256.Sum256([]byte(question))))
		if err != nil {
			log.Fatal(err)
		}
		req, err := okhttp.NewRequest("POST", server.URL, okhttp.WithBody(okhttp.Text(question)), okhttp.CacheURL(place))
		if err != nil {
			log.Fatal(err)
		}
		resp, err := client.Do(context.Background(), req)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := resp.Body.Text(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%+v\n", cache.Stats())
	// Output: {Requests:2 Network:1 Hits:1 Stored:1 Aborted:0}
}
