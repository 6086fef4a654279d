package examples

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"net/url"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
	"github.com/okhttp-go/ok/okhttp/okdoh"
)

func Example_dnsStatic() {
	origin, err := url.Parse(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	port := origin.Port()
	ctx := context.Background()
	// #region static
	hosts, err := okdns.NewStatic(map[string][]netip.Addr{
		"api.test":     {netip.MustParseAddr("127.0.0.1")},
		"ads.example":  nil, // unknown, whatever others say
		"beta.example": {netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8::7")},
	}, okdns.System{}) // asked for all others
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithDNS(hosts))
	defer client.Close()

	resp, err := client.Get(ctx, "http://api.test:"+port+"/hello")
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text, err)

	_, err = client.Get(ctx, "http://ads.example/")
	var unknown *okhttp.UnknownHostError
	fmt.Println(errors.As(err, &unknown), okdns.NotFound(err))
	// #endregion static

	// Output:
	// hello, gopher <nil>
	// true true
}

func Example_dnsCache() {
	url := server.URL + "/hello"
	ctx := context.Background()
	// #region cache
	cache := okdns.NewCache(okdns.CacheConfig{
		DNS:        okdns.System{},
		UnknownTTL: time.Minute, // the system does not say how long its answers are good
		ServeStale: time.Hour,   // if it cannot be asked, old answers do for that long
	})
	defer cache.Close()
	client := okhttp.New(okhttp.WithDNS(cache))
	defer client.Close()
	// #endregion cache
	resp, err := client.Get(ctx, url) // an address: nothing is looked up
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Printf("%+v\n", cache.Stats())
	// Output: {Hits:0 Stale:0 Misses:0 Shared:0 Refreshes:0 Failures:0 Evictions:0 Entries:0}
}

func Example_dnsOverHTTPS() {
	// #region doh
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
	cache := okdns.NewCache(okdns.CacheConfig{DNS: doh})
	defer cache.Close()
	client := plain.With(okhttp.WithDNS(cache))
	// #endregion doh
	_, err = client.Get(context.Background(), "http://printer.local/")
	fmt.Println(errors.Is(err, okdoh.ErrPrivateHost))
	// Output: true
}

func Example_dnsChain() {
	plain := okhttp.New()
	defer plain.Close()
	doh, err := okdoh.New(okdoh.Config{Client: plain, URL: "https://192.0.2.53/dns-query"})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	// #region chain
	dns := &okdns.Chain{
		DNS: []okhttp.DNS{doh, okdns.System{}},
		// The system is asked for names of the local network and nothing else, so that no look-up leaks to it.
		GoOn: func(err error) bool { return errors.Is(err, okdoh.ErrPrivateHost) },
	}
	for answer, err := range dns.Lookup(ctx, "localhost") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Addrs[0].IsLoopback())
		break // the rest is not waited for
	}
	// #endregion chain

	// Output: true
}
