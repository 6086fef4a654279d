package examples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

func Example_fullStack() {
	url := server.URL + "/old"
	client := okhttp.New()
	defer client.Close()
	// #region fullstack
	// Redirects are followed below net/http, with this client's rules.
	std := &http.Client{Transport: client.FullStack()}

	resp, err := std.Get(url)
	// #endregion fullstack
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.StatusCode)
	// Output: 200
}

func Example_httptrace() {
	url := server.URL + "/hello"
	client := okhttp.New()
	defer client.Close()
	// #region httptrace
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { fmt.Println("reused:", i.Reused) },
	})
	std := client.HTTPClient()
	for range 2 {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			log.Fatal(err)
		}
		resp, err := std.Do(req)
		if err != nil {
			log.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	// #endregion httptrace

	// Output:
	// reused: false
	// reused: true
}

func Example_convert() {
	url := server.URL + "/hello"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region convert
	std, err := http.NewRequest("GET", url, nil)
	if err != nil {
		log.Fatal(err)
	}
	req, err := okhttp.RequestFromHTTP(std)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req)
	if err != nil {
		log.Fatal(err)
	}
	answer := resp.HTTP() // takes over the body
	defer answer.Body.Close()
	fmt.Println(answer.Status, answer.ContentLength)
	// #endregion convert

	// Output: 200 OK 13
}

func Example_typedErrors() {
	talkative := scripted(mockserver.Reply(200).Text(strings.Repeat("x", 1000)))
	defer talkative.Close()
	url := talkative.URL("/")
	ctx := context.Background()
	// #region typederrors
	client := okhttp.New(
		okhttp.WithDNS(okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return nil, nil })),
		okhttp.WithMaxResponseHeaders(20))
	defer client.Close()

	_, err := client.Get(ctx, "http://nowhere.example/")
	var unknown *okhttp.UnknownHostError
	if errors.As(err, &unknown) {
		fmt.Println("no such host:", unknown.Host, okhttp.SafeToRetry(err))
	}

	_, err = client.Get(ctx, url) // an address: no look-up
	var large *okhttp.TooLargeError
	if errors.As(err, &large) {
		fmt.Println("too large:", large)
	}
	// #endregion typederrors

	// Output:
	// no such host: nowhere.example true
	// too large: response head is larger than the limit of 20 bytes
}
