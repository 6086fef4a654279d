package okhar_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func TestEmptyArchive(t *testing.T) {
	if h := archive(t, okhar.New(nil)); h.Log.Version != "1.2" || h.Log.Entries == nil || len(h.Log.Entries) != 0 {
		t.Errorf("%+v", h)
	}
}

// A retry is an entry of its own, behind that of the attempt that failed.
func TestRetry(t *testing.T) {
	requests := 0
	list := recorded(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests == 2 {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
			return
		}
		_, _ = io.WriteString(w, "hello")
	}, func(c *okhttp.Client, url string) {
		get(t)(c, url)
		get(t)(c, url) // on the connection of the first, where it fails
	})
	if len(list) != 3 {
		t.Fatalf("%d entries", len(list))
	}
	for i, status := range []int{200, 0, 200} {
		e := list[i]
		if e.Response.Status != status || (e.Error == "") != (status == 200) || e.Request.Method != "GET" || e.ServerIPAddress != "127.0.0.1" {
			t.Errorf("%d: %+v", i, e)
		}
	}
	if reused, again := list[1].Timings, list[2].Timings; reused.Connect != -1 || again.Connect < 0 {
		t.Errorf("connecting took %v and %v", reused.Connect, again.Connect)
	}
}

// An interceptor that proceeds again makes another entry.
func TestProceedAgain(t *testing.T) {
	r := okhar.New(nil)
	server := httptest.NewServer(say("hello"))
	defer server.Close()
	twice := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		resp, err := chain.Proceed(ctx, chain.Request())
		if err != nil {
			return nil, err
		}
		_ = resp.Body.Close()
		return chain.Proceed(ctx, chain.Request())
	})
	client := okhttp.New(okhttp.WithEventListener(r.Listen), okhttp.WithNetworkInterceptor(r), okhttp.WithInterceptor(twice))
	defer func() { _ = client.Close() }()
	get(t)(client, server.URL)
	list := archive(t, r).Log.Entries
	if len(list) != 2 || list[1].Response.Content.Text != "hello" {
		t.Errorf("%+v", list)
	}
}

// An answer that needed no network, and no cache, is none of an archive's business; a call that an interceptor fails is.
func TestWithoutNetwork(t *testing.T) {
	for _, fail := range []bool{false, true} {
		r := okhar.New(nil)
		client := okhttp.New(okhttp.WithEventListener(r.Listen), okhttp.WithInterceptor(okhttp.InterceptorFunc(func(_ context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			if fail {
				return nil, errors.New("no")
			}
			return okhttp.NewResponse(chain.Request(), 200), nil
		})))
		resp, err := client.Get(context.Background(), "http://example.com/")
		if err == nil {
			_ = resp.Body.Close()
		}
		list := archive(t, r).Log.Entries
		if !fail && len(list) != 0 || fail && (len(list) != 1 || !strings.HasSuffix(list[0].Error, "no")) {
			t.Errorf("fails %v: %+v", fail, list)
		}
		_ = client.Close()
	}
}

// cacheFunc is a cache that answers by itself.
type cacheFunc func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error)

func (f cacheFunc) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	return f(ctx, chain)
}

func TestCacheHit(t *testing.T) {
	r := okhar.New(nil)
	client := okhttp.New(okhttp.WithEventListener(r.Listen), okhttp.WithNetworkInterceptor(r), okhttp.WithCache(cacheFunc(
		func(_ context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			resp := okhttp.NewResponse(chain.Request(), 203)
			chain.Events().CacheHit(okhttp.CacheEvent{Call: chain.Call(), Response: resp})
			return resp, nil
		})))
	defer func() { _ = client.Close() }()
	get(t)(client, "http://example.com/x")
	e := only(t, archive(t, r).Log.Entries)
	if e.Response.Status != 203 || e.Request.URL != "http://example.com/x" || e.Comment != "answered by the cache" || e.Response.BodySize != 0 || e.ServerIPAddress != "" {
		t.Errorf("%+v", e)
	}
}

// One of the two parts alone does no harm: events give all but bodies, the interceptor nothing.
func TestParts(t *testing.T) {
	server := httptest.NewServer(say("hello"))
	defer server.Close()
	r := okhar.New(nil)
	listening := okhttp.New(okhttp.WithEventListener(r.Listen))
	defer func() { _ = listening.Close() }()
	get(t)(listening, server.URL)
	if e := only(t, archive(t, r).Log.Entries); e.Response.Content.Text != "" || e.Response.Content.Size != 5 || e.Response.Content.Comment != "not read" || e.ServerIPAddress != "127.0.0.1" {
		t.Errorf("%+v", e)
	}
	r.Reset()
	intercepting := okhttp.New(okhttp.WithNetworkInterceptor(r))
	defer func() { _ = intercepting.Close() }()
	get(t)(intercepting, server.URL)
	if list := archive(t, r).Log.Entries; len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// Two recorders of one client keep apart what they keep.
func TestTwoRecorders(t *testing.T) {
	server := httptest.NewServer(say("hello"))
	defer server.Close()
	a, b := okhar.New(nil), okhar.New(&okhar.Config{MaxBody: 3})
	client := okhttp.New(okhttp.WithNetworkInterceptor(a, b), okhttp.WithEventListener(func(c *okhttp.Call) *okhttp.EventListener {
		return okhttp.TeeEvents(a.Listen(c), b.Listen(c))
	}))
	defer func() { _ = client.Close() }()
	get(t)(client, server.URL)
	for r, want := range map[*okhar.Recorder]string{a: "hello", b: "hel"} {
		if e := only(t, archive(t, r).Log.Entries); e.Response.Content.Text != want {
			t.Errorf("%q, want %q", e.Response.Content.Text, want)
		}
	}
}

func TestLimits(t *testing.T) {
	list := func(c okhar.Config, sizes ...int) (har, string) {
		r := okhar.New(&c)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			n := 0
			_, _ = fmt.Sscan(q.URL.Path[1:], &n)
			_, _ = w.Write(bytes.Repeat([]byte{'x'}, n))
		}))
		defer server.Close()
		client := okhttp.New(okhttp.WithEventListener(r.Listen), okhttp.WithNetworkInterceptor(r))
		defer func() { _ = client.Close() }()
		for _, n := range sizes {
			get(t)(client, fmt.Sprint(server.URL, "/", n))
		}
		h := archive(t, r)
		var got []string
		for _, e := range h.Log.Entries {
			got = append(got, e.Request.URL[strings.LastIndexByte(e.Request.URL, '/')+1:])
		}
		return h, strings.Join(got, " ")
	}
	for _, tt := range []struct {
		name    string
		c       okhar.Config
		want    string
		comment string
	}{
		{"defaults", okhar.Config{}, "1 2 10000 3 4", ""},
		{"two entries", okhar.Config{MaxEntries: 2}, "3 4", "3 earlier or larger entries were dropped"},
		{"too large by itself", okhar.Config{MaxBytes: 9000}, "1 2 3 4", "1 earlier or larger entries were dropped"},
		{"large, and pushed out by what follows", okhar.Config{MaxBytes: 11_400}, "3 4", "3 earlier or larger entries were dropped"},
		{"bodies do not count when they are left out", okhar.Config{MaxBytes: 9000, MaxBody: -1}, "1 2 10000 3 4", ""},
	} {
		h, got := list(tt.c, 1, 2, 10000, 3, 4)
		if got != tt.want || h.Log.Comment != tt.comment {
			t.Errorf("%s: kept %s, %q", tt.name, got, h.Log.Comment)
		}
	}
}

// Calls, archives and resets at the same time.
func TestConcurrency(t *testing.T) {
	server := httptest.NewServer(say("hello"))
	defer server.Close()
	r := okhar.New(&okhar.Config{MaxEntries: 20})
	client := okhttp.New(okhttp.WithEventListener(r.Listen), okhttp.WithNetworkInterceptor(r))
	defer func() { _ = client.Close() }()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				resp, err := client.Get(context.Background(), server.URL)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := resp.Body.Bytes(); err != nil {
					t.Error(err)
				}
				if _, err := r.WriteTo(io.Discard); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	h := archive(t, r)
	if len(h.Log.Entries) != 20 || h.Log.Comment != "60 earlier or larger entries were dropped" {
		t.Errorf("%d entries, %q", len(h.Log.Entries), h.Log.Comment)
	}
	for i, e := range h.Log.Entries {
		if e.Response.Content.Text != "hello" {
			t.Errorf("%d: %q", i, e.Response.Content.Text)
		}
		if i > 0 && e.StartedDateTime < h.Log.Entries[i-1].StartedDateTime {
			t.Errorf("%s comes before %s", h.Log.Entries[i-1].StartedDateTime, e.StartedDateTime)
		}
	}
	r.Reset()
	if h := archive(t, r); len(h.Log.Entries) != 0 || h.Log.Comment != "" {
		t.Errorf("after Reset: %+v", h)
	}
}

// full fails after some bytes.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWriteFails(t *testing.T) {
	for _, room := range []int{0, 10, 60} {
		n, err := okhar.New(nil).WriteTo(&full{room})
		if n != int64(room) || err != errFull {
			t.Errorf("%d, %v after %d bytes", n, err, room)
		}
	}
}
