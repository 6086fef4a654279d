package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// A connection says goodbye with a request not done: the client sends that again, over another connection.
func ExampleGoAway() {
	server := start(mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	defer server.Close()
	server.Enqueue(
		mockserver.Reply(204),
		mockserver.Reply(204).On(mockserver.RequestHead, mockserver.GoAway{Code: http2.NoError, Refuse: true}),
		mockserver.Reply(204),
	)
	client := server.Client()
	defer client.Close()
	for range 2 {
		resp, err := client.Get(context.Background(), server.URL("/"))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(resp.Status)
		resp.Body.Close()
	}
	for _, r := range server.Requests() {
		fmt.Println("connection", r.ConnIndex, "request", r.Index)
	}
	// Output:
	// 204
	// 204
	// connection 0 request 0
	// connection 0 request 1
	// connection 1 request 0
}

// A response comes to a stop in the middle, and whoever waits for the rest gives up.
func ExampleStall() {
	server := start()
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("half and half").OnBytes(mockserver.ResponseBody, 4, mockserver.Stall{}))
	client := server.Client()
	defer client.Close()
	ctx, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	resp, err := client.Get(ctx, server.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text := make([]byte, 4)
	_, err = io.ReadFull(resp.Body, text)
	fmt.Println(string(text), err)
	giveUp()
	_, err = io.ReadFull(resp.Body, text)
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// half <nil>
	// true
}

// Some of the answers are lost, the same ones each time that the test runs.
func ExampleSometimes() {
	flaky := mockserver.Reply(204).On(mockserver.ResponseStart, mockserver.Sometimes{Probability: 0.25, Effect: mockserver.CloseSocket{}})
	server := start(mockserver.WithSeed(7), mockserver.WithDispatcher(mockserver.DispatcherFunc(
		func(context.Context, *mockserver.Request) mockserver.Response { return flaky },
	)))
	defer server.Close()
	client := server.Client(okhttp.WithRetryOnConnectionFailure(false))
	defer client.Close()
	failed := 0
	for range 100 {
		resp, err := client.Get(context.Background(), server.URL("/"))
		if err != nil {
			failed++
			continue
		}
		resp.Body.Close()
	}
	fmt.Println(failed, "of 100 failed")
	// Output: 23 of 100 failed
}

// The first attempts fail, and a client that tries often enough gets through.
func ExampleFirst() {
	server := start()
	defer server.Close()
	reply := mockserver.Reply(200).Text("at last").On(mockserver.ResponseStart, mockserver.First(2, mockserver.Reset{}))
	server.Enqueue(reply, reply, reply)
	for {
		resp, err := http.Post(server.URL("/"), "text/plain", nil)
		if err != nil {
			fmt.Println("failed")
			continue
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		fmt.Println(string(text), err)
		break
	}
	// Output:
	// failed
	// failed
	// at last <nil>
}

// An answer takes a time as those of real servers do, and the same time whenever the test runs.
func ExampleWaitLogNormal() {
	server := start(mockserver.WithSeed(1))
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("slow").
		HeadDelayOf(mockserver.WaitLogNormal{Median: time.Millisecond, Sigma: 0.5, Max: 10 * time.Millisecond}).
		BodyDelayOf(mockserver.WaitBetween{Min: time.Millisecond, Max: 2 * time.Millisecond}))
	show(server, "/")
	// Output: 200 "slow" <nil>
}

// The server restarts after its answer: who connects meanwhile is refused.
func ExampleRefuseConnections() {
	server := start()
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("back soon").Header("Connection", "close").On(mockserver.ResponseStart, mockserver.RefuseConnections{}))
	show(server, "/")
	_, err := http.Get(server.URL("/"))
	fmt.Println(errors.Is(err, syscall.ECONNREFUSED))
	server.Enqueue(mockserver.Reply(200).Text("here again"))
	fmt.Println(server.Resume())
	show(server, "/")
	// Output:
	// 200 "back soon" <nil>
	// true
	// <nil>
	// 200 "here again" <nil>
}

// What comes instead of a response is not HTTP.
func ExampleGarbage() {
	server := start()
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Garbage{Bytes: 100}))
	client := server.Client()
	defer client.Close()
	_, err := client.Get(context.Background(), server.URL("/"))
	fmt.Println(err != nil, server.RequestCount())
	// Output: true 1
}
