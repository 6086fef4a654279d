// Package leaks lets calls succeed, fail and be given up in every way there is, and then looks at what is left of them: goroutines, connections
// and file descriptors.
package leaks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// world is what a case works in.
type world struct {
	t       *testing.T
	pool    *okhttp.ConnectionPool
	client  *okhttp.Client
	clear   *mockserver.Server
	secure  *mockserver.Server
	trust   *tls.Config
	mu      sync.Mutex
	servers []*mockserver.Server // of cases, guarded by mu
}

// checked runs a case, closes everything it used, and fails the test if anything is left.
func checked(t *testing.T, run func(w *world)) {
	t.Helper()
	goroutines := goleak.IgnoreCurrent()
	files := descriptors(t)

	w := &world{t: t, pool: okhttp.NewConnectionPool(okhttp.PoolConfig{MaxIdle: 300})}
	w.clear = mockserver.New(t, mockserver.WithDispatcher(dispatcher{}))
	w.secure = mockserver.New(t, mockserver.WithDispatcher(dispatcher{}), mockserver.WithLocalhostTLS())
	w.trust = w.secure.ClientTLSConfig()
	w.client = okhttp.New(okhttp.WithPool(w.pool), okhttp.WithTLSConfig(w.trust))
	run(w)

	if s := w.pool.Stats(); s.Connections != s.Idle {
		t.Errorf("%d connections and %d of them idle, want no call to have kept one", s.Connections, s.Idle)
	}
	w.pool.EvictAll()
	if s := w.pool.Stats(); s != (okhttp.PoolStats{}) {
		t.Errorf("%+v after the eviction of all, want none", s)
	}
	if err := w.client.Close(); err != nil {
		t.Error(err)
	}
	for _, s := range w.servers {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(w.clear.Close(), w.secure.Close()); err != nil {
		t.Error(err)
	}
	if err := goleak.Find(goroutines); err != nil {
		t.Error(err)
	}
	for name, target := range descriptors(t) {
		if _, before := files[name]; !before {
			t.Errorf("file descriptor %s, %s, is left", name, target)
		}
	}
}

// descriptors are the open files of the process and what they are, empty where the system does not tell. A socket has a name of its own, so
// that one which got the number of another is noticed.
func descriptors(t *testing.T) map[string]string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	open := map[string]string{}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if err == nil && strings.HasPrefix(target, "socket:") { // the runtime opens others, such as that of epoll, when it first needs them
			open[e.Name()+" "+target] = target
		}
	}
	return open
}

// dispatcher answers by the path.
type dispatcher struct{}

// large does not fit into any buffer on the way.
var large = strings.Repeat("0123456789abcdef", 1<<18)

func answers(path string) mockserver.Response {
	switch path {
	case "/small":
		return mockserver.Reply(200).Text("hello")
	case "/large":
		return mockserver.Reply(200).Text(large)
	case "/chunked":
		return mockserver.Reply(200).Chunked(1000).Text(large[:100_000])
	case "/until-close":
		return mockserver.Reply(200).UntilClose().Text("hello")
	case "/none":
		return mockserver.Reply(204)
	case "/redirect":
		return mockserver.Reply(302).Header("Location", "/small").Text("elsewhere")
	case "/circle":
		return mockserver.Reply(302).Header("Location", "/circle")
	case "/hangup":
		return mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.CloseSocket{})
	case "/reset":
		return mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Reset{})
	case "/silent":
		return mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Stall{})
	case "/half":
		return mockserver.Reply(200).Text("hello").OnBytes(mockserver.ResponseBody, 2, mockserver.Stall{})
	case "/short":
		return mockserver.Reply(200).Text("hello").OnBytes(mockserver.ResponseBody, 2, mockserver.CloseSocket{})
	case "/refuse":
		return mockserver.Reply(413).SkipRequestBody().Text("too large")
	case "/garbage":
		return mockserver.Reply(200).Raw([]byte("SSH-2.0-OpenSSH\r\n\r\n"))
	case "/chunks":
		return mockserver.Reply(200).Raw([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"))
	case "/gzip":
		return mockserver.Reply(200).Header("Content-Encoding", "gzip").Text("this is not gzip")
	case "/leftover":
		return mockserver.Reply(200).Raw([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n"))
	case "/huge":
		return mockserver.Reply(200).Header("X", large[:300_000])
	}
	return mockserver.Reply(404)
}

func (dispatcher) Peek(r *mockserver.Request) mockserver.Response { return answers(r.Target) }

func (dispatcher) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	if r.Target == "/echo" {
		return mockserver.Reply(200).Body(r.Body)
	}
	return answers(r.Target)
}

// serve starts a server of a case's own, until that is over.
func (w *world) serve(opts ...mockserver.Option) *mockserver.Server {
	w.t.Helper()
	s, err := mockserver.Start(opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.servers = append(w.servers, s)
	return s
}

// deaf starts a server that reads nothing, so that writing to it blocks in the end.
func (w *world) deaf() *mockserver.Server {
	s := w.serve()
	s.Enqueue(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.Stall{}))
	return s
}

// wants reads a response whole.
func wants(resp *okhttp.Response, err error, status int, body string) error {
	if err != nil {
		return err
	}
	text, err := resp.Body.Text()
	if err != nil || resp.Status != status || body != "*" && text != body {
		return fmt.Errorf("%d with %d bytes, %v; want %d with %d bytes", resp.Status, len(text), err, status, len(body))
	}
	return nil
}

// fails wants a call, or the reading of its response, to fail with the cause that is given, or with any if it is nil. The cause may stand behind
// the failure of an earlier attempt, over a connection that the server had closed.
func fails(resp *okhttp.Response, err, cause error) error {
	if err == nil {
		_, err = resp.Body.Bytes()
	}
	causes := []error{err}
	if e, ok := errors.AsType[*okhttp.Error](err); ok {
		causes = append(causes, e.Attempts...)
	}
	isCause := func(err error) bool { return errors.Is(err, cause) }
	if err == nil || cause != nil && !slices.ContainsFunc(causes, isCause) {
		return fmt.Errorf("%v, want a failure by %v", err, cause)
	}
	return nil
}
