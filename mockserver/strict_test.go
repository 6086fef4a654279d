package mockserver_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okio"
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
		{"a request that was awaited", func(t *testing.T, s *mockserver.Server, w *wire) {
			s.Enqueue(mockserver.Reply(200))
			w.send(get)
			if _, err := s.AwaitRequests(t.Context(), match.All(), 1); err != nil {
				t.Error(err)
			}
			w.want("HTTP/1.1 200 OK·")
		}, nil},
		{"a request that was found", func(_ *testing.T, s *mockserver.Server, w *wire) {
			s.Enqueue(mockserver.Reply(200))
			w.send(get)
			w.want("HTTP/1.1 200 OK·")
			s.FindRequests(match.All())
		}, nil},
		{"a request that was listed", func(_ *testing.T, s *mockserver.Server, w *wire) {
			s.Enqueue(mockserver.Reply(200))
			w.send(get)
			w.want("HTTP/1.1 200 OK·")
			s.Requests()
		}, nil},
		{"a fault of the script, once", func(t *testing.T, s *mockserver.Server, _ *wire) {
			s.Enqueue(mockserver.Reply(99))
			if s.Queue().Len() != 1 {
				t.Error("nothing stands for the fault")
			}
		}, []string{"status 99"}},
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

// TestFailureAfterTheEnd has a dispatcher that Close gives up waiting for panic when its test is over: there is nobody to tell.
func TestFailureAfterTheEnd(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				tb := newCleaned(t)
				s := mockserver.New(tb, append(version, mockserver.WithNetwork(new(okio.Network)), mockserver.Strict(), mockserver.WithDispatcher(
					mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
						<-release
						panic("too late")
					})))...)
				client := s.Client()
				defer client.Close()
				go client.Get(t.Context(), s.URL("/late"))
				take(t, s)
				tb.end()
				got := tb.take()
				for _, want := range []string{"gave up waiting for the end of 1 connection after 5s: connection 0: GET /late HTTP/", "1 request still waited for a response: GET /late HTTP/"} {
					if !strings.Contains(got, want) {
						t.Errorf("failed with %q, want %q in it", got, want)
					}
				}
				close(release)
				synctest.Wait()
				if err := s.Verify(everything{}, mockserver.Never()); err == nil {
					t.Error("Verify is content")
				}
				s.Enqueue(mockserver.Reply(99))
			})
		})
	}
}

// TestManyStrictTests run at once: each hears of its own servers alone, and of each thing once.
func TestManyStrictTests(t *testing.T) {
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			tb := newCleaned(t)
			one := mockserver.New(tb, mockserver.Strict(), mockserver.WithNetwork(new(okio.Network)))
			two := mockserver.New(tb, mockserver.Strict(), mockserver.WithNetwork(new(okio.Network)))
			one.Enqueue(mockserver.Reply(200 + i))
			two.Enqueue(mockserver.Reply(200))
			conn, err := two.DialContext(context.Background(), "tcp", "")
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET /%d HTTP/1.1\r\n\r\n", i)
			if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
				t.Error(err)
			}
			tb.end()
			want := fmt.Sprintf("mockserver: 1 request was not taken: GET /%d HTTP/1.1 (connection 0, request 0, body of 0 bytes); mockserver: 1 response was enqueued and not used: %d", i, 200+i)
			if got := tb.take(); got != want {
				t.Errorf("failed with %q\nwant        %q", got, want)
			}
		})
	}
	group.Wait()
}

// TestWhatIsLeftOfAnUnfinishedTest: one that failed before is told too, one that was skipped is not.
func TestWhatIsLeftOfAnUnfinishedTest(t *testing.T) {
	for _, tt := range []struct {
		name   string
		finish func(tb *cleaned)
		want   string
	}{
		{"as it should be", func(*cleaned) {}, "mockserver: 1 response was enqueued and not used: 200"},
		{"failed", func(tb *cleaned) { tb.Fail() }, "mockserver: 1 response was enqueued and not used: 200"},
		{"skipped", func(tb *cleaned) { tb.skipped = true }, ""},
	} {
		tb := newCleaned(t)
		s := mockserver.New(tb, mockserver.Strict(), mockserver.WithNetwork(new(okio.Network)))
		s.Enqueue(mockserver.Reply(200))
		tt.finish(tb)
		tb.end()
		if got := tb.take(); got != tt.want {
			t.Errorf("%s: failed with %q, want %q", tt.name, got, tt.want)
		}
	}
}
