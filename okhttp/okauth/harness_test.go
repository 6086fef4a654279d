package okauth_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// server records what it is asked.
type server struct {
	*httptest.Server
	URL okhttp.URL

	mu   sync.Mutex
	seen []string // method, target and Authorization of each request
}

func serve(t *testing.T, h http.HandlerFunc) *server {
	t.Helper()
	s := new(server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, strings.TrimRight(r.Method+" "+r.RequestURI+" "+r.Header.Get("Authorization"), " "))
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(s.Close)
	s.URL = mustURL(t, s.Server.URL)
	return s
}

// wantSeen compares the requests so far, and forgets them.
func (s *server) wantSeen(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Join(s.seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("the server saw\n%s\nwant\n%s", strings.Join(s.seen, "\n"), strings.Join(want, "\n"))
	}
	s.seen = nil
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

func mustURL(t *testing.T, s string) okhttp.URL {
	t.Helper()
	u, err := okhttp.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func newClient(t *testing.T, opts ...okhttp.Option) *okhttp.Client {
	t.Helper()
	c := okhttp.New(opts...)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// get returns the status and the body of the answer to a GET.
func get(t *testing.T, c *okhttp.Client, url string) (int, string) {
	t.Helper()
	resp, err := c.Get(context.Background(), url)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	text, err := resp.Body.Text()
	if err != nil {
		t.Fatal(err)
	}
	return resp.Status, text
}

func wantStatus(t *testing.T, c *okhttp.Client, url string, want int) {
	t.Helper()
	if got, text := get(t, c, url); got != want {
		t.Errorf("GET %s: status %d (%s), want %d", url, got, text, want)
	}
}

// challenge answers 401.
func challenge(w http.ResponseWriter, challenges ...string) {
	for _, c := range challenges {
		w.Header().Add("WWW-Authenticate", c)
	}
	w.WriteHeader(401)
	_, _ = io.WriteString(w, "who are you?")
}

// guarded lets requests in that have one of the values.
func guarded(challenges []string, values ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, v := range values {
			if r.Header.Get("Authorization") == v {
				_, _ = io.WriteString(w, "welcome")
				return
			}
		}
		challenge(w, challenges...)
	}
}
