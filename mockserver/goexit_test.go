package mockserver_test

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// A script that calls t.Fatal ends its goroutine ([runtime.Goexit]) where it should return a response. The client gets an answer nevertheless, or the end, and
// the next request is served.
func TestScriptEndsItsGoroutine(t *testing.T) {
	leave := func(target string) {
		if target == "/fatal" {
			runtime.Goexit() // what t.Fatal does once it has noted the failure
		}
	}
	for name, d := range map[string]mockserver.Dispatcher{
		"dispatcher": mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
			leave(r.Target)
			return mockserver.Reply(200).Text("ok")
		}),
		"handler": mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			leave(r.URL.Path)
			_, _ = w.Write([]byte("ok"))
		})),
	} {
		for version, opts := range map[string][]mockserver.Option{"HTTP/1.1": nil, "HTTP/2": {mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)}} {
			t.Run(name+" over "+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, err := mockserver.Start(append(opts, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(d))...)
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					client := s.Client()
					defer client.Close()
					begun := time.Now()
					resp, err := client.Get(t.Context(), s.URL("/fatal"))
					if err == nil {
						if text, _ := resp.Body.Text(); resp.Status != 500 {
							t.Errorf("got %d %q", resp.Status, text)
						}
					}
					if took := time.Since(begun); took > time.Second {
						t.Errorf("the client waited %v, %v", took, err)
					}
					if left := s.Unanswered(); len(left) > 0 {
						t.Errorf("%v still wait", left)
					}
					resp, err = client.Get(t.Context(), s.URL("/"))
					if err != nil {
						t.Fatalf("the next call: %v", err)
					}
					if text, err := resp.Body.Text(); text != "ok" || err != nil {
						t.Errorf("the next response was %q, %v", text, err)
					}
				})
			})
		}
	}
}
