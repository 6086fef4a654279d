package mockserver_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
)

// TestThousandServers opens and closes them one after the other, over TCP, and looks at what is left.
func TestThousandServers(t *testing.T) {
	const servers = 1000
	if s, err := mockserver.Start(); err != nil { // the first one in the process opens what the runtime waits with
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	goroutines, files := runtime.NumGoroutine(), openFiles()
	var longest time.Duration
	for i := range servers {
		var opts []mockserver.Option
		if i%2 == 1 {
			opts = append(opts, mockserver.WithLocalhostTLS())
		}
		begun := time.Now()
		s, err := mockserver.Start(opts...)
		if err != nil {
			t.Fatalf("server %d: %v", i, err)
		}
		if i > 1 { // the first one with TLS makes the authority
			longest = max(longest, time.Since(begun))
		}
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatalf("server %d: %v", i, err)
		}
		if i%4 == 0 { // a request that nobody answers
			io.WriteString(conn, lines(get))
		}
		if err := s.Close(); err != nil {
			t.Fatalf("server %d: %v", i, err)
		}
		conn.Close()
	}
	t.Logf("the slowest start took %v", longest)
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > goroutines && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, before it were %d", n, goroutines)
	}
	if n := openFiles(); n > files {
		t.Errorf("%d files are open, before it were %d", n, files)
	}
}

// openFiles counts the descriptors of the process; 0 where the system does not tell.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

func BenchmarkStart(b *testing.B) {
	for _, c := range []struct {
		name string
		opts []mockserver.Option
	}{{"cleartext", nil}, {"TLS", []mockserver.Option{mockserver.WithLocalhostTLS()}}} {
		b.Run(c.name, func(b *testing.B) {
			if s, err := mockserver.Start(c.opts...); err != nil { // makes the authority
				b.Fatal(err)
			} else {
				s.Close()
			}
			for b.Loop() {
				s, err := mockserver.Start(c.opts...)
				if err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
		})
	}
}

// BenchmarkRequests answers over connections that are kept open, as many as there are processors, four times.
func BenchmarkRequests(b *testing.B) {
	hello := mockserver.Reply(200).Text("hello")
	queue := new(mockserver.Queue)
	queue.SetFailFast(&hello)
	for _, c := range []struct {
		name     string
		d        mockserver.Dispatcher
		response string
	}{
		{"queue", queue, "HTTP/1.1 200 OK·Content-Length: 5··hello"},
		{"function", answer(hello), "HTTP/1.1 200 OK·Content-Length: 5··hello"},
		{"function that asks its context", mockserver.DispatcherFunc(func(ctx context.Context, _ *mockserver.Request) mockserver.Response {
			if ctx.Err() != nil {
				return mockserver.Reply(503)
			}
			return hello
		}), "HTTP/1.1 200 OK·Content-Length: 5··hello"},
		{"handler", mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "hello")
		})), "HTTP/1.1 200 OK·Content-Length: 5··hello"},
		{"handler that asks its context", mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Context().Err() != nil {
				return
			}
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "hello")
		})), "HTTP/1.1 200 OK·Content-Length: 5··hello"},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkRequests(b, c.d, lines(c.response)) })
	}
}

func benchmarkRequests(b *testing.B, d mockserver.Dispatcher, response string) {
	s, err := mockserver.Start(mockserver.WithJournalLimit(0), mockserver.WithDispatcher(d))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	request := lines(get)
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		got := make([]byte, len(response))
		for pb.Next() {
			if _, err := io.WriteString(conn, request); err != nil {
				b.Error(err)
				return
			}
			if _, err := io.ReadFull(conn, got); err != nil || string(got) != response {
				b.Errorf("got %q, %v", got, err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
