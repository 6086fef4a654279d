package cli

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
	"github.com/okhttp-go/ok/okio"
)

// following runs the command on the time of a bubble, against a server in memory, and wants it to take exactly so long.
func following(t *testing.T, h http.Handler, args string, took time.Duration, code int, out, errs string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		var network okio.Network
		l, err := network.Listen("10.0.0.1:80")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: h}
		var served sync.WaitGroup
		served.Go(func() { server.Serve(l) })
		defer served.Wait()
		defer server.Close()

		o, err := parse(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		var printed, complained bytes.Buffer
		s, err := newSession(o, strings.NewReader(""), &printed, &complained)
		if err != nil {
			t.Fatal(err)
		}
		defer s.client.Close()
		s.client = s.client.With(okhttp.WithDialer(&network))
		began := time.Now()
		result{s.run(t.Context()), printed.String(), complained.String()}.want(t, code, out, errs)
		if got := time.Since(began); got != took {
			t.Errorf("took %v, want %v", got, took)
		}
	})
}

// The limit of time is for the whole, streams that are silent included.
func TestEventsMaxTime(t *testing.T) {
	following(t, &oksse.Handler{Serve: func(w *oksse.Writer) {
		_ = w.Send(oksse.Event{Data: "a"})
		<-w.Request().Context().Done()
	}}, "--sse -m 3600 http://10.0.0.1/", time.Hour, 28, "data: a\n\n", "okcurl: (28) time limit (--max-time) reached while following the stream\n")
}

// Silence is a reason to connect again where a limit was given.
func TestEventsIdle(t *testing.T) {
	asked := new(atomic.Int32)
	following(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 2 {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		(&oksse.Handler{Writer: oksse.WriterConfig{Retry: time.Second, Heartbeat: -1}, Serve: func(*oksse.Writer) { <-r.Context().Done() }}).ServeHTTP(w, r)
	}), "--sse --read-timeout 600 http://10.0.0.1/", 10*time.Minute+time.Second, 0, "", "okcurl: the stream broke off: nothing came for 10m0s; connecting again in 1s\n")
}
