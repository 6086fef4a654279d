package okcache_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
	"github.com/okhttp-go/ok/okio"
)

// What is in the directory of a cache is looked at without changing it.
func ExampleInspect() {
	dir, err := os.MkdirTemp("", "okcache")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	fill(dir)

	found, err := okcache.Inspect(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range found.Entries {
		fmt.Println(e.Status, e.Headers.Get("Cache-Control"), e.BodyLen, "bytes")
		body, err := found.Body(e)
		if err != nil {
			log.Fatal(err)
		}
		source := okio.NewBufferedSource(body)
		text, err := source.ReadText(e.BodyLen)
		fmt.Println(text, err)
		source.Close()
	}
	fmt.Println(found.Problems)
	// Output:
	// 200 max-age=60 5 bytes
	// hello <nil>
	// []
}

// fill makes a directory with the response of a greeter.
func fill(dir string) {
	server := greeter()
	defer server.Close()
	cache, err := okcache.Open(dir, 10<<20, okcache.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer cache.Close()
	client := okhttp.New(okhttp.WithCache(cache))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := resp.Body.Text(); err != nil {
		log.Fatal(err)
	}
}
