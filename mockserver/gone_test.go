package mockserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// versions are the options of servers of each version of HTTP, with and without TLS.
var versions = map[string][]mockserver.Option{
	"HTTP/1.1":          nil,
	"HTTP/1.1 over TLS": {mockserver.WithLocalhostTLS(), mockserver.WithProtocols(okhttp.HTTP1Only)},
	"HTTP/2":            {mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)},
	"HTTP/2 over TLS":   {mockserver.WithLocalhostTLS()},
}

// eachVersion runs a test with a server of each version in memory, that the client has made a call to.
func eachVersion(t *testing.T, test func(t *testing.T, s *mockserver.Server, client *okhttp.Client), opts ...mockserver.Option) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t, append(opts, version...)...)
				client := s.Client()
				defer client.Close()
				test(t, s, client)
			})
		})
	}
}

// giveUp sends a request and gives it up once it waits for its response.
func giveUp(t *testing.T, s *mockserver.Server, client *okhttp.Client, target string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := client.Get(ctx, s.URL(target))
		done <- err
	}()
	synctest.Wait()
	if left := s.Unanswered(); len(left) != 1 || left[0].Target != target {
		t.Errorf("%v wait before the client gives up", left)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("there was a response")
	}
	synctest.Wait()
}

// wantText makes a call.
func wantText(t *testing.T, s *mockserver.Server, client *okhttp.Client, target, want string) {
	t.Helper()
	resp, err := client.Get(t.Context(), s.URL(target))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != want || err != nil {
		t.Errorf("%s: got %d %q, %v, want %q", target, resp.Status, text, err, want)
	}
}

// TestClientGivesUpOnTheQueue: the response that is enqueued after that is for the next request.
func TestClientGivesUpOnTheQueue(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *mockserver.Server, client *okhttp.Client) {
		giveUp(t, s, client, "/lost")
		if left := s.Unanswered(); len(left) > 0 {
			t.Errorf("%v still wait", left)
		}
		s.Enqueue(mockserver.Reply(200).Text("first"), mockserver.Reply(200).Text("second"))
		synctest.Wait()
		if n := s.Queue().Len(); n != 2 {
			t.Errorf("%d responses are left, want 2", n)
		}
		wantText(t, s, client, "/next", "first")
		wantText(t, s, client, "/last", "second")

		kept := s.Requests()
		if len(kept) != 3 || kept[0].Target != "/lost" || !errors.Is(kept[0].Failure, mockserver.ErrClientGone) {
			t.Errorf("the journal has %v", kept)
		}
		for _, r := range kept[1:] {
			if r.Failure != nil {
				t.Errorf("%v failed", r)
			}
		}
		if r := take(t, s); r.Target != "/lost" || !errors.Is(r.Failure, mockserver.ErrClientGone) {
			t.Errorf("took %v", r)
		}
	})
}

// TestFailureComesAfterTaking: whoever took a request may read it while its client gives up, and verified requests stay so.
func TestFailureComesAfterTaking(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *mockserver.Server, client *okhttp.Client) {
		taken := make(chan *mockserver.Request)
		go func() {
			r, _ := s.TakeRequest(t.Context())
			for range 100 {
				if r.Failure != nil {
					t.Errorf("%v changed", r)
				}
			}
			taken <- r
		}()
		giveUp(t, s, client, "/lost")
		if r := <-taken; r.Failure != nil {
			t.Errorf("took %v", r)
		}
		if kept := s.Requests(); len(kept) != 1 || !errors.Is(kept[0].Failure, mockserver.ErrClientGone) {
			t.Errorf("the journal has %v", kept)
		}
		if r, ok := s.TryTakeRequest(); ok {
			t.Errorf("took %v too", r)
		}
	})
}

// TestWaitersKeepTheirOrder: of those that wait only those leave whose clients do.
func TestWaitersKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		a, b, c := dial(t, s), dial(t, s), dial(t, s)
		for _, w := range []*wire{a, b, c} {
			w.send(get)
			synctest.Wait()
		}
		b.conn.Close()
		synctest.Wait()
		if n := len(s.Unanswered()); n != 2 {
			t.Errorf("%d wait, want 2", n)
		}
		s.Enqueue(mockserver.Reply(200).Text("1"), mockserver.Reply(200).Text("2"))
		a.want("HTTP/1.1 200 OK·Content-Length: 1··1")
		c.want("HTTP/1.1 200 OK·Content-Length: 1··2")
	})
}

// TestWatchLosesNothing: what comes while a client is watched is the next request, whole or not, or its content.
func TestWatchLosesNothing(t *testing.T) {
	large := strings.Repeat("x", 200<<10) // more than is buffered while one waits
	for name, sent := range map[string][]string{
		"whole":         {get},
		"in two":        {"GET / HT", "TP/1.1·Host: a··"},
		"byte by byte":  strings.Split(lines(get), ""),
		"large content": {"POST / HTTP/1.1·Host: a·Content-Length: 204800··" + large},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				w := dial(t, s)
				w.send(get)
				synctest.Wait()
				first := len(sent) / 2
				go func() { // the large one does not pass before the first was answered
					for i, part := range sent {
						if i == first && len(sent) > 1 {
							s.Enqueue(mockserver.Reply(200).Text("1"))
						}
						if _, err := io.WriteString(w.conn, lines(part)); err != nil {
							t.Errorf("sending: %v", err)
						}
					}
				}()
				synctest.Wait()
				if len(sent) == 1 {
					s.Enqueue(mockserver.Reply(200).Text("1"))
				}
				w.want("HTTP/1.1 200 OK·Content-Length: 1··1")
				s.Enqueue(mockserver.Reply(200).Text("2"))
				w.want("HTTP/1.1 200 OK·Content-Length: 1··2")
				take(t, s)
				if r := take(t, s); r.Failure != nil || name == "large content" && string(r.Body) != large {
					t.Errorf("the second was %v", r)
				}
			})
		})
	}
}

// TestFloodIsNotBuffered: a client that sends on and on while its request waits is not read without bound.
func TestFloodIsNotBuffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		w := dial(t, s)
		w.send(get)
		synctest.Wait()
		const most = 1 << 20 // what the network in memory holds, and the server
		w.conn.SetWriteDeadline(time.Now().Add(time.Second))
		if n, err := io.WriteString(w.conn, strings.Repeat("x", 8<<20)); err == nil || n > most {
			t.Errorf("%d bytes were taken, %v", n, err)
		}
		s.Enqueue(mockserver.Reply(200).Text("1"))
		w.want("HTTP/1.1 200 OK·Content-Length: 1··1")
	})
}

// TestHalfClosedClientIsGone: its end looks like that of one that closed the connection, while it waits. A response that is there when it comes is sent.
func TestHalfClosedClientIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(200).Text("1"))
		for i, want := range []string{"HTTP/1.1 200 OK·Content-Length: 1··1", ""} {
			w := dial(t, s)
			w.send(get)
			w.conn.(interface{ CloseWrite() error }).CloseWrite()
			w.want(want)
			w.wantEnd()
			if r := take(t, s); errors.Is(r.Failure, mockserver.ErrClientGone) != (i == 1) {
				t.Errorf("request %d was %v", i, r)
			}
		}
		if n := len(s.Unanswered()); n > 0 {
			t.Errorf("%d still wait", n)
		}
	})
}

// TestResetClientIsGone: the failure says how.
func TestResetClientIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		w := dial(t, s)
		w.send(get)
		synctest.Wait()
		w.conn.(interface{ Reset() error }).Reset()
		synctest.Wait()
		if r := take(t, s); !errors.Is(r.Failure, mockserver.ErrClientGone) || r.Failure.Error() == mockserver.ErrClientGone.Error() {
			t.Errorf("it was %v", r)
		}
	})
}

// TestDispatcherLearnsOfItsClient: the context of a function, and of a handler of net/http, ends with the client, whoever asks it and in whichever way.
func TestDispatcherLearnsOfItsClient(t *testing.T) {
	causes := make(chan error, 1)
	wait := func(ctx context.Context) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
	}
	late := mockserver.Reply(200).Text("too late")
	for name, d := range map[string]mockserver.DispatcherFunc{
		"Done": func(ctx context.Context, _ *mockserver.Request) mockserver.Response { wait(ctx); return late },
		"WithTimeout": func(ctx context.Context, _ *mockserver.Request) mockserver.Response {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			wait(ctx)
			return late
		},
		"AfterFunc": func(ctx context.Context, _ *mockserver.Request) mockserver.Response {
			ended := make(chan struct{})
			context.AfterFunc(ctx, func() { close(ended) })
			<-ended
			causes <- context.Cause(ctx)
			return late
		},
		"Err": func(ctx context.Context, _ *mockserver.Request) mockserver.Response {
			for ctx.Err() == nil {
				time.Sleep(time.Second)
			}
			causes <- context.Cause(ctx)
			return late
		},
		"Handler": mockserver.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { wait(r.Context()) })).Dispatch,
	} {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, s *mockserver.Server, client *okhttp.Client) {
				giveUp(t, s, client, "/lost")
				time.Sleep(time.Second)
				if err := <-causes; !errors.Is(err, mockserver.ErrClientGone) {
					t.Errorf("the context ended with %v", err)
				}
				synctest.Wait()
				if kept := s.Requests(); len(kept) != 1 || !errors.Is(kept[0].Failure, mockserver.ErrClientGone) {
					t.Errorf("the journal has %v", kept)
				}
			}, mockserver.WithDispatcher(d))
		})
	}
}

// TestContextEndsWithTheExchange: what a dispatcher left behind learns of it.
func TestContextEndsWithTheExchange(t *testing.T) {
	for _, early := range []bool{true, false} {
		contexts := make(chan context.Context, 1)
		d := mockserver.DispatcherFunc(func(ctx context.Context, _ *mockserver.Request) mockserver.Response {
			if early && ctx.Err() != nil {
				t.Errorf("ended with %v", ctx.Err())
			}
			contexts <- ctx
			return mockserver.Reply(200).Text("ok")
		})
		eachVersion(t, func(t *testing.T, s *mockserver.Server, client *okhttp.Client) {
			for range 2 { // over one connection
				wantText(t, s, client, "/", "ok")
				ctx := <-contexts
				<-ctx.Done()
				if err := context.Cause(ctx); err != context.Canceled {
					t.Errorf("it ended with %v", err)
				}
			}
			for _, r := range s.Requests() {
				if r.Failure != nil || r.ConnIndex != 0 {
					t.Errorf("%v came", r)
				}
			}
		}, mockserver.WithDispatcher(d))
	}
}

// TestStreamingHandlerLearnsOfItsClient, over HTTP/2, while it has nothing to write.
func TestStreamingHandlerLearnsOfItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		s := cleartext(t, mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			ended <- context.Cause(r.Context())
		}))))
		client := s.Client()
		defer client.Close()
		resp, err := client.Get(t.Context(), s.URL("/"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if err := <-ended; !errors.Is(err, mockserver.ErrClientGone) {
			t.Errorf("ended with %v", err)
		}
	})
}

// failures is a test that keeps its errors.
type failures struct {
	testing.TB
	list chan string
	ends []func()
}

func (f *failures) Helper()            {}
func (f *failures) Cleanup(end func()) { f.ends = append(f.ends, end) }
func (f *failures) Error(args ...any) {
	for _, a := range args {
		f.list <- a.(error).Error()
	}
}

// TestStrictSaysWhoGaveUp: once, and the next request is answered.
func TestStrictSaysWhoGaveUp(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &failures{TB: t, list: make(chan string, 10)}
				s := mockserver.New(f, append(version, mockserver.Strict(), mockserver.WithNetwork(new(okio.Network)))...)
				client := s.Client()
				s.Queue().SetFailFast(nil) // requests wait
				giveUp(t, s, client, "/lost")
				s.Enqueue(mockserver.Reply(200).Text("ok"))
				wantText(t, s, client, "/next", "ok")
				take(t, s)
				take(t, s)
				client.Close()
				for _, end := range f.ends {
					end()
				}
				close(f.list)
				var got []string
				for text := range f.list {
					got = append(got, text)
				}
				if len(got) != 1 || !strings.Contains(got[0], "the client gave up") || !strings.Contains(got[0], "GET /lost") {
					t.Errorf("the test failed with %q", got)
				}
			})
		})
	}
}

// failed matches requests whose client gave up.
type failed struct{}

func (failed) String() string { return "its client gave up" }
func (failed) Match(r *mockserver.Request) []mockserver.Mismatch {
	if errors.Is(r.Failure, mockserver.ErrClientGone) {
		return nil
	}
	return []mockserver.Mismatch{{}}
}

// TestClientGivesUpOverTCP, where the kernel tells.
func TestClientGivesUpOverTCP(t *testing.T) {
	s := mockserver.New(t)
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, lines(get)); err != nil {
		t.Fatal(err)
	}
	take(t, s)
	conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.AwaitRequests(ctx, failed{}, 1); err != nil {
		t.Fatal(err)
	}
	s.Enqueue(mockserver.Reply(200).Text("1"))
	w := dial(t, s)
	w.send(get)
	w.want("HTTP/1.1 200 OK·Content-Length: 1··1")
}
