package oksse

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Over HTTP/2 too heartbeats come in between, a stream outlives the time limit of a write, and the server sees that its client is gone.
func TestHTTP2Heartbeat(t *testing.T) {
	var gone chan time.Duration
	inHTTP2Scene(t, func(t *testing.T, s *scene) {
		gone = make(chan time.Duration, 1)
		beats := 0
		s.collect(t.Context(), s.stream(&Config{IdleTimeout: 15 * time.Second, OnComment: func(string) { beats++ }}), 2)
		s.wantLog(`
			0s (-,message,a) #1
			59m55s (-,message,b) #1`)
		if beats != 359 {
			t.Errorf("%d heartbeats", beats)
		}
		if since := <-gone; since != time.Hour-5*time.Second {
			t.Errorf("gone after %v", since)
		}
	}, (&Handler{Writer: WriterConfig{Heartbeat: 10 * time.Second, WriteTimeout: time.Second}, Serve: func(w *Writer) {
		start := time.Now()
		w.Send(Event{Data: "a"})
		time.Sleep(time.Hour - 5*time.Second)
		w.Send(Event{Data: "b"})
		<-w.Request().Context().Done()
		gone <- time.Since(start)
	}}).ServeHTTP)
}

// A client that takes nothing ends its own stream alone: the connection serves the next call.
func TestHTTP2WriteTimeout(t *testing.T) {
	var ended chan error
	inHTTP2Scene(t, func(t *testing.T, s *scene) {
		ended = make(chan error, 1)
		resp, err := s.client.Get(t.Context(), s.url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := <-ended; err == nil {
			t.Error("no error")
		}
		if since := time.Since(s.start); since < 5*time.Second || since > 6*time.Second {
			t.Errorf("after %v", since)
		}
		synctest.Wait()
		for e, err := range s.stream(&Config{NoReconnect: true}).Events(t.Context()) {
			if e.Data != "a" || err != nil {
				t.Errorf("%+v, %v", e, err)
			}
		}
		if n := s.made.Load(); n != 1 {
			t.Errorf("%d connections", n)
		}
	}, (&Handler{Writer: WriterConfig{Heartbeat: -1, WriteTimeout: 5 * time.Second}, Serve: func(w *Writer) {
		var err error
		for data := strings.Repeat("x", 64<<10); err == nil; {
			err = w.Send(Event{Data: data})
		}
		ended <- err
	}}).ServeHTTP, sends("data: a\n\n"))
}
