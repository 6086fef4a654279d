package okdns_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
)

// A cache keeps answers for as long as they say, here for a minute because they do not, and an hour more for when nobody can be asked.
func ExampleCache() {
	table, err := okdns.NewStatic(map[string][]netip.Addr{"api.test": {netip.MustParseAddr("127.0.0.1")}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	cache := okdns.NewCache(okdns.CacheConfig{DNS: table, UnknownTTL: time.Minute, ServeStale: time.Hour})
	defer cache.Close()
	for range 3 {
		for answer, err := range cache.Lookup(context.Background(), "api.test") {
			fmt.Println(answer.Addrs, err)
		}
	}
	stats := cache.Stats()
	fmt.Println(stats.Misses, "look-up,", stats.Hits, "from memory")
	// Output:
	// [127.0.0.1] <nil>
	// [127.0.0.1] <nil>
	// [127.0.0.1] <nil>
	// 1 look-up, 2 from memory
}

// A client behind a cache of the system's resolver, which is not asked for addresses.
func ExampleNewCache() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	cache := okdns.NewCache(okdns.CacheConfig{})
	defer cache.Close()
	client := okhttp.New(okhttp.WithDNS(cache))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, cache.Stats().Misses)
	// Output: 404 0
}

// A chain asks its second DNS only for names that the first one does not know, not when that cannot be asked.
func ExampleChain() {
	private, err := okdns.NewStatic(map[string][]netip.Addr{"git.corp.test": {netip.MustParseAddr("10.0.0.7")}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	public := okhttp.DNSFunc(func(_ context.Context, host string) ([]netip.Addr, error) {
		fmt.Println("the public is asked for", host)
		return []netip.Addr{netip.MustParseAddr("192.0.2.80")}, nil
	})
	dns := &okdns.Chain{DNS: []okhttp.DNS{private, public}, GoOn: okdns.NotFound}
	for _, host := range []string{"git.corp.test", "example.com"} {
		for answer, err := range dns.Lookup(context.Background(), host) {
			fmt.Println(answer.Addrs, err)
		}
	}
	// Output:
	// [10.0.0.7] <nil>
	// the public is asked for example.com
	// [192.0.2.80] <nil>
}

// When all have failed, the error is the last one's, and what each one said is there to be looked at.
func ExampleAttemptsError() {
	down := func(what string) okhttp.DNS {
		return okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New(what) })
	}
	dns := &okdns.Chain{DNS: []okhttp.DNS{down("10.0.0.53 is down"), down("10.0.1.53 is down")}}
	client := okhttp.New(okhttp.WithDNS(dns))
	defer client.Close()
	_, err := client.Get(context.Background(), "https://example.com/")
	var attempts *okdns.AttemptsError
	if errors.As(err, &attempts) {
		for _, err := range attempts.Errs {
			fmt.Println(err)
		}
	}
	fmt.Println("the name does not exist:", okdns.NotFound(err))
	// Output:
	// 10.0.0.53 is down
	// 10.0.1.53 is down
	// the name does not exist: false
}
