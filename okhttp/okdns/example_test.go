package okdns_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
)

// A table sends a name to where a test runs its server.
func ExampleNewStatic() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "you asked for "+r.Host)
	}))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		log.Fatal(err)
	}

	dns, err := okdns.NewStatic(map[string][]netip.Addr{"api.test": {netip.MustParseAddr("127.0.0.1")}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithDNS(dns))
	defer client.Close()
	resp, err := client.Get(context.Background(), "http://api.test:"+port+"/")
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text == "you asked for api.test:"+port, err)
	_, err = client.Get(context.Background(), "http://other.test/")
	fmt.Println(okdns.NotFound(err))
	// Output:
	// true <nil>
	// true
}

// A cache of the system's resolver, which keeps answers a minute because it does not say how long they are good, and an hour more for when
// it cannot be asked.
func ExampleCache() {
	cache := okdns.NewCache(okdns.CacheConfig{UnknownTTL: time.Minute, ServeStale: time.Hour})
	defer cache.Close()
	client := okhttp.New(okhttp.WithDNS(cache))
	defer client.Close()
}

// A chain asks a private resolver first and the system only for names that the private one does not know.
func ExampleChain() {
	private := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "10.0.0.53:53")
	}}
	dns := &okdns.Chain{
		DNS:  []okhttp.DNS{okdns.System{Resolver: private}, okdns.System{}},
		GoOn: okdns.NotFound,
	}
	client := okhttp.New(okhttp.WithDNS(dns))
	defer client.Close()
}
