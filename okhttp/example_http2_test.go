package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

// Pings find out within a minute that the server of a connection over HTTP/2 is gone, even while nothing is sent.
func ExampleWithPingInterval() {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.TLS = oktls.Localhost().ServerConfig()
	server.StartTLS()
	defer server.Close()

	client := okhttp.New(okhttp.WithPingInterval(30*time.Second), okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Protocol)
	// Output: h2
}

// HTTP/2 without TLS, to a server that is known to speak it.
func ExampleWithProtocols() {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()

	client := okhttp.New(okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Protocol)
	// Output: h2
}

// The frames of a connection, each as a line of text; here those that carry headers.
func ExampleHTTP2Config() {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()

	client := okhttp.New(okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge), okhttp.WithHTTP2(okhttp.HTTP2Config{
		Frames: func(line string) {
			if strings.Contains(line, " HEADERS ") {
				words := strings.Fields(line) // direction, stream, length, type, flags
				fmt.Println(words[0], words[1], words[4])
			}
		},
	}))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	// Output:
	// >> 0x00000003 END_STREAM|END_HEADERS
	// << 0x00000003 END_HEADERS
}
