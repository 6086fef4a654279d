package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

func TestSSEOnTheWire(t *testing.T) {
	s := memory(t)
	s.Enqueue(mockserver.SSE(oksse.Event{ID: "1", Type: "add", Data: "a\nb"}, oksse.Event{Data: "c"}))
	w := dial(t, s)
	w.send("GET / HTTP/1.1·Host: a··")
	w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked·Content-Type: text/event-stream·Cache-Control: no-store··" +
		"22·id: 1\nevent: add\ndata: a\ndata: b\n\n·9·data: c\n\n·0··")
}

// Steps come in their time, over both versions, and a stream that is held ends with its client or its server.
func TestSSESteps(t *testing.T) {
	for _, version := range []okhttp.Protocols{okhttp.HTTP1Only, okhttp.HTTP2PriorKnowledge} {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t, mockserver.WithProtocols(version))
			client := s.Client(okhttp.WithProtocols(version))
			defer client.Close()
			s.Enqueue(
				mockserver.SSESteps(
					mockserver.SSEStep{Event: oksse.Event{ID: "1", Data: "a", Retry: time.Second, HasRetry: true}},
					mockserver.SSEStep{Delay: 2 * time.Second, Comment: "beat"},
					mockserver.SSEStep{Delay: 3 * time.Second, Text: "data: b\n\ndata: lo"},
				),
				mockserver.SSESteps(mockserver.SSEStep{Event: oksse.Event{ID: "2", Data: "c"}}, mockserver.SSEStep{Hold: true}),
			)
			req, err := okhttp.NewRequest("GET", s.URL("/"))
			if err != nil {
				t.Fatal(err)
			}
			start, got := time.Now(), ""
			note := func(text string) { got += fmt.Sprintf("%v %s\n", time.Since(start).Round(100*time.Millisecond), text) }
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			for e, err := range oksse.NewStream(client, req, &oksse.Config{OnComment: note}).Events(ctx) {
				if err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
					note("end")
					break
				}
				note(e.Data)
			}
			if want := "0s a\n2s beat\n5s b\n6s c\n10s end\n"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			take(t, s)
			if again := take(t, s); again.Headers.Get("Last-Event-ID") != "1" {
				t.Errorf("the second request: %v", again.Headers)
			}
		})
	}
}

// The server's end is that of streams that are held or wait.
func TestSSEEndsWithServer(t *testing.T) {
	for _, step := range []mockserver.SSEStep{{Hold: true}, {Delay: time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t)
			client := s.Client()
			defer client.Close()
			s.Enqueue(mockserver.SSESteps(mockserver.SSEStep{Comment: "hello"}, step))
			resp, err := client.Get(t.Context(), s.URL("/"))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			start := time.Now()
			time.AfterFunc(time.Second, func() { s.Close() })
			if text, err := io.ReadAll(resp.Body); string(text) != ":hello\n\n" || err == nil || time.Since(start) != time.Second {
				t.Errorf("%q, %v after %v", text, err, time.Since(start))
			}
		})
	}
}

func TestSSEFault(t *testing.T) {
	if err := mockserver.SSE(oksse.Event{}, oksse.Event{ID: "\n"}).Err(); err == nil || err.Error() != `mockserver: SSE: step 1: oksse: the field id of an event contains '\n' at 0` {
		t.Error(err)
	}
}
