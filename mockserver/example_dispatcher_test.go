package mockserver_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// bouncer refuses what is too large, before its body was sent.
type bouncer struct{}

func (bouncer) Decide(r *mockserver.Request) (mockserver.Response, bool) {
	if r.Headers.Get("Content-Length") == "11" {
		return mockserver.Reply(413).Text("too much"), true
	}
	return mockserver.Response{}, false
}

func (bouncer) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	return mockserver.Reply(200).Text("thanks for " + string(r.Body))
}

// With "Expect: 100-continue" a client waits for the server, which decides by the head.
func ExampleDecider() {
	server := start(mockserver.WithDispatcher(bouncer{}))
	defer server.Close()
	client := server.Client()
	defer client.Close()
	for _, text := range []string{"a cup of tea", "a lot of it"} {
		req, err := okhttp.NewRequest("POST", server.URL("/"), okhttp.Header("Expect", "100-continue"), okhttp.WithBody(okhttp.Text(text)))
		if err != nil {
			fmt.Println(err)
			return
		}
		resp, err := client.NewCall(req).Execute(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, err := resp.Body.Text()
		fmt.Println(resp.Status, answer, err)
	}
	for range 2 {
		r, err := server.TakeRequest(context.Background()) // waits for it
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q\n", r.Body)
	}
	// Output:
	// 200 thanks for a cup of tea <nil>
	// 413 too much <nil>
	// "a cup of tea"
	// ""
}

// hinter tells what a page needs, while it thinks about the page.
type hinter struct{}

func (hinter) Peek(r *mockserver.Request) mockserver.Response {
	if !strings.HasPrefix(r.Target, "/page") {
		return mockserver.Response{} // also before there was a head
	}
	return mockserver.Reply(200).Informational(103, "Link", "</style.css>; rel=preload")
}

func (hinter) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	return mockserver.Reply(200).Text("the page")
}

// What has to be known before the request was read whole is asked for beforehand.
func ExamplePeeker() {
	server := start(mockserver.WithDispatcher(hinter{}))
	defer server.Close()
	client := server.Client(okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
		return &okhttp.EventListener{
			Informational: func(e okhttp.InformationalEvent) { fmt.Println(e.Status, e.Headers.Get("Link")) },
		}
	}))
	defer client.Close()
	resp, err := client.Post(context.Background(), server.URL("/page"), okhttp.Text("please"))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Status, text, err)
	// Output:
	// 103 </style.css>; rel=preload
	// 200 the page <nil>
}
