package okcache

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stuckTripper answers with a body of which a part comes, and the rest never.
type stuckTripper struct{ body *stuckBody }

func (t stuckTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{Status: "200 OK", StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Cache-Control": {"max-age=100"}}, Body: t.body,
		ContentLength: -1, Request: r}, nil
}

type stuckBody struct {
	began  bool
	closed chan struct{}
	once   sync.Once
}

func (b *stuckBody) Read(p []byte) (int, error) {
	if !b.began {
		b.began = true
		return copy(p, "part"), nil
	}
	<-b.closed
	return 0, errors.New("closed")
}

func (b *stuckBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// Closing a body waits for the rest of it no longer than it may.
func TestRoundTripperBodyClosedWhileStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := New(NewMemoryStore(1<<20), Config{})
		defer cache.Close()
		client := &http.Client{Transport: cache.RoundTripper(stuckTripper{&stuckBody{closed: make(chan struct{})}})}
		resp, err := client.Get("http://site.test/")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := resp.Body.Read(make([]byte, 10)); n != 4 || err != nil {
			t.Fatal(n, err)
		}
		began := time.Now()
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != salvageTime {
			t.Errorf("closing took %v", took)
		}
		if got := cache.Stats(); got.Stored != 0 || got.Aborted != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// Users of net/http close a body while another goroutine reads it, to end that.
func TestRoundTripperBodyClosedWhileRead(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=100")
		if r.URL.Path == "/whole" {
			io.WriteString(w, "whole")
			return
		}
		for range 100 {
			io.WriteString(w, strings.Repeat("x", 100))
			w.(http.Flusher).Flush()
		}
		<-gone
	}))
	defer server.Close()
	defer close(gone)
	cache := New(NewMemoryStore(1<<20), Config{})
	defer cache.Close()
	client := &http.Client{Transport: cache.RoundTripper(server.Client().Transport)}
	for range 10 {
		resp, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		first := make(chan struct{})
		done := make(chan error)
		go func() {
			_, err := io.ReadFull(resp.Body, make([]byte, 100))
			close(first)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
			}
			done <- err
		}()
		<-first
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err == nil {
			t.Error("the reading ended as if that were all")
		}
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
			t.Error("a closed body can be read")
		}
	}
	if stats := cache.Stats(); stats.Hits != 0 {
		t.Errorf("%+v: half a response was stored", stats)
	}
	for range 2 { // and what is read whole is stored
		resp, err := client.Get(server.URL + "/whole")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "whole" {
			t.Errorf("%q, %v", text, err)
		}
		resp.Body.Close()
	}
	if stats := cache.Stats(); stats.Hits != 1 {
		t.Errorf("%+v, want one hit", stats)
	}
}
