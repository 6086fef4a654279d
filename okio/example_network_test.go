package okio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/okhttp-go/ok/okio"
)

// A web server and its client without a socket of the operating system.
func ExampleNetwork() {
	var network okio.Network
	listener, err := network.Listen("example.test:80")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "hello, %s", r.URL.Query().Get("name"))
	})}
	served := make(chan error)
	go func() { served <- server.Serve(listener) }()

	client := &http.Client{Transport: &http.Transport{DialContext: network.DialContext}}
	response, err := client.Get("http://example.test/?name=gopher")
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := io.ReadAll(response.Body)
	fmt.Println(string(body), errors.Join(err, response.Body.Close()))

	client.CloseIdleConnections()
	fmt.Println(server.Shutdown(context.Background()))
	fmt.Println(<-served)
	// Output:
	// hello, gopher <nil>
	// <nil>
	// http: Server closed
}
