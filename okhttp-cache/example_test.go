package okcache_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
)

// greeter is a server whose answers are fresh for a minute.
func greeter() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		fmt.Fprint(w, "hello")
	}))
}

func Example() {
	server := greeter()
	defer server.Close()
	dir, err := os.MkdirTemp("", "okcache")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	cache, err := okcache.Open(dir, 10<<20, okcache.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()
	for range 2 {
		resp, err := client.Get(context.Background(), server.URL)
		if err != nil {
			log.Fatal(err)
		}
		text, err := resp.Body.Text()
		fmt.Println(text, err, "from the cache:", resp.CacheResponse() != nil)
	}
	fmt.Printf("%+v\n", cache.Stats())
	// Output:
	// hello <nil> from the cache: false
	// hello <nil> from the cache: true
	// {Requests:2 Network:1 Hits:1 Stored:1 Aborted:0}
}

func ExampleCache_RoundTripper() {
	server := greeter()
	defer server.Close()

	cache := okcache.New(okcache.NewMemoryStore(10<<20), okcache.Config{})
	defer cache.Close()
	client := &http.Client{Transport: cache.RoundTripper(http.DefaultTransport)}
	for range 2 {
		resp, err := client.Get(server.URL)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s, age %q\n", resp.Status, resp.Header.Get("Age"))
		resp.Body.Close() // what is left of it is stored
	}
	// Output:
	// 200 OK, age ""
	// 200 OK, age "0"
}

func ExampleEncrypted() {
	server := greeter()
	defer server.Close()

	key := []byte("a key of thirty-two bytes, kept.")
	store, err := okcache.Encrypted(okcache.NewMemoryStore(10<<20), key)
	if err != nil {
		log.Fatal(err)
	}
	cache := okcache.New(store, okcache.Config{})
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	for url := range cache.URLs() {
		fmt.Println(url == server.URL+"/")
	}
	removed, err := cache.Evict(server.URL)
	fmt.Println(removed, err)
	// Output:
	// true
	// true <nil>
}
