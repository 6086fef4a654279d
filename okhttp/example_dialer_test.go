package okhttp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/netip"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// A network in memory makes tests that open no port.
func ExampleDialer() {
	network := new(okio.Network)
	listener, err := network.Listen("10.0.0.1:80")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello from "+r.Host)
	})}
	go server.Serve(listener)
	defer server.Close()

	client := okhttp.New(okhttp.WithDialer(network), okhttp.WithDNS(okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	})))
	defer client.Close()
	resp, err := client.Get(context.Background(), "http://server.test/")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: hello from server.test <nil>
}
