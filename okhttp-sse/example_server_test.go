package oksse_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

// A client that comes back gets what it missed.
func ExampleTopic() {
	topic := oksse.NewTopic(nil)
	server := httptest.NewServer(topic)
	defer server.Close()
	seen, _ := topic.Publish(oksse.Event{Data: "seen"})
	_, _ = topic.Publish(oksse.Event{Data: "missed"})
	_ = topic.Close() // nothing more is to come

	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	stream := oksse.NewStream(client, req, &oksse.Config{LastEventID: seen, NoReconnect: true})
	for e, err := range stream.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Data)
	}
	// Output: missed
}

// A topic keeps the latest events alone: who comes back after a long time gets all that is kept.
func ExampleTopicConfig() {
	topic := oksse.NewTopic(&oksse.TopicConfig{Keep: 2, Writer: oksse.WriterConfig{Heartbeat: 30 * time.Second}})
	client, req, closeAll := serve(topic)
	defer closeAll()
	first, _ := topic.Publish(oksse.Event{Data: "one"})
	for _, text := range []string{"two", "three", "four"} {
		_, _ = topic.Publish(oksse.Event{Data: text})
	}
	_ = topic.Close()
	for e, err := range oksse.NewStream(client, req, &oksse.Config{LastEventID: first, NoReconnect: true}).Events(context.Background()) {
		fmt.Println(e.Data, err)
	}
	// Output:
	// three <nil>
	// four <nil>
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
