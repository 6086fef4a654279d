package okhttp_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// byFamily asks two resolvers, one for each family of addresses, and hands on what it has as soon as it has it.
type byFamily struct {
	four, six func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Lookup implements okhttp.DNS. Connecting may begin with the first answer; further ones join in.
func (d *byFamily) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		for _, ask := range []func(context.Context, string) ([]netip.Addr, error){d.six, d.four} {
			addrs, err := ask(ctx, host)
			if err != nil {
				yield(okhttp.DNSAnswer{}, err) // ends it; what came before counts
				return
			}
			if !yield(okhttp.DNSAnswer{Addrs: addrs, TTL: time.Minute}, nil) {
				return // the call has what it needs
			}
		}
	}
}

// A resolver of one's own yields answers as it gets them. Use a pointer or another comparable value, so that calls share connections.
func ExampleDNS() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello from ", r.Host) }))
	defer server.Close()
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	dns := &byFamily{
		four: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{at.Addr()}, nil },
		six:  func(context.Context, string) ([]netip.Addr, error) { return nil, nil }, // none of that family
	}
	client := okhttp.New(okhttp.WithDNS(dns))
	defer client.Close()

	resp, err := client.Get(context.Background(), fmt.Sprintf("http://api.example:%d/", at.Port()))
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text == fmt.Sprintf("hello from api.example:%d", at.Port()), err)
	// Output: true <nil>
}

// Where a call stopped says whom to ask: the name here has no address.
func ExamplePhase() {
	client := okhttp.New(okhttp.WithDNS(okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return nil, nil })))
	defer client.Close()
	_, err := client.Get(context.Background(), "http://nowhere.example/")
	var failed *okhttp.Error
	if !errors.As(err, &failed) {
		log.Fatal(err)
	}
	switch failed.Phase {
	case okhttp.PhaseDNS, okhttp.PhaseConnect, okhttp.PhaseTLS:
		fmt.Println("not connected:", failed.Phase)
	case okhttp.PhaseResponseHeaders, okhttp.PhaseResponseBody:
		fmt.Println("connected, and no whole answer:", failed.Phase)
	}
	fmt.Println("sent:", failed.Sent)
	// Output:
	// not connected: dns
	// sent: false
}
