//go:build unix

package interop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// http2Server is a server that sends back what it got, with trailers and the protocol.
type http2Server struct {
	name, origin string
	transport    func() *http.Transport // that trusts it
	opts         []okhttp.Option
}

// back answers with the request's content and trailers.
type back struct{}

func (back) Peek(r *mockserver.Request) mockserver.Response { return echo{}.Peek(r) }

func (back) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	return mockserver.Reply(200).Header("X-Proto", r.Proto+".0").Chunked().Body(r.Body).Trailer("X-Sum", fmt.Sprint(len(r.Body), r.Trailers.Get("X-Sum")))
}

func netHTTPBack(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Trailer", "X-Sum")
	w.Header().Set("X-Proto", r.Proto)
	w.Write(body)
	w.Header().Set("X-Sum", fmt.Sprint(len(body), r.Trailer.Get("X-Sum")))
}

// http2Servers are the mock server and net/http's, with TLS and without.
func http2Servers(t *testing.T) []http2Server {
	secure := mockserver.New(t, mockserver.WithLocalhostTLS(), mockserver.WithDispatcher(back{}), mockserver.WithJournalLimit(0))
	clear := mockserver.New(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(back{}), mockserver.WithJournalLimit(0))
	var both http.Protocols
	both.SetUnencryptedHTTP2(true)
	both.SetHTTP1(true)
	theirs := httptest.NewUnstartedServer(http.HandlerFunc(netHTTPBack))
	theirs.Config.Protocols = &both
	theirs.Start()
	t.Cleanup(theirs.Close)
	theirSecure := httptest.NewUnstartedServer(http.HandlerFunc(netHTTPBack))
	theirSecure.EnableHTTP2 = true
	theirSecure.StartTLS()
	t.Cleanup(theirSecure.Close)
	prior := func() *http.Transport {
		var p http.Protocols
		p.SetUnencryptedHTTP2(true)
		return &http.Transport{Protocols: &p}
	}
	theirRoots := theirSecure.Client().Transport.(*http.Transport).TLSClientConfig
	return []http2Server{
		{"mockserver, TLS", strings.TrimSuffix(secure.URL("/"), "/"), func() *http.Transport {
			return &http.Transport{TLSClientConfig: secure.ClientTLSConfig(), ForceAttemptHTTP2: true}
		}, []okhttp.Option{okhttp.WithTLSConfig(secure.ClientTLSConfig())}},
		{"mockserver, cleartext", strings.TrimSuffix(clear.URL("/"), "/"), prior, []okhttp.Option{okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge)}},
		{"net/http, TLS", theirSecure.URL, func() *http.Transport {
			return &http.Transport{TLSClientConfig: theirRoots.Clone(), ForceAttemptHTTP2: true}
		}, []okhttp.Option{okhttp.WithTLSConfig(theirRoots.Clone())}},
		{"net/http, cleartext", theirs.URL, prior, []okhttp.Option{okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge)}},
	}
}

// TestHTTP2BothWays lets net/http and okhttp, as clients, send bodies of all sizes and trailers to both as servers, one by one and many at once.
func TestHTTP2BothWays(t *testing.T) {
	for _, server := range http2Servers(t) {
		t.Run(server.name, func(t *testing.T) {
			transport := server.transport()
			t.Cleanup(transport.CloseIdleConnections)
			for _, client := range []struct {
				name string
				do   http.RoundTripper
			}{{"net/http", transport}, {"okhttp", newClient(t, server.opts...).HTTPClient().Transport}} {
				t.Run(client.name, func(t *testing.T) { bothWays(t, client.do, server.origin) })
			}
		})
	}
}

func bothWays(t *testing.T, client http.RoundTripper, origin string) {
	exchange := func(content []byte, length int64) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", origin+"/", io.NopCloser(bytes.NewReader(content)))
		if err != nil {
			t.Error(err)
			return
		}
		want := fmt.Sprint(len(content), "")
		if req.ContentLength = length; length < 0 { // then there are trailers
			req.Trailer = http.Header{"X-Sum": {"sum"}}
			want = fmt.Sprint(len(content), "sum")
		}
		resp, err := client.RoundTrip(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if !bytes.Equal(got, content) || err != nil || resp.Status != "200 OK" || resp.Proto != "HTTP/2.0" || resp.ProtoMajor != 2 || resp.Header.Get("X-Proto") != "HTTP/2.0" {
			t.Errorf("%s over %s with %d bytes, %v; want %d", resp.Status, resp.Proto, len(got), err, len(content))
		}
		if sum := resp.Trailer.Get("X-Sum"); sum != want {
			t.Errorf("trailer %q, want %q", sum, want)
		}
	}
	for _, size := range []int{1, 16384, 65535, 65536, len(large)} {
		exchange(large[:size], int64(size))
		exchange(large[:size], -1)
	}
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() { exchange(large[:i*(200<<10)/60+1], -1) })
	}
	all.Wait()
}

// keeper counts what it answers, resets what it is asked to, and says goodbye once.
type keeper struct {
	mu    sync.Mutex
	seen  map[string]int
	bye   string
	conns map[int]bool
}

func (k *keeper) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen[r.Target]++
	k.conns[r.ConnIndex] = true
	resp := mockserver.Reply(200).Text(r.Target + string(r.Body))
	switch {
	case r.Target == k.bye:
		return resp.On(mockserver.ResponseEnd, mockserver.ShutdownConnection{})
	case strings.HasPrefix(r.Target, "/stall"):
		return resp.OnBytes(mockserver.ResponseBody, 1, mockserver.Stall{})
	}
	return resp
}

// TestGoodbyeLosesNothing makes many requests over one connection, of which some are given up while their response comes, and which ends with a goodbye in
// the middle. Every other one is answered, and those that must not be repeated were acted on once.
func TestGoodbyeLosesNothing(t *testing.T) {
	requests, workers := 10_000, 50
	if testing.Short() {
		requests = 1000
	}
	k := &keeper{seen: map[string]int{}, conns: map[int]bool{}, bye: fmt.Sprintf("/post/%d", requests/2)}
	server := mockserver.New(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(k), mockserver.WithJournalLimit(0))
	client := newClient(t, okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
	if resp, err := client.Get(t.Context(), server.URL("/first")); err != nil {
		t.Fatal(err)
	} else if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	var next, lost atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := int(next.Add(1)); i <= requests; i = int(next.Add(1)) {
				path, body, want := "/get/", (*okhttp.Body)(nil), ""
				switch {
				case i%10 == 3:
					path = "/stall/"
				case i%2 == 0:
					path, body, want = "/post/", okhttp.Text("content"), "content"
				}
				path += fmt.Sprint(i)
				method, opts := "GET", []okhttp.RequestOption(nil)
				if body != nil {
					method, opts = "POST", append(opts, okhttp.WithBody(body))
				}
				req, err := okhttp.NewRequest(method, server.URL(path), opts...)
				if err != nil {
					t.Error(err)
					return
				}
				ctx, cancel := context.WithCancel(t.Context())
				resp, err := client.Do(ctx, req)
				switch {
				case err != nil:
					if lost.Add(1) <= 5 {
						t.Errorf("%s: %v", path, err)
					}
				case strings.HasPrefix(path, "/stall"):
					if i%20 == 3 {
						cancel()
					}
					resp.Body.Close()
				default:
					if got, err := resp.Body.Text(); (got != path+want || err != nil) && lost.Add(1) <= 5 {
						t.Errorf("%s: %q, %v", path, got, err)
					}
				}
				cancel()
			}
		})
	}
	all.Wait()
	if lost.Load() > 0 {
		t.Errorf("%d of %d were lost", lost.Load(), requests)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for path, n := range k.seen {
		if n != 1 {
			t.Errorf("%s was acted on %d times", path, n)
		}
	}
	if len(k.seen) != requests+1 {
		t.Errorf("%d requests were acted on, want %d", len(k.seen), requests+1)
	}
	if len(k.conns) != 2 {
		t.Errorf("over %d connections, want one until the goodbye and one after it", len(k.conns))
	}
}
