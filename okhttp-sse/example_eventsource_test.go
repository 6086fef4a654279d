package oksse_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

func ExampleFactory() {
	server := httptest.NewServer(&oksse.Handler{Serve: func(w *oksse.Writer) { _ = w.Send(oksse.Event{Data: "hey"}) }})
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	factory := oksse.Factory{Caller: client}
	source := factory.NewEventSource(context.Background(), req, oksse.ListenerFuncs{
		Open:   func(_ *oksse.EventSource, resp *okhttp.Response) { fmt.Println("open:", resp.Status) },
		Event:  func(_ *oksse.EventSource, e oksse.Event) { fmt.Println("event:", e.Data) },
		Closed: func(*oksse.EventSource) { fmt.Println("closed") },
		Failure: func(_ *oksse.EventSource, err error, _ *okhttp.Response) {
			fmt.Println("failure:", err)
		},
	})
	<-source.Done()
	// Output:
	// open: 200
	// event: hey
	// closed
}

// A response is looked at first, and then followed.
func ExampleProcessResponse() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status)
	oksse.ProcessResponse(resp, oksse.ListenerFuncs{
		Event:  func(_ *oksse.EventSource, e oksse.Event) { fmt.Println(e.Data) },
		Closed: func(*oksse.EventSource) { fmt.Println("closed") },
	})
	// Output:
	// 200
	// one
	// closed
}

// An event source is canceled in a callback, or from elsewhere.
func ExampleEventSource_Cancel() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	source := oksse.Factory{Caller: client}.NewEventSource(context.Background(), req, oksse.ListenerFuncs{
		Event:   func(s *oksse.EventSource, e oksse.Event) { fmt.Println(e.Data); s.Cancel() },
		Failure: func(_ *oksse.EventSource, err error, _ *okhttp.Response) { fmt.Println(err) },
	})
	<-source.Done()
	// Output:
	// one
	// oksse: canceled
}
