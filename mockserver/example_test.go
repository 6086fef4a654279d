package mockserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

// A stream of events, of which the second comes late, and which then stays open until the client goes.
func ExampleSSESteps() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.SSESteps(
		mockserver.SSEStep{Event: oksse.Event{ID: "1", Data: "first"}},
		mockserver.SSEStep{Delay: 10 * time.Millisecond, Event: oksse.Event{ID: "2", Data: "second"}},
		mockserver.SSEStep{Hold: true},
	))
	client := server.Client()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL("/events"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range oksse.NewStream(client, req, nil).Events(context.Background()) {
		fmt.Println(e.ID, e.Data, err)
		if e.ID == "2" {
			break
		}
	}
	// Output:
	// 1 first <nil>
	// 2 second <nil>
}

// In a test, New(t) does what Start and Close do here.
func Example() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Header("Content-Type", "text/plain").Text("hello"))

	resp, err := http.Get(server.URL("/greeting?lang=en"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(text), err)

	req, err := server.TakeRequest(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(req)
	// Output:
	// 200 hello <nil>
	// GET /greeting?lang=en HTTP/1.1 (connection 0, request 0, body of 0 bytes)
}

func ExampleServer_SetDispatcher() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.SetDispatcher(mockserver.DispatcherFunc(func(ctx context.Context, r *mockserver.Request) mockserver.Response {
		if r.Target == "/teapot" {
			return mockserver.Reply(418).Reason("I'm a teapot")
		}
		return mockserver.Reply(404)
	}))

	for _, path := range []string{"/teapot", "/kettle"} {
		resp, err := http.Get(server.URL(path))
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// 418 I'm a teapot
	// 404 Client Error
}

func ExampleResponse_On() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("abcdefgh").On(mockserver.ResponseBody, mockserver.CloseSocket{}))

	resp, err := http.Get(server.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Println(string(text), err)
	// Output: abcd unexpected EOF
}

// In a test of New(t) the error need not be looked at: it fails the test.
func ExampleServer_Verify() {
	server, err := mockserver.Start(mockserver.WithDispatcher(mockserver.Handler(http.NotFoundHandler())))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	resp, err := http.Get(server.URL("/tee"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()

	fmt.Println(server.Verify(match.Request("GET /tea"), mockserver.Once()))
	// Output:
	// mockserver: expected exactly 1 request that match GET /tea but got 0
	//   close: GET /tee HTTP/1.1 (connection 0, request 0, body of 0 bytes)
	//     path: expected /tea but it was "/tee"
}
