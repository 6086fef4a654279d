package okdoh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
	"github.com/okhttp-go/ok/okhttp/okdoh"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

// A resolver that cannot answer is told from a name that does not exist.
func ExampleQueryError() {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message, _ := io.ReadAll(r.Body)
		message[2] |= 0x80 // a reply
		message[3] = 2     // SERVFAIL
		w.Header().Set("Content-Type", "application/dns-message")
		_, _ = w.Write(message)
	}))
	server.TLS = oktls.Localhost().ServerConfig()
	server.StartTLS()
	defer server.Close()
	plain := okhttp.New(okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()))
	defer plain.Close()
	doh, err := okdoh.New(okdoh.Config{Client: plain, URL: server.URL, POST: true, NoIPv6: true, NoHTTPSRecords: true})
	if err != nil {
		log.Fatal(err)
	}

	for _, err := range doh.Lookup(context.Background(), "example.com") {
		var query *okdoh.QueryError
		var code *okdoh.RCodeError
		if errors.As(err, &query) && errors.As(err, &code) {
			fmt.Println(query.Type, "failed with code", code.RCode)
		}
		fmt.Println("the name does not exist:", okdns.NotFound(err))
	}
	// Output:
	// A failed with code 2
	// the name does not exist: false
}
