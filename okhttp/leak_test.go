package okhttp

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// logLines collects what is logged.
type logLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// collect collects garbage, and has the client notice it, until something was told on the channel.
func collect[T any](t *testing.T, client *Client, told <-chan T) T {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); {
		runtime.GC()
		client.cfg.pool.reap()
		select {
		case v := <-told:
			return v
		default:
			runtime.Gosched()
		}
	}
	t.Fatal("nothing was told after 30 s of collecting garbage")
	panic("unreachable")
}

// Fact 33 of the specification: a response that is dropped frees its connection, and the log names the call.
func TestLeakedResponse(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, strings.Repeat("x", 100<<10))
	}))
	defer s.Close()
	for name, drop := range map[string]func(*Client) error{
		"response": func(c *Client) error {
			_, err := c.Get(t.Context(), s.URL+"/secret?token=1")
			return err
		},
		"body of net/http": func(c *Client) error {
			_, err := c.HTTPClient().Get(s.URL + "/secret?token=1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			failed := make(chan error, 1)
			var lines logLines
			client := New(WithLeakStacks(true), WithLogger(slog.New(slog.NewTextHandler(&lines, nil))), WithEventListener(func(*Call) *EventListener {
				return &EventListener{CallFailed: func(f Failure) { failed <- f.Err }}
			}))
			defer client.Close()
			if err := drop(client); err != nil {
				t.Fatal(err)
			}
			if err := collect(t, client, failed); !errors.Is(err, ErrBodyLeaked) {
				t.Errorf("error %v", err)
			}
			text := lines.String()
			for _, want := range []string{"level=WARN", "url=" + s.URL + "/...", "leak_test.go"} {
				if !strings.Contains(text, want) {
					t.Errorf("logged %s\nwithout %q", text, want)
				}
			}
			if strings.Contains(text, "token") {
				t.Errorf("logged a secret: %s", text)
			}
			if got := client.cfg.pool.Stats(); got != (PoolStats{}) {
				t.Errorf("pool %+v", got)
			}
		})
	}
}

// What is still in use, in whatever wrapping, is no leak.
func TestNoFalseLeak(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 100<<10)) }))
	defer s.Close()
	var lines logLines
	client := New(WithLogger(slog.New(slog.NewTextHandler(&lines, nil))))
	defer client.Close()
	open := map[string]func() io.ReadCloser{
		"body": func() io.ReadCloser {
			resp, err := client.Get(t.Context(), s.URL)
			if err != nil {
				t.Fatal(err)
			}
			return resp.Body
		},
		"derived response": func() io.ReadCloser {
			resp, err := client.Get(t.Context(), s.URL)
			if err != nil {
				t.Fatal(err)
			}
			return resp.With(ResponseStatus(201, "")).Body
		},
		"buffered source": func() io.ReadCloser {
			resp, err := client.Get(t.Context(), s.URL)
			if err != nil {
				t.Fatal(err)
			}
			return struct {
				io.Reader
				io.Closer
			}{resp.Body.Source(), resp.Body.Source()}
		},
		"net/http": func() io.ReadCloser {
			resp, err := client.HTTPClient().Get(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			return resp.Body
		},
	}
	for name, body := range open {
		t.Run(name, func(t *testing.T) {
			b := body()
			for range 5 {
				runtime.GC()
			}
			n, err := io.Copy(io.Discard, b)
			if n != 100<<10 || err != nil {
				t.Errorf("read %d bytes, %v", n, err)
			}
			b.Close()
		})
	}
	if text := lines.String(); text != "" {
		t.Errorf("logged %s", text)
	}
}

// drops executes a GET and drops the response.
func drops(t *testing.T, c *Client, url string) {
	t.Helper()
	if _, err := c.Get(t.Context(), url); err != nil {
		t.Fatal(err)
	}
}

// wantCollected collects garbage until something is told.
func wantCollected[T any](t *testing.T, told <-chan T) (v T) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); {
		runtime.GC()
		select {
		case v = <-told:
			return v
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("nothing was told after 30 s of collecting garbage")
	return v
}

// The pool's timer notices a leak although no call is made any more and nothing is closed. What the listener of the pool is told.
func TestLeakIsNoticedByTimer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 100<<10)) }))
	defer s.Close()
	closed := make(chan PoolEvent, 1)
	var l poolLog
	listener := l.listener()
	inner := listener.Closed
	listener.Closed = func(e PoolEvent) { inner(e); closed <- e }
	pool := NewConnectionPool(PoolConfig{KeepAlive: 20 * time.Millisecond, Listener: listener})
	defer pool.Close()
	failed := make(chan error, 1)
	client := New(WithPool(pool), WithLogger(slog.New(slog.DiscardHandler)), WithEventListener(func(*Call) *EventListener {
		return &EventListener{CallFailed: func(f Failure) { failed <- f.Err }}
	}))
	defer client.Close()
	drops(t, client, s.URL)
	wantCollected(t, closed)
	if err := <-failed; !errors.Is(err, ErrBodyLeaked) {
		t.Errorf("error %v", err)
	}
	if got := pool.Stats(); got != (PoolStats{}) {
		t.Errorf("pool %+v", got)
	}
	at := strings.TrimPrefix(s.URL, "http://")
	l.untimed()
	l.want(t, `
		connectStart call 1 (`+at+`)
		connectEnd #1 call 1 (`+at+`)
		acquired #1 call 1
		noNewExchanges #1 call 1 (its last exchange leaves it unfit for another)
		released #1 call 1
		closed #1 (not fit for another exchange)`)
}

// Shutdown does not wait for a response that nobody has any more.
func TestShutdownNoticesLeak(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 100<<10)) }))
	defer s.Close()
	for name, derived := range map[string]bool{"own pool": false, "pool of another client": true} {
		t.Run(name, func(t *testing.T) {
			owner := New(WithLogger(slog.New(slog.DiscardHandler)))
			defer owner.Close()
			client := owner
			if derived {
				client = owner.With()
			}
			drops(t, client, s.URL)
			done := make(chan error, 1)
			go func() { done <- client.Shutdown(t.Context()) }()
			if err := wantCollected(t, done); err != nil {
				t.Error(err)
			}
			if got := owner.cfg.pool.Stats(); got != (PoolStats{}) {
				t.Errorf("pool %+v", got)
			}
		})
	}
}
