package examples

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
	"github.com/okhttp-go/ok/okio"
)

// prices is a stream that ends after each event, and is over after the third.
func prices(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	switch r.Header.Get("Last-Event-ID") {
	case "":
		io.WriteString(w, "retry: 1\nid: 1\nevent: price\ndata: 100\n\n")
	case "1":
		io.WriteString(w, "id: 2\nevent: price\ndata: 101\n\n")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func served(h http.Handler) (client *okhttp.Client, req *okhttp.Request, closeAll func()) {
	server := httptest.NewServer(h)
	client = okhttp.New()
	req, err := okhttp.NewRequest("GET", server.URL)
	if err != nil {
		log.Fatal(err)
	}
	return client, req, func() { client.Close(); server.Close() }
}

func Example_eventStream() {
	client, req, closeAll := served(http.HandlerFunc(prices))
	defer closeAll()
	ctx := context.Background()
	err := func() error {
		// #region follow
		stream := oksse.NewStream(client, req, nil)
		for e, err := range stream.Events(ctx) {
			if err != nil {
				return err // the stream is over for good
			}
			fmt.Println(e.Type, e.Data)
		}
		// #endregion follow
		return nil
	}()
	fmt.Println(err)
	// Output:
	// price 100
	// price 101
	// oksse: expected status 200, got 204
}

func Example_eventStreamRetries() {
	client, req, closeAll := served(http.HandlerFunc(prices))
	defer closeAll()
	ctx := context.Background()
	// #region retries
	stream := oksse.NewStream(client, req, &oksse.Config{
		YieldRetries: true,
		MaxAttempts:  10,
		IdleTimeout:  time.Minute,
	})
	for e, err := range stream.Events(ctx) {
		if retry, ok := errors.AsType[*oksse.RetryError](err); ok {
			fmt.Println("offline:", retry.Err)
			continue
		}
		if err != nil {
			fmt.Println("over:", err)
			break
		}
		fmt.Println(e.Data)
	}
	// #endregion retries

	// Output:
	// 100
	// offline: oksse: the server ended the stream
	// 101
	// offline: oksse: the server ended the stream
	// over: oksse: expected status 200, got 204
}

func Example_eventStreamStore() {
	client, req, closeAll := served(http.HandlerFunc(prices))
	defer closeAll()
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := okio.ParsePath(dir + "/last")
	follow := func() {
		// #region store
		stream := oksse.NewStream(client, req, &oksse.Config{Store: oksse.FileStore(okio.OS(), path)})
		for e, err := range stream.Events(ctx) {
			if err != nil {
				fmt.Println("over")
				break
			}
			fmt.Println("handled", e.ID)
		}
		// #endregion store
	}
	follow()
	follow() // which has nothing to do
	// Output:
	// handled 1
	// handled 2
	// over
	// over
}

func Example_eventStreamOfModel() {
	client, req, closeAll := served(&oksse.Handler{Serve: func(w *oksse.Writer) {
		_ = w.Send(oksse.Event{Data: `{"choices":[{"delta":{"content":"Hel"}}]}`})
		_ = w.Send(oksse.Event{Data: `{"choices":[{"delta":{"content":"lo"}}]}`})
		_ = w.Send(oksse.Event{Data: "[DONE]"})
	}})
	defer closeAll()
	ctx, url := context.Background(), req.URL().String()
	err := func() error {
		// #region model
		body, err := okhttp.JSON(map[string]any{"stream": true, "prompt": "Greet me."})
		if err != nil {
			return err
		}
		req, err := okhttp.NewRequest("POST", url, okhttp.WithBody(body))
		if err != nil {
			return err
		}
		for e, err := range oksse.NewStream(client, req, nil).Events(ctx) {
			if err != nil {
				return err
			}
			if e.Data == "[DONE]" {
				break
			}
			var chunk struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if err := json.Unmarshal([]byte(e.Data), &chunk); err != nil {
				return err
			}
			for _, c := range chunk.Choices {
				fmt.Print(c.Delta.Content)
			}
		}
		// #endregion model
		return nil
	}()
	fmt.Println("", err)
	// Output: Hello <nil>
}

func Example_eventStreamRebuild() {
	client, req, closeAll := served(http.HandlerFunc(prices))
	defer closeAll()
	ctx := context.Background()
	token := func(context.Context) (string, error) { return "fresh", nil }
	// #region rebuild
	stream := oksse.NewStream(client, req, &oksse.Config{
		Rebuild: func(ctx context.Context, retry *oksse.RetryError) (*okhttp.Request, error) {
			t, err := token(ctx)
			if err != nil {
				return nil, err // the stream ends with it
			}
			return req.With(okhttp.Header("Authorization", "Bearer "+t))
		},
	})
	// #endregion rebuild
	for e, err := range stream.Events(ctx) {
		if err != nil {
			break
		}
		fmt.Println(e.Data)
	}
	// Output:
	// 100
	// 101
}

func Example_decodeEvents() {
	file := strings.NewReader("event: price\ndata: 100\n\ndata: first line\ndata: second line\n\n")
	// #region decode
	d := oksse.NewDecoder(file, nil)
	for e, err := range d.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %q\n", e.Type, e.Data)
	}
	// #endregion decode

	// Output:
	// price: "100"
	// message: "first line\nsecond line"
}

func Example_encodeEvents() {
	// #region encode
	out := oksse.NewEncoder(os.Stdout)
	if err := out.Encode(oksse.Event{ID: "7", Type: "price", Data: "first line\nsecond line"}); err != nil {
		log.Fatal(err)
	}
	// #endregion encode

	// Output:
	// id: 7
	// event: price
	// data: first line
	// data: second line
}

func Example_serveEvents() {
	// #region serve
	handler := &oksse.Handler{
		Writer: oksse.WriterConfig{Heartbeat: 10 * time.Second, Retry: time.Second},
		Serve: func(w *oksse.Writer) {
			if w.LastEventID() == "" {
				_ = w.Send(oksse.Event{ID: "1", Data: "welcome"})
			}
			_ = w.Send(oksse.Event{ID: "2", Data: "news"})
		},
	}
	http.Handle("/events", handler)
	// #endregion serve
	client, req, closeAll := served(handler)
	defer closeAll()
	for e := range oksse.NewStream(client, req, &oksse.Config{NoReconnect: true}).Events(context.Background()) {
		fmt.Println(e.Data)
	}
	// Output:
	// welcome
	// news
}

func Example_topic() {
	// #region topic
	topic := oksse.NewTopic(nil)
	http.Handle("/news", topic)

	id, err := topic.Publish(oksse.Event{Type: "headline", Data: "It rains."})
	// #endregion topic
	if err != nil {
		log.Fatal(err)
	}
	_, _ = topic.Publish(oksse.Event{Type: "headline", Data: "The sun shines."})
	// #region shutdown
	server := &http.Server{Handler: topic}
	server.RegisterOnShutdown(func() { _ = topic.Close() })
	// #endregion shutdown
	_ = topic.Close()
	client, req, closeAll := served(topic)
	defer closeAll()
	for e, err := range oksse.NewStream(client, req, &oksse.Config{LastEventID: id, NoReconnect: true}).Events(context.Background()) {
		fmt.Println(e.Data, err)
	}
	// Output: The sun shines. <nil>
}

func Example_eventSource() {
	client, req, closeAll := served(http.HandlerFunc(prices))
	defer closeAll()
	ctx := context.Background()
	// #region listener
	factory := oksse.Factory{Caller: client}
	source := factory.NewEventSource(ctx, req, oksse.ListenerFuncs{
		Open:    func(_ *oksse.EventSource, resp *okhttp.Response) { fmt.Println("open") },
		Event:   func(_ *oksse.EventSource, e oksse.Event) { fmt.Println(e.Type, e.Data) },
		Closed:  func(*oksse.EventSource) { fmt.Println("closed") },
		Failure: func(_ *oksse.EventSource, err error, resp *okhttp.Response) { fmt.Println("failed:", err) },
	})
	<-source.Done() // or source.Cancel()
	// #endregion listener

	// Output:
	// open
	// price 100
	// closed
}
