package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
)

// start starts a server. In a test, New(t) does that and stops it in the end.
func start(opts ...mockserver.Option) *mockserver.Server {
	server, err := mockserver.Start(opts...)
	if err != nil {
		panic(err)
	}
	return server
}

// noContent is a server that answers everything with 204.
func noContent() *mockserver.Server {
	return start(mockserver.WithDispatcher(mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
		return mockserver.Reply(204)
	})))
}

// show prints what a GET of a path brings.
func show(server *mockserver.Server, path string) {
	client := server.Client()
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL(path))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	fmt.Printf("%d %q %v\n", resp.Status, text, err)
}

// How often something has to have come is said in words of its own.
func ExampleTimes() {
	server := noContent()
	defer server.Close()
	for range 3 {
		show(server, "/tea")
	}
	tea := match.Request("GET /tea")
	for _, times := range []mockserver.Times{
		mockserver.AtLeast(1), mockserver.AtMost(2), mockserver.Between(2, 4), mockserver.Exactly(3), mockserver.Never(),
	} {
		fmt.Println(times, server.Check(tea, times) == nil)
	}
	// Output:
	// 204 "" <nil>
	// 204 "" <nil>
	// 204 "" <nil>
	// at least 1 request true
	// at most 2 requests false
	// between 2 and 4 requests true
	// exactly 3 requests true
	// no requests false
}

// A request that is sent in the background is waited for.
func ExampleTimes_Within() {
	server := noContent()
	defer server.Close()
	go func() {
		if resp, err := http.Post(server.URL("/log"), "text/plain", nil); err == nil {
			resp.Body.Close()
		}
	}()
	fmt.Println(server.Verify(match.Request("POST /log"), mockserver.Once().Within(time.Minute)))
	// Output: <nil>
}

// What came is looked at by the test itself.
func ExampleVerificationError() {
	server := noContent()
	defer server.Close()
	show(server, "/tea?sugar=2")
	show(server, "/tea?sugar=3")
	show(server, "/milk")
	err := server.Verify(match.Request("GET /tea"), mockserver.Once())
	if wrong, ok := errors.AsType[*mockserver.VerificationError](err); ok {
		for _, r := range wrong.Matched {
			fmt.Println(r.Target)
		}
		fmt.Println(wrong.Others, "others")
	}
	// Output:
	// 204 "" <nil>
	// 204 "" <nil>
	// 204 "" <nil>
	// /tea?sugar=2
	// /tea?sugar=3
	// 1 others
}

// Requests are found by what they are, whether they were taken or not.
func ExampleServer_AwaitRequests() {
	server := noContent()
	defer server.Close()
	go func() {
		for _, path := range []string{"/tea", "/milk", "/tea?sugar=2"} {
			if resp, err := http.Get(server.URL(path)); err == nil {
				resp.Body.Close()
			}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := server.AwaitRequests(ctx, match.Request("GET /tea"), 2)
	for _, r := range found {
		fmt.Println(r.RequestLine())
	}
	fmt.Println(err)
	// Output:
	// GET /tea HTTP/1.1
	// GET /tea?sugar=2 HTTP/1.1
	// <nil>
}

// A test that expects no such request says so.
func ExampleNever() {
	server := noContent()
	defer server.Close()
	show(server, "/tea")
	fmt.Println(server.Verify(match.Request("DELETE /tea"), mockserver.Never()))
	// Output:
	// 204 "" <nil>
	// <nil>
}
