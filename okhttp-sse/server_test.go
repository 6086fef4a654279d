package oksse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// asked answers a request without a network, and returns what was sent.
func asked(h http.Handler, method string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHandler(t *testing.T) {
	h := &Handler{Writer: WriterConfig{Retry: 500 * time.Millisecond}, Serve: func(w *Writer) {
		if err := w.Send(Event{ID: "1", Type: "add", Data: "a\nb"}); err != nil {
			t.Error(err)
		}
		var field *FieldError
		if err := w.Send(Event{ID: "\n"}); !errors.As(err, &field) {
			t.Error(err)
		}
		if err := w.Comment("still there"); err != nil {
			t.Error(err)
		}
		if w.LastEventID() != "0" || w.Request().Method != "GET" {
			t.Errorf("id %q", w.LastEventID())
		}
		for range 2 {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := w.Send(Event{}); err != ErrWriterClosed {
			t.Error(err)
		}
	}}
	got := asked(h, "GET", "Last-Event-ID", "0")
	if want := "retry: 500\n\nid: 1\nevent: add\ndata: a\ndata: b\n\n:still there\n\n"; got.Body.String() != want || !got.Flushed || got.Code != 200 {
		t.Errorf("%d, %q\nwant %q", got.Code, got.Body, want)
	}
	want := http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-store"}, "X-Accel-Buffering": {"no"}}
	if fmt.Sprint(got.Header()) != fmt.Sprint(want) {
		t.Errorf("headers %v", got.Header())
	}
	if got := asked(h, "HEAD"); got.Body.Len() > 0 || got.Header().Get("Content-Type") != eventStream {
		t.Errorf("HEAD: %v %q", got.Header(), got.Body)
	}
}

// Headers that are set stay.
func TestWriterKeepsHeaders(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Cache-Control", "private")
	w.Header().Set("Content-Length", "5")
	s, err := NewWriter(w, httptest.NewRequest("GET", "/", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if h := w.Header(); h.Get("Cache-Control") != "private" || h.Get("Content-Length") != "" {
		t.Errorf("headers %v", h)
	}
}

// unflushed is a writer that holds everything back.
type unflushed struct{ http.ResponseWriter }

func TestHandlerWithoutFlush(t *testing.T) {
	w := httptest.NewRecorder()
	(&Handler{Serve: func(*Writer) { t.Error("served") }}).ServeHTTP(unflushed{w}, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "oksse: cannot begin a stream: feature not supported") {
		t.Errorf("%d, %q", w.Code, w.Body)
	}
}

// Heartbeats come while there is nothing else, and show the server that the client is gone.
func TestHeartbeat(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(&Config{OnComment: func(string) { s.note("%v beat", time.Since(s.start)) }})
		s.collect(t.Context(), stream, 2)
		s.wantLog(`
			0s (-,message,a) #1
			10s beat
			20s beat
			25s (-,message,b) #1`)
	}, (&Handler{Writer: WriterConfig{Heartbeat: 10 * time.Second}, Serve: func(w *Writer) {
		w.Send(Event{Data: "a"})
		time.Sleep(25 * time.Second)
		w.Send(Event{Data: "b"})
		<-w.Request().Context().Done()
		if err := w.Send(Event{Data: "c"}); err == nil {
			t.Error("sent to nobody")
		}
	}}).ServeHTTP)
}

// The limits of the server on answers do not end a stream, but a client that takes nothing does.
func TestWriteTimeout(t *testing.T) {
	var ended chan error
	inScene(t, func(t *testing.T, s *scene) {
		ended = make(chan error, 1)
		resp, err := s.client.Get(t.Context(), s.url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := <-ended; err == nil {
			t.Error("no error")
		}
		if since := time.Since(s.start); since != 5*time.Second {
			t.Errorf("after %v", since)
		}
	}, (&Handler{Writer: WriterConfig{Heartbeat: -1, WriteTimeout: 5 * time.Second}, Serve: func(w *Writer) {
		var err error
		for data := strings.Repeat("x", 64<<10); err == nil; {
			err = w.Send(Event{Data: data})
		}
		ended <- err
	}}).ServeHTTP)
}

// A writer may be used by many goroutines: events do not mix.
func TestWriterConcurrency(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		seen := map[string]bool{}
		for e, err := range s.stream(&Config{NoReconnect: true}).Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			seen[e.Data] = true
		}
		if len(seen) != 400 {
			t.Errorf("%d different events", len(seen))
		}
	}, (&Handler{Writer: WriterConfig{Heartbeat: time.Nanosecond}, Serve: func(w *Writer) {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for j := range 100 {
					if err := w.Send(Event{Data: fmt.Sprint(i, "\n", j)}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	}}).ServeHTTP)
}

// A topic sends what is published to all, and what was missed to who comes back.
func TestTopic(t *testing.T) {
	var topic *Topic
	inScene(t, func(t *testing.T, s *scene) {
		topic = NewTopic(nil)
		topic.Publish(Event{Data: "before"})
		var away, all sync.WaitGroup
		back := make(chan struct{})
		away.Add(3)
		for range 3 {
			all.Go(func() {
				stream := s.stream(nil)
				n := 0
				follow := func(enough int) (err error) {
					for e, err := range stream.Events(t.Context()) {
						if err != nil {
							return err
						}
						if want := fmt.Sprint(n); e.Data != want || !strings.HasPrefix(e.ID, topic.prefix) {
							t.Errorf("event %+v, want data %s", e, want)
						}
						if n++; n == enough {
							break
						}
					}
					return nil
				}
				follow(3)
				away.Done()
				<-back
				var status *StatusError
				if err := follow(-1); n != 6 || !errors.As(err, &status) || status.Status != 204 {
					t.Errorf("%d events, %v", n, err)
				}
			})
		}
		for i := range 6 {
			synctest.Wait()
			if i == 3 {
				away.Wait()
			}
			if i == 5 {
				close(back)
				synctest.Wait()
			}
			if _, err := topic.Publish(Event{Data: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		topic.Close()
		all.Wait()
	}, func(w http.ResponseWriter, r *http.Request) { topic.ServeHTTP(w, r) })
}

// What a client that comes back gets.
func TestTopicReplay(t *testing.T) {
	topic := NewTopic(&TopicConfig{Keep: 3})
	for i := range 5 {
		if id, err := topic.Publish(Event{ID: fmt.Sprint(i), Data: "x"}); id != fmt.Sprint(i) || err != nil {
			t.Error(id, err)
		}
	}
	var field *FieldError
	if _, err := topic.Publish(Event{Type: "\n"}); !errors.As(err, &field) {
		t.Error(err)
	}
	topic.Close()
	topic.Close()
	if _, err := topic.Publish(Event{}); err != ErrTopicClosed {
		t.Error(err)
	}
	for last, want := range map[string]string{"2": "34", "3": "4", "1": "234", "unheard": "234", "4": "", "": ""} {
		got := asked(topic, "GET", "Last-Event-ID", last)
		ids := ""
		for e := range NewDecoder(got.Body, nil).All() {
			ids += e.ID
		}
		if code := map[bool]int{true: 204, false: 200}[want == ""]; ids != want || got.Code != code {
			t.Errorf("after %q: %d %q, want %d %q", last, got.Code, ids, code, want)
		}
	}
	if got := asked(topic, "GET"); got.Code != 204 {
		t.Errorf("a new client: %d", got.Code)
	}
}

// What is kept is bounded in bytes too, but the latest event is.
func TestTopicBytes(t *testing.T) {
	topic := NewTopic(&TopicConfig{KeepBytes: 100})
	for range 1000 {
		topic.Publish(Event{Data: strings.Repeat("x", 30)})
		if topic.size > 100 {
			t.Fatalf("%d bytes", topic.size)
		}
	}
	topic.Publish(Event{Data: strings.Repeat("x", 1000)})
	if len(topic.kept) != 1 || topic.size != len(topic.kept[0].wire) || topic.first != 1001 {
		t.Errorf("%d events, %d bytes, first %d", len(topic.kept), topic.size, topic.first)
	}
}

// A client that is too slow is cut off, comes back, and misses only what is not kept any more.
func TestTopicSlowClient(t *testing.T) {
	var topic *Topic
	inScene(t, func(t *testing.T, s *scene) {
		topic = NewTopic(&TopicConfig{Keep: 10, Writer: WriterConfig{Heartbeat: -1}})
		data := strings.Repeat("x", 128<<10)
		n, last := 0, ""
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(time.Second, func() {
			for i := range 1000 {
				topic.Publish(Event{ID: fmt.Sprint(i), Data: data})
				time.Sleep(time.Millisecond)
			}
			topic.Close()
		})
		stream := s.stream(&Config{RetryBase: time.Millisecond})
		for e, err := range stream.Events(ctx) {
			if err != nil {
				break
			}
			n, last = n+1, e.ID
			time.Sleep(10 * time.Millisecond)
		}
		if last != "999" || n < 20 || n > 500 {
			t.Errorf("%d events, the last %s", n, last)
		}
	}, func(w http.ResponseWriter, r *http.Request) { topic.ServeHTTP(w, r) })
}

// The read and write timeouts of a server are for other answers.
func TestServerTimeouts(t *testing.T) {
	h := &Handler{Writer: WriterConfig{Heartbeat: -1}, Serve: func(w *Writer) {
		time.Sleep(time.Hour)
		w.Send(Event{Data: "a"})
	}}
	inScene(t, func(t *testing.T, s *scene) {
		l := s.listen("10.0.0.2:80")
		server := &http.Server{Handler: h, ReadTimeout: time.Second, WriteTimeout: time.Second}
		s.served.Go(func() { server.Serve(l) })
		defer server.Close()
		resp, err := s.client.Get(t.Context(), "http://10.0.0.2/")
		if err != nil {
			t.Fatal(err)
		}
		resp.SetReadTimeout(0)
		if p, err := io.ReadAll(resp.Body); string(p) != "data: a\n\n" || err != nil {
			t.Errorf("%q, %v", p, err)
		}
		resp.Body.Close()
	}, sends(""))
}
