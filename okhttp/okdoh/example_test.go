package okdoh_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
	"github.com/okhttp-go/ok/okhttp/okdoh"
)

// A resolver over HTTPS behind a cache. Names of the local network are left to the system.
func Example() {
	plain := okhttp.New(okhttp.WithCallTimeout(5 * time.Second))
	defer plain.Close()
	doh, err := okdoh.New(okdoh.Config{
		Client:    plain,
		URL:       "https://dns.example/dns-query",
		Bootstrap: []netip.Addr{netip.MustParseAddr("192.0.2.53"), netip.MustParseAddr("2001:db8::53")},
	})
	if err != nil {
		log.Fatal(err)
	}
	cache := okdns.NewCache(okdns.CacheConfig{DNS: &okdns.Chain{
		DNS:  []okhttp.DNS{doh, okdns.System{}},
		GoOn: func(err error) bool { return errors.Is(err, okdoh.ErrPrivateHost) },
	}})
	defer cache.Close()
	client := okhttp.New(okhttp.WithDNS(cache))
	defer client.Close()
}

// Answers can be had without a call. Names that are no business of a resolver on the internet are not sent to it.
func ExampleResolver_Lookup() {
	plain := okhttp.New()
	defer plain.Close()
	doh, err := okdoh.New(okdoh.Config{Client: plain, URL: "https://192.0.2.53/dns-query"})
	if err != nil {
		log.Fatal(err)
	}
	for answer, err := range doh.Lookup(context.Background(), "printer.local") {
		fmt.Println(answer.Addrs, answer.TTL, err)
	}
	// Output: [] 0s unknown host printer.local: private hosts not resolved
}
