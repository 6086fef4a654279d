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
