package oksse_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

func ExampleDecoder_All() {
	for e, err := range oksse.NewDecoder(strings.NewReader("data: one\n\nid: 7\ndata: two\n\n"), nil).All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q %s\n", e.ID, e.Data)
	}
	// Output:
	// "" one
	// "7" two
}

// OkHttp has no type where the stream names none, and forgets an id without data.
func ExampleMode() {
	const text = "id: 1\n\ndata: x\n\n"
	for _, mode := range []oksse.Mode{oksse.Standard, oksse.OkHttp} {
		e, err := oksse.NewDecoder(strings.NewReader(text), &oksse.DecoderConfig{Mode: mode}).Next()
		fmt.Printf("%q %q %v\n", e.ID, e.Type, err)
	}
	// Output:
	// "1" "message" <nil>
	// "" "" <nil>
}

func ExampleEventTooLargeError() {
	d := oksse.NewDecoder(strings.NewReader("data: 0123456789\n\n"), &oksse.DecoderConfig{MaxEventBytes: 8})
	_, err := d.Next()
	large, ok := errors.AsType[*oksse.EventTooLargeError](err)
	fmt.Println(ok, large.Limit)
	// Output: true 8
}

// Events can be written to a buffer, for whoever sends it.
func ExampleAppendEvent() {
	wire, err := oksse.AppendEvent(nil, oksse.Event{Type: "tick", Data: "1"})
	fmt.Printf("%q %v\n", wire, err)
	// An ID with a line end would be read as something else.
	_, err = oksse.AppendEvent(nil, oksse.Event{ID: "a\nb"})
	fmt.Println(err)
	// Output:
	// "event: tick\ndata: 1\n\n" <nil>
	// oksse: the field id of an event contains '\n' at 1
}

// A handler writes one stream for each client, and goes on from where that was.
func ExampleHandler() {
	names := []string{"Ada", "Grace", "Hedy"}
	client, req, closeAll := serve(&oksse.Handler{
		Writer: oksse.WriterConfig{Heartbeat: 10 * time.Second, Retry: time.Second},
		Serve: func(w *oksse.Writer) {
			for i, name := range names {
				if id := fmt.Sprint(i); id > w.LastEventID() || w.LastEventID() == "" {
					if w.Send(oksse.Event{ID: id, Data: name}) != nil {
						return // the client is gone
					}
				}
			}
		},
	})
	defer closeAll()
	for e, err := range oksse.NewStream(client, req, &oksse.Config{LastEventID: "0", NoReconnect: true}).Events(context.Background()) {
		fmt.Println(e.ID, e.Data, err)
	}
	// Output:
	// 1 Grace <nil>
	// 2 Hedy <nil>
}

// A handler of one's own can decide that there is no stream, and begin one otherwise.
func ExampleNewWriter() {
	client, req, closeAll := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "1" {
			w.WriteHeader(http.StatusNoContent) // nothing more: the client stays away
			return
		}
		s, err := oksse.NewWriter(w, r, &oksse.WriterConfig{Retry: time.Millisecond})
		if err != nil {
			return
		}
		defer s.Close()
		_ = s.Comment("hello")
		_ = s.Send(oksse.Event{ID: "1", Data: "all there is"})
	}))
	defer closeAll()
	for e, err := range oksse.NewStream(client, req, nil).Events(context.Background()) {
		fmt.Println(e.Data, err)
	}
	// Output:
	// all there is <nil>
	//  oksse: expected status 200, got 204
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

// What is printed has the form of a stream again.
func ExampleEncoder_Encode() {
	d := oksse.NewDecoder(strings.NewReader("id:1\rdata:a\r\rid\rdata:b\r\r"), nil)
	for e := range d.All() {
		_ = oksse.NewEncoder(os.Stdout).Encode(e)
	}
	// Output:
	// id: 1
	// data: a
	//
	// id
	// data: b
}
