package oksse

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Whatever ends a stream over HTTP/2 resets it, at once, and nothing else: a neighbour on the same connection lives on, and the next call uses that.
func TestHTTP2StreamsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		end  func(s *scene, stream *Stream) // runs the loop
		want time.Duration                  // when the server sees the end
	}{
		"break":     {Config{}, func(s *scene, stream *Stream) { s.collect(s.t.Context(), stream, 1) }, 0},
		"panic":     {Config{}, func(s *scene, stream *Stream) { s.panics(stream) }, 0},
		"Close":     {Config{}, func(s *scene, stream *Stream) { s.wants(s.t.Context(), ErrCanceled, stream, stream.Close) }, time.Second},
		"deadline":  {Config{}, func(s *scene, stream *Stream) { s.wants(s.within(time.Second), context.DeadlineExceeded, stream, nil) }, time.Second},
		"idle":      {Config{IdleTimeout: time.Second, NoReconnect: true}, func(s *scene, stream *Stream) { s.wants(s.t.Context(), ErrIdle, stream, nil) }, time.Second},
		"too large": {Config{MaxEventBytes: 8}, func(s *scene, stream *Stream) { s.collect(s.t.Context(), stream, -1) }, 0},
		"no stream": {Config{}, func(s *scene, stream *Stream) { s.collect(s.t.Context(), s.other("/refused"), -1) }, 5 * time.Second},
		"listener": {Config{}, func(s *scene, stream *Stream) {
			s.hear(s.request(), ListenerFuncs{Event: func(source *EventSource, _ Event) { source.Cancel() }})
		}, 0},
		"in between": {Config{}, func(s *scene, stream *Stream) { s.wants(s.canceledAfter(time.Second), context.Canceled, stream, nil) }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var gone chan struct{} // of the bubble
			answer := func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor != 2 {
					t.Errorf("over %s", r.Proto)
				}
				if r.URL.Path == "/refused" {
					then2(403, "wait")(w, r)
				} else {
					stays("data: a\n\ndata: 0123456789\n\n")(w, r)
				}
				close(gone)
			}
			neighbour := func(w http.ResponseWriter, r *http.Request) {
				sends("data: before\n\n")(w, r)
				http.NewResponseController(w).Flush()
				<-gone
				sends("data: after\n\n")(w, r)
			}
			inHTTP2Scene(t, func(t *testing.T, s *scene) {
				gone = make(chan struct{})
				pool := okhttp.NewConnectionPool(okhttp.PoolConfig{})
				s.client = s.client.With(okhttp.WithPool(pool))
				beside := s.other("/neighbour")
				var heard []string
				for e, err := range beside.Events(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if heard = append(heard, e.Data); len(heard) == 2 {
						break
					}
					begun := time.Now()
					c.end(s, NewStream(s.client, s.request(), &c.cfg))
					<-gone
					if took := time.Since(begun); took != c.want {
						t.Errorf("the server saw the end after %v, want %v", took, c.want)
					}
				}
				resp, err := s.client.Get(t.Context(), "https://example.com/next")
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != "data: next\n\n" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				if len(heard) != 2 || heard[1] != "after" {
					t.Errorf("the neighbour heard %q", heard)
				}
				if n := s.made.Load(); n != 1 {
					t.Errorf("%d connections", n)
				}
				synctest.Wait()
				if got := pool.Stats(); got != (okhttp.PoolStats{Connections: 1, Idle: 1}) {
					t.Errorf("pool %+v", got)
				}
			}, neighbour, answer, sends("data: next\n\n"))
		})
	}
}

// other is a stream of another path.
func (s *scene) other(path string) *Stream {
	s.t.Helper()
	req, err := okhttp.NewRequest("GET", "https://example.com"+path)
	if err != nil {
		s.t.Fatal(err)
	}
	return NewStream(s.client, req, nil)
}

func (s *scene) panics(stream *Stream) {
	defer func() { _ = recover() }()
	for range stream.Events(s.t.Context()) {
		panic("mine")
	}
}

// wants runs a loop to its error, and something after a second of it.
func (s *scene) wants(ctx context.Context, want error, stream *Stream, after func() error) {
	s.t.Helper()
	if after != nil {
		time.AfterFunc(time.Second, func() { _ = after() })
	}
	if err := s.collect(ctx, stream, -1); !errors.Is(err, want) {
		s.t.Errorf("error %v, want %v", err, want)
	}
}

func (s *scene) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), d)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *scene) canceledAfter(d time.Duration) context.Context {
	ctx, cancel := context.WithCancel(s.t.Context())
	time.AfterFunc(d, cancel)
	return ctx
}

// A stream goes on from its last event when it ends, is reset by the server, or falls silent, over the same connection. Only a server that resets a stream with an error, as
// net/http does, is not trusted with another on that connection.
func TestHTTP2Reconnect(t *testing.T) {
	inHTTP2Scene(t, func(t *testing.T, s *scene) {
		s.client = s.client.With(okhttp.WithReadTimeout(time.Second), okhttp.WithCallTimeout(5*time.Second))
		s.collect(t.Context(), s.stream(&Config{IdleTimeout: 2 * time.Hour}), -1)
		s.wantVisits("0s:- 3s:1 6s:2 2h0m9s:3 11h0m12s:3")
		if n := s.made.Load(); n != 2 {
			t.Errorf("%d connections", n)
		}
		s.wantLog(`
			0s (1,message,a) #1
			3s (2,message,b) #2
			6s (3,message,c) #3
			2h0m9s (3,message,d) #4
			11h0m9s (3,message,e) #4
			11h0m12s oksse: expected status 200, got 204`)
	}, sends("id: 1\ndata: a\n\n"), breaks("id: 2\ndata: b\n\nid: 9\ndata: lost\n"), stays("id: 3\ndata: c\n\n"), beats(9, "data: d\n\n", "data: e\n\n"), refuses(204))
}

// beats sends a comment each hour between two texts.
func beats(hours int, text, more string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sends(text)(w, r)
		for range hours {
			then(":\n", 59*time.Minute, "")(w, r)
			time.Sleep(time.Minute)
		}
		sends(more)(w, r)
	}
}
