package mockserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
)

func TestStrict(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  func(t *testing.T, s *mockserver.Server, w *wire)
		want []string // what the test fails with
	}{
		{"all in order", func(t *testing.T, s *mockserver.Server, w *wire) {
			s.Enqueue(mockserver.Reply(200))
			w.send(get)
			take(t, s)
		}, nil},
		{"nothing enqueued", func(t *testing.T, s *mockserver.Server, w *wire) {
			w.send("GET /favicon.ico HTTP/1.1·Host: a··")
			w.want("HTTP/1.1 500 Server Error·")
			take(t, s)
		}, []string{"no response is enqueued for GET /favicon.ico"}},
		{"a response too many", func(_ *testing.T, s *mockserver.Server, _ *wire) {
			s.Enqueue(mockserver.Reply(200), mockserver.Reply(503))
		}, []string{"2 responses were enqueued and not used: 200; 503"}},
		{"a request that was not taken", func(_ *testing.T, s *mockserver.Server, w *wire) {
			s.Enqueue(mockserver.Reply(200))
			w.send("GET /untaken HTTP/1.1··")
			w.want("HTTP/1.1 200 OK·")
		}, []string{"1 request was not taken: GET /untaken"}},
		{"a request that waits", func(t *testing.T, s *mockserver.Server, w *wire) {
			entered := make(chan struct{})
			s.SetDispatcher(mockserver.DispatcherFunc(func(ctx context.Context, _ *mockserver.Request) mockserver.Response {
				close(entered)
				<-ctx.Done()
				return mockserver.Reply(200)
			}))
			w.send("GET /waits HTTP/1.1··")
			<-entered
			take(t, s)
		}, []string{"1 request still waited for a response: GET /waits"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := newCleaned(t)
			s := mockserver.New(fake, mockserver.Strict())
			tt.use(t, s, dial(t, s))
			fake.end()
			report := fake.take()
			for _, want := range tt.want {
				if !strings.Contains(report, want) {
					t.Errorf("reported %q, want %q", report, want)
				}
			}
			if len(tt.want) == 0 && report != "" {
				t.Errorf("reported %q", report)
			}
		})
	}
}
