package okhttp_test

import (
	"fmt"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

func ExampleWithCacheControl() {
	// What the cache has will do if it is not older than an hour, or was stale for a minute.
	req, err := okhttp.NewRequest("GET", "https://example.com/", okhttp.WithCacheControl(okhttp.CacheControl{
		MaxAge:   new(time.Hour),
		MaxStale: new(time.Minute),
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(req.Headers())

	req, err = req.With(okhttp.WithCacheControl(okhttp.ForceNetwork()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(req.Headers())
	// Output:
	// Cache-Control: max-age=3600, max-stale=60
	// Cache-Control: no-cache
}

func ExampleParseCacheControl() {
	h, err := okhttp.NewHeaders("Cache-Control", "public, max-age=0")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := okhttp.ParseCacheControl(h)
	fmt.Println(c.Public, c.NoStore)
	if c.MaxAge != nil {
		fmt.Println("fresh for", *c.MaxAge)
	}
	if c.SMaxAge == nil {
		fmt.Println("the same for shared caches")
	}
	// Output:
	// true false
	// fresh for 0s
	// the same for shared caches
}

// Directives that CacheControl does not know can be read one by one.
func ExampleCacheDirectives() {
	for d := range okhttp.CacheDirectives(`max-age=60, stale-while-revalidate=30, no-cache="Set-Cookie", public`) {
		fmt.Printf("%s %q %v\n", d.Name, d.Value, d.HasValue)
	}
	// Output:
	// max-age "60" true
	// stale-while-revalidate "30" true
	// no-cache "Set-Cookie" true
	// public "" false
}
