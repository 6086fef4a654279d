package okcache

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// behind is a server of net/http and an http.Client with the cache before net/http's transport.
func behind(t *testing.T, secure bool, c Config, h http.HandlerFunc) (*http.Client, *Cache, string, *atomic.Int64) {
	asked := new(atomic.Int64)
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		h(w, r)
	})
	var s *httptest.Server
	if secure {
		s = httptest.NewTLSServer(counted)
	} else {
		s = httptest.NewServer(counted)
	}
	t.Cleanup(s.Close)
	cache := New(NewMemoryStore(100<<20), c)
	t.Cleanup(func() { cache.Close() })
	return &http.Client{Transport: cache.RoundTripper(s.Client().Transport)}, cache, s.URL, asked
}

func bodyOf(t *testing.T, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	p, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

func TestRoundTripper(t *testing.T) {
	for _, secure := range []bool{false, true} {
		began := time.Now() // a second that begins meanwhile would be an Age of 1
		client, cache, url, asked := behind(t, secure, Config{Now: func() time.Time { return began }}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"v1"`)
			switch {
			case r.URL.Path == "/fresh":
				w.Header().Set("Cache-Control", "max-age=60")
			case r.Header.Get("If-None-Match") == `"v1"`:
				w.Header().Set("X-Validated", "yes")
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("Trailer", "T")
			io.WriteString(w, r.Method+" "+r.URL.Path)
			w.Header().Set("T", "trailer")
		})
		resp, err := client.Get(url + "/fresh")
		if got := bodyOf(t, resp, err); got != "GET /fresh" || resp.Trailer.Get("T") != "trailer" || resp.Header.Get("Age") != "" || (resp.TLS != nil) != secure {
			t.Errorf("first: %q, %v, %v", got, resp.Trailer, resp.Header)
		}
		resp, err = client.Get(url + "/fresh")
		if got := bodyOf(t, resp, err); got != "GET /fresh" || resp.Header.Get("Age") != "0" || resp.Request == nil || resp.Request.URL.Path != "/fresh" || resp.Status != "200 OK" {
			t.Errorf("hit: %q, %q, %v", got, resp.Status, resp.Header)
		}
		for range 2 {
			resp, err = client.Get(url + "/validated")
			if got := bodyOf(t, resp, err); got != "GET /validated" || resp.StatusCode != 200 {
				t.Errorf("validated: %d %q", resp.StatusCode, got)
			}
		}
		if resp.Header.Get("X-Validated") != "yes" {
			t.Errorf("headers %v", resp.Header)
		}
		resp, err = client.Post(url+"/fresh", "text/plain", strings.NewReader("x"))
		if got := bodyOf(t, resp, err); got != "POST /fresh" {
			t.Errorf("post: %q", got)
		}
		resp, err = client.Get(url + "/fresh")
		if got := bodyOf(t, resp, err); got != "GET /fresh" || resp.Header.Get("Age") != "" {
			t.Errorf("after the post: %q, %v", got, resp.Header)
		}
		if asked.Load() != 5 || cache.Stats() != (Stats{Requests: 6, Network: 5, Hits: 2, Stored: 3}) {
			t.Errorf("asked %d times, %+v", asked.Load(), cache.Stats())
		}
	}
}

// A request is not modified, and its body is closed whatever becomes of it.
func TestRoundTripperKeepsTheRequest(t *testing.T) {
	client, _, url, _ := behind(t, false, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", "v1")
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(304)
		}
	})
	for range 2 {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("A", "b")
		resp, err := client.Do(req)
		bodyOf(t, resp, err)
		if len(req.Header) != 1 {
			t.Errorf("the request has become %v", req.Header)
		}
	}
}

// Close early, read in pieces, fail: as with net/http alone.
func TestRoundTripperBodies(t *testing.T) {
	client, cache, url, _ := behind(t, false, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		if r.URL.Path == "/cut" {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "cut")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Length", strconv.Itoa(3<<20))
		w.Write(make([]byte, 3<<20))
	})
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	io.ReadFull(resp.Body, make([]byte, 10))
	resp.Body.Close()
	if got := cache.Stats(); got.Stored+got.Aborted != 1 {
		t.Errorf("%+v", got)
	}
	resp, err = client.Get(url + "/cut")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %v", err)
	}
	resp.Body.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", url+"/other", nil)
	if _, err := client.Do(req); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// What the cache knows nothing of goes past it.
func TestRoundTripperPasses(t *testing.T) {
	client, cache, url, _ := behind(t, false, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		io.WriteString(w, r.Host)
	})
	for range 2 {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "other.test"
		resp, err := client.Do(req)
		if got := bodyOf(t, resp, err); got != "other.test" || resp.Header.Get("Age") != "" {
			t.Errorf("%q, %v", got, resp.Header)
		}
	}
	if got := cache.Stats(); got.Requests != 0 {
		t.Errorf("%+v", got)
	}
	if _, err := client.Get("ftp://nowhere/"); err == nil {
		t.Error("ftp worked")
	}
	client.CloseIdleConnections()
}

// Everything that goes beyond works here, too.
func TestRoundTripperBeyond(t *testing.T) {
	var failing atomic.Bool
	began, goOn := make(chan struct{}), make(chan struct{})
	client, cache, url, asked := behind(t, false, Config{Collapse: true, StaleIfError: true, Ranges: true}, func(w http.ResponseWriter, r *http.Request) {
		if failing.Load() {
			w.WriteHeader(503)
			return
		}
		if r.URL.Path == "/shared" {
			close(began)
			<-goOn
			w.Header().Set("Cache-Control", "max-age=60")
		} else {
			w.Header().Set("Cache-Control", "max-age=0, stale-if-error=60")
		}
		io.WriteString(w, "0123456789")
	})
	texts := make(chan string, 2)
	get := func() {
		resp, err := client.Get(url + "/shared")
		texts <- bodyOf(t, resp, err)
	}
	go get()
	<-began
	go get()
	close(goOn)
	if a, b := <-texts, <-texts; a != "0123456789" || b != a || asked.Load() != 1 {
		t.Errorf("%q, %q, asked %d times", a, b, asked.Load())
	}
	req, _ := http.NewRequest("GET", url+"/shared", nil)
	req.Header.Set("Range", "bytes=2-3")
	resp, err := client.Do(req)
	if got := bodyOf(t, resp, err); got != "23" || resp.StatusCode != 206 || resp.ContentLength != 2 {
		t.Errorf("%d %q", resp.StatusCode, got)
	}
	resp, err = client.Get(url + "/stale")
	bodyOf(t, resp, err)
	failing.Store(true)
	resp, err = client.Get(url + "/stale")
	if got := bodyOf(t, resp, err); got != "0123456789" || resp.StatusCode != 200 {
		t.Errorf("stale: %d %q", resp.StatusCode, got)
	}
	_ = cache
}

func TestVersionNames(t *testing.T) {
	for version, want := range map[uint16]string{tls.VersionTLS10: "TLSv1", tls.VersionTLS11: "TLSv1.1", tls.VersionTLS12: "TLSv1.2", tls.VersionTLS13: "TLSv1.3"} {
		if got := versionOf(version); got != want || !knownVersion(got) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
