package mockserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

// A SOCKS5 proxy that wants a password and refuses one destination.
func ExampleWithSOCKS5() {
	server := start(mockserver.WithSOCKS5(mockserver.SOCKS5{User: "ada", Password: "secret", Reply: func(destination string) byte {
		if destination == "blocked.test:80" {
			return 2 // not allowed
		}
		return 0
	}}))
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("through the tunnel"))
	proxy, err := okhttp.ParseProxy(strings.Replace(server.ProxyURL(), "socks5://", "socks5h://ada:secret@", 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := okhttp.New(okhttp.WithProxy(proxy))
	defer client.Close()
	for _, url := range []string{"http://api.test/", "http://blocked.test/"} {
		resp, err := client.Get(context.Background(), url)
		if err != nil {
			fmt.Println("no tunnel")
			continue
		}
		fmt.Println(resp.Body.Text())
	}
	for range 2 {
		r, err := server.TakeRequest(context.Background()) // waits: what failed is noted after its client heard of it
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Tunnel, r.Failure)
	}
	// Output:
	// through the tunnel <nil>
	// no tunnel
	// api.test:80 <nil>
	// blocked.test:80 socks5: to "blocked.test:80": refused with 2
}

// Of a large upload the journal has the beginning alone.
func ExampleWithBodyLimit() {
	server := start(mockserver.WithBodyLimit(5))
	defer server.Close()
	server.Enqueue(mockserver.Reply(204))
	resp, err := http.Post(server.URL("/"), "text/plain", strings.NewReader("hello, world"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	r := server.Requests()[0]
	fmt.Printf("%q of %d bytes\n", r.Body, r.BodySize)
	// Output: "hello" of 12 bytes
}

// A server that runs for long remembers the latest requests alone.
func ExampleWithJournalLimit() {
	server := start(mockserver.WithJournalLimit(2))
	defer server.Close()
	for _, path := range []string{"/1", "/2", "/3"} {
		server.Enqueue(mockserver.Reply(204))
		show(server, path)
	}
	for _, r := range server.Requests() {
		fmt.Println(r.Target)
	}
	// Output:
	// 204 "" <nil>
	// 204 "" <nil>
	// 204 "" <nil>
	// /2
	// /3
}

// A request that never comes fails the test at once, and does not hang it.
func ExampleWithTakeTimeout() {
	server := start(mockserver.WithTakeTimeout(time.Millisecond))
	defer server.Close()
	_, err := server.TakeRequest(context.Background())
	fmt.Println(errors.Is(err, mockserver.ErrTakeTimeout))
	// Output: true
}

// Each exchange is logged; here without what differs from run to run.
func ExampleWithLogger() {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || strings.Contains(a.Value.String(), "127.0.0.1") {
			return slog.Attr{}
		}
		return a
	}}))
	server := start(mockserver.WithLogger(logger))
	server.Enqueue(mockserver.Reply(200).Text("hello"))
	show(server, "/greeting")
	server.Close() // waits for what is logged
	fmt.Print(log.String())
	// Output:
	// 200 "hello" <nil>
	// level=INFO msg=exchange conn=0 index=0 method=GET target=/greeting status=200 body=0 failure=<nil>
}

// A fixed address, for a program that cannot be told one. Port 0 is a free one.
func ExampleWithAddr() {
	server := start(mockserver.WithAddr("127.0.0.1:0"))
	defer server.Close()
	fmt.Println(strings.HasPrefix(server.URL("/tea"), "http://127.0.0.1:"))
	// Output: true
}

// A stream of events that ends after the last one, so that the client comes again.
func ExampleSSE() {
	server := start()
	defer server.Close()
	server.Enqueue(mockserver.SSE(oksse.Event{ID: "1", Data: "one"}, oksse.Event{ID: "2", Type: "tick", Data: "two"}))
	client := server.Client()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL("/events"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range oksse.NewStream(client, req, &oksse.Config{NoReconnect: true}).Events(context.Background()) {
		fmt.Println(e.ID, e.Type, e.Data, err)
	}
	// Output:
	// 1 message one <nil>
	// 2 tick two <nil>
}
