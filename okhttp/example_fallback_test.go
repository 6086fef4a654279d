package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"

	"github.com/okhttp-go/ok/okhttp"
)

// An address that does not answer costs a quarter of a second, not the connect timeout: then the next one is tried as well.
func ExampleWithFastFallback() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	dns := okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("127.0.0.1")}, nil
	})
	dialer := &net.Dialer{ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		if strings.HasPrefix(address, "192.0.2.1:") {
			<-ctx.Done() // nobody there
		}
		return ctx.Err()
	}}

	client := okhttp.New(okhttp.WithFastFallback(true), okhttp.WithDNS(dns), okhttp.WithDialer(dialer)) // true is the default
	defer client.Close()
	resp, err := client.Get(context.Background(), strings.Replace(server.URL, "127.0.0.1", "server.test", 1))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	conn, _ := resp.Connection()
	fmt.Println(resp.Status, conn.Route().Addr().Addr())
	// Output: 404 127.0.0.1
}
