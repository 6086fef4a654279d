package mockserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

func TestRequestsAreRecordedInOrder(t *testing.T) {
	s := mockserver.New(t)
	s.Enqueue(mockserver.Reply(302).Header("Location", "/new"), mockserver.Reply(200).Text("found"))
	resp, err := http.Get(s.URL("old?x=1"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); string(text) != "found" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	a, b := take(t, s), take(t, s)
	if a.RequestLine() != "GET /old?x=1 HTTP/1.1" || b.Target != "/new" || b.ConnIndex != 0 || b.Index != 1 || s.RequestCount() != 2 {
		t.Errorf("recorded %v and %v, %d in all", a, b, s.RequestCount())
	}
	if r, ok := s.TryTakeRequest(); ok {
		t.Errorf("a third request: %v", r)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestRequestWaitsForItsResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		first, second := dial(t, s), dial(t, s)
		first.send(get)
		synctest.Wait()
		second.send(get)
		time.Sleep(time.Second)
		s.Enqueue(mockserver.Reply(200).Text("1"))
		s.Enqueue(mockserver.Reply(200).Text("2"))
		first.want("HTTP/1.1 200 OK·Content-Length: 1··1")
		second.want("HTTP/1.1 200 OK·Content-Length: 1··2")
	})
}

func TestFailFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		w, waiting := dial(t, s), dial(t, s)
		waiting.send(get)
		synctest.Wait()
		gone := mockserver.Reply(404)
		s.Queue().SetFailFast(&gone)
		waiting.want("HTTP/1.1 404 Client Error·Content-Length: 0··")
		w.send(get)
		w.want("HTTP/1.1 404 Client Error·Content-Length: 0··")
		s.Enqueue(mockserver.Reply(200))
		w.send(get)
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		s.Queue().SetFailFast(nil)
		w.send(get)
		w.wantSilence(time.Minute)
	})
}

func TestQueueBehindADispatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.SetDispatcher(mockserver.DispatcherFunc(func(ctx context.Context, r *mockserver.Request) mockserver.Response {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return s.Queue().Dispatch(ctx, r)
		}))
		w := dial(t, s)
		w.send(get)
		w.wantSilence(time.Second - 1)
		w.want("HTTP/1.1 503 Server Error·Content-Length: 0··")
		s.Queue().Enqueue(mockserver.Reply(200))
		w.send(get)
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
	})
}

func TestFaviconTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(200))
		w := dial(t, s)
		w.send("GET /favicon.ico HTTP/1.1··")
		w.want("HTTP/1.1 404 Client Error·Content-Length: 0··")
		w.send("HEAD /favicon.ico HTTP/1.1··")
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
	})
}

func TestClearDropsResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(500), mockserver.Reply(501))
		s.Queue().Clear()
		s.Enqueue(mockserver.Reply(200))
		w := dial(t, s)
		w.send(get)
		w.want("HTTP/1.1 200 OK·")
	})
}

func TestDispatchersRunAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		release := make(chan struct{})
		s.SetDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
			if r.Target == "/foo" {
				<-release
			}
			return mockserver.Reply(200).Text(r.Target)
		}))
		foo, bar := dial(t, s), dial(t, s)
		foo.send("GET /foo HTTP/1.1··")
		synctest.Wait()
		bar.send("GET /bar HTTP/1.1··")
		bar.want("HTTP/1.1 200 OK·Content-Length: 4··/bar")
		close(release)
		foo.want("HTTP/1.1 200 OK·Content-Length: 4··/foo")
	})
}

func TestFaultsOfScriptsFailTheTest(t *testing.T) {
	ok := mockserver.Reply(200)
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		want   string
	}{
		{"status", mockserver.Reply(100), "status 100"},
		{"status 0", mockserver.Reply(0), "status 0"},
		{"header name", ok.Header("a b", "c"), "a b"},
		{"header value", ok.AddHeader("a", "b\r\nc: d"), "0x0d"},
		{"reason", ok.Reason("a\nb"), "Reason"},
		{"chunk", ok.Chunked(0), "chunk of 0 bytes"},
		{"trailers", ok.Text("x").Trailer("a", "b"), "not chunked"},
		{"trailers of nothing", ok.Trailer("a", "b"), "not chunked"},
		{"trailer name", ok.Chunked().Trailer("", "b"), "name"},
		{"informational", ok.Informational(101), "Informational(101)"},
		{"informational headers", ok.Informational(103, "a"), "alternate"},
		{"throttle", ok.Throttle(0, time.Second), "at least 1 byte"},
		{"moment", ok.On(9, mockserver.Stall{}), "Moment(9)"},
		{"moment without bytes", ok.OnBytes(mockserver.ResponseEnd, 1, mockserver.Stall{}), "ResponseEnd"},
		{"negative bytes", ok.OnBytes(mockserver.RequestBody, -1, mockserver.Stall{}), "-1"},
		{"stream", ok.Stream(-2, nil), "-2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := &failing{TB: t}
				s := mockserver.New(tb, mockserver.WithNetwork(new(okio.Network)))
				s.Enqueue(tt.script)
				if got := tb.take(); !strings.Contains(got, tt.want) {
					t.Errorf("Enqueue reported %q, want %q in it", got, tt.want)
				}
				w := dial(t, s)
				w.send(get)
				w.want("HTTP/1.1 500 Server Error·")
				s.SetDispatcher(answer(tt.script))
				w = dial(t, s)
				w.send(get)
				w.want("HTTP/1.1 500 Server Error·")
				if got := tb.take(); !strings.Contains(got, tt.want) {
					t.Errorf("the dispatcher's response reported %q, want %q in it", got, tt.want)
				}
			})
		})
	}
}

type peeker struct {
	mockserver.DispatcherFunc
	peek func(*mockserver.Request) mockserver.Response
}

func (p peeker) Peek(r *mockserver.Request) mockserver.Response { return p.peek(r) }

func TestPanicsAreAnswered(t *testing.T) {
	fine := func(context.Context, *mockserver.Request) mockserver.Response { return mockserver.Reply(200) }
	guess := func(*mockserver.Request) mockserver.Response { return mockserver.Reply(200) }
	for name, d := range map[string]mockserver.Dispatcher{
		"dispatch":             mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response { panic("oops") }),
		"dispatch of a peeker": peeker{func(context.Context, *mockserver.Request) mockserver.Response { panic("oops") }, guess},
		"peek": peeker{fine, func(r *mockserver.Request) mockserver.Response {
			if r.Method != "" {
				panic("oops")
			}
			return mockserver.Reply(200)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := &failing{TB: t}
				s := mockserver.New(tb, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(d))
				w := dial(t, s)
				w.send(get)
				w.want("HTTP/1.1 500 Server Error·Content-Length: 42·Content-Type: text/plain; charset=utf-8··" +
					"mockserver: panic in the dispatcher: oops\n")
				if got := tb.take(); !strings.Contains(got, "panic in the dispatcher: oops\n") || !strings.Contains(got, "goroutine") {
					t.Errorf("reported %q", got)
				}
				if s.RequestCount() != 1 {
					t.Errorf("%d requests", s.RequestCount())
				}
			})
		})
	}
}

func TestPanicOfABodyBreaksTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := &failing{TB: t}
		s := mockserver.New(tb, mockserver.WithNetwork(new(okio.Network)))
		s.Enqueue(mockserver.Reply(200).Stream(5, func() (io.ReadCloser, error) { panic("oops") }), mockserver.Reply(200))
		w := dial(t, s)
		w.send(get)
		w.want("HTTP/1.1 200 OK·Content-Length: 5··")
		w.wantEnd()
		if got := tb.take(); !strings.Contains(got, "oops") {
			t.Errorf("reported %q", got)
		}
		w = dial(t, s)
		w.send(get)
		w.want("HTTP/1.1 200 OK·")
	})
}

func TestEnqueueBesidesADispatcherFailsTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := &failing{TB: t}
		s := mockserver.New(tb, mockserver.WithNetwork(new(okio.Network)))
		s.SetDispatcher(answer(mockserver.Reply(200)))
		s.Enqueue(mockserver.Reply(201))
		if got := tb.take(); !strings.Contains(got, "dispatcher is installed") {
			t.Errorf("reported %q", got)
		}
		s.SetDispatcher(nil)
		w := dial(t, s)
		w.send(get)
		w.want("HTTP/1.1 201 OK·")
	})
}

func TestExpectContinue(t *testing.T) {
	const head = "POST / HTTP/1.1·Content-Length: 5·Expect: 100-continue··"
	for name, request := range map[string][2]string{
		"scripted":          {head, "hello"},
		"scripted, chunked": {"POST / HTTP/1.1·Transfer-Encoding: chunked·Expect: 100-continue··", "5·hello·0··"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(mockserver.Reply(200).Continue())
				w := dial(t, s)
				w.send(request[0])
				w.want("HTTP/1.1 100 Informational··")
				w.send(request[1])
				w.want("HTTP/1.1 200 OK·Content-Length: 0··")
				if r := take(t, s); string(r.Body) != "hello" || len(r.ChunkSizes) > 0 != strings.Contains(name, "chunked") {
					t.Errorf("recorded %v", r)
				}
			})
		})
	}
	t.Run("not scripted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t)
			s.Enqueue(mockserver.Reply(200))
			w := dial(t, s)
			w.send(head)
			w.wantSilence(time.Minute)
			w.send("hello")
			w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		})
	})
	t.Run("peeked", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t, mockserver.WithDispatcher(peeker{
				func(context.Context, *mockserver.Request) mockserver.Response { return mockserver.Reply(201) },
				func(r *mockserver.Request) mockserver.Response {
					if r.Headers.Get("Expect") != "" {
						return mockserver.Reply(200).Continue()
					}
					return mockserver.Response{}
				},
			}))
			w := dial(t, s)
			w.send(head)
			w.want("HTTP/1.1 100 Informational··")
			w.send("hello")
			w.want("HTTP/1.1 201 OK·Content-Length: 0··")
		})
	})
}

func TestTakeRequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithTakeTimeout(3*time.Second), mockserver.WithDispatcher(answer(mockserver.Reply(200))))
		begun := time.Now()
		if _, err := s.TakeRequest(t.Context()); !errors.Is(err, mockserver.ErrTakeTimeout) || time.Since(begun) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		begun = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := s.TakeRequest(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		taken := make(chan *mockserver.Request)
		go func() {
			r, _ := s.TakeRequest(t.Context())
			taken <- r
		}()
		time.Sleep(time.Second)
		dial(t, s).send(get)
		if r := <-taken; r == nil {
			t.Error("TakeRequest missed the request")
		}
		dial(t, s).send(get)
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if r, err := s.TakeRequest(t.Context()); r == nil || err != nil {
			t.Errorf("the last request: %v", err)
		}
		if _, err := s.TakeRequest(t.Context()); !errors.Is(err, mockserver.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestJournalLimit(t *testing.T) {
	for limit, want := range map[int][]string{-1: {"/0", "/1", "/2", "/3"}, 0: nil, 2: {"/2", "/3"}} {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t, mockserver.WithJournalLimit(limit), mockserver.WithDispatcher(answer(mockserver.Reply(200))))
			w := dial(t, s)
			for i := range 4 {
				w.send(fmt.Sprintf("GET /%d HTTP/1.1··", i))
				w.want("HTTP/1.1 200 OK·Content-Length: 0··")
			}
			var got []string
			for r, ok := s.TryTakeRequest(); ok; r, ok = s.TryTakeRequest() {
				got = append(got, r.Target)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || s.RequestCount() != 4 {
				t.Errorf("limit %d: kept %v of %d, want %v", limit, got, s.RequestCount(), want)
			}
		})
	}
}

func TestCloseReleasesEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		idle, waiting, half, delayed, stalled := dial(t, s), dial(t, s), dial(t, s), dial(t, s), dial(t, s)
		s.Enqueue(mockserver.Reply(200).HeadDelay(time.Hour))
		delayed.send(get)
		synctest.Wait()
		s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Stall{}))
		stalled.send(get)
		synctest.Wait()
		waiting.send(get)
		half.send("GET / HT")
		synctest.Wait()
		begun := time.Now()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if d := time.Since(begun); d > 0 {
			t.Errorf("Close took %v", d)
		}
		for i, w := range []*wire{idle, waiting, half, delayed, stalled} {
			if n, err := w.conn.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("connection %d is open", i)
			}
		}
		if _, err := s.DialContext(t.Context(), "tcp", ""); err == nil {
			t.Error("connected to a closed server")
		}
		if err := s.Close(); err != nil || s.String() != "mockserver{closed}" {
			t.Errorf("closing again: %v, %v", err, s)
		}
	})
}

func TestCloseNamesWhatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s, err := mockserver.Start(mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(
			mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
				<-release
				return mockserver.Reply(200)
			})))
		if err != nil {
			t.Fatal(err)
		}
		dial(t, s).send("GET /stuck HTTP/1.1··")
		synctest.Wait()
		if err := s.Close(); err == nil || !strings.Contains(err.Error(), "GET /stuck HTTP/1.1") {
			t.Errorf("Close reported %v", err)
		}
		close(release)
	})
}

func TestStartFails(t *testing.T) {
	s := mockserver.New(t)
	for _, addr := range []string{s.Addr().String(), "nonsense", "127.0.0.1:99999"} {
		if again, err := mockserver.Start(mockserver.WithAddr(addr)); err == nil || !strings.HasPrefix(err.Error(), "mockserver: ") {
			t.Errorf("started on %s: %v", addr, err)
			again.Close()
		}
	}
	// What a server speaks is one of three things, so there are no lists of protocols that contradict themselves.
	for p := range okhttp.Protocols(5) {
		again, err := mockserver.Start(mockserver.WithProtocols(p))
		if (err == nil) != (p <= okhttp.HTTP2PriorKnowledge) || err != nil && !strings.Contains(err.Error(), "expected HTTP2OrHTTP1, HTTP1Only or HTTP2PriorKnowledge") {
			t.Errorf("started with protocols %d: %v", p, err)
		}
		if err == nil {
			again.Close()
		}
	}
}

func TestManyServersLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 200 {
			s, err := mockserver.Start(mockserver.WithNetwork(new(okio.Network)), mockserver.WithLocalhostTLS())
			if err != nil {
				t.Fatal(err)
			}
			dial(t, s).send("x")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestURL(t *testing.T) {
	in := func(opts ...mockserver.Option) string {
		s, err := mockserver.Start(append(opts, mockserver.WithNetwork(new(okio.Network)))...)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return s.URL("x?y")
	}
	for _, tt := range []struct{ got, want string }{
		{in(mockserver.WithAddr(":80")), "http://localhost/x?y"},
		{in(mockserver.WithAddr(":443")), "http://localhost:443/x?y"},
		{in(mockserver.WithAddr(":443"), mockserver.WithLocalhostTLS()), "https://localhost/x?y"},
		{in(mockserver.WithAddr("[::1]:80")), "http://[::1]/x?y"},
		{in(mockserver.WithAddr("[::1]:81")), "http://[::1]:81/x?y"},
		{in(mockserver.WithAddr("0.0.0.0:81"), mockserver.WithHost("a_b.com")), "http://a_b.com:81/x?y"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
	s := mockserver.New(t)
	if want := "http://" + s.Addr().String() + "/"; s.URL("") != want || !strings.HasPrefix(want, "http://127.0.0.1:") {
		t.Errorf("got %s, want %s", s.URL(""), want)
	}
	if _, port, _ := net.SplitHostPort(s.Addr().String()); s.String() != "mockserver{port="+port+"}" {
		t.Errorf("text form %v", s)
	}
}

func TestRequestURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		any := mockserver.WithDispatcher(answer(mockserver.Reply(200)))
		s, s6 := memory(t, mockserver.WithAddr("127.0.0.1:80"), any), memory(t, mockserver.WithAddr("[::1]:80"), any)
		for _, tt := range []struct {
			to            *mockserver.Server
			request, want string
		}{
			{s, "GET /a/deep/path?key=foo%20bar HTTP/1.1·Host: b.c:81··", "http://b.c:81/a/deep/path?key=foo%20bar"},
			{s, "GET http://android.com/ HTTP/1.1·Host: proxy··", "http://android.com/"},
			{s, "OPTIONS * HTTP/1.1·Host: a_b.com··", "http://a_b.com/"},
			{s, "GET /x HTTP/1.1··", "http://127.0.0.1/x"},
			{s6, "GET /x HTTP/1.1··", "http://[::1]/x"},
			{s6, "GET /x HTTP/1.1·Host: a··", "http://a/x"},
			{s, "CONNECT example.com:8080 HTTP/1.1··", "http://example.com:8080/"},
		} {
			dial(t, tt.to).send(tt.request)
			if u, err := take(t, tt.to).URL(); err != nil || u.String() != tt.want {
				t.Errorf("%q: %v, %v, want %s", tt.request, u, err, tt.want)
			}
		}
		dial(t, s).send("GET /a/deep/path?key=foo%20bar HTTP/1.1·Host: a··")
		r := take(t, s)
		u, err := r.URL()
		if value, _ := u.Query("key"); value != "foo bar" || strings.Join(u.PathSegments(), " ") != "a deep path" || r.Target != "/a/deep/path?key=foo%20bar" || err != nil {
			t.Errorf("%s has the parts %q and %q, %v", r.Target, u.PathSegments(), value, err)
		}
		dial(t, s).send("GET / HTTP/1.1·Host: a b··")
		if u, err := take(t, s).URL(); err == nil {
			t.Errorf("a host with a space: %v", u)
		}
	})
}

func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer // handlers lock their writes
		s := memory(t, mockserver.WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
		s.Enqueue(mockserver.Reply(404))
		w := dial(t, s)
		w.send("GET /x HTTP/1.1··")
		w.want("HTTP/1.1 404 ")
		unused := dial(t, s)
		unused.conn.Close()
		synctest.Wait()
		s.Close()
		for _, want := range []string{"level=INFO msg=exchange conn=0 index=0 method=GET target=/x status=404 ", "level=WARN msg=\"mockserver: connection without a request\" conn=1"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in the log:\n%s", want, out.String())
			}
		}
	})
}
